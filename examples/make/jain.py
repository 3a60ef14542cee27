#!/usr/bin/env python3
"""Writes the two robots of Jain's paper: the pendulum of his Table 2 with n links, and the dual-arm robot of his Table 1.

    examples/make/jain.py pendulum 12 > examples/jain_pendulum.yaml
    examples/make/jain.py dual-arm > examples/dual_arm.yaml
"""
import math
import sys


def number(x):
    return f"{x:.17g}"


def vector(v):
    return "[" + ", ".join(number(x) for x in v) + "]"


def pendulum(n):
    radius = 6 / n
    angle = math.pi / 4
    along = (-math.sin(angle), 0, -math.cos(angle))
    out = [f"# The pendulum of Jain's Table 2: {n} spheres of 1 kg on pin hinges, 12 m long, between a floor and a wall 4 m away.",
           "catena: 1", f"name: pendulum of {n} spheres", "gravity: [0, 0, -9.8]",
           "simulate: {method: operational, integrator: euler, step: 1e-4, duration: 2}", "defaults: {friction: 0.5, restitution: 0.7}",
           "ground:", "  shapes:", "    - {plane: {normal: [0, 0, 1], offset: 0}}", "    - {plane: {normal: [-1, 0, 0], offset: -4}}", "bodies:"]
    inertia = 0.4 * radius * radius
    for i in range(n):
        s = (2 * i + 1) * radius
        p = (s * along[0], 0, 10 + s * along[2])
        out.append(f"  sphere{i}: {{mass: 1, inertia: {vector([inertia] * 3)}, position: {vector(p)}, "
                   f"velocity: {vector((-s * along[2], 0, s * along[0]))}, angular_velocity: [0, -1, 0], shapes: [{{sphere: {number(radius)}}}]}}")
    out.append("joints:")
    for i in range(n):
        s = 2 * i * radius
        p = (s * along[0], 0, 10 + s * along[2])
        parent = "ground" if i == 0 else f"sphere{i - 1}"
        out.append(f"  pin{i}: {{kind: hinge, between: [{parent}, sphere{i}], anchor: {vector(p)}, axis: [0, 1, 0]}}")
    return "\n".join(out) + "\n"


class Robot:
    def __init__(self):
        self.bodies, self.joints, self.actuators = [], [], []

    def link(self, name, parent, start, end, axis, mass, radius, hold, collide=False):
        middle = [(a + b) / 2 for a, b in zip(start, end)]
        d = [b - a for a, b in zip(start, end)]
        length = math.sqrt(sum(x * x for x in d))
        z = [x / length for x in d]
        w = math.sqrt((1 + z[2]) / 2) if z[2] > -1 else 0
        q = (w, -z[1] / (2 * w), z[0] / (2 * w), 0) if w > 0 else (0, 1, 0, 0)
        across, long = mass * (length ** 2 / 12 + radius ** 2 / 4), mass * radius ** 2 / 2
        shape = f"{{capsule: {{radius: {number(radius)}, length: {number(length - 2 * radius if length > 2.2 * radius else 0.2 * radius)}}}, collide: no}}"
        shapes = [shape]
        if collide:
            shapes.append(f"{{sphere: {number(radius)}, at: [0, 0, {number(length / 2)}]}}")
        self.bodies.append(f"  {name}: {{mass: {number(mass)}, inertia: {vector([across, across, long])}, position: {vector(middle)}, "
                           f"orientation: {vector(q)}, shapes: [{', '.join(shapes)}]}}")
        self.joints.append(f"  {name}_joint: {{kind: hinge, between: [{parent}, {name}], anchor: {vector(start)}, axis: {vector(axis)}}}")
        self.actuators.append(f"  - {{joint: {name}_joint, kind: position, kp: {number(hold[0])}, kv: {number(hold[1])}, signal: {{constant: 0}}}}")
        return end


def dual_arm():
    x, y, z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
    robot = Robot()
    # Four links of the head: pan and tilt of the neck, pan and tilt of the sensors.
    at, parent = (0, 0, 1.5), "ground"
    for i, (d, axis) in enumerate([((0, 0, 0.1), z), ((0, 0, 0.1), y), ((0.05, 0, 0.05), z), ((0.1, 0, 0), y)]):
        hold = (5, 0.05) if axis == z else (60, 1) if i == 1 else (10, 0.1)
        end = tuple(a + b for a, b in zip(at, d))
        name = f"head{i}"
        robot.link(name, parent, at, end, axis, 0.8, 0.03, hold)
        at, parent = end, name
    for side, s in (("left", 1), ("right", -1)):
        at, parent = (0, 0.25 * s, 1.35), "ground"
        # Seven links of an arm, reaching forward and down.
        # Gains as large as the inertia each joint carries allows.
        links = [((0, 0.08 * s, 0), y, 3, (2000, 50)), ((0, 0.05 * s, -0.05), x, 2.5, (2000, 50)), ((0.05, 0, -0.25), z, 2.5, (200, 5)),
                 ((0.1, 0, -0.05), y, 2, (800, 20)), ((0.2, 0, -0.05), x, 1.5, (20, 0.3)), ((0.06, 0, -0.06), y, 1, (100, 2)), ((0.02, 0, -0.1), z, 0.8, (5, 0.05))]
        for i, (d, axis, mass, hold) in enumerate(links):
            end = tuple(a + b for a, b in zip(at, d))
            name = f"{side}_arm{i}"
            robot.link(name, parent, at, end, axis, mass, 0.04, hold)
            at, parent = end, name
        # A hand of a palm and three fingers; the outer two of each reach the table.
        palm = (at[0], at[1], at[2] - 0.06)
        robot.link(f"{side}_palm", parent, at, palm, z, 0.4, 0.03, (2, 0.02))
        for k, (dx, dy, depth) in enumerate([(0.04, 0.03, 0.1), (0.04, -0.03, 0.1), (-0.04, 0, 0.07)]):
            start = (palm[0] + dx / 2, palm[1] + dy / 2, palm[2])
            robot.link(f"{side}_finger{k}", f"{side}_palm", start, (palm[0] + dx, palm[1] + dy, palm[2] - depth), y, 0.1, 0.012, (2, 0.02), collide=True)
    table = palm[2] - 0.1 - 0.012
    out = ["# The dual-arm robot of Jain's Table 1: a head of 4 links, two arms of 7, each with a palm and three fingers: 26 links, 26 freedoms.",
           "# Position actuators hold it with four fingertips on a table: 4 contacts. `catena explain` gives the sizes of every formulation.",
           "catena: 1", "name: dual-arm robot", "simulate: {method: operational, step: 1e-3, duration: 2}", "defaults: {friction: 0.5}",
           "ground:", f"  shapes: [{{plane: {{normal: [0, 0, 1], offset: {number(table)}}}}}]", "bodies:"]
    return "\n".join(out + robot.bodies + ["joints:"] + robot.joints + ["actuators:"] + robot.actuators) + "\n"


if __name__ == "__main__":
    if sys.argv[1:2] == ["pendulum"] and len(sys.argv) == 3:
        sys.stdout.write(pendulum(int(sys.argv[2])))
    elif sys.argv[1:] == ["dual-arm"]:
        sys.stdout.write(dual_arm())
    else:
        sys.exit(__doc__)
