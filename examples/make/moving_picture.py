#!/usr/bin/env python3
"""A folder of frames (viewer/moving.mjs) as one moving picture:   python3 examples/make/moving_picture.py FRAMES OUT.gif SECONDS

Needs Debian's python3-pil.
"""
import pathlib
import sys

from PIL import Image


def main():
    folder, out, seconds = sys.argv[1:]
    frames = [Image.open(path).convert("RGB") for path in sorted(pathlib.Path(folder).glob("*.png"))]
    palette = frames[len(frames) // 2].quantize(64)
    frames = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    frames[0].save(out, save_all=True, append_images=frames[1:], duration=int(1000 * float(seconds) / len(frames)), loop=0, optimize=True)


main()
