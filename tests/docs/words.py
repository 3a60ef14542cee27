#!/usr/bin/env python3
"""Words that mean something in this project only, and that a reader could not look up: python3 tests/docs/words.py tries the messages of the program and
the comments of its public headers. snippets_test.py tries the pages of the documentation with the same list.
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
}
PATTERN = re.compile(r"\b(" + "|".join(PRIVATE) + r")\b")
# Headers that users read; those of the other rooms are the project's own.
PUBLIC = ("include", "src/model", "src/simulation", "src/scene", "src/record", "src/serve", "src/batch", "src/ensemble", "src/import", "src/convert")
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
COMMENT = re.compile(r"//(.*)")


def private_words(text):
    return PATTERN.findall(text)


def sources():
    for top in ("src", "include", "python"):
        for folder, _, files in sorted(os.walk(os.path.join(ROOT, top))):
            for name in sorted(files):
                if name.endswith((".h", ".cpp")):
                    yield os.path.join(folder, name)


def main():
    failures = []
    for path in sources():
        public = path.endswith(".h") and os.path.relpath(path, ROOT).startswith(PUBLIC)
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                said = STRING.findall(line) + (COMMENT.findall(line) if public else [])
                for word in private_words(" ".join(said)):
                    meant = next(text for pattern, text in PRIVATE.items() if re.fullmatch(pattern, word))
                    failures.append(f"{os.path.relpath(path, ROOT)}:{number}: '{word}'; say: {meant}")
    print(*failures, sep="\n", file=sys.stderr)
    print(f"{len(failures)} words of our own in messages and public headers")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
