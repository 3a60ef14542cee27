#!/usr/bin/env python3
"""Writes examples/clock.yaml: the wheels of a clock.

    python3 examples/make/clock.py > examples/clock.yaml

Every pair of wheels meets: the sum of their radii is the distance of their arbors, the quotient their ratio.
"""
import math

DISTANCE = 0.06  # of neighbouring arbors, m


def pair(ratio):
    """Radii of pinion and wheel that meet at DISTANCE, the wheel `ratio` times as large."""
    return DISTANCE / (1 + ratio), DISTANCE * ratio / (1 + ratio)


P1, W1 = pair(7.5)   # second arbor -> first layshaft
P2, W2 = pair(8)     # first layshaft -> minute arbor
P3, W3 = pair(3)     # minute arbor -> second layshaft
P4, W4 = pair(4)     # second layshaft -> hour arbor

TEETH = {P1: 8, W1: 60, P2: 8, W2: 64, P3: 20, W3: 60, P4: 15, W4: 60}  # in the ratio of the wheels
CENTRE = (0.0, 0.0)
LEFT, RIGHT = ((side * DISTANCE * math.cos(0.7), -DISTANCE * math.sin(0.7)) for side in (-1, 1))
# Place of the centre (x, z), wheels (depth y, radius), hand (length, width, depth).
ARBORS = {
    "second": (CENTRE, [(0.030, P1)], (0.050, 0.004, -0.016)),
    "lay1": (LEFT, [(0.030, W1), (0.020, P2)], None),
    "minute": (CENTRE, [(0.020, W2), (0.010, P3)], (0.045, 0.006, -0.012)),
    "lay2": (RIGHT, [(0.010, W3), (0.000, P4)], None),
    "hour": (CENTRE, [(0.000, W4)], (0.030, 0.008, -0.008)),
}


def teeth(y, r):
    """The teeth of a wheel, each a small block; they mesh half way into each other."""
    count = TEETH[r]
    pitch = 2 * math.pi * r / count
    tall = 0.7 * pitch
    for k in range(count):
        angle = 2 * math.pi * k / count
        x, z = r * math.sin(angle), r * math.cos(angle)
        print(f"      - {{box: [{0.45 * pitch:.5f}, 0.004, {tall:.5f}], at: [{x:.6f}, {y}, {z:.6f}], orientation: {{axis: [0, 1, 0], angle: {angle:.6f}}}, "
              "collide: no, color: gold}")


def dial():
    """Marks of the hours in front of the wheels, on a ring that does not hide them."""
    print("ground:\n  shapes:")
    for hour in range(12):
        angle, length = hour * math.pi / 6, 0.016 if hour % 3 == 0 else 0.009
        x, z = 0.082 * math.sin(angle), 0.082 * math.cos(angle)
        print(f"    - {{box: [0.004, 0.002, {length}], at: [{x:.6f}, -0.012, {z:.6f}], orientation: {{axis: [0, 1, 0], angle: {angle:.6f}}}, collide: no, color: white}}")
    for k in range(60):
        angle = k * math.pi / 30
        print(f"    - {{box: [0.0098, 0.002, 0.002], at: [{0.0925 * math.sin(angle):.6f}, -0.012, {0.0925 * math.cos(angle):.6f}], "
              f"orientation: {{axis: [0, 1, 0], angle: {angle:.6f}}}, collide: no, color: silver}}")


def main():
    print("# The wheels of a clock. A motor turns the arbor of the second hand; two pairs of wheels, 7.5 and 8, slow it down to that of the")
    print("# minute hand, two more, 3 and 4, to that of the hour hand. It runs 120 times too fast: half an hour of the clock takes 15 s, after a")
    print("# second to get up to speed; then the hands have turned by 60, 1 and 1/12 half turns. Written by examples/make/clock.py.")
    print("catena: 1\nname: clock\nsimulate: {step: 2e-3, duration: 15.5, sample: 0.02}")
    dial()
    print("bodies:")
    for name, (place, wheels, hand) in ARBORS.items():
        print(f"  {name}:\n    density: 8500\n    position: [{place[0]:.9f}, 0, {place[1]:.9f}]\n    shapes:")
        back = max(y for y, _ in wheels)
        front = hand[2] if hand else min(y for y, _ in wheels)
        turned = "orientation: {axis: [1, 0, 0], angle: 90 deg}, collide: no"
        radius = {"second": 0.0015, "minute": 0.0025, "hour": 0.0035}.get(name, 0.002)
        print(f"      - {{cylinder: {{radius: {radius}, length: {back - front + 0.004:.4f}}}, at: [0, {(back + front) / 2:.4f}, 0], {turned}, color: silver}}")
        for y, r in wheels:
            print(f"      - {{cylinder: {{radius: {r - 0.7 * math.pi * r / TEETH[r]:.9f}, length: 0.004}}, at: [0, {y}, 0], {turned}, color: gold}}")
            teeth(y, r)
        if hand:
            length, width, y = hand
            print(f"      - {{box: [{width}, 0.001, {length}], at: [0, {y}, {length / 2 - 0.005:.4f}], collide: no, color: {'crimson' if name == 'second' else 'white'}}}")
    print("joints:")
    for name, (place, _, _) in ARBORS.items():
        motor = ", motor: {velocity: {table: [[0, 0], [1, 120 rpm]]}}" if name == "second" else ""
        print(f"  {name}: {{kind: hinge, between: [ground, {name}], anchor: [{place[0]:.9f}, 0, {place[1]:.9f}], axis: [0, 1, 0]{motor}}}")
    for first, second, pinion, wheel in (("second", "lay1", P1, W1), ("lay1", "minute", P2, W2), ("minute", "lay2", P3, W3), ("lay2", "hour", P4, W4)):
        print(f"  {first}_{second}: {{kind: gear, between: [{first}, {second}], axis: [0, 1, 0], ratio: {-pinion / wheel!r}}}")


main()
