#!/usr/bin/env python3
"""Writes examples/cassie.yaml from the MJCF of Agility Robotics' Cassie (tests/data/robots/cassie.xml, MIT licence): the robot as `catena convert` reads it
at its keyframe `home`, with a floor, servos on its ten motors and colours.

    python3 examples/make/cassie.py build/catena > examples/cassie.yaml
"""
import csv
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# joint: kp, kv, torque limit (ctrlrange times gear of the file), amplitude of the squat, how far from home the set-point is, rad: the leaf springs give way
# under the weight, and it leans back against that
SERVOS = {"hip-roll": (3000, 80, 112.5, 0, 0), "hip-yaw": (2000, 50, 112.5, 0, 0), "hip-pitch": (6000, 150, 195.2, 0.15, 0.02), "knee": (6000, 150, 195.2, -0.30, 0),
          "foot": (2000, 40, 45, -0.14, -0.02)}
COLORS = [("pelvis", "dimgray"), ("hip", "tomato"), ("knee", "orange"), ("shin", "silver"), ("tarsus", "silver"), ("foot-crank", "orange"), ("rod", "gold"), ("spring", "gold"), ("foot", "dimgray")]
LICENCE = open(os.path.join(ROOT, "examples", "cassie.LICENSE"), encoding="utf-8").read()


def converted(catena):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "cassie.yaml")
        subprocess.run([catena, "convert", os.path.join(ROOT, "tests", "data", "robots", "cassie.xml"), out, "--keyframe", "home",
                        "--missing-meshes", "skip", "--quiet"], check=True)
        with open(out, encoding="utf-8") as file:
            return file.read()


def rotate(q, v):
    w, x, y, z = q
    t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])]
    return [v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2], v[2] + w * t[2] + x * t[1] - y * t[0]]


def numbers(text):
    return [float(x) for x in re.findall(r"-?[\d.]+(?:e-?\d+)?", text)]


def vector(v):
    return "[" + ", ".join(f"{x:.15g}" for x in v) + "]"


def assembled(text, catena):
    """The keyframe leaves its loops open by 1.5 mm, which MuJoCo closes softly: all poses, and what is given in world coordinates with them, as assembly leaves them."""
    with tempfile.TemporaryDirectory() as folder:
        scene, run = os.path.join(folder, "scene.yaml"), os.path.join(folder, "run.csv")
        with open(scene, "w", encoding="utf-8") as file:
            file.write(text)
        subprocess.run([catena, "simulate", scene, "--duration", "0", "--quiet", "--out", run], check=True)
        with open(run, newline="", encoding="utf-8") as file:
            row = {key: float(value) for key, value in next(csv.DictReader(file)).items()}
    poses = {}

    def move_body(found):
        name, body = found[1], found[0]
        old = numbers(re.search(r"position: (\[.*?\])", body)[1]), numbers(re.search(r"orientation: (\[.*?\])", body)[1])
        new = [row[f"{name}.{k}"] for k in "xyz"], [row[f"{name}.q{k}"] for k in "wxyz"]
        poses[name] = old, new
        body = re.sub(r"position: \[.*?\]", "position: " + vector(new[0]), body, count=1)
        return re.sub(r"orientation: \[.*?\]", "orientation: " + vector(new[1]), body, count=1)

    text = re.sub(r'^  "([\w-]+)":\n(?:    .*\n)+', move_body, text, flags=re.M)

    def moved(body, v, point):
        (x, q), (x2, q2) = poses[body]
        local = rotate([q[0], -q[1], -q[2], -q[3]], [a - b for a, b in zip(v, x)] if point else v)
        return [a + b for a, b in zip(rotate(q2, local), x2)] if point else rotate(q2, local)

    def move_joint(found):
        name, joint = found[1], found[0]
        pair = re.search(r'between: \["([\w-]+)", "([\w-]+)"\]', joint).groups()
        for key, point in (("anchor", True), ("axis", False)):
            joint = re.sub(rf"{key}: (\[[^\[\]]*\])", lambda m, key=key, point=point: f"{key}: " + vector(moved(pair[0], numbers(m[1]), point)), joint)
        for key, point in (("anchors", True), ("axes", False)):
            joint = re.sub(rf"{key}: \[(\[[^\[\]]*\]), (\[[^\[\]]*\])\]", lambda m, key=key, point=point: f"{key}: [" + ", ".join(
                vector(moved(body, numbers(m[k + 1]), point)) for k, body in enumerate(pair)) + "]", joint)
        return re.sub(r"start: -?[\d.]+(?:e-?\d+)?", lambda m: f"start: {row[f'joint.{name}.q[0]']:.15g}", joint)

    return re.sub(r'^  "([\w-]+)": \{kind.*$', move_joint, text, flags=re.M)


