#!/usr/bin/env python3
"""catena dynamics, explain, check and plot."""
import json
import os
import re
import struct

from program import EXAMPLES, PENDULUM, ProgramTest, main


def example(name):
    return os.path.join(EXAMPLES, name + ".yaml")


class Dynamics(ProgramTest):
    def test_the_json_has_the_shape_of_the_interface(self):
        result = json.loads(self.good("dynamics", self.write(PENDULUM), "--json").stdout)
        self.assertEqual(list(result["bodies"]), ["rod"])
        self.assertEqual(len(result["bodies"]["rod"]["acceleration"]), 3)
        self.assertEqual(len(result["bodies"]["rod"]["angular_acceleration"]), 3)
        pivot = result["joints"]["pivot"]
        self.assertEqual([len(pivot[key]) for key in ("lambda", "force", "torque")], [5, 3, 3])
        self.assertIn("kinetic", result["energy"])
        self.assertIn("potential", result["energy"])
        self.assertLessEqual(result["residual"], 1e-12)

    def test_the_numbers_are_those_of_a_pendulum(self):
        # m g sin(angle) l over I + m l²: l = 0.5, horizontal lever 0.3.
        result = json.loads(self.good("dynamics", self.write(PENDULUM), "--json").stdout)
        alpha = 9.81 * 0.3 / (0.1 + 0.25)
        self.assertAlmostEqual(result["bodies"]["rod"]["angular_acceleration"][1], alpha, places=11)
        force, acceleration = result["joints"]["pivot"]["force"], result["bodies"]["rod"]["acceleration"]
        self.assertAlmostEqual(acceleration[2], force[2] - 9.81, places=11)
        self.assertAlmostEqual(result["energy"]["potential"], -9.81 * 0.4, places=12)

    def test_compliance_adds_W_over_the_auxiliary_rows(self):
        self.assertNotIn("compliance", json.loads(self.good("dynamics", example("four_bar"), "--json").stdout))
        result = json.loads(self.good("dynamics", example("four_bar"), "--json", "--compliance").stdout)
        W, rows = result["compliance"]["W"], result["compliance"]["rows"]
        self.assertEqual(len(rows), 5)
        self.assertEqual([len(row) for row in W], [5] * 5)
        for i in range(5):
            self.assertGreaterEqual(W[i][i], -1e-15)
            for k in range(5):
                self.assertEqual(W[i][k], W[k][i])

    def test_solvers_agree(self):
        answers = [json.loads(self.good("dynamics", example("stewart"), "--json", "--solver", s).stdout) for s in ("tree", "sparse", "dense")]
        for other in answers[1:]:
            for name, body in answers[0]["bodies"].items():
                for key in ("acceleration", "angular_acceleration"):
                    for a, b in zip(body[key], other["bodies"][name][key]):
                        self.assertAlmostEqual(a, b, delta=1e-9 * 20)

    def test_without_json_it_is_a_table_for_people(self):
        text = self.good("dynamics", self.write(PENDULUM)).stdout
        for word in ("rod", "pivot", "residual"):
            self.assertIn(word, text)


class Explain(ProgramTest):
    def test_a_four_bar_has_one_freedom_and_three_redundant_rows(self):
        result = json.loads(self.good("explain", example("four_bar"), "--json").stdout)
        self.assertEqual(result["degrees_of_freedom"], 1)
        self.assertEqual(len(result["redundant"]), 3)
        self.assertEqual(result["loops"], 1)
        self.assertEqual(result["primary_rows"], 15)
        self.assertEqual(result["auxiliary_rows"], 5)
        self.assertEqual(len(result["primary"]) + len(result["auxiliary"]), 4)
        self.assertEqual(result["auto"]["solver"], "fronts")

    def test_explain_begins_in_plain_words(self):
        text = self.good("explain", example("four_bar")).stdout
        self.assertTrue(text.startswith("3 bodies and 4 joints that can move in 1 independent way.\n1 joint closes a loop,"), text)
        self.assertIn("3 joint equations follow from the others", text)
        self.assertTrue(self.good("explain", self.write(PENDULUM)).stdout.startswith("1 body and 1 joint that can move in 1 independent way.\nIt is simulated by"))

    def test_a_tree_has_no_loops_and_nothing_redundant(self):
        result = json.loads(self.good("explain", example("tree127"), "--json").stdout)
        self.assertEqual((result["loops"], result["auxiliary_rows"], result["redundant"]), (0, 0, []))
        self.assertEqual(result["joints"]["rows"], 3 * result["joints"]["count"])

    def test_a_stewart_platform_has_six_freedoms(self):
        self.assertEqual(json.loads(self.good("explain", example("stewart"), "--json").stdout)["degrees_of_freedom"], 6)

    def test_for_a_cloth_auto_picks_the_sparse_factorisation_and_says_why(self):
        self.assertEqual(json.loads(self.good("explain", example("cloth"), "--json").stdout)["auto"]["solver"], "sparse")
        text = self.good("explain", example("cloth")).stdout
        self.assertIn("sparse", text)
        self.assertIn("multiplications", text)


