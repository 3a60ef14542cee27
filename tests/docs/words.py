#!/usr/bin/env python3
"""Words that mean something in this project only, and that a reader could not look up: python3 tests/docs/words.py tries the messages of the program, the
comments of all sources and the docstrings of the Python module. snippets_test.py tries the pages of the documentation with the same list.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# word or phrase: what to say instead
PRIVATE = {
    r"crowds?|crowded": "many contacts, large scenes",
    r"lawful|lawless": "with or without contacts and other laws",
    r"haste|hasty": "approach speed",
    r"sunk": "initial overlap",
    r"uneven": "masses that differ much",
    r"thrown back|throws? back": "rebound, impact",
    r"come to terms": "converge",
    r"ha(?:s|ve) a say": "act, count",
    r"two truths": "two versions",
    r"Going on": "continuing, next steps",
    r"(?:is|are) due": "is expected, is required",
    r"settles?": "comes to rest",
    r"share evenly": "distribute equally",
    r"(?:a|the) \w+ that is none": "an unknown, a malformed one",
    r"sure ways": "exact solvers",
    r"as good as can be": "to the tolerance",
    r"dearer": "costs more",
    r"(?:no|not) time for": "what it must not do",
    r"come near enough|comes near enough": "converge",
    r"had better": "should",
    r"going on from": "continuing from",
    r"one frame on": "the next frame",
    r"said not to be|and said so": "a warning says so",
    r"the method (?:lagrange|impulse|spook|operational)'s": "of the method",
    r"good: \d": "valid",
}
PATTERN = re.compile(r"\b(" + "|".join(PRIVATE) + r")\b")
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
COMMENT = re.compile(r"(?://|#)(.*)")
CODE = re.compile(r"`[^`]*`")    # names in comments


def private_words(text):
    return PATTERN.findall(text)


def sources():
    for top in ("src", "include", "python"):
        for folder, _, files in sorted(os.walk(os.path.join(ROOT, top))):
            for name in sorted(files):
                if name.endswith((".h", ".cpp", ".py", ".pyi")):
                    yield os.path.join(folder, name)


def main():
    failures = []
    for path in sources():
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                said = STRING.findall(line) + COMMENT.findall(line) if not path.endswith((".py", ".pyi")) else [line]
                for word in private_words(CODE.sub("", " ".join(said))):
                    meant = next(text for pattern, text in PRIVATE.items() if re.fullmatch(pattern, word))
                    failures.append(f"{os.path.relpath(path, ROOT)}:{number}: '{word}'; say: {meant}")
    print(*failures, sep="\n", file=sys.stderr)
    print(f"{len(failures)} words of our own in messages, comments and docstrings")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
