#!/usr/bin/env python3
"""Writes examples/strandbeest.yaml: Theo Jansen's beast on six pairs of legs.

    python3 examples/make/strandbeest.py > examples/strandbeest.yaml

Link lengths are Jansen's published "holy numbers" (cm). Poses fit the joints to the last digit; nothing else is tuned.
"""
import math

A, B, C, D, E, F, G, H, I, J, K, L, M = (
    x / 100 for x in (38.0, 41.5, 39.3, 40.1, 55.8, 39.4, 36.7, 65.7, 49.0, 50.0, 61.9, 7.8, 15.0))
PAIRS, PITCH, BAR, DENSITY, TOE = 6, 0.25, 0.02, 600, 0.025
PHASES = [0, 120, 240, 60, 180, 300]


def meet(p, rp, q, rq, side):
    """The point at distances rp from p and rq from q, to the left (side = 1) or right (-1) of the way from p to q."""
    dx, dz = q[0] - p[0], q[1] - p[1]
    d = math.hypot(dx, dz)
    along = (d * d + rp * rp - rq * rq) / (2 * d)
    across = side * math.sqrt(rp * rp - along * along)
    return (p[0] + (along * dx - across * dz) / d, p[1] + (along * dz + across * dx) / d)


def leg(theta, mirror):
    """Points of one leg in its plane; mirror = -1: the left one (towards -x), 1: the right one."""
    crank = (M * math.cos(theta), M * math.sin(theta))
    if mirror > 0:
        crank = (-crank[0], crank[1])
    pivot = (-A, -L)
    up = meet(pivot, B, crank, J, 1)
    low = meet(pivot, C, crank, K, -1)
    wing = meet(pivot, D, up, E, 1)
    knee = meet(wing, F, low, G, -1)
    toe = meet(knee, H, low, I, -1)
    points = dict(crank=crank, pivot=pivot, up=up, low=low, wing=wing, knee=knee, toe=toe)
    return {k: (-x if mirror > 0 else x, z) for k, (x, z) in points.items()}


def number(x):
    return repr(round(x, 17) + 0.0)


def bar(p, q, centre, y):
    """A bar from p to q as a shape of the body whose centre of mass is `centre`."""
    length = math.hypot(q[0] - p[0], q[1] - p[1])
    at = ((p[0] + q[0]) / 2 - centre[0], (p[1] + q[1]) / 2 - centre[1])
    angle = math.atan2(-(q[1] - p[1]), q[0] - p[0])
    return (f"{{box: [{number(length)}, {BAR}, {BAR}], at: [{number(at[0])}, {number(y)}, {number(at[1])}], "
            f"orientation: {{axis: [0, 1, 0], angle: {number(angle)}}}, collide: no}}")


def centroid(sides):
    total = sum(math.dist(p, q) for p, q in sides)
    return tuple(sum(math.dist(p, q) * (p[i] + q[i]) / 2 for p, q in sides) / total for i in range(2))


COLORS = {"j": "skyblue", "k": "teal", "c": "orange", "upper": "gold", "f": "tomato", "foot": "[0.85, 0.8, 0.65]"}


def body(name, sides, y, lift, toe=None):
    centre = centroid(sides)
    shapes = [bar(p, q, centre, 0.0) for p, q in sides]
    mass = DENSITY * BAR * BAR * sum(math.dist(p, q) for p, q in sides)
    inertia = sum(DENSITY * BAR * BAR * math.dist(p, q) *
                  (math.dist(p, q) ** 2 / 12 + math.dist(centre, ((p[0] + q[0]) / 2, (p[1] + q[1]) / 2)) ** 2)
                  for p, q in sides)
    if toe:
        shapes.append(f"{{sphere: {TOE}, at: [{number(toe[0] - centre[0])}, 0, {number(toe[1] - centre[1])}], material: rubber}}")
    print(f"  {name}:")
    print(f"    mass: {number(mass)}")
    print(f"    inertia: [{number(inertia)}, {number(inertia)}, {number(inertia)}]")
    print(f"    position: [{number(centre[0])}, {number(y)}, {number(centre[1] + lift)}]")
    print(f"    color: {COLORS[name.rsplit('_', 1)[1]]}")
    print(f"    shapes: [{', '.join(shapes)}]")


def hinge(name, a, b, point, y, lift, extra=""):
    print(f"  {name}: {{kind: hinge, between: [{a}, {b}], anchor: [{number(point[0])}, {number(y)}, "
          f"{number(point[1] + lift)}], axis: [0, 1, 0]{extra}}}")


