#!/usr/bin/env python3
"""Writes examples/rope_bridge.yaml.

    python3 examples/make/rope_bridge.py > examples/rope_bridge.yaml
"""
import math

from writing import Writer, middle, vector

PLANKS, SPAN, SAG, WIDTH, RAIL = 24, 7.6, 0.75, 0.8, 0.7


def line(i):
    """The rope under the planks: PLANKS + 1 points along a parabola."""
    x = -SPAN / 2 + SPAN * i / PLANKS
    return [x, 0, 3 - SAG * (1 - (2 * x / SPAN) ** 2)]


def main():
    w = Writer([("plank", "[0.6, 0.4, 0.22]"), ("rail", "[0.8, 0.7, 0.5]"), ("boulder", "grey")])
    points = [line(i) for i in range(PLANKS + 1)]
    for i, (a, b) in enumerate(zip(points, points[1:])):
        length = math.hypot(b[0] - a[0], b[2] - a[2])
        w.body(f"plank{i}", f"mass: 4, position: {vector(middle(a, b))}, orientation: {{axis: [0, 1, 0], angle: {-math.atan2(b[2] - a[2], b[0] - a[0]):.10g}}}, "
                            f"shapes: [{{box: [{0.94 * length:.6g}, {WIDTH}, 0.04], material: wood}}]")
    for side, y in (("left", WIDTH / 2), ("right", -WIDTH / 2)):
        for i, p in enumerate(points):
            first, second = f"plank{i - 1}" if i else "ground", f"plank{i}" if i < PLANKS else "ground"
            w.joint(f"{side}{i}", "ball", first, second, [p[0], y, p[2]])
        rail = [[p[0], y * 1.25, p[2] + RAIL] for p in points]
        for i in range(1, PLANKS):
            w.body(f"{side}_rail{i}", f"kind: particle, mass: 0.4, position: {vector(rail[i])}, shapes: [{{sphere: 0.02, collide: no}}]")
            w.joints.append(f"  {side}_hanger{i}: {{kind: distance, between: [plank{i}, {side}_rail{i}], anchors: [{vector([points[i][0], y, points[i][2]])}, {vector(rail[i])}]}}")
        for i in range(PLANKS):
            ends = [f"{side}_rail{k}" if 0 < k < PLANKS else "ground" for k in (i, i + 1)]
            w.joints.append(f"  {side}_rope{i}: {{kind: distance, between: [{ends[0]}, {ends[1]}], anchors: [{vector(rail[i])}, {vector(rail[i + 1])}]}}")
    w.body("boulder", "mass: 60, position: [-4.6, 0, 3.42], velocity: [3, 0, 0], angular_velocity: [0, 7.5, 0], shapes: [{sphere: 0.4, material: wood, }]".replace(", }", "}"))
    print("""\
# A rope bridge of 24 planks, hung between two banks; look at the wave that runs ahead of a boulder of 60 kg that rolls across it.
# Every plank is tied to the next at both sides, and hand ropes of threads that do not stretch hang on to it: 144 joints, 74 loops.
# Written by examples/make/rope_bridge.py.
catena: 1
name: rope bridge
simulate: {step: 2 ms, duration: 6, sample: 0.02}
materials: {wood: {friction: 0.7}}
ground:
  shapes:
    - {box: [2.4, 2, 3], at: [-5.05, 0, 1.5], material: wood}
    - {box: [6, 2, 3], at: [6.85, 0, 1.5], material: wood}
    - {box: [0.1, 0.1, 0.9], at: [-3.8, 0.5, 3.45], collide: no}
    - {box: [0.1, 0.1, 0.9], at: [-3.8, -0.5, 3.45], collide: no}
    - {box: [0.1, 0.1, 0.9], at: [3.8, 0.5, 3.45], collide: no}
    - {box: [0.1, 0.1, 0.9], at: [3.8, -0.5, 3.45], collide: no}""")
    w.print()


main()
