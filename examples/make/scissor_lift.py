#!/usr/bin/env python3
"""Writes examples/scissor_lift.yaml.

    python3 examples/make/scissor_lift.py > examples/scissor_lift.yaml
"""
import math

from writing import Writer

STAGES, LENGTH, START = 4, 1.4, math.radians(14)  # legs of 1.4 m, 14 degrees from the floor
Y = [0, 1, 0]


def main():
    w = Writer([("crate", "orange"), ("platform", "skyblue"), ("foot", "dimgray"), ("shoe", "dimgray"), ("up", "crimson"), ("down", "silver")])
    half, rise = LENGTH / 2 * math.cos(START), LENGTH * math.sin(START)
    base, left, right = 0.15, -half, half
    top = base + STAGES * rise
    w.body("foot", f"mass: 5, position: [{right:.10g}, 0, {base}], shapes: [{{box: [0.12, 0.9, 0.08], collide: no}}]")
    w.body("shoe", f"mass: 5, position: [{right:.10g}, 0, {top:.10g}], shapes: [{{box: [0.12, 0.9, 0.08], collide: no}}]")
    w.body("platform", f"mass: 60, inertia: [8, 12, 20], position: [0, 0, {top + 0.08:.10g}], shapes: [{{box: [1.7, 1.0, 0.06], material: deck}}]")
    w.body("crate", f"mass: 250, position: [0.25, 0, {top + 0.41:.10g}], shapes: [{{box: [0.7, 0.7, 0.6], material: deck}}]")
    for side, y in (("front", -0.4), ("back", 0.4)):
        for i in range(STAGES):
            z = base + i * rise
            up, down = f"{side}_up{i}", f"{side}_down{i}"
            w.bar(up, [left, y, z], [right, y, z + rise], 9, 0.06, 0.03)
            w.bar(down, [left, y + 0.04, z + rise], [right, y + 0.04, z], 9, 0.06, 0.03)
            w.joint(f"{side}_middle{i}", "hinge", up, down, [0, y, z + rise / 2], Y)
            if i == 0:
                w.joint(f"{side}_fixed", "hinge", "ground", up, [left, y, z], Y)
                w.joint(f"{side}_foot", "hinge", "foot", down, [right, y, z], Y)
            else:
                w.joint(f"{side}_left{i}", "hinge", f"{side}_down{i - 1}", up, [left, y, z], Y)
                w.joint(f"{side}_right{i}", "hinge", f"{side}_up{i - 1}", down, [right, y, z], Y)
        w.joint(f"{side}_deck", "hinge", f"{side}_down{STAGES - 1}", "platform", [left, y, top], Y)
        w.joint(f"{side}_shoe", "hinge", f"{side}_up{STAGES - 1}", "shoe", [right, y, top], Y)
    w.joint("rail", "slider", "ground", "foot", [right, 0, base], [1, 0, 0])
    w.joint("guide", "slider", "platform", "shoe", [right, 0, top], [1, 0, 0])
    travel = LENGTH * (math.cos(START) - math.cos(math.radians(48)))
    print(f"""\
# A scissor lift of four stages raises a crate by 2.8 m; look at the joints, of which none opens, and at the crate, which does not slip.
# Front and back legs are bodies of their own on 3-D hinges: 16 legs, 11 loops and 37 redundant constraints. A servo pulls the
# sliding foot towards the fixed one. Written by examples/make/scissor_lift.py.
catena: 1
name: scissor lift
simulate: {{step: 2 ms, duration: 8, sample: 0.02}}
materials: {{deck: {{friction: 0.6}}}}""")
    w.print()
    print(f"""\
actuators:
  - joint: rail
    kind: position
    kp: 30 MN/m
    kv: 600 kN s/m
    signal: {{table: [[0.5, 0], [1.5, {-0.08 * travel:.6g}], [5, {-0.93 * travel:.6g}], [6, {-travel:.6g}]]}}""")


main()
