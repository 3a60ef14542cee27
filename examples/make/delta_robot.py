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


def path(t):
    """Pick and place: down, up, across, down, up, across, 2.4 s a round, after a start of 0.6 s."""
    low, high = -0.66, -0.52
    stations = [(-0.18, -0.1, high), (-0.18, -0.1, low), (-0.18, -0.1, high), (0.18, 0.1, high), (0.18, 0.1, low), (0.18, 0.1, high)]
    if t < 0.6:
        a, b, x = (0, 0, -0.6), stations[0], smooth(t / 0.6)
    else:
        k = (t - 0.6) / 0.4
        i = int(k)
        a, b, x = stations[i % 6], stations[(i + 1) % 6], smooth(k - i)
    return [p + x * (q - p) for p, q in zip(a, b)]


def main():
    w = Writer()
    start = [0, 0, -0.6]
    centre = [0, 0, HEIGHT - 0.6]
    w.body("platform", f"mass: 0.4, inertia: [3e-4, 3e-4, 5e-4], position: {vector(centre)}, "
                       "shapes: [{cylinder: {radius: 0.06, length: 0.02}, collide: no}, {cylinder: {radius: 0.008, length: 0.09}, at: [0, 0, -0.05], collide: no}]")
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
    times = [0.05 * k for k in range(int(9 / 0.05) + 1)]
    print("""\
# A delta robot moves its platform from one place to another and back, every 2.4 s; look at the platform, which stays level.
# Three arms on servos, six rods in three parallelograms: the loops alone keep the platform from turning. The path was turned into angles by the
# closed form. Written by examples/make/delta_robot.py.
catena: 1
name: delta robot
simulate: {step: 1 ms, duration: 9, sample: 0.01}
ground:
  shapes:
    - {cylinder: {radius: 0.2, length: 0.04}, at: [0, 0, 1.34], collide: no}
    - {plane: {normal: [0, 0, 1], offset: 0.5}, collide: no}""")
    w.print()
    print("actuators:")
    for i, a in enumerate(ANGLES):
        first = arm_angle(start, a)
        points = ", ".join(f"[{t:.2f}, {arm_angle(path(t), a) - first:.6f}]" for t in times)
        print(f"  - {{joint: shoulder{i}, kind: position, kp: 900, kv: 22, limit: 60, signal: {{table: [{points}]}}}}")


main()
