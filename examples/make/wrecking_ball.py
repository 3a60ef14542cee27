#!/usr/bin/env python3
"""Writes examples/wrecking_ball.yaml: a chain of a thousand links swings a ball into a wall of bricks.

    python3 examples/make/wrecking_ball.py > examples/wrecking_ball.yaml
"""
import math

LINKS, LENGTH = 1000, 0.02  # 20 m of chain
BALL, MASS = 0.6, 500.0
TOP, TILT = 21.6, math.radians(35)
BRICK, ROWS, COLUMNS = (0.5, 1.0, 0.5), 6, 5
COLORS = ("[0.70, 0.27, 0.18]", "[0.78, 0.35, 0.24]", "[0.62, 0.22, 0.15]")


def main():
    reach = LINKS * LENGTH
    end = (-reach * math.sin(TILT), 0.0, TOP - reach * math.cos(TILT))
    ball = (end[0] - BALL * math.sin(TILT), 0.0, end[2] - BALL * math.cos(TILT))
    print(f"# A chain of {LINKS} links, {reach:g} m long and {LINKS * 0.1:g} kg heavy, swings a ball of {MASS:g} kg into a wall of bricks.")
    print("# No link ever stretches. Written by examples/make/wrecking_ball.py.")
    print("catena: 1\nname: wrecking ball\nsimulate: {step: 2e-3, duration: 4, sample: 0.02, solver: split, sweeps: 100}")
    print("materials:\n  brick: {friction: 0.6, restitution: 0}")
    print("ground:\n  shapes: [{plane: {normal: [0, 0, 1]}, material: brick}]")
    print("chain:")
    print(f"  count: {LINKS}")
    print(f"  start: [0, 0, {TOP}]")
    print(f"  orientation: {{axis: [0, 1, 0], angle: {math.pi / 2 + TILT:.9f}}}")
    print(f"  offset: [{LENGTH}, 0, 0]")
    print(f"  link: {{mass: 0.1, shapes: [{{capsule: {{radius: 8 mm, length: {LENGTH - 0.004:.3f}}}, "
          "orientation: {axis: [0, 1, 0], angle: 90 deg}, collide: no, color: silver}]}")
    print("  joint: {kind: ball}")
    print("bodies:")
    print(f"  wrecker: {{mass: {MASS:g}, position: [{ball[0]:.9f}, 0, {ball[2]:.9f}], shapes: [{{sphere: {BALL}, material: brick, color: orange}}]}}")
    for row in range(ROWS):
        for column in range(COLUMNS):
            y = (column - (COLUMNS - 1) / 2 + (0.25 if row % 2 else -0.25)) * (BRICK[1] + 1e-3)
            print(f"  brick{row}_{column}: {{density: 500, position: [{BALL + BRICK[0] / 2 + 0.1:.3f}, {y:.4f}, {BRICK[2] * (row + 0.5):.4f}], "
                  f"shapes: [{{box: [{BRICK[0]}, {BRICK[1]}, {BRICK[2]}], material: brick, color: {COLORS[(row + column) % 3]}}}]}}")
    print("joints:")
    print(f"  hook: {{kind: ball, between: [link{LINKS - 1}, wrecker], anchor: [{end[0]:.9f}, 0, {end[2]:.9f}]}}")


main()
