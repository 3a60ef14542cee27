"""What is public is include/catena and nothing else: its headers reach no header of src/, each is reached from one that users include, each begins by
saying what it is for, and catena.h stays small."""

import pathlib
import re
import sys

MOST_BEHIND_CATENA_H = 46    # headers of ours that #include <catena/catena.h> reads, itself included


def included(header):
    return re.findall(r'^#include "(catena/[^"]+)"', header.read_text(), re.M)


def reached(folder, first):
    found, waiting = set(), [first]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        header = folder / name
        if header.exists():
            waiting += included(header)
    return found


def faults(root):
    folder = root / "include"
    headers = sorted(folder.glob("catena/**/*.h"))
    for header in headers:
        for name in included(header):
            if not (folder / name).exists():
                yield f"{header.relative_to(root)}: includes {name}, which is not public"
        if not header.read_text().startswith("//"):
            yield f"{header.relative_to(root)}: does not begin by saying what it is for"
    entrances = [str(header.relative_to(folder)) for header in folder.glob("catena/*.h")]
    all_reached = set().union(*(reached(folder, name) for name in entrances))
    for header in headers:
        if str(header.relative_to(folder)) not in all_reached:
            yield f"{header.relative_to(root)}: no header of include/catena/*.h reaches it"
    count = len(reached(folder, "catena/catena.h"))
    if count > MOST_BEHIND_CATENA_H:
        yield f"catena.h reads {count} headers, more than {MOST_BEHIND_CATENA_H}"
    for header in sorted(root.glob("src/*/*.h")):
        if (folder / "catena" / header.parent.name / header.name).exists():
            yield f"{header.relative_to(root)}: there is a public header of the same name"


def main():
    found = list(faults(pathlib.Path(sys.argv[1])))
    print("\n".join(found) or "what is public is include/catena")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
