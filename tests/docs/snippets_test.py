#!/usr/bin/env python3
"""What the documentation shows is run: every fenced block of every page, in order, in a folder of the page's own; and every link is followed.

    python3 tests/docs/snippets_test.py --catena build/catena --python-path build/python [--compiler c++ --flags "-I…"] [PAGE.md…]

    bash, sh      run line by line with `bash -e`; `catena view` is started, its page is fetched, and it is ended
    yaml          a scene: written (as title="NAME", if given) and checked
    python        run; a block without `import catena` goes on from the blocks before it on the page
    cpp           compiled and run; one without main() is wrapped in one. Skipped without --compiler
    xml, json     written as title="NAME"
    text, console, none  not run: output, equations, synopses
A block that cannot run begins with a comment that says "not run"; there may be only a few of those.
"""
import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

import words

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MOST_UNRUN = 8
FENCE = re.compile(r"^(?P<indent> *)```(?P<info>[^\n`]*)\n(?P<body>.*?)^(?P=indent)```[ \t]*$", re.M | re.S)


class Failure(Exception):
    pass


class Block:
    def __init__(self, page, match, text):
        words = match["info"].split(None, 1)
        self.language = words[0] if words else "none"
        title = re.search(r'title="([^"]+)"', match["info"])
        self.title = title[1] if title else None
        indent = match["indent"]
        self.body = re.sub("^" + indent, "", match["body"], flags=re.M) if indent else match["body"]
        self.line = text.count("\n", 0, match.start()) + 1
        self.place = f"{os.path.relpath(page, ROOT)}:{self.line}"
        self.unrun = "not run" in self.body.split("\n", 1)[0]


def blocks_of(page):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    return [Block(page, match, text) for match in FENCE.finditer(text)]


class Runner:
    """The blocks of one page, in one folder."""

    def __init__(self, options, folder):
        self.options, self.folder, self.earlier = options, folder, ""
        programs = os.path.join(folder, ".programs")
        os.mkdir(programs)
        os.symlink(options.catena, os.path.join(programs, "catena"))
        os.symlink(options.python, os.path.join(programs, "python3"))
        os.symlink(os.path.join(ROOT, "examples"), os.path.join(folder, "examples"))
        os.symlink(os.path.join(ROOT, "tests"), os.path.join(folder, "tests"))
        self.environment = dict(os.environ, PATH=programs + ":" + os.environ["PATH"], PYTHONPATH=options.python_path, MPLBACKEND="Agg",
                                LD_LIBRARY_PATH=options.library_path)

    def call(self, command, text=None):
        done = subprocess.run(command, input=text, capture_output=True, text=True, cwd=self.folder, env=self.environment, timeout=100)
        if done.returncode != 0:
            raise Failure(f"exit code {done.returncode}\n{done.stdout[-1000:]}\n{done.stderr[-2000:]}")

    def view(self, line):
        """A live page: it must print an address within 30 s, and that must be a page."""
        live = subprocess.Popen(["bash", "-c", "exec " + line], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder, env=self.environment)
        try:
            address = live.stdout.readline().strip()
            if not address.startswith("http://127.0.0.1:"):
                raise Failure(f"`{line}` printed '{address}' instead of an address\n{live.stderr.read(1000) if live.poll() is not None else ''}")
            with urllib.request.urlopen(address, timeout=30) as page:
                if b"<html" not in page.read(4096).lower():
                    raise Failure(f"`{line}`: no page at {address}")
        finally:
            live.terminate()
            try:
                live.wait(20)
            except subprocess.TimeoutExpired:
                live.kill()

    def shell(self, body):
        lines = body.replace("\\\n", " ").splitlines()
        script = []
        for line in [*lines, None]:
            if line is not None and not line.lstrip().startswith("catena view"):
                script.append(line)
                continue
            if any(text.strip() for text in script):
                self.call(["bash", "-e"], "\n".join(script))
            if line is not None:
                self.view(line.split("#")[0].strip())
            script = []

    def write(self, block, suffix):
        name = block.title or f"block{block.line}.{suffix}"
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(block.body)
        return name

    def cpp(self, body):
        includes = "\n".join(line for line in body.splitlines() if line.startswith("#include"))
        rest = "\n".join(line for line in body.splitlines() if not line.startswith("#include"))
        if "int main" not in rest:
            rest = "int main() {\n" + rest + "\n}\n"
        source = os.path.join(self.folder, "snippet.cpp")
        with open(source, "w", encoding="utf-8") as file:
            file.write(includes + "\n" + rest)
        self.call([self.options.compiler, *self.options.flags.split(), "-o", "snippet", "snippet.cpp", *self.options.link.split()])
        self.call([os.path.join(self.folder, "snippet")])

    def run(self, block):
        if block.language in ("bash", "sh"):
            self.shell(block.body)
        elif block.language == "yaml":
            self.call([self.options.catena, "check", self.write(block, "yaml")])
        elif block.language == "python":
            body = block.body if "import catena" in block.body else self.earlier + block.body
            self.call([self.options.python, "-"], body)
            self.earlier = body
        elif block.language == "cpp":
            if self.options.compiler:
                self.cpp(block.body)
        elif block.language in ("xml", "json"):
            self.write(block, block.language)
        elif block.language not in ("text", "console", "none", "cmake"):
            raise Failure(f"no rule for a block of '{block.language}'")


