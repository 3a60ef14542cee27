"""Every include under src/ and include/catena/ names a room that src/CMakeLists.txt declares for the room it stands in, and none uses "../"."""

import pathlib
import re
import sys


def declared_rooms(cmake_text):
    """Room -> the rooms it may include: itself and its DEPENDS. The order of declaration is the order of the rooms."""
    allowed = {}
    for body in re.findall(r"catena_room\(([^)]*)\)", re.sub(r"#.*", "", cmake_text)):
        words = body.split()
        depends = []
        if "DEPENDS" in words:
            for word in words[words.index("DEPENDS") + 1:]:
                if word == "LINKS":
                    break
                depends.append(word)
        allowed[words[0]] = {words[0], *depends}
    return allowed


def faults(root):
    allowed = declared_rooms((root / "src/CMakeLists.txt").read_text())
    order = list(allowed)
    for room, sees in allowed.items():
        for other in sees:
            if other not in allowed or order.index(other) > order.index(room):
                yield f"src/CMakeLists.txt: room {room} depends on {other}, which is declared after it"
    for file in sorted([*root.glob("src/*/*"), *root.glob("include/catena/*/*")]):
        if file.suffix not in {".h", ".cpp"}:
            continue
        room = file.parent.name
        for number, line in enumerate(file.read_text().splitlines(), 1):
            include = re.match(r'\s*#\s*include\s*["<]([^">]+)[">]', line)
            if not include:
                continue
            where = f"{file.relative_to(root)}:{number}"
            path = include.group(1)
            if ".." in path:
                yield f"{where}: {path} leaves its folder; write catena/ROOM/file.h"
            target = re.match(r"catena/(\w+)/", path)
            if target and room in allowed and target.group(1) not in allowed[room]:
                yield f"{where}: room {room} does not declare {target.group(1)} (src/CMakeLists.txt)"


def main():
    found = list(faults(pathlib.Path(sys.argv[1])))
    print("\n".join(found) or "every include is declared")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
