#!/usr/bin/env python3
"""What is recorded does not change what is simulated; mechanisms collide with themselves; accelerations know of contacts."""
import csv
import json
import os

from program import EXAMPLES, PENDULUM, ProgramTest, main

METHODS = ("lagrange", "impulse", "spook", "operational")

# Three links in a row: the tip of the last one swings back onto the first.
FOLDING = """\
catena: 1
defaults: {friction: 0.3, restitution: 0.3}
bodies:
  a: {mass: 1, position: [0.25, 0, 0], shapes: [{box: [0.5, 0.1, 0.1]}]}
  b: {mass: 1, position: [0.6, 0, 0], shapes: [{box: [0.2, 0.1, 0.1], collide: no}]}
  c: {mass: 1, position: [0.95, 0, 0], shapes: [{box: [0.5, 0.1, 0.1]}], angular_velocity: [0, -8, 0]}
joints:
  g: {kind: weld, between: [ground, a]}
  ab: {kind: hinge, between: [a, b], anchor: [0.5, 0, 0], axis: [0, 1, 0]}
  bc: {kind: hinge, between: [b, c], anchor: [0.7, 0, 0], axis: [0, 1, 0]}
"""

OVERLAPPING = """\
catena: 1
gravity: [0, 0, 0]
bodies:
  a: {mass: 1, position: [0, 0, 0], shapes: [{box: [0.2, 0.2, 0.2]}]}
  b: {mass: 1, position: [0.02, 0.01, 0.03], orientation: {rpy: [0.1, 0.2, 0.3]}, shapes: [{box: [0.2, 0.2, 0.2]}]}
"""

RESTING = """\
catena: 1
ground: {shapes: [{plane: {normal: [0, 0, 1]}}]}
bodies:
  box: {mass: 2, position: [0, 0, 0.1], shapes: [{box: [0.2, 0.2, 0.2]}]}
  sled: {mass: 1, position: [3, 0, 0.1], velocity: [1, 0, 0], shapes: [{box: [0.2, 0.2, 0.2]}]}
defaults: {friction: 0.25}
"""


def last_row(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(file))[-1]


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Sampling(ProgramTest):
    def test_the_motion_is_the_same_whatever_is_recorded(self):
        scene = os.path.join(EXAMPLES, "four_bar.yaml")
        for method in METHODS:
            ends = []
            for flags in (["--at", "0.5"], ["--sample", "0.25"], ["--sample", "0.1"], ["--sample", "0.00073", "--at", "0.0123,0.5"]):
                run = self.path("run.csv")
                self.good("simulate", scene, "--method", method, "--duration", "0.5", *flags, "--out", run, "--quiet")
                row = last_row(run)
                self.assertEqual(float(row[0]), 0.5)
                ends.append(row)
            self.assertEqual(ends[1:], ends[:-1], method)

    def test_a_run_is_repeated_to_the_bit_from_its_recording_alone(self):
        first, again, twice = self.path("first.csv"), self.path("again.csv"), self.path("twice.csv")
        for flags in (["--set", "simulate.step=2e-3", "--method", "spook", "--duration", "0.3"], ["--at", "0.1,0.25"]):
            self.good("simulate", os.path.join(EXAMPLES, "four_bar.yaml"), *flags, "--out", first, "--out", self.path("run.h5"), "--quiet")
            self.good("simulate", "--again", self.path("run.h5"), "--out", again, "--out", self.path("again.h5"), "--quiet")
            self.good("simulate", "--again", self.path("again.h5"), "--out", twice, "--quiet")
            self.assertEqual(text_of(again), text_of(first))
            self.assertEqual(text_of(twice), text_of(first))
        self.assertIn("does not carry its run", self.run_catena("simulate", "--again", first).stderr)

    # From its own folder, where a path has no folder part, and as it was read: floating.
    def test_the_run_of_a_robot_file_is_repeated_too(self):
        robot = """<robot name="r"><link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
          <collision><geometry><mesh filename="package://somewhere/none.stl"/></geometry></collision></link></robot>"""
        self.write(robot, "r.urdf")  # the program runs in that folder
        first, again = self.path("first.csv"), self.path("again.csv")
        self.good("simulate", "r.urdf", "--floating", "--missing-meshes", "skip", "--set", "simulate.step=2e-3", "--duration", "0.1", "--out", first,
                  "--out", self.path("run.h5"), "--quiet")
        self.good("simulate", "--again", self.path("run.h5"), "--out", again, "--quiet")
        self.assertIn("base.z", text_of(first).splitlines()[0])
        self.assertEqual(text_of(again), text_of(first))

    def test_the_number_of_steps_is_the_duration_over_the_step(self):
        scene = self.write(PENDULUM)
        for method in METHODS:
            done = self.good("simulate", scene, "--method", method, "--step", "5e-4", "--duration", "0.75", "--sample", "0.1",
                             "--out", self.path("run.csv"), "--json", "--quiet")
            self.assertEqual(json.loads(done.stdout)["steps"], 1500)

    def test_long_gaps_between_samples_make_no_energy(self):
        scene = os.path.join(EXAMPLES, "chain.yaml")
        done = self.good("simulate", scene, "--method", "impulse", "--step", "5e-4", "--duration", "0.75", "--sample", "0.25", "--json",
                         "--quiet", "--out", self.path("run.csv"))
        result = json.loads(done.stdout)
        self.assertEqual(result["steps"], 1500)
        self.assertLess(abs(result["energy"]["after"] - result["energy"]["before"]), 1.0)


