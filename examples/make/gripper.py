#!/usr/bin/env python3
"""Writes examples/gripper.yaml.

    python3 examples/make/gripper.py > examples/gripper.yaml
"""
import math

from writing import Writer, vector

ARM, OPEN = 0.10, math.radians(38)  # of the cranks that carry the fingers, and how far out they lean at t = 0
Y, TOP = [0, 1, 0], 0.62


def main():
    w = Writer([("finger", "orange"), ("box", "[0.72, 0.53, 0.32]"), ("hand", "dimgray"), ("", "silver")])
    w.body("hand", f"mass: 1.5, inertia: [4e-3, 5e-3, 4e-3], position: [0, 0, {TOP}], shapes: [{{box: [0.14, 0.06, 0.06], collide: no}}]")
    for side, s in (("left", -1), ("right", 1)):
        swing = [s * ARM * math.sin(OPEN), 0, -ARM * math.cos(OPEN)]
        for part, x in (("drive", 0.015), ("follow", 0.055)):
            a = [s * x, 0, TOP - 0.03]
            b = [p + q for p, q in zip(a, swing)]
            w.bar(f"{side}_{part}", a, b, 0.08, 0.014, 0.02)
            w.joint(f"{side}_{part}_top", "hinge", "hand", f"{side}_{part}", a, Y, ", damping: 0.01")
        near, far = ([s * x + swing[0], 0, TOP - 0.03 + swing[2]] for x in (0.015, 0.055))
        pad = [near[0] - s * 0.004, 0, near[2] - 0.07]
        w.body(f"{side}_finger", f"mass: 0.15, inertia: [3e-4, 3e-4, 1e-4], position: {vector([near[0] + s * 0.012, 0, near[2] - 0.05])}, shapes: ["
                                 f"{{box: [0.02, 0.03, 0.12], collide: no}}, "
                                 f"{{box: [0.012, 0.03, 0.05], at: [{-s * 0.016:.3g}, 0, -0.035], material: pad}}]")
        w.joint(f"{side}_drive_pin", "hinge", f"{side}_drive", f"{side}_finger", near, Y)
        w.joint(f"{side}_follow_pin", "hinge", f"{side}_follow", f"{side}_finger", far, Y)
    w.joint("lift", "slider", "ground", "hand", [0, 0, TOP], [0, 0, 1])
    w.joints.append("  mesh: {kind: gear, between: [left_drive, right_drive], axis: [0, 1, 0], ratio: -1}")
    w.body("box", "mass: 0.6, position: [0.006, 0, 0.03], shapes: [{box: [0.06, 0.06, 0.06], material: card}]")
    print("""\
# A gripper comes down, closes on a box that is not quite in the middle, centres it and lifts it by friction; look at the box, which does not creep.
# Two fingers on parallelograms, driven as one through a gear; a servo of limited torque squeezes. Written by examples/make/gripper.py.
catena: 1
name: gripper
simulate: {step: 1 ms, duration: 7, sample: 0.01}
materials: {pad: {friction: 0.9}, card: {friction: 0.6}, table: {friction: 0.4}}
ground: {shapes: [{plane: {normal: [0, 0, 1], offset: 0}, material: table}]}""")
    w.print()
    print("""\
actuators:
  - {joint: lift, kind: position, kp: 20 kN/m, kv: 600 N s/m, signal: {table: [[0.3, 0], [1.5, -0.375], [3, -0.375], [4.5, -0.15], [7, -0.15]]}}
  - {joint: right_drive_top, kind: position, kp: 40, kv: 1, limit: 3, signal: {table: [[1.6, 0], [2.6, 0.6], [7, 0.6]]}}""")


main()