def run_page(page, options):
    """(blocks run, not run, failures)."""
    ran, unrun, failures = 0, [], []
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(options, folder)
        for block in blocks_of(page):
            if block.unrun:
                unrun.append(block.place)
                continue
            try:
                runner.run(block)
                ran += block.language not in ("text", "console", "none", "cmake") and (block.language != "cpp" or bool(options.compiler))
            except (Failure, subprocess.TimeoutExpired, OSError) as failure:
                failures.append(f"{block.place}: {failure}")
    return ran, unrun, failures


def prose(text):
    return re.sub(r"`[^`\n]*`", "", FENCE.sub("", text))


def anchors(page):
    with open(page, encoding="utf-8") as file:
        text = FENCE.sub("", file.read())
    found = set()
    for heading in re.findall(r"^#+ +(.*)$", text, re.M):
        slug = re.sub(r"[^\w\s-]", "", re.sub(r"[`*]", "", heading).strip().lower())
        found.add(re.sub(r"[\s-]+", "-", slug))
    return found


def check_page(page):
    """Links that lead nowhere, commands outside of fences, words with a private meaning."""
    with open(page, encoding="utf-8") as file:
        text = file.read()
    name, failures = os.path.relpath(page, ROOT), []
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(text)) + re.findall(r'(?:src|href)="([^"]+)"', prose(text)):
        if re.match(r"[a-z]+:", target):
            continue
        target = re.sub(r"replays/(\w+)\.html$", r"../examples/\1.yaml", target)    # made with the site
        target = re.sub(r"\.html(?=#|$)", ".md", target)                              # a page of the site, in HTML
        path, _, anchor = target.partition("#")
        file = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
        if not os.path.exists(file):
            failures.append(f"{name}: the link to {target} leads nowhere")
        elif anchor and file.endswith(".md") and anchor not in anchors(file):
            failures.append(f"{name}: {target} has no such heading")
    if os.path.basename(page) not in ("changelog.md", "CHANGELOG.md"):
        for line in re.findall(r"^    (?:build/)?catena [a-z]+ .*$", FENCE.sub("", text), re.M):
            failures.append(f"{name}: a command outside of a fence is not run: {line.strip()}")
        for word in words.private_words(prose(text)):
            failures.append(f"{name}: '{word}' is a word of our own; say it in plain English")
        if "measured" not in name:
            for date in re.findall(r"(?<![#\w-])20\d\d-\d\d-\d\d\b", re.sub(r"\]\([^)]*\)", "", prose(text))):
                failures.append(f"{name}: figures with a date ({date}) belong to docs/measured")
    return failures


def pages():
    found = [os.path.join(ROOT, "README.md")]
    for folder, _, files in sorted(os.walk(os.path.join(ROOT, "docs"))):
        found += [os.path.join(folder, name) for name in sorted(files) if name.endswith(".md")]
    return found


def check_site(all_pages):
    """Every page is in the site's menu."""
    with open(os.path.join(ROOT, "mkdocs.yml"), encoding="utf-8") as file:
        menu = file.read()
    docs = os.path.join(ROOT, "docs")
    return [f"mkdocs.yml does not name {os.path.relpath(page, docs)}" for page in all_pages
            if page.startswith(docs) and f" {os.path.relpath(page, docs)}" not in menu]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--catena", required=True)
    parser.add_argument("--python-path", required=True)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--library-path", default="")
    parser.add_argument("--compiler", default="")
    parser.add_argument("--flags", default="")
    parser.add_argument("--link", default="")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("pages", nargs="*")
    options = parser.parse_args()
    options.catena, options.python_path = os.path.abspath(options.catena), os.path.abspath(options.python_path)
    options.python = shutil.which(options.python)
    chosen = [os.path.abspath(page) for page in options.pages] or pages()
    failures = [] if options.pages else check_site(chosen)
    ran, unrun = 0, []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for page, result in zip(chosen, pool.map(lambda page: (time.time(), run_page(page, options), time.time()), chosen)):
            begin, (count, left, wrong), end = result
            if options.verbose:
                print(f"{os.path.relpath(page, ROOT)}: {count} run, {end - begin:.1f} s")
            ran, unrun = ran + count, unrun + left
            failures += wrong + check_page(page)
    if not options.pages and (ran == 0 or len(unrun) > MOST_UNRUN):
        failures.append(f"{ran} blocks were run and {len(unrun)} are marked as not run, of which there may be {MOST_UNRUN}: {', '.join(unrun)}")
    for failure in failures:
        print(failure, file=sys.stderr)
    print(f"{ran} blocks of {len(chosen)} pages were run, {len(unrun)} are marked as not run, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
