#!/usr/bin/env python3
"""Writes examples/excavator.yaml.

    python3 examples/make/excavator.py > examples/excavator.yaml
"""
import math

from writing import Writer, bracket

Y = [0, 1, 0]
# Points of the x-z plane at t = 0, m.
BOOM_FOOT, BOOM_KNEE, BOOM_TIP = [0.3, 0, 1.6], [2.6, 0, 3.9], [5.0, 0, 3.6]
STICK_BACK, STICK_TIP = [4.65, 0, 4.35], [5.7, 0, 1.3]
BUCKET_TIP = [4.9, 0, 0.55]
ROCKER_PIN, ROCKER_END, BUCKET_EAR = [5.6, 0, 1.72], [6.1, 0, 1.62], [5.98, 0, 1.18]
LIFT_HEAD, CROWD_BASE, CROWD_HEAD, CURL_BASE = [2.2, 0, 3.2], [3.0, 0, 4.35], [4.55, 0, 4.6], [4.95, 0, 4.0]
STICK_HEAD = ", {box: [0.55, 0.2, 0.22], at: [-1.68, 0, 0.04], collide: no}"
TEETH = "".join(f", {{box: [0.22, 0.08, 0.06], at: [0.6, {y}, -0.2], collide: no, color: silver}}" for y in (-0.33, -0.11, 0.11, 0.33))


def main():
    w = Writer([("tube", "dimgray"), ("rod", "silver"), ("bucket", "dimgray"), ("rocker", "grey"), ("link", "grey"), ("", "gold")])
    w.bar("boom_lower", BOOM_FOOT, BOOM_KNEE, 500, 0.35, 0.4, bracket(BOOM_FOOT, BOOM_KNEE, LIFT_HEAD, 0.25, 0.44))
    w.bar("boom_upper", BOOM_KNEE, BOOM_TIP, 350, 0.3, 0.35, bracket(BOOM_KNEE, BOOM_TIP, CROWD_BASE, 0.25, 0.1))
    w.bar("stick", STICK_BACK, STICK_TIP, 350, 0.25, 0.3, bracket(STICK_BACK, STICK_TIP, CURL_BASE, 0.2, 0.1) + STICK_HEAD)
    w.bar("bucket", STICK_TIP, BUCKET_TIP, 250, 0.5, 0.8, TEETH)
    w.bar("rocker", ROCKER_PIN, ROCKER_END, 25, 0.08, 0.3)
    w.bar("link", ROCKER_END, BUCKET_EAR, 25, 0.08, 0.3)
    w.joint("boom", "hinge", "ground", "boom_lower", BOOM_FOOT, Y)
    w.joint("knee", "weld", "boom_lower", "boom_upper", BOOM_KNEE)
    w.joint("elbow", "hinge", "boom_upper", "stick", BOOM_TIP, Y)
    w.joint("wrist", "hinge", "stick", "bucket", STICK_TIP, Y)
    w.joint("rocker_pin", "hinge", "stick", "rocker", ROCKER_PIN, Y)
    w.joint("rocker_end", "hinge", "rocker", "link", ROCKER_END, Y)
    w.joint("bucket_ear", "hinge", "link", "bucket", BUCKET_EAR, Y)
    w.cylinder("lift", "ground", "boom_lower", [0.9, 0, 1.1], LIFT_HEAD, 90, 0.09, Y)
    w.cylinder("crowd", "boom_upper", "stick", CROWD_BASE, CROWD_HEAD, 80, 0.08, Y)
    w.cylinder("curl", "stick", "rocker", CURL_BASE, ROCKER_END, 60, 0.07, Y)
    print("""\
# An excavator's arm digs, curls its bucket and lifts; look at the reaction in the pin `wrist` and at the force of the three cylinders.
# Each cylinder is a tube and a rod on pins with a servo along the slider between them; with the linkage of the bucket there are four loops.
# A weight of 4 kN fills the bucket from 3.2 s on. Written by examples/make/excavator.py.
catena: 1
name: excavator
simulate: {step: 2 ms, duration: 10, sample: 0.02}
ground:
  shapes:
    - {box: [2.6, 2.2, 0.7], at: [-0.5, 0, 1.15], collide: no, color: gold}
    - {box: [1.1, 2.2, 0.6], at: [-1.3, 0, 1.7], collide: no, color: dimgray}
    - {box: [1.3, 0.8, 1.1], at: [-0.1, -0.7, 2.05], collide: no, color: skyblue}
    - {box: [1.4, 0.9, 0.1], at: [-0.1, -0.7, 2.65], collide: no, color: gold}
    - {cylinder: {radius: 0.7, length: 0.2}, at: [-0.3, 0, 0.75], collide: no, color: grey}
    - {box: [3.2, 0.5, 0.7], at: [-0.2, 1.0, 0.35], collide: no, color: [0.25, 0.25, 0.28]}
    - {box: [3.2, 0.5, 0.7], at: [-0.2, -1.0, 0.35], collide: no, color: [0.25, 0.25, 0.28]}
    - {plane: {normal: [0, 0, 1], offset: 0}, collide: no}""")
    w.print()
    print("""\
forces:
  - {body: bucket, force: [0, 0, -4 kN], from: 3.2 s, until: 8 s}
actuators:
  - {joint: lift, kind: position, kp: 8 MN/m, kv: 400 kN s/m, limit: 300 kN, signal: {table: [[0.5, 0], [2, -0.18], [3.2, -0.18], [6, 0.25], [8, 0.25], [9.5, 0]]}}
  - {joint: crowd, kind: position, kp: 8 MN/m, kv: 400 kN s/m, limit: 300 kN, signal: {table: [[0.5, 0], [2, -0.2], [3.2, 0.25], [6, 0.1], [8, 0.1], [9.5, 0]]}}
  - {joint: curl, kind: position, kp: 4 MN/m, kv: 200 kN s/m, limit: 200 kN, signal: {table: [[0.5, 0], [2, -0.15], [3.4, 0.2], [7.6, 0.2], [8.4, -0.15], [9.5, 0]]}}""")


main()
