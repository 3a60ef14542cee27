#!/usr/bin/env python3
"""catena equilibrium, modes, audit and diff: what follows from a scene, and what follows from a recording."""
import json
import math
import os

from program import PENDULUM, ProgramTest, main

# A parallelogram of three rods of 1 kg with cranks of 0.5 m, a damper in a bearing; it begins to the side of its rest.
SWING = """\
catena: 1
simulate: {step: 1e-3, duration: 0.3}
bodies:
  left: {mass: 1, inertia: [0.02, 0.02, 1e-3], position: [0.15, 0, -0.2]}
  coupler: {mass: 1, inertia: [0.02, 0.02, 1e-3], position: [0.8, 0, -0.4]}
  right: {mass: 1, inertia: [0.02, 0.02, 1e-3], position: [1.15, 0, -0.2]}
joints:
  base: {kind: hinge, between: [ground, left], anchor: [0, 0, 0], axis: [0, 1, 0], damping: 0.3}
  a: {kind: hinge, between: [left, coupler], anchor: [0.3, 0, -0.4], axis: [0, 1, 0]}
  b: {kind: hinge, between: [coupler, right], anchor: [1.3, 0, -0.4], axis: [0, 1, 0]}
  post: {kind: hinge, between: [ground, right], anchor: [1, 0, 0], axis: [0, 1, 0]}
"""
BOX = """\
catena: 1
simulate: {step: 2e-3, duration: 0.4, method: spook}
bodies: {box: {mass: 2, position: [0, 0, 0.15], velocity: [1, 0, 0], shapes: [{box: [0.2, 0.2, 0.2]}]}}
ground: {shapes: [{plane: {}}]}
"""


