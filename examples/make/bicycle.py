#!/usr/bin/env python3
"""Writes examples/bicycle.yaml: the benchmark bicycle of Meijaard, Papadopoulos, Ruina and Schwab (2007), at 5 m/s, pushed from the side.

    python3 examples/make/bicycle.py > examples/bicycle.yaml

The paper's axes have z down and y to the right; here z is up and y to the left, which turns the signs of z and of the products of inertia xz.
"""
import math

from writing import along_z, middle, number, vector

BASE, TRAIL, TILT, SPEED = 1.02, 0.08, math.pi / 10, 5.0  # m, m, rad, m/s
WHEELS = {"rear_wheel": (0, 0.3, 2, 0.0603, 0.12), "front_wheel": (BASE, 0.35, 3, 0.1405, 0.28)}
# name: mass, centre of mass (x, z), Ixx, Iyy, Izz, Ixz
FRAMES = {"frame": (85, (0.3, 0.9), 9.2, 11, 2.8, -2.4), "fork": (4, (0.9, 0.7), 0.05892, 0.06, 0.00708, 0.00756)}
AXIS = [-math.sin(TILT), 0, math.cos(TILT)]


def on_axis(z):
    """The point of the steering axis at height z; it meets the ground a trail ahead of where the front wheel touches it."""
    return [BASE + TRAIL - z * math.tan(TILT), 0, z]


def tube(a, b, radius, colour, centre):
    """A round bar between two points of the x-z plane, as a shape of a body whose centre of mass is at `centre`."""
    turn, length = along_z(a, b)
    at = [p - q for p, q in zip(middle(a, b), centre)]
    return f"{{cylinder: {{radius: {radius}, length: {number(length)}}}, at: {vector(at)}, orientation: {vector(turn)}, collide: no, color: {colour}}}"


def frame_shapes(centre):
    rear, saddle, head, foot = [0, 0, 0.3], [0.22, 0, 0.85], on_axis(0.78), on_axis(0.62)
    crank = [0.42, 0, 0.28]
    parts = [tube(a, b, 0.018, "tomato", centre) for a, b in
             ((rear, crank), (rear, saddle), (crank, saddle), (saddle, head), (crank, foot))]
    # A load in place of a rider: the frame's mass of 85 kg counts both.
    parts.append(f"{{box: [0.34, 0.2, 0.42], at: {vector([0.3 - centre[0], 0, 1.12 - centre[2]])}, collide: no, color: skyblue}}")
    return ", ".join(parts)


def fork_shapes(centre):
    hub, crown, bars = [BASE, 0, 0.35], on_axis(0.74), on_axis(0.98)
    parts = [tube([hub[0], y, hub[2]], [crown[0], y, crown[2]], 0.014, "gold", centre) for y in (-0.05, 0.05)]
    parts.append(tube(crown, bars, 0.018, "gold", centre))
    parts.append(tube([bars[0], -0.28, bars[2]], [bars[0], 0.28, bars[2]], 0.015, "dimgray", centre))
    return ", ".join(parts)


def wheel_shapes(radius):
    turn = "orientation: {axis: [1, 0, 0], angle: 90 deg}, collide: no"
    return f"{{cylinder: {{radius: {radius}, length: 0.03}}, {turn}, color: dimgray}}, {{cylinder: {{radius: {radius - 0.03}, length: 0.034}}, {turn}, color: silver}}"


def main():
    print(f"""\
# A bicycle without a rider rolls at 5 m/s and is pushed from the side: it leans, steers into the fall by itself and rights itself; look at the handlebar.
# This is the benchmark bicycle of Meijaard, Papadopoulos, Ruina and Schwab (2007): two wheels that roll without slip, a frame, and a fork on a
# tilted hinge. Between 4.3 and 6.0 m/s it is stable; its swing dies away by exp(-0.775 t) at 4.465 rad/s. Try --set joints.steering.friction=5, which
# makes it fall. Written by examples/make/bicycle.py.
catena: 1
name: bicycle
simulate: {{step: 1 ms, duration: 6, sample: 0.02}}
ground: {{shapes: [{{plane: {{normal: [0, 0, 1], offset: 0}}, collide: no}}]}}
bodies:""")
    for name, (mass, (x, z), ixx, iyy, izz, ixz) in FRAMES.items():
        centre = [x, 0, z]
        shapes = frame_shapes(centre) if name == "frame" else fork_shapes(centre)
        print(f"  {name}: {{mass: {mass}, inertia: [{ixx}, {iyy}, {izz}, 0, {ixz}, 0], position: {vector(centre)}, velocity: [{SPEED}, 0, 0], shapes: [{shapes}]}}")
    for name, (x, radius, mass, across, about) in WHEELS.items():
        print(f"  {name}: {{mass: {mass}, inertia: [{across}, {about}, {across}], position: {vector([x, 0, radius])}, velocity: [{SPEED}, 0, 0], "
              f"angular_velocity: [0, {number(SPEED / radius)}, 0], shapes: [{wheel_shapes(radius)}]}}")
    print(f"""\
joints:
  steering: {{kind: hinge, between: [frame, fork], anchor: {vector(on_axis(0.7))}, axis: {vector(AXIS)}}}
  rear_hub: {{kind: hinge, between: [frame, rear_wheel], anchor: [0, 0, 0.3], axis: [0, 1, 0]}}
  front_hub: {{kind: hinge, between: [fork, front_wheel], anchor: {vector([BASE, 0, 0.35])}, axis: [0, 1, 0]}}
  rear_tyre: {{kind: rolling, between: [ground, rear_wheel], axis: [0, 1, 0], radius: 0.3}}
  front_tyre: {{kind: rolling, between: [ground, front_wheel], axis: [0, 1, 0], radius: 0.35}}
forces:
  - {{body: frame, force: [0, 250, 0], from: 0.5, until: 0.7}}""")


if __name__ == "__main__":
    main()
