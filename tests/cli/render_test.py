"""catena render and .glb, from outside."""
import json
import math
import os
import shutil
import struct
import subprocess
import unittest

from program import EXAMPLES, PENDULUM, ProgramTest, main

# Every kind of shape, a body without one, a particle and a planar ground.
SHAPES = """\
catena: 1
name: shapes
simulate: {step: 2e-3, duration: 0.5, sample: 0.05}
bodies:
  box: {density: 500, position: [0, 0, 1], angular_velocity: [1, 2, 9], shapes: [{box: [0.1, 0.2, 0.3]}]}
  ball: {density: 500, position: [1, 0, 1], velocity: [0, 1, 2], shapes: [{sphere: 0.1}]}
  pill: {density: 500, position: [2, 0, 1], angular_velocity: [9, 0, 0], shapes: [{capsule: {radius: 0.05, length: 0.3}, at: [0, 0.1, 0]}]}
  drum: {density: 500, position: [3, 0, 1], shapes: [{cylinder: {radius: 0.1, length: 0.2}}, {sphere: 0.02}]}
  hull: {density: 500, position: [4, 0, 1], shapes: [{hull: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}]}
  bare: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [5, 0, 1]}
  dot: {kind: particle, mass: 1, position: [6, 0, 1]}
ground: {shapes: [{plane: {normal: [0, 0, 1], offset: -5}}]}
joints:
  pivot: {kind: ball, between: [ground, bare], anchor: [5, 0, 1.5]}
"""


