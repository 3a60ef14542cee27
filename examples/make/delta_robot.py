#!/usr/bin/env python3
"""Writes examples/delta_robot.yaml: the path of the platform is turned into angles of the three arms by the closed form.

    python3 examples/make/delta_robot.py > examples/delta_robot.yaml
"""
import math

from writing import Writer, vector

BASE, PLATFORM, ARM, ROD, GAP, HEIGHT = 0.16, 0.06, 0.30, 0.62, 0.05, 1.3  # m
ANGLES = [math.radians(a) for a in (90, 210, 330)]


def turned(p, a):
    """A point of the plane of an arm (outwards, across, up), turned to the arm's side."""
    return [p[0] * math.cos(a) - p[1] * math.sin(a), p[0] * math.sin(a) + p[1] * math.cos(a), p[2]]


def arm_angle(position, a):
    """How far below the horizontal the arm of side `a` is when the platform is at `position` (x, y, z below the base)."""
    # In the plane of the arm: the platform's pivot is `out` outwards, `across` sideways and z up from the shoulder.
    out = position[0] * math.cos(a) + position[1] * math.sin(a) + PLATFORM - BASE
    across = -position[0] * math.sin(a) + position[1] * math.cos(a)
    z = position[2]
    # |pivot - elbow| = ROD with elbow = ARM (cos t, 0, -sin t):   out cos t - z sin t = k
    k = (out * out + across * across + z * z + ARM * ARM - ROD * ROD) / (2 * ARM)
    return math.atan2(-z, out) - math.acos(k / math.hypot(out, z))


def smooth(x):
    return x * x * x * (10 - 15 * x + 6 * x * x)


A, B, LOW, HIGH = (-0.18, -0.1), (0.18, 0.1), -0.66, -0.52  # where boxes are taken and put, and how far below the base
GRIP = 0.02  # m: how far each finger is told to close; the box stops it before
# Where to, for how many seconds, and whether the fingers are closed while it goes there.
MOVES = [((*A, HIGH), 0.6, False)]
for FIRST, SECOND in ((A, B), (B, A)):
    MOVES += [((*FIRST, LOW), 0.4, False), ((*FIRST, LOW), 0.3, True), ((*FIRST, HIGH), 0.4, True), ((*SECOND, HIGH), 0.5, True),
              ((*SECOND, LOW), 0.4, True), ((*SECOND, LOW), 0.3, False), ((*SECOND, HIGH), 0.4, False)]
DURATION = sum(seconds for _, seconds, _ in MOVES)


def path(t):
    """Where the platform is told to be, from the middle of the base."""
    at = (0, 0, -0.6)
    for to, seconds, _ in MOVES:
        if t < seconds:
            x = smooth(t / seconds)
            return [p + x * (q - p) for p, q in zip(at, to)]
        at, t = to, t - seconds
    return list(at)


def grip():
    """Set-points of a finger: [time, travel], a tenth of a second for each change."""
    points, time, closed = [(0, 0)], 0, False
    for _, seconds, close in MOVES:
        if close != closed:
            points += [(time, GRIP * closed), (time + 0.1, GRIP * close)]
        closed, time = close, time + seconds
    return ", ".join(f"[{t:.2f}, {x}]" for t, x in points if t > 0 or x == 0)


def main():
    w = Writer([("arm", "orange"), ("rod", "silver"), ("platform", "skyblue"), ("finger", "dimgray"), ("box", "[0.72, 0.53, 0.32]")])
    start = [0, 0, -0.6]
    centre = [0, 0, HEIGHT - 0.6]
    w.body("platform", f"mass: 0.4, inertia: [3e-4, 3e-4, 5e-4], position: {vector(centre)}, "
                       "shapes: [{cylinder: {radius: 0.06, length: 0.02}, collide: no}, {box: [0.13, 0.03, 0.02], at: [0, 0, -0.035], collide: no}]")
    for side, s in (("left", -1), ("right", 1)):
        at = [s * 0.045, 0, centre[2] - 0.085]
        w.body(f"finger_{side}", f"mass: 0.06, position: {vector(at)}, shapes: [{{box: [0.012, 0.04, 0.09], material: rubber}}]")
        w.joint(f"grip_{side}", "slider", "platform", f"finger_{side}", at, [-s, 0, 0])
    w.body("box", f"mass: 0.15, position: {vector([*A, 0.525])}, shapes: [{{box: [0.05, 0.05, 0.05], material: rubber}}]")
    for i, a in enumerate(ANGLES):
        t = arm_angle(start, a)
        shoulder = turned([BASE, 0, HEIGHT], a)
        elbow = turned([BASE + ARM * math.cos(t), 0, HEIGHT - ARM * math.sin(t)], a)
        across = turned([0, 1, 0], a)
        w.rod(f"arm{i}", shoulder, elbow, 0.5, 0.018)
        w.joint(f"shoulder{i}", "hinge", "ground", f"arm{i}", shoulder, across)
        for side, y in (("a", -GAP), ("b", GAP)):
            high = [p + y * q for p, q in zip(elbow, across)]
            low = [c + p for c, p in zip(centre, turned([PLATFORM, y, 0], a))]
            w.rod(f"rod{i}{side}", high, low, 0.06, 0.006)
            w.joint(f"elbow{i}{side}", "universal", f"arm{i}", f"rod{i}{side}", high, across)
            w.joint(f"wrist{i}{side}", "ball", f"rod{i}{side}", "platform", low)
    times = [0.05 * k for k in range(int(DURATION / 0.05) + 2)]
    print(f"""\
# A delta robot picks up a box, carries it to another place, puts it down and brings it back; look at the platform, which stays level.
# Three arms on servos, six rods in three parallelograms: the loops alone keep the platform from turning. Two fingers with servos of limited force hold
# the box by friction. The path was turned into angles by the closed form. Written by examples/make/delta_robot.py.
catena: 1
name: delta robot
simulate: {{step: 1 ms, duration: {DURATION:.10g}, sample: 0.01}}
materials: {{rubber: {{friction: 0.8}}}}
ground:
  shapes:
    - {{cylinder: {{radius: 0.2, length: 0.04}}, at: [0, 0, 1.34], collide: no, color: dimgray}}
    - {{plane: {{normal: [0, 0, 1], offset: 0.5}}, material: rubber}}""")
    w.print()
    print("actuators:")
    for i, a in enumerate(ANGLES):
        first = arm_angle(start, a)
        points = ", ".join(f"[{t:.2f}, {arm_angle(path(t), a) - first:.6f}]" for t in times)
        print(f"  - {{joint: shoulder{i}, kind: position, kp: 900, kv: 22, limit: 60, signal: {{table: [{points}]}}}}")

    for side in ("left", "right"):
        print(f"  - {{joint: grip_{side}, kind: position, kp: 2000, kv: 40, limit: 15, signal: {{table: [{grip()}]}}}}")


main()
