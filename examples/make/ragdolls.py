#!/usr/bin/env python3
"""Writes examples/ragdolls.yaml: ragdolls fall down stairs.

    python3 examples/make/ragdolls.py > examples/ragdolls.yaml

Fifteen bodies each, of the size and mass of a person of 1.8 m and 75 kg (segment masses after Winter's tables, rounded).
"""

DOLLS = 4
SPIN = 1.2  # rad/s
STEPS, RISE, GOING, WIDTH = 12, 0.18, 0.30, 4.0

# name: (mass kg, shape, centre); the doll stands at the origin, facing -x, z up
SIDES = (("l", 1), ("r", -1))
BODIES = {
    "pelvis": (11.0, "box: [0.20, 0.32, 0.18]", (0, 0, 0.98)),
    "chest": (24.0, "box: [0.22, 0.36, 0.40]", (0, 0, 1.29)),
    "head": (5.5, "sphere: 0.11", (0, 0, 1.66)),
}
JOINTS = {
    "waist": ("ball", "pelvis", "chest", (0, 0, 1.08), "axis: [0, 0, 1], limits: {cone: 30 deg, lower: -30 deg, upper: 30 deg}"),
    "neck": ("ball", "chest", "head", (0, 0, 1.53), "axis: [0, 0, 1], limits: {cone: 40 deg, lower: -60 deg, upper: 60 deg}"),
}
for side, s in SIDES:
    BODIES |= {
        f"thigh_{side}": (8.5, "capsule: {radius: 0.07, length: 0.30}", (0, 0.10 * s, 0.71)),
        f"shin_{side}": (3.5, "capsule: {radius: 0.05, length: 0.30}", (0, 0.10 * s, 0.29)),
        f"foot_{side}": (1.0, "box: [0.25, 0.09, 0.06]", (-0.06, 0.10 * s, 0.03)),
        f"upper_{side}": (2.1, "capsule: {radius: 0.045, length: 0.20}", (0, 0.25 * s, 1.30)),
        f"fore_{side}": (1.2, "capsule: {radius: 0.035, length: 0.19}", (0, 0.25 * s, 1.01)),
        f"hand_{side}": (0.5, "sphere: 0.05", (0, 0.25 * s, 0.83)),
    }
    JOINTS |= {
        f"hip_{side}": ("ball", "pelvis", f"thigh_{side}", (0, 0.10 * s, 0.92), "axis: [0, 0, 1], limits: {cone: 60 deg, lower: -30 deg, upper: 30 deg}"),
        f"knee_{side}": ("hinge", f"thigh_{side}", f"shin_{side}", (0, 0.10 * s, 0.50), "axis: [0, 1, 0], limits: {lower: -140 deg, upper: 0}"),
        f"ankle_{side}": ("hinge", f"shin_{side}", f"foot_{side}", (0, 0.10 * s, 0.08), "axis: [0, 1, 0], limits: {lower: -30 deg, upper: 40 deg}"),
        f"shoulder_{side}": ("ball", "chest", f"upper_{side}", (0, 0.25 * s, 1.44), "axis: [0, 0, 1], limits: {cone: 100 deg, lower: -60 deg, upper: 60 deg}"),
        f"elbow_{side}": ("hinge", f"upper_{side}", f"fore_{side}", (0, 0.25 * s, 1.16), "axis: [0, 1, 0], limits: {lower: 0, upper: 140 deg}"),
        f"wrist_{side}": ("ball", f"fore_{side}", f"hand_{side}", (0, 0.25 * s, 0.88), "axis: [0, 0, 1], limits: {cone: 50 deg, lower: -40 deg, upper: 40 deg}"),
    }


SHIRTS, TROUSERS = ("tomato", "skyblue", "gold", "teal"), ("[0.3, 0.36, 0.6]", "grey", "brown", "olive")


def color_of(name, doll):
    part = name.split("_")[0]
    if part in ("chest", "upper"):
        return SHIRTS[doll % 4]
    if part in ("pelvis", "thigh", "shin"):
        return TROUSERS[doll % 4]
    return "[0.45, 0.3, 0.2]" if part == "foot" else "[0.9, 0.72, 0.58]"


def main():
    print(f"# {DOLLS} ragdolls fall down {STEPS} stairs: {len(BODIES)} bodies each, hinges and ball joints with limits; look at the limbs, which never bend beyond their limits. Written by examples/make/ragdolls.py.")
    print("catena: 1\nname: ragdolls\nsimulate: {step: 2e-3, duration: 6, sample: 0.02}")
    print("materials:\n  skin: {friction: 0.6, restitution: 0}")
    print("ground:\n  shapes:\n    - {plane: {normal: [0, 0, 1]}, material: skin}")
    for k in range(STEPS):
        height = RISE * (STEPS - k)
        print(f"    - {{box: [{GOING}, {WIDTH}, {height:.3f}], at: [{-(k + 0.5) * GOING:.3f}, 0, {height / 2:.3f}], material: skin}}")
    print(f"    - {{box: [6, {WIDTH}, {RISE * STEPS:.3f}], at: [3, 0, {RISE * STEPS / 2:.3f}], material: skin}}")
    print("bodies:")
    places = [(0.25 + 0.7 * (i // 2), (-0.7 if i % 2 else 0.7), RISE * STEPS + 0.02) for i in range(DOLLS)]
    for i, (x, y, z) in enumerate(places):
        for name, (mass, shape, c) in BODIES.items():
            # They have stumbled: each turns forward about its feet.
            v = (-1.5 - 0.3 * i - SPIN * c[2], SPIN * c[0])
            print(f"  {name}{i}: {{color: {color_of(name, i)}, mass: {mass}, position: [{x + c[0]:.3f}, {y + c[1]:.3f}, {z + c[2]:.3f}], velocity: [{v[0]:.4f}, 0, {v[1]:.4f}], "
                  f"angular_velocity: [0, {-SPIN}, 0], shapes: [{{{shape}, material: skin}}]}}")
    print("joints:")
    for i, (x, y, z) in enumerate(places):
        for name, (kind, a, b, p, rest) in JOINTS.items():
            print(f"  {name}{i}: {{kind: {kind}, between: [{a}{i}, {b}{i}], anchor: [{x + p[0]:.3f}, {y + p[1]:.3f}, {z + p[2]:.3f}], "
                  f"{rest}, damping: 0.1}}")


main()