def main():
    legs = []
    for pair, phase in enumerate(PHASES):
        y = PITCH * (pair - (PAIRS - 1) / 2)
        for side, mirror in (("left", -1), ("right", 1)):
            legs.append((f"{side}{pair}", y + mirror * 0.03, leg(math.radians(phase), mirror)))
    lift = TOE - min(points["toe"][1] for _, _, points in legs)

    print(__doc__.split("\n\n")[0].replace("Writes examples/strandbeest.yaml: ", "# ").strip())
    print("""# Made by examples/make/strandbeest.py. A frame that nothing holds up, one crankshaft with six pins, twelve legs of Jansen's lengths on
# 3-D hinges: 74 bodies, 109 hinges, 36 loops, one degree of freedom but for the ride. The motor starts gently; the toes walk by friction alone.
catena: 1
name: strandbeest
simulate: {method: auto, step: 4 ms, duration: 20, sample: 0.04}
materials: {rubber: {friction: 0.9}}
ground: {shapes: [{plane: {normal: [0, 0, 1], offset: 0}, material: rubber}]}

bodies:""")
    width = PITCH * PAIRS
    print(f"""  frame:
    mass: 12
    inertia: [3, 1, 3]
    position: [0, 0, {number(lift - L / 2)}]
    color: silver
    shapes:
      - {{box: [{2 * A}, 0.03, 0.03], at: [0, {width / 2}, {number(-L / 2)}], collide: no}}
      - {{box: [{2 * A}, 0.03, 0.03], at: [0, {-width / 2}, {number(-L / 2)}], collide: no}}
      - {{box: [0.03, {width}, 0.03], at: [{A}, 0, {number(-L / 2)}], collide: no}}
      - {{box: [0.03, {width}, 0.03], at: [{-A}, 0, {number(-L / 2)}], collide: no}}""")
    pins = []
    for pair, phase in enumerate(PHASES):
        y = PITCH * (pair - (PAIRS - 1) / 2)
        pins.append(bar((0, 0), (M * math.cos(math.radians(phase)), M * math.sin(math.radians(phase))), (0, 0), y))
    print(f"""  crank:
    mass: 2
    inertia: [0.4, 0.02, 0.4]
    position: [0, 0, {number(lift)}]
    color: crimson
    shapes: [{{cylinder: {{radius: 0.012, length: {width}}}, orientation: {{axis: [1, 0, 0], angle: 90 deg}}, collide: no}}, {', '.join(pins)}]""")
    for name, y, p in legs:
        body(f"{name}_j", [(p["crank"], p["up"])], y, lift)
        body(f"{name}_k", [(p["crank"], p["low"])], y, lift)
        body(f"{name}_c", [(p["pivot"], p["low"])], y, lift)
        body(f"{name}_upper", [(p["pivot"], p["up"]), (p["up"], p["wing"]), (p["wing"], p["pivot"])], y, lift)
        body(f"{name}_f", [(p["wing"], p["knee"])], y, lift)
        body(f"{name}_foot", [(p["low"], p["knee"]), (p["knee"], p["toe"]), (p["toe"], p["low"])], y, lift, p["toe"])
    print("\njoints:")
    hinge("shaft", "frame", "crank", (0, 0), 0, lift,
          ", motor: {velocity: {table: [[0, 0], [1, 2], [1000, 2]]}}")
    for name, y, p in legs:
        hinge(f"{name}_j_crank", "crank", f"{name}_j", p["crank"], y, lift)
        hinge(f"{name}_k_crank", "crank", f"{name}_k", p["crank"], y, lift)
        hinge(f"{name}_upper_frame", "frame", f"{name}_upper", p["pivot"], y, lift)
        hinge(f"{name}_c_frame", "frame", f"{name}_c", p["pivot"], y, lift)
        hinge(f"{name}_f_upper", f"{name}_upper", f"{name}_f", p["wing"], y, lift)
        hinge(f"{name}_foot_c", f"{name}_c", f"{name}_foot", p["low"], y, lift)
        hinge(f"{name}_j_upper", f"{name}_j", f"{name}_upper", p["up"], y, lift)
        hinge(f"{name}_k_c", f"{name}_k", f"{name}_c", p["low"], y, lift)
        hinge(f"{name}_f_foot", f"{name}_f", f"{name}_foot", p["knee"], y, lift)


if __name__ == "__main__":
    main()
