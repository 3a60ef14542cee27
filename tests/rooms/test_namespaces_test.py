"""Every test file has a namespace named after it: files of one program are compiled together (CATENA_UNITY), and their helpers must not meet."""

import pathlib
import re
import sys


def fault(path):
    text = path.read_text(encoding="utf-8")
    if re.search(rf"^namespace {path.stem} {{$", text, re.MULTILINE) is None:
        return f"{path}: its tests belong into 'namespace {path.stem}' instead of an unnamed one"
    return None


def main():
    found = [message for path in sorted(pathlib.Path(sys.argv[1]).glob("tests/*/*_test.cpp")) if (message := fault(path))]
    print("\n".join(found))
    return 1 if found else 0


sys.exit(main())