class Analysis(ProgramTest):
    def test_a_linkage_rests_at_its_lowest_point(self):
        scene, state = self.write(SWING), self.path("rest.state")
        rest = json.loads(self.good("equilibrium", scene, "--json", "--checkpoint", state).stdout)
        self.assertTrue(rest["found"] and rest["stable"] and not rest["settled"])
        self.assertAlmostEqual(rest["bodies"]["coupler"]["position"][0], 0.5, places=9)
        self.assertAlmostEqual(rest["bodies"]["coupler"]["position"][2], -0.5, places=9)
        self.assertAlmostEqual(rest["joints"]["base"][0], math.atan2(0.3, 0.4), places=9)
        self.assertIn("stable", self.good("equilibrium", scene).stdout)
        out = self.path("run.csv")
        self.good("simulate", scene, "--resume", state, "--out", out, "--quiet")
        with open(out, encoding="utf-8") as file:
            names, *rows = [line.strip().split(",") for line in file]
        self.assertAlmostEqual(float(rows[-1][names.index("coupler.x")]), 0.5, places=8)  # it stays there

    def test_what_cannot_rest_ends_with_3(self):
        done = self.run_catena("equilibrium", self.write("bodies: {stone: {mass: 1, inertia: 1}}\n"), "--json")
        self.assertEqual(done.returncode, 3)
        self.assertFalse(json.loads(done.stdout)["found"])
        self.assertEqual(self.run_catena("modes", self.path("scene.yaml"), "--quiet").returncode, 3)

    def test_a_box_rests_on_the_ground(self):
        rest = json.loads(self.good("equilibrium", self.write(BOX), "--json").stdout)
        self.assertTrue(rest["settled"])
        self.assertAlmostEqual(rest["bodies"]["box"]["position"][2], 0.1, places=6)

    def test_modes_are_those_of_the_formula(self):
        scene = self.write(SWING)
        inertia, stiffness = 2 * (0.02 + 0.25**2) + 0.25, 9.81
        ratio = 0.3 / (2 * math.sqrt(stiffness * inertia))
        (mode,) = json.loads(self.good("modes", scene, "--json").stdout)["modes"]
        self.assertAlmostEqual(mode["damping"], ratio, places=6)
        self.assertAlmostEqual(mode["frequency"], math.sqrt(stiffness / inertia * (1 - ratio**2)) / (2 * math.pi), places=6)
        self.assertAlmostEqual(abs(complex(*mode["shape"]["base"])), 1, places=9)
        self.assertIn("frequency, Hz", self.good("modes", scene).stdout)
        up = self.write(PENDULUM.replace("[0.3, 0, -0.4]", "[0, 0, 0.5]"), "up.yaml")
        growing = json.loads(self.good("modes", up, "--as-it-is", "--json").stdout)["modes"]
        self.assertLess(min(mode["damping"] for mode in growing), -0.99)

    def test_an_honest_run_passes_its_audit(self):
        for text in (SWING, BOX):
            scene, out = self.write(text), self.path("run.h5")
            self.good("simulate", scene, "--out", out, "--quiet")
            found = json.loads(self.good("audit", scene, out, "--json").stdout)
            self.assertTrue(found["ok"])
            checks = {each["check"]: each for each in found["findings"]}
            self.assertLess(checks["kinetic energy, computed again"]["worst"], 1e-12)
            os.remove(out)
        self.assertIn("outside the friction cone", checks)
        self.assertGreater(checks["energy that no recorded work explains"]["bound"] or 1, 0)

    def test_a_forged_run_does_not_and_says_where(self):
        scene, out = self.write(SWING), self.path("run.csv")
        self.good("simulate", scene, "--out", out, "--quiet")
        self.good("audit", scene, out)
        with open(out, encoding="utf-8") as file:
            lines = [line.strip().split(",") for line in file]
        for column, by, check in (("coupler.x", 1e-3, "joint gap"), ("energy.kinetic", 1e-2, "kinetic energy, computed again"),
                                  ("right.qw", 1e-4, "quaternions are unit"), ("left.vz", 0.1, "kinetic energy, computed again")):
            k = lines[0].index(column)
            forged = [list(line) for line in lines]
            forged[7][k] = repr(float(forged[7][k]) + by)
            with open(self.path("forged.csv"), "w", encoding="utf-8") as file:
                file.write("\n".join(",".join(line) for line in forged) + "\n")
            done = self.run_catena("audit", scene, self.path("forged.csv"), "--json")
            self.assertEqual(done.returncode, 1, column)
            bad = [each for each in json.loads(done.stdout)["findings"] if not each["ok"]]
            self.assertIn(check, [each["check"] for each in bad])
            self.assertAlmostEqual([each for each in bad if each["check"] == check][0]["time"], float(lines[7][0]))
        self.assertEqual(self.run_catena("audit", self.write(PENDULUM, "other.yaml"), out).returncode, 2)

    def test_runs_are_compared_to_the_bit_or_within_a_tolerance(self):
        scene = self.write(SWING)
        for name, flags in (("a.h5", ()), ("b.csv", ()), ("c.csv", ("--method", "spook"))):
            self.good("simulate", scene, "--out", self.path(name), "--quiet", *flags)
        same = json.loads(self.good("diff", self.path("a.h5"), self.path("b.csv"), "--json").stdout)
        self.assertTrue(same["equal"] and same["within_tolerance"] and same["first_time"] is None)
        self.assertIn("equal to the bit", self.good("diff", self.path("a.h5"), self.path("b.csv")).stdout)
        done = self.run_catena("diff", self.path("a.h5"), self.path("c.csv"), "--json")
        self.assertEqual(done.returncode, 1)
        other = json.loads(done.stdout)
        self.assertFalse(other["equal"])
        self.assertGreaterEqual(other["columns"][0]["largest"], other["columns"][1]["largest"])
        self.assertIsNotNone(other["first_time"])
        self.good("diff", self.path("a.h5"), self.path("c.csv"), "--tolerance", "1e9", "--quiet")
        short = self.path("short.csv")
        self.good("simulate", scene, "--out", short, "--duration", "0.1", "--quiet")
        self.assertEqual(self.run_catena("diff", self.path("b.csv"), short).returncode, 1)
        self.assertEqual(self.run_catena("diff", self.path("b.csv"), self.path("nowhere.csv")).returncode, 2)


if __name__ == "__main__":
    main()
