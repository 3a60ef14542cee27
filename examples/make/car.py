#!/usr/bin/env python3
"""Writes examples/car.yaml.

    python3 examples/make/car.py > examples/car.yaml
"""
from writing import Writer

R, WIDTH = 0.32, 0.22  # wheels


def main():
    w = Writer([("wheel", "dimgray"), ("hub", "silver"), ("chassis", "tomato")])
    w.body("chassis", "mass: 1100, inertia: [350, 1500, 1700], position: [0, 0, 0.62], shapes: [{box: [3.9, 1.3, 0.35], collide: no}, "
                      "{box: [1.7, 1.7, 0.35], collide: no}, {hull: [[-1.25, 0.7, 0.17], [-1.25, -0.7, 0.17], [1.0, 0.7, 0.17], [1.0, -0.7, 0.17], "
                      "[-0.9, 0.55, 0.58], [-0.9, -0.55, 0.58], [0.35, 0.55, 0.58], [0.35, -0.55, 0.58]], collide: no, color: skyblue}, "
                      "{box: [1.3, 1.14, 0.06], at: [-0.28, 0, 0.6], collide: no}, {box: [0.1, 1.4, 0.12], at: [1.98, 0, -0.12], collide: no, color: grey}, "
                      "{box: [0.1, 1.4, 0.12], at: [-1.98, 0, -0.12], collide: no, color: grey}, {box: [0.04, 0.3, 0.12], at: [1.95, 0.42, 0.06], collide: no, color: yellow}, "
                      "{box: [0.04, 0.3, 0.12], at: [1.95, -0.42, 0.06], collide: no, color: yellow}, {box: [0.04, 0.3, 0.1], at: [-1.95, 0.42, 0.06], collide: no, color: crimson}, "
                      "{box: [0.04, 0.3, 0.1], at: [-1.95, -0.42, 0.06], collide: no, color: crimson}]")
    for end, x in (("front", 1.3), ("rear", -1.3)):
        for side, y in (("left", 0.78), ("right", -0.78)):
            name = f"{end}_{side}"
            w.body(f"{name}_hub", f"mass: 18, inertia: 0.3, position: [{x}, {y}, {R}], shapes: [{{box: [0.12, 0.1, 0.2], collide: no}}]")
            w.body(f"{name}_wheel", f"mass: 18, position: [{x}, {y}, {R}], shapes: [{{cylinder: {{radius: {R}, length: {WIDTH}}}, "
                                    "orientation: {axis: [1, 0, 0], angle: 90 deg}, material: rubber}, "
                                    "{box: [0.5, 0.05, 0.05], at: [0, 0.1, 0], collide: no, color: silver}, "
                                    "{box: [0.05, 0.05, 0.5], at: [0, 0.1, 0], collide: no, color: silver}]")
            w.joint(f"{name}_strut", "slider", "chassis", f"{name}_hub", [x, y, R], [0, 0, 1],
                    ", stiffness: 28 kN/m, rest: -0.096, damping: 2.4 kN s/m, limits: {lower: -0.16, upper: 0.14}")
            motor = ", motor: {velocity: {table: [[0.5, 0], [2.5, 25]]}, max_force: 320}" if end == "rear" else ""
            w.joint(f"{name}_axle", "hinge", f"{name}_hub", f"{name}_wheel", [x, y, R], [0, 1, 0], motor)
    print("""\
# A car with four sprung wheels accelerates to 29 km/h and drives over bumps; look at the struts, which take them up, and at the chassis, which nods.
# The rear wheels have motors of limited torque. One bump is under the left wheels alone. Written by examples/make/car.py.
catena: 1
name: car
simulate: {step: 2 ms, duration: 8, sample: 0.02}
materials: {rubber: {friction: 1.0}}
ground:
  shapes:
    - {plane: {normal: [0, 0, 1], offset: 0}, material: rubber}
    - {cylinder: {radius: 0.5, length: 4}, at: [12, 0, -0.42], orientation: {axis: [1, 0, 0], angle: 90 deg}, material: rubber, color: orange}
    - {cylinder: {radius: 0.5, length: 4}, at: [20, 0, -0.40], orientation: {axis: [1, 0, 0], angle: 90 deg}, material: rubber, color: orange}
    - {cylinder: {radius: 0.5, length: 1.5}, at: [28, 0.85, -0.38], orientation: {axis: [1, 0, 0], angle: 90 deg}, material: rubber, color: orange}""")
    w.print()


main()