def rounded(text):
    return re.sub(r"-?\d+\.\d{10,}(?:e-?\d+)?|-?\d(?:\.\d+)?e-1\d", lambda m: f"{round(float(m[0]), 10):.10g}" if abs(float(m[0])) > 1e-10 else "0", text)


def section(text, name):
    return re.search(rf"^{name}:.*?(?=^\w|\Z)", text, re.M | re.S)[0]


def painted(bodies):
    """Colours, and only feet touch: the covers of a leg reach into each other."""
    out = []
    for body in re.split(r'(?=^  "[\w-]+":$)', bodies, flags=re.M):
        name = re.match(r'  "([\w-]+)":', body)
        if name:
            color = next(color for part, color in COLORS if part in name[1])
            body = body.replace("    kind: rigid\n", f"    color: {color}\n", 1)
            if not name[1].endswith("-foot"):
                body = re.sub(r"\}$", ", collide: no}", body, flags=re.M)
            body = re.sub(r"material: \"?\w+\"?", "material: rubber", body)
        out.append(body)
    return "".join(out)


def servos(joints):
    lines = []
    for side in ("left", "right"):
        for part, (kp, kv, limit, amplitude, offset) in SERVOS.items():
            start = re.search(rf'^  "{side}-{part}": .*?start: \[?([-\d.e]+)', joints, re.M)
            home = (float(start[1]) if start else 0.0) + offset
            # Down and up again every four seconds, beginning gently.
            signal = f"{{sine: {{amplitude: {-amplitude / 2}, frequency: 0.25, phase: 90 deg, offset: {home + amplitude / 2:.10g}}}}}" if amplitude else f"{home:.10g}"
            lines.append(f"  - {{joint: {side}-{part}, kind: position, kp: {kp}, kv: {kv}, limit: {limit}, signal: {signal}}}")
    return "\n".join(lines)


def main():
    text = rounded(assembled(converted(sys.argv[1]), sys.argv[1]))
    joints = section(text, "joints")
    licence = "\n".join(f"# {line}".rstrip() for line in LICENCE.splitlines())
    print(f"""\
# Cassie, a walking robot of Agility Robotics, squats and rises on its two legs; look at the rods beside the shins, which close four loops, and at the feet.
# Read from its MJCF (without meshes) at the keyframe `home`: 23 bodies, leaf springs as hinges with stiffness, 4 closed loops, reflected inertia of the motors.
# Ten servos with the torque limits of the motors follow slow sines; nothing but the feet holds it up. Written by examples/make/cassie.py.
#
{licence}
catena: 1
name: cassie
simulate: {{step: 1 ms, duration: 8, sample: 0.02}}
materials: {{rubber: {{friction: 0.8}}}}
ground: {{shapes: [{{plane: {{normal: [0, 0, 1], offset: -2 mm}}, material: rubber}}]}}
{painted(section(text, "bodies")).rstrip()}
{joints.rstrip()}
actuators:
{servos(joints)}""")


if __name__ == "__main__":
    main()
