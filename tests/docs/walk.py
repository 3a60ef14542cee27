#!/usr/bin/env python3
"""Walks docs/start/index.md as a newcomer would: every file is saved and every command run, in order, in one empty folder, with the time each takes.

    python3 tests/docs/walk.py --catena build/catena --python-path build/python [docs/start/index.md]

The page promises ten minutes. Reading takes most of them; what the machine takes is printed, and must leave room for it.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time

from snippets_test import ROOT, Failure, Runner, blocks_of

SILENT = ("text", "console", "none")
START = os.path.join(ROOT, "docs", "start", "index.md")


def first_line(block):
    return next((line.strip() for line in block.body.splitlines() if line.strip() and not line.strip().startswith("#")), "")


def walk(page, options):
    """(what was done, seconds) of each block; raises Failure with the place of the block that did not work."""
    done = []
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(options, folder)
        for block in blocks_of(page):
            if block.unrun or block.language in SILENT:
                continue
            begin = time.monotonic()
            try:
                runner.run(block)
            except (Failure, subprocess.TimeoutExpired, OSError) as failure:
                raise Failure(f"{block.place}: {failure}") from failure
            done.append((f"save {block.title}" if block.title else first_line(block), time.monotonic() - begin))
        files = sorted(name for name in os.listdir(folder) if not name.startswith("."))
    return done, files


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--catena", required=True)
    parser.add_argument("--python-path", required=True)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--library-path", default="")
    parser.add_argument("page", nargs="?", default=START)
    options = parser.parse_args()
    options.catena, options.python_path = os.path.abspath(options.catena), os.path.abspath(options.python_path)
    options.python, options.compiler = shutil.which(options.python), ""
    try:
        done, files = walk(options.page, options)
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 1
    for what, seconds in done:
        print(f"{seconds:7.2f} s  {what}")
    print(f"{sum(seconds for _, seconds in done):7.2f} s  in all, of the ten minutes that the page promises; it leaves {', '.join(files)}")
    wanted = {"pendulum.html", "pendulum.svg", "contact.h5", "motor.csv", "four_bar.csv", "arm.html", "arm_held.csv"}
    missing = wanted - set(files) if os.path.abspath(options.page) == START else set()
    if missing:
        print(f"{', '.join(sorted(missing))} should be there and are not", file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
