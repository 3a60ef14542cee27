"""The pictures and replays of the gallery: python3 cmake/gallery.py CATENA pictures [NAME…] makes docs/images/gallery/NAME.png (kept in the repository),
python3 cmake/gallery.py CATENA replays FOLDER makes FOLDER/NAME.html (made with the site). docs/start/gallery.md says which machines there are: every
heading with a line `<!-- picture: TIME [CAMERA] [of BODY,BODY…] -->` and, for a replay, `<!-- replay: SECONDS -->`.
"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "docs", "start", "gallery.md")
PICTURES = os.path.join(ROOT, "docs", "images", "gallery")
MOST_BYTES = 60_000


def machines():
    """[(name, (time of the picture, camera or None, bodies it shows or None), seconds of the replay or None)]"""
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    found = []
    for name, body in re.findall(r"^## `(\w+)`\n(.*?)(?=^## |\Z)", text, re.M | re.S):
        picture = re.search(r"<!-- picture: ([\d.]+)(?: ([-\d.,]+))?(?: of (\S+))? -->", body)
        replay = re.search(r"<!-- replay: ([\d.]+) -->", body)
        found.append((name, picture.groups(), replay and replay[1]))
    return found


def scene(name):
    return os.path.join(ROOT, "examples", name + ".yaml")


def make_picture(catena, name, time, camera, focus):
    out = os.path.join(PICTURES, name + ".png")
    flags = (["--camera", camera] if camera else []) + (["--focus", focus] if focus else [])
    duration = str(float(time) + 0.02)
    subprocess.run([catena, "render", scene(name), "--duration", duration, "--time", time, "--size", "480x300", "--quiet", "--out", out, *flags], check=True)
    # 64 colours without dithering: a third of the bytes.
    small = out + ".small.png"
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", out, "-filter_complex", "split[a][b];[a]palettegen=max_colors=64[p];[b][p]paletteuse=dither=none",
                    "-fflags", "+bitexact", "-flags:v", "+bitexact", small], check=True)
    os.replace(small, out)
    size = os.path.getsize(out)
    print(f"{out}: {size} bytes")
    if size > MOST_BYTES:
        sys.exit(f"{out} has more than {MOST_BYTES} bytes")


def main():
    catena, what, *rest = sys.argv[1:]
    if what == "pictures":
        os.makedirs(PICTURES, exist_ok=True)
        for name, picture, _ in machines():
            if not rest or name in rest:
                make_picture(catena, name, *picture)
    else:
        (folder,) = rest
        os.makedirs(folder, exist_ok=True)
        for name, _, seconds in machines():
            if seconds:
                out = os.path.join(folder, name + ".html")
                subprocess.run([catena, "simulate", scene(name), "--duration", seconds, "--sample", "0.04", "--quiet", "--out", out], check=True)
                print(out)


if __name__ == "__main__":
    main()
