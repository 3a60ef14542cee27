#!/usr/bin/env python3
"""catena simulate --method impulse: its flags, what it says, and that it agrees with Lagrange multipliers."""
import csv
import json
import os

from program import EXAMPLES, PENDULUM, ProgramTest, main


def last_row(path):
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    return dict(zip(rows[0], map(float, rows[-1])))


class Impulse(ProgramTest):
    def summary(self, scene, *flags):
        return json.loads(self.good("simulate", scene, "--method", "impulse", "--quiet", "--json", *flags).stdout)

    def test_it_ends_where_lagrange_multipliers_end(self):
        scene = self.write(PENDULUM)
        self.good("simulate", scene, "--method", "lagrange", "--out", self.path("a.csv"))
        self.good("simulate", scene, "--method", "impulse", "--step", "1e-4", "--out", self.path("b.csv"))
        a, b = last_row(self.path("a.csv")), last_row(self.path("b.csv"))
        self.assertEqual(a.keys(), b.keys())
        for name in ("rod.x", "rod.z", "rod.wy", "joint.pivot.q[0]", "joint.pivot.fz"):
            self.assertAlmostEqual(a[name], b[name], delta=1e-6 * max(1, abs(a[name])), msg=name)

    def test_the_scene_can_ask_for_it(self):
        scene = self.write(PENDULUM.replace("step: 1e-3", "method: impulse, position_tolerance: 1e-9, step: 1e-3"))
        done = json.loads(self.good("simulate", scene, "--quiet", "--json").stdout)
        self.assertGreater(done["iterations"]["position"], 0)
        self.assertLessEqual(done["drift"]["position"], 1e-9)

    def test_joints_are_held_to_the_tolerance_of_the_flags(self):
        scene = os.path.join(EXAMPLES, "tree127.yaml")
        for flags, bound in ((["--tolerance", "1e-3"], 1e-3), (["--position-tolerance", "1e-8"], 1e-8)):
            done = self.summary(scene, "--duration", "0.5", "--step", "5e-3", *flags)
            self.assertLessEqual(done["drift"]["position"], bound)
            self.assertGreater(done["drift"]["position"], 0)

    def test_every_solver_runs_by_bender_s_names(self):
        scene = os.path.join(EXAMPLES, "tree127.yaml")
        for solver in ("linear", "sle-sparse", "sle", "iterative", "parts"):
            done = self.summary(scene, "--duration", "0.05", "--solver", solver)
            self.assertEqual(done["status"], "ok")

    def test_parts_say_how_many_they_are_or_why_they_are_not_used(self):
        cloth = os.path.join(EXAMPLES, "cloth.yaml")
        done = self.summary(cloth, "--duration", "0.02", "--solver", "parts", "--threads", "2")
        self.assertRegex(done["solver"], r"^\d+ acyclic parts in 2 layers, 2 threads$")
        tight = self.summary(os.path.join(EXAMPLES, "four_bar.yaml"), "--duration", "0.1", "--solver", "parts")
        self.assertIn("solved at once instead", tight["solver"])
        self.assertEqual(json.loads(self.good("explain", cloth, "--json").stdout)["parts"]["layers"], 2)

    def test_what_does_not_go_together_is_refused(self):
        scene = self.write(PENDULUM)
        for flags, message in (
            (["--method", "impulse", "--integrator", "adaptive"], "rk4 or lie"),
            (["--method", "impulse", "--stabilise", "baumgarte"], "no drift to stabilise"),
            (["--method", "lagrange", "--solver", "iterative"], "for the impulse method"),
            (["--method", "lagrange", "--integrator", "lie"], "for the impulse method"),
            (["--method", "operational", "--integrator", "rk4"], "midpoint and euler"),
        ):
            self.assertIn(message, self.bad("simulate", scene, *flags))


if __name__ == "__main__":
    main()
