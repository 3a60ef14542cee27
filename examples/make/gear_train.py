#!/usr/bin/env python3
"""Writes examples/gear_train.yaml: three gears and a rack.

    python3 examples/make/gear_train.py > examples/gear_train.yaml
"""
import math

PITCH = math.radians(18) * 0.05  # of the teeth, m: the small gear has twenty
FLAT = "orientation: {axis: [1, 0, 0], angle: 90 deg}"


def gear(name, x, radius, color, more=""):
    """A toothed wheel about y; teeth mesh half way into each other."""
    count = round(2 * math.pi * radius / PITCH)
    tall = 0.6 * PITCH
    shift = math.pi / count if name == "gear2" else 0  # a tooth of one meets a gap of the other
    print(f"  {name}:\n    density: 7800\n    position: [{x}, 0, 0]\n    shapes:")
    print(f"      - {{cylinder: {{radius: {radius - tall / 2:.5f}, length: 2 cm}}, {FLAT}, collide: no, color: {color}}}{more}")
    for k in range(count):
        angle = 2 * math.pi * k / count + shift + math.pi / 2
        at = f"[{radius * math.sin(angle):.5f}, 0, {radius * math.cos(angle):.5f}]"
        print(f"      - {{box: [{0.45 * PITCH:.5f}, 2 cm, {tall:.5f}], at: {at}, orientation: {{axis: [0, 1, 0], angle: {angle:.5f}}}, collide: no, color: {color}}}")


def main():
    print("""\
# A motor turns a small gear up to 60 revolutions a minute in a second. It drives a big gear, that one a third, and the third
# lifts a rack: the rack climbs at 6.28 cm/s once the motor is up to speed. Written by examples/make/gear_train.py.
#
# Radii 5, 15 and 10 cm; gear 2 turns at -1/3 and gear 3 at -3/2 of that, so gear 3 turns with the motor at half its rate:
# pi rad/s times the radius of the pinion on its shaft, 2 cm.
catena: 1
name: gear train
simulate: {step: 1e-3, duration: 5, sample: 0.01}

bodies:""")
    gear("gear1", 0, 0.05, "tomato")
    gear("gear2", 0.2, 0.15, "skyblue")
    pinion = f"\n      - {{cylinder: {{radius: 2 cm, length: 4 cm}}, at: [0, 2 cm, 0], {FLAT}, collide: no, color: silver}}"
    gear("gear3", 0.45, 0.10, "gold", pinion)
    print("  rack:\n    mass: 2\n    position: [0.42, 0.03, 0]\n    shapes:")
    print("      - {box: [2 cm, 2 cm, 40 cm], collide: no, color: green}")
    for k in range(-12, 13):
        print(f"      - {{box: [8 mm, 2 cm, {0.45 * PITCH:.5f}], at: [0.01, 0, {k * PITCH:.5f}], collide: no, color: green}}")
    print("""
joints:
  shaft1:
    kind: hinge
    between: [ground, gear1]
    anchor: [0, 0, 0]
    axis: [0, 1, 0]
    motor: {velocity: {table: [[0, 0], [1, 60 rpm]]}}
  shaft2: {kind: hinge, between: [ground, gear2], anchor: [0.2, 0, 0], axis: [0, 1, 0]}
  shaft3: {kind: hinge, between: [ground, gear3], anchor: [0.45, 0, 0], axis: [0, 1, 0]}
  guide: {kind: slider, between: [ground, rack], axis: [0, 0, 1]}
  mesh12: {kind: gear, between: [gear1, gear2], axis: [0, 1, 0], ratio: -0.33333333333333333}
  mesh23: {kind: gear, between: [gear2, gear3], axis: [0, 1, 0], ratio: -1.5}
  pinion: {kind: rack, between: [gear3, rack], axis: [0, 1, 0], axis2: [0, 0, 1], radius: 2 cm}""")


main()