class Collisions(ProgramTest):
    def test_a_mechanism_meets_itself_by_every_method(self):
        scene = self.write(FOLDING)
        for method in (*METHODS, "auto"):
            result = json.loads(self.good("simulate", scene, "--method", method, "--duration", "2", "--json", "--quiet").stdout)
            self.assertGreater(result["contacts"], 0, method)
            self.assertGreater(result["impacts"], 0, method)
        self.assertNotIn("nothing may touch", self.good("explain", scene).stdout)
        apart = FOLDING + "collide: {pairs: {exclude: [[a, c]]}}\n"
        self.assertIn("nothing may touch", self.good("explain", self.write(apart, "apart.yaml")).stdout)

    def test_bodies_that_overlap_without_a_joint_are_named_or_parted(self):
        scene = self.write(OVERLAPPING)
        done = self.run_catena("simulate", scene, "--method", "impulse", "--duration", "0.1", "--quiet")
        self.assertIn(done.returncode, (0, 3), done.stderr)
        if done.returncode == 3:
            self.assertIn("'a' and 'b' overlap", done.stderr)

    def test_accelerations_know_of_contacts_whatever_the_method(self):
        scene = self.write(RESTING)
        for method in (*METHODS, "auto"):
            result = json.loads(self.good("dynamics", scene, "--method", method, "--json", "--quiet").stdout)
            for k in range(3):
                self.assertAlmostEqual(result["bodies"]["box"]["acceleration"][k], 0, delta=1e-9)
            # Coulomb: the sled is held back by mu g.
            self.assertAlmostEqual(result["bodies"]["sled"]["acceleration"][0], -0.25 * 9.81, delta=1e-6)
            self.assertAlmostEqual(result["bodies"]["sled"]["acceleration"][2], 0, delta=1e-9)
            self.assertAlmostEqual(sum(c["force"][2] for c in result["contacts"]), 3 * 9.81, delta=1e-6)


class Settings(ProgramTest):
    def test_what_has_no_effect_is_warned_of(self):
        scene = self.write(PENDULUM)
        for flags, word in ((["--seed", "3"], "seed"), (["--method", "lagrange", "--solver", "split"], "solver split"),
                            (["--method", "operational", "--solver", "sparse"], "solver sparse"), (["--tolerance", "1e-6"], "tolerances")):
            done = self.good("simulate", scene, "--duration", "0.01", *flags)
            self.assertIn("warning: " + word, done.stderr)

    def test_explain_names_the_integrator_that_runs(self):
        result = json.loads(self.good("explain", self.write(PENDULUM), "--json").stdout)
        self.assertEqual(result["auto"]["integrator"], "rk4")
        soft = self.write("catena: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\njoints: {j: {kind: ball, between: [ground, a], "
                          "anchor: [0, 0, 1], compliance: 1e-5}}\n")
        result = json.loads(self.good("explain", soft, "--json").stdout)
        self.assertEqual((result["auto"]["method"], result["auto"]["integrator"]), ("spook", "euler"))


if __name__ == "__main__":
    main()