class Glb:
    """A binary glTF file, read by what the specification says."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        magic, version, length = struct.unpack_from("<4sII", data, 0)
        assert (magic, version, length) == (b"glTF", 2, len(data)), (magic, version, length, len(data))
        size, kind = struct.unpack_from("<I4s", data, 12)
        assert kind == b"JSON" and size % 4 == 0
        self.json = json.loads(data[20:20 + size])
        at = 20 + size
        rest, kind = struct.unpack_from("<I4s", data, at)
        assert kind == b"BIN\0" and rest % 4 == 0 and at + 8 + rest == len(data)
        self.bytes = data[at + 8:]
        assert self.json["buffers"][0]["byteLength"] == rest

    def rows(self, index):
        accessor = self.json["accessors"][index]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
        code = {5126: "f", 5125: "I"}[accessor["componentType"]]
        view = self.json["bufferViews"][accessor["bufferView"]]
        assert view["byteOffset"] % 4 == 0 and view["byteLength"] == 4 * width * accessor["count"]
        numbers = struct.unpack_from("<%d%s" % (width * accessor["count"], code), self.bytes, view["byteOffset"])
        return [numbers[i:i + width] for i in range(0, len(numbers), width)]

    def node(self, name):
        return next(i for i, node in enumerate(self.json["nodes"]) if node.get("name") == name)

    def channel(self, name, path):
        animation = self.json["animations"][0]
        for channel in animation["channels"]:
            if channel["target"] == {"node": self.node(name), "path": path}:
                sampler = animation["samplers"][channel["sampler"]]
                return [t for (t,) in self.rows(sampler["input"])], self.rows(sampler["output"])
        return None


def columns_of(path):
    with open(path, encoding="utf-8") as file:
        names, *rows = [line.strip().split(",") for line in file]
    return {name: [float(row[k]) for row in rows] for k, name in enumerate(names)}


class GltfTest(ProgramTest):
    def setUp(self):
        super().setUp()
        scene = self.write(SHAPES)
        self.good("simulate", scene, "--out", self.path("run.glb"), "--out", self.path("run.csv"), "--out", self.path("run.h5"), "--quiet")
        self.glb = Glb(self.path("run.glb"))
        self.recorded = columns_of(self.path("run.csv"))

    def test_a_node_a_body_with_its_shapes_below_a_root_that_turns_z_to_y(self):
        nodes = self.glb.json["nodes"]
        (root,) = self.glb.json["scenes"][0]["nodes"]
        names = [nodes[child]["name"] for child in nodes[root]["children"]]
        self.assertEqual(names, ["box", "ball", "pill", "drum", "hull", "bare", "dot", "ground"])
        shapes = [len(nodes[child]["children"]) for child in nodes[root]["children"]]
        self.assertEqual(shapes, [1, 1, 1, 2, 1, 2, 1, 1])  # the bare body: a ball and a bar to its joint
        x, y, z, w = nodes[root]["rotation"]
        # The third column of the rotation matrix is what becomes of z.
        up = (2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y))
        for got, expected in zip(up, (0, 1, 0)):
            self.assertAlmostEqual(got, expected, places=12)

    def test_poses_are_the_recordings(self):
        for body in ("box", "ball", "pill", "hull"):
            times, positions = self.glb.channel(body, "translation")
            self.assertEqual(len(times), len(self.recorded["time"]))
            _, turns = self.glb.channel(body, "rotation")
            for k, time in enumerate(times):
                self.assertAlmostEqual(time, self.recorded["time"][k], delta=1e-7)
                for axis, got in zip("xyz", positions[k]):
                    self.assertAlmostEqual(got, self.recorded[f"{body}.{axis}"][k], delta=1e-6)
                product = sum(got * self.recorded[f"{body}.q{axis}"][k] for axis, got in zip("xyzw", turns[k]))
                self.assertAlmostEqual(abs(product), 1, delta=1e-6)
                self.assertAlmostEqual(math.hypot(*turns[k]), 1, delta=1e-6)
                if k > 0:
                    self.assertGreater(sum(a * b for a, b in zip(turns[k], turns[k - 1])), 0, "neighbours have the same sign")
        self.assertIsNone(self.glb.channel("dot", "rotation"), "a particle does not turn")

    def test_accessors_say_their_bounds_and_triangles_look_outwards(self):
        accessors = self.glb.json["accessors"]
        bounded = {p["attributes"]["POSITION"] for m in self.glb.json["meshes"] for p in m["primitives"]}
        bounded |= {s["input"] for s in self.glb.json["animations"][0]["samplers"]}
        for index in bounded:
            rows = self.glb.rows(index)
            self.assertEqual(accessors[index]["min"], [min(row[k] for row in rows) for k in range(len(rows[0]))])
            self.assertEqual(accessors[index]["max"], [max(row[k] for row in rows) for k in range(len(rows[0]))])
        for mesh in self.glb.json["meshes"]:
            (primitive,) = mesh["primitives"]
            points, normals = (self.glb.rows(primitive["attributes"][key]) for key in ("POSITION", "NORMAL"))
            corners = [i for (i,) in self.glb.rows(primitive["indices"])]
            for a, b, c in zip(*[iter(corners)] * 3):
                u, v = ([points[k][i] - points[a][i] for i in range(3)] for k in (b, c))
                face = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
                for k in (a, b, c):
                    self.assertAlmostEqual(math.hypot(*normals[k]), 1, delta=1e-5)
                    self.assertGreater(sum(n * f for n, f in zip(normals[k], face)), 0)

    def test_volumes_enclosed_are_those_of_the_shapes(self):
        """The divergence theorem over the triangles; a sphere of flat faces has a little less than a round one."""
        nodes = self.glb.json["nodes"]
        box, ball, pill, drum = 0.1 * 0.2 * 0.3, 4 / 3 * math.pi * 0.1**3, math.pi * 0.05**2 * (0.3 + 4 / 3 * 0.05), math.pi * 0.1**2 * 0.2
        for name, exact, least in (("box", box, 1 - 1e-6), ("ball", ball, 0.97), ("pill", pill, 0.97), ("drum", drum, 0.98), ("hull", 1 / 6, 1 - 1e-6)):
            part = nodes[nodes[self.glb.node(name)]["children"][0]]
            (primitive,) = self.glb.json["meshes"][part["mesh"]]["primitives"]
            points = self.glb.rows(primitive["attributes"]["POSITION"])
            corners = [points[i] for (i,) in self.glb.rows(primitive["indices"])]
            six = sum(a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])
                      for a, b, c in zip(*[iter(corners)] * 3))
            volume = six / 6 * math.prod(part.get("scale", [1]))
            self.assertTrue(least * exact <= volume <= (1 + 1e-6) * exact, f"{name}: {volume} of {exact}")

    def test_of_a_recording_the_same_file(self):
        self.good("render", self.path("run.h5"), "--out", self.path("again.glb"))
        with open(self.path("run.glb"), "rb") as first, open(self.path("again.glb"), "rb") as second:
            self.assertEqual(first.read(), second.read())

    def test_of_a_page_there_is_none(self):
        self.assertIn("recording", self.bad("render", self.path("run.html"), "--out", self.path("x.glb")))


class RenderErrors(ProgramTest):
    def test_what_is_wrong_is_said(self):
        scene = self.write(PENDULUM)
        for flags, said in ((["--out", "x.avi"], ".mp4"), (["--out", "x.png", "--size", "640"], "1280x720"), (["--out", "x.mp4", "--size", "641x400"], "even"),
                            (["--out", "x.png", "--camera", "north"], "AZIMUTH"), (["--out", "x.png", "--theme", "pink"], "dark or light"), (["--out", "x.gif", "--fps", "0"], "--fps")):
            self.assertIn(said, self.bad("render", scene, *flags))

    def test_a_missing_program_is_named_with_its_cure(self):
        scene = self.write(PENDULUM)
        for variable, name in (("CHROMIUM", "chromium"), ("FFMPEG", "ffmpeg")):
            if name == "ffmpeg" and not shutil.which("chromium"):
                continue
            done = subprocess.run([self.catena, "render", scene, "--out", self.path("x.mp4")], capture_output=True, text=True, timeout=60,
                                  env={**os.environ, variable: "/nowhere/" + name})
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"install {name}: apt install {name}", done.stderr)


@unittest.skipUnless(shutil.which("chromium"), "chromium is not here")
class PictureTest(ProgramTest):
    def png_size(self, name):
        with open(self.path(name), "rb") as file:
            head = file.read(24)
        self.assertEqual(head[:8], b"\x89PNG\r\n\x1a\n")
        return struct.unpack(">II", head[16:24])

    def test_pictures_are_of_the_size_asked_for_and_the_same_twice(self):
        scene = os.path.join(EXAMPLES, "four_bar.yaml")
        self.good("simulate", scene, "--duration", "0.5", "--out", self.path("run.h5"), "--out", self.path("run.html"), "--quiet")
        for name in ("a.png", "b.png"):
            self.good("render", self.path("run.h5"), "--time", "0.25", "--size", "320x200", "--out", self.path(name))
            self.assertEqual(self.png_size(name), (320, 200))
        self.good("render", self.path("run.html"), "--time", "0.25", "--size", "320x200", "--camera", "90,5", "--out", self.path("c.png"))
        pictures = []
        for name in ("a.png", "b.png", "c.png"):
            with open(self.path(name), "rb") as file:
                pictures.append(file.read())
        self.assertEqual(pictures[0], pictures[1])
        self.assertNotEqual(pictures[0], pictures[2], "another camera sees something else")

    def test_a_picture_is_filled_with_the_bodies_it_is_to_show(self):
        # A small red ball beside a large blue one that is far away: red covers far more of the picture when the camera looks at it alone.
        scene = self.write("""bodies:
  near: {mass: 1, shapes: [{sphere: 10 cm, color: red}]}
  far: {mass: 1, position: [5, 0, 0], shapes: [{sphere: 30 cm, color: blue}]}
