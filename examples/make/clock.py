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


def main():
    print("# The wheels of a clock. A motor turns the arbor of the second hand; two pairs of wheels, 7.5 and 8, slow it down to that of the")
    print("# minute hand, two more, 3 and 4, to that of the hour hand. It runs 120 times too fast: half an hour of the clock takes 15 s, after a")
    print("# second to get up to speed; then the hands have turned by 60, 1 and 1/12 half turns. Written by examples/make/clock.py.")
    print("catena: 1\nname: clock\nsimulate: {step: 2e-3, duration: 15.5, sample: 0.02}\nbodies:")
    for name, (place, wheels, hand) in ARBORS.items():
        print(f"  {name}:\n    density: 8500\n    position: [{place[0]:.9f}, 0, {place[1]:.9f}]\n    shapes:")
        back = max(y for y, _ in wheels)
        front = hand[2] if hand else min(y for y, _ in wheels)
        turned = "orientation: {axis: [1, 0, 0], angle: 90 deg}, collide: no"
        radius = {"second": 0.0015, "minute": 0.0025, "hour": 0.0035}.get(name, 0.002)
        print(f"      - {{cylinder: {{radius: {radius}, length: {back - front + 0.004:.4f}}}, at: [0, {(back + front) / 2:.4f}, 0], {turned}, color: silver}}")
        for y, r in wheels:
            print(f"      - {{cylinder: {{radius: {r:.9f}, length: 0.004}}, at: [0, {y}, 0], {turned}, color: gold}}")
        if hand:
            length, width, y = hand
            print(f"      - {{box: [{width}, 0.001, {length}], at: [0, {y}, {length / 2 - 0.005:.4f}], collide: no, color: {'crimson' if name == 'second' else 'black'}}}")
    print("joints:")
    for name, (place, _, _) in ARBORS.items():
        motor = ", motor: {velocity: {table: [[0, 0], [1, 120 rpm]]}}" if name == "second" else ""
        print(f"  {name}: {{kind: hinge, between: [ground, {name}], anchor: [{place[0]:.9f}, 0, {place[1]:.9f}], axis: [0, 1, 0]{motor}}}")
    for first, second, pinion, wheel in (("second", "lay1", P1, W1), ("lay1", "minute", P2, W2), ("minute", "lay2", P3, W3), ("lay2", "hour", P4, W4)):
        print(f"  {first}_{second}: {{kind: gear, between: [{first}, {second}], axis: [0, 1, 0], ratio: {-pinion / wheel!r}}}")


main()
