"""Reference problems (tests/data/references, schema catena-reference/1): as scenes for the program, and their answers in its recordings."""
import math

JOINTS = {"revolute": "hinge", "prismatic": "slider", "fixed": "weld"}  # others have the same name in scenes


class Frame:
    """A rotation and an origin: of a body, at t = 0 or in a row of a recording."""

    def __init__(self, origin, quaternion):
        w, x, y, z = quaternion
        self.origin = origin
        self.rows = [
            [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
        ]

    def turned(self, vector):
        return [sum(r * v for r, v in zip(row, vector)) for row in self.rows]

    def turned_back(self, vector):
        return [sum(self.rows[i][k] * vector[i] for i in range(3)) for k in range(3)]

    def point(self, vector):
        return [o + t for o, t in zip(self.origin, self.turned(vector))]


def cross(a, b):
    return [a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3] for i in range(3)]


def body_name(name):
    return "ground" if name == "world" else name


class Problem:
    def __init__(self, data):
        self.data = data
        self.frames = {b["name"]: Frame(b["position"], b["orientation_wxyz"]) for b in data["bodies"]}

    # The scene.
    def scene(self):
        data = self.data
        scene = {"catena": 1, "gravity": data["gravity"], "bodies": {b["name"]: self.body(b) for b in data["bodies"]}}
        scene["joints"] = {j["name"]: self.joint(j) for j in data.get("joints", [])}
        for number, constraint in enumerate(data.get("constraints", [])):
            if constraint["type"] != "screw":  # it makes a screw of its joint
                scene["joints"][f"constraint{number}"] = self.constraint(constraint)
        for force in data.get("forces", []):
            if force["type"] == "spring_damper":
                scene.setdefault("springs", []).append(self.spring(force))
            else:
                names = {"force": "force_world", "torque": "torque_world", "point": "point_body"}
                scene.setdefault("forces", []).append({"body": force["body"], **{key: force[name] for key, name in names.items() if name in force}})
        for contact in data.get("contacts", []):
            self.add_contact(contact, scene)
        return scene

    def body(self, b):
        out = {"mass": b["mass"], "position": b["position"], "velocity": b["linear_velocity"]}
        if b.get("particle"):
            return {"kind": "particle", **out}
        out |= {"inertia": b["inertia_com_body"], "orientation": b["orientation_wxyz"], "angular_velocity": b["angular_velocity"]}
        if "scale" in b:
            out |= {"kind": "scalable", "scale": b["scale"], "scale_velocity": b["scale_rate"]}
        return out

    def joint(self, j):
        out = {"kind": JOINTS.get(j["type"], j["type"]), "between": [body_name(j["body_a"]), body_name(j["body_b"])]}
        if j["type"] == "distance":
            return {**out, "anchors": [j["anchor"], j["anchor_b"]]}
        out["anchor"] = j["anchor"]
        if "axis" in j:
            out["axis"] = j["axis"]
        for c in self.data.get("constraints", []):
            if c["type"] == "screw" and c["body"] == j["body_b"]:
                out |= {"kind": "screw", "pitch": c["pitch_per_turn"] / math.tau}
        limits = {key: j[key + "_limit"] - j.get("angle_at_t0", 0) for key in ("lower", "upper") if key + "_limit" in j}
        if limits:  # coordinates of a scene's joints are 0 at t = 0
            out["limits"] = {**limits, "restitution": j.get("limit_restitution", 0)}
        return out

    def constraint(self, c):
        kind = c["type"]
        if kind == "motor_speed":
            return {"kind": "coupling", "terms": [{"body": c["body"], "angular": c["axis"]}], "velocity": c["speed"]}
        if kind == "gear":
            return {"kind": "gear", "between": [body_name(c["body_a"]), body_name(c["body_b"])], "axis": c["axis_a"], "axis2": c["axis_b"], "ratio": c["ratio"]}
        if kind == "rack":
            return {"kind": "rack", "between": [body_name(c["body_a"]), body_name(c["body_b"])], "axis": c["axis_a"], "axis2": c["direction_b"], "radius": c["radius"]}
        if kind == "knife_edge":
            frame = self.frames[c["body"]]
            return {"kind": "skate", "between": ["ground", c["body"]], "anchor": frame.point(c["point_body"]), "axis": frame.turned(c["lateral_body"])}
        raise ValueError(f"constraint {kind}")

    def spring(self, f):
        ends = [(f["body_a"], f["point_a"]), (f["body_b"], f["point_b"])]
        anchors = [point if name == "world" else self.frames[name].point(point) for name, point in ends]
        return {"between": [body_name(name) for name, _ in ends], "anchors": anchors, "stiffness": f["stiffness"], "damping": f["damping"], "length": f["rest_length"]}

    @staticmethod
    def add_contact(c, scene):
        scene["defaults"] = {"friction": c["friction"], "restitution": c["restitution"]}
        if "plane_normal" in c:
            plane = {"plane": {"normal": c["plane_normal"], "offset": sum(n * p for n, p in zip(c["plane_normal"], c["plane_point"]))}}
            shapes = scene.setdefault("ground", {"shapes": []})["shapes"]
            if plane not in shapes:
                shapes.append(plane)
        kind = c["type"]
        if kind == "point_plane":
            scene["bodies"][c["body"]].setdefault("shapes", []).append({"point": c["point_body"]})
        elif kind == "box_plane":
            scene["bodies"][c["body"]]["shapes"] = [{"box": [2 * h for h in c["half_extents"]]}]
        elif kind == "sphere_plane":
            scene["bodies"][c["body"]]["shapes"] = [{"sphere": c["radius"]}]
        elif kind == "sphere_sphere_all":
            for name in c["bodies"]:
                scene["bodies"][name]["shapes"] = [{"sphere": c["radius"]}]
        else:
            raise ValueError(f"contact {kind}")

    # The answers.
    def sampled(self):
        """Outputs at a time that a row of a recording can hold."""
        return [o for o in self.data["outputs"] if "time" in o and o["kind"] in READERS and self.has_angle(o)]

    def has_angle(self, output):
        """Angles of joints are compared where the problem says what they are at t = 0."""
        joint = next((j for j in self.data.get("joints", []) if j["name"] == output.get("joint")), {})
        return output["kind"] != "joint_angle" or "angle_at_t0" in joint

    def read(self, output, row):
        return READERS[output["kind"]](self, output, Row(row, output.get("body")))

    def start_angle(self, name):
        return next(j["angle_at_t0"] for j in self.data["joints"] if j["name"] == name)


