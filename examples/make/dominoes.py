#!/usr/bin/env python3
"""Writes examples/dominoes.yaml: a run of dominoes along a spiral.

    python3 examples/make/dominoes.py > examples/dominoes.yaml

Stones of 48 x 24 x 7.5 mm, 20 mm from one to the next; the first is pushed.
"""
import math

COUNT, SPACING = 200, 0.02
WIDTH, HEIGHT, THICKNESS = 0.024, 0.048, 0.0075
INNER, PITCH = 0.2, 0.06  # of the spiral, m: radius at the start, and how much it grows in a turn


def main():
    print("# Two hundred dominoes along a spiral; the first is pushed. Written by examples/make/dominoes.py.")
    print("catena: 1\nname: dominoes\nsimulate: {step: 2e-3, duration: 6, sample: 0.02, solver: split, sweeps: 60}")
    print("materials:\n  plastic: {friction: 0.35, restitution: 0}")
    print("ground:\n  shapes: [{plane: {normal: [0, 0, 1]}, material: plastic}]\nbodies:")
    angle = 0.0
    for i in range(COUNT):
        radius = INNER + PITCH * angle / (2 * math.pi)
        x, y = radius * math.cos(angle), radius * math.sin(angle)
        heading = angle + math.pi / 2
        push = ""
        if i == 0:
            # It turns about its lower front edge.
            speed = 4.0
            axis = (-math.sin(heading), math.cos(heading), 0.0)
            arm = (-THICKNESS / 2 * math.cos(heading), -THICKNESS / 2 * math.sin(heading), HEIGHT / 2)
            w = [speed * a for a in axis]
            v = (w[1] * arm[2] - w[2] * arm[1], w[2] * arm[0] - w[0] * arm[2], w[0] * arm[1] - w[1] * arm[0])
            push = (f", velocity: [{v[0]:.6f}, {v[1]:.6f}, {v[2]:.6f}], "
                    f"angular_velocity: [{w[0]:.6f}, {w[1]:.6f}, {w[2]:.6f}]")
        print(f"  stone{i}: {{density: 1200, position: [{x:.6f}, {y:.6f}, {HEIGHT / 2}], "
              f"orientation: {{axis: [0, 0, 1], angle: {heading:.6f}}}{push}, "
              f"shapes: [{{box: [{THICKNESS}, {WIDTH}, {HEIGHT}], material: plastic}}]}}")
        angle += SPACING / radius


main()