class Check(ProgramTest):
    def test_every_example_is_good(self):
        for name in sorted(os.listdir(EXAMPLES)):
            if name.endswith(".yaml"):
                with self.subTest(name):
                    done = self.good("check", os.path.join(EXAMPLES, name))
                    self.assertIn("valid", done.stdout)
                    for word in ("assembly", "velocities", "inertia"):  # it is written as it moves
                        self.assertNotIn(word, done.stderr)

    def test_json_lists_the_warnings(self):
        result = json.loads(self.good("check", self.write(PENDULUM), "--json").stdout)
        self.assertEqual(result, {"status": "ok", "warnings": [], "findings": []})


class Plot(ProgramTest):
    def test_only_svg_png_and_pdf_are_written(self):
        self.good("simulate", self.write(PENDULUM), "--out", self.path("run.csv"))
        self.assertIn(".svg, .png or .pdf", self.bad("plot", self.path("run.csv"), "rod.x", "--out", self.path("x.gif")))

    def test_a_png_has_two_pixels_for_each_of_the_svg(self):
        self.good("simulate", self.write(PENDULUM), "--out", self.path("run.csv"))
        for name in ("x.svg", "x.png"):
            self.good("plot", self.path("run.csv"), "rod.x", "--out", self.path(name))
        with open(self.path("x.svg"), encoding="utf-8") as file:
            width, height = (float(x) for x in re.search(r'width="([0-9.]+)" height="([0-9.]+)"', file.read()).groups())
        with open(self.path("x.png"), "rb") as file:
            head = file.read(24)
        self.assertEqual(head[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(struct.unpack(">II", head[16:24]), (2 * width, 2 * height))

    def test_a_plot_names_what_it_shows(self):
        self.good("simulate", self.write(PENDULUM), "--out", self.path("run.csv"))
        self.good("plot", self.path("run.csv"), "rod.x", "--title", "a pendulum", "--out", self.path("x.svg"))
        with open(self.path("x.svg"), encoding="utf-8") as file:
            drawn = file.read()
        self.assertIn("a pendulum", drawn)
        self.assertIn(">rod.x, m<", drawn)
        self.assertIn(">time, s<", drawn)

    def test_a_recording_that_knows_its_scene_has_the_units_of_joints_too(self):
        self.good("simulate", self.write(PENDULUM), "--out", self.path("run.h5"))
        self.good("plot", self.path("run.h5"), "joint.pivot.q[0]+joint.pivot.v[0]", "rod.x:rod.z", "--size", "900x700", "--out", self.path("x.svg"))
        with open(self.path("x.svg"), encoding="utf-8") as file:
            drawn = file.read()
        self.assertIn("joint.pivot.q[0], rad; joint.pivot.v[0], rad/s", drawn)
        self.assertIn(">rod.z, m<", drawn)
        self.assertIn('width="900" height="700"', drawn)
        for size in ("900", "10x10", "900x700x2", "axb"):
            self.assertIn("WIDTHxHEIGHT", self.bad("plot", self.path("run.h5"), "rod.x", "--size", size, "--out", self.path("y.svg")))

    def test_a_pdf_is_a_page_of_the_figures_size(self):
        self.good("simulate", self.write(PENDULUM), "--out", self.path("run.csv"))
        self.good("plot", self.path("run.csv"), "rod.x", "--size", "960x480", "--out", self.path("x.pdf"))
        with open(self.path("x.pdf"), "rb") as file:
            data = file.read()
        self.assertEqual(data[:5], b"%PDF-")
        self.assertRegex(data, rb"MediaBox \[ ?0 0 720 360 ?\]")  # points: 96 px an inch


if __name__ == "__main__":
    main()