class Row:
    """A row of a recording, seen by one body."""

    def __init__(self, row, body):
        self.row = row
        self.body = body

    def __getitem__(self, name):
        return float(self.row[name])

    def of(self, *parts):
        return [self[f"{self.body}.{part}"] for part in parts]

    def frame(self):
        return Frame(self.of("x", "y", "z"), self.of("qw", "qx", "qy", "qz"))

    def spin(self):
        return self.of("wx", "wy", "wz")

    def point_velocity(self, point):
        return [v + c for v, c in zip(self.of("vx", "vy", "vz"), cross(self.spin(), self.frame().turned(point)))]


READERS = {
    "com_position": lambda p, o, r: r.of("x", "y", "z"),
    "com_velocity": lambda p, o, r: r.of("vx", "vy", "vz"),
    "angular_velocity": lambda p, o, r: r.spin(),
    "angular_velocity_body": lambda p, o, r: r.frame().turned_back(r.spin()),
    "scalar_angular_velocity_z": lambda p, o, r: r.spin()[2:],
    "rotation_matrix": lambda p, o, r: [x for row in r.frame().rows for x in row],
    "point_position": lambda p, o, r: r.frame().point(o["point_body"]),
    "point_velocity": lambda p, o, r: r.point_velocity(o["point_body"]),
    "energy_total": lambda p, o, r: [r["energy.kinetic"] + r["energy.potential"]],
    "scale": lambda p, o, r: r.of("scale"),
    "scale_rate": lambda p, o, r: r.of("scale_velocity"),
    "joint_rate": lambda p, o, r: [r[f"joint.{o['joint']}.v[0]"]],
    "joint_angle": lambda p, o, r: [r[f"joint.{o['joint']}.q[0]"] + p.start_angle(o["joint"])],
}


def flat(value):
    return [x for each in value for x in flat(each)] if isinstance(value, list) else [float(value)]


def error(got, wanted):
    """Largest difference, relative to the answer where that is above 1."""
    wanted = flat(wanted)
    assert len(got) == len(wanted), (got, wanted)
    return max(abs(g - w) for g, w in zip(got, wanted)) / max(1.0, *map(abs, wanted))