gravity: [0, 0, 0]
""")
        shares = []
        for name, flags in (("all.png", []), ("one.png", ["--focus", "near"])):
            self.good("render", scene, "--duration", "0.1", "--size", "160x120", "--out", self.path(name), *flags)
            pixels = subprocess.run(["ffmpeg", "-v", "error", "-i", self.path(name), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"], capture_output=True, check=True).stdout
            shares.append(sum(r > 2 * g and r > 2 * b and r > 60 for r, g, b in zip(pixels[0::3], pixels[1::3], pixels[2::3])) / (160 * 120))
        self.assertLess(shares[0], 0.02)
        self.assertGreater(shares[1], 0.15)
        done = self.run_catena("render", scene, "--duration", "0.1", "--focus", "nobody", "--out", self.path("x.png"))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("there is no body 'nobody'", done.stderr)

    @unittest.skipUnless(shutil.which("ffprobe"), "ffmpeg is not here")
    def test_films_have_the_frames_of_their_time(self):
        scene = os.path.join(EXAMPLES, "four_bar.yaml")
        self.good("simulate", scene, "--duration", "1", "--out", self.path("run.html"), "--quiet")
        for name in ("x.mp4", "x.webm", "x.gif"):
            self.good("render", self.path("run.html"), "--from", "0.2", "--to", "0.6", "--fps", "10", "--size", "160x120", "--out", self.path(name))
            probe = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames,width,height,avg_frame_rate", "-of", "json", self.path(name)],
                                   capture_output=True, text=True, check=True)
            (stream,) = json.loads(probe.stdout)["streams"]
            self.assertEqual((stream["width"], stream["height"], stream["nb_read_frames"]), (160, 120, "5"), name)
            self.assertEqual(stream["avg_frame_rate"], "10/1")


if __name__ == "__main__":
    main()
