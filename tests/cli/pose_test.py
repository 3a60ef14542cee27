#!/usr/bin/env python3
"""catena pose: a mechanism led by hand from the shell."""
import json
import math
import os

from program import EXAMPLES, ProgramTest, main

ARM = """\
catena: 1
simulate: {step: 1e-3, duration: 0.1}
bodies:
  upper: {mass: 1, inertia: [0.1, 0.1, 0.02], position: [0.5, 0, 0]}
  lower: {mass: 1, inertia: [0.1, 0.1, 0.02], position: [1, 0, 0.5]}
joints:
  shoulder: {kind: hinge, between: [ground, upper], anchor: [0, 0, 0], axis: [0, -1, 0], limits: {upper: 0.9}}
  elbow: {kind: hinge, between: [upper, lower], anchor: [1, 0, 0], axis: [0, -1, 0]}
"""


class Pose(ProgramTest):
    def test_the_tip_of_an_arm_reaches_its_target(self):
        scene = self.write(ARM)
        out = os.path.join(self.folder, "pose.json")
        # The lower link stands up along z: its tip is 0.5 above its centre, in its own axes too.
        pose = json.loads(self.good("pose", scene, "--drag", "lower.0,0,0.5=0.7,0,0.9", "--out", out, "--json").stdout)
        self.assertTrue(pose["reached"])
        self.assertLessEqual(pose["distance"], 1e-11)
        self.assertLessEqual(pose["drift"]["position"], 1e-12)
        # Law of cosines: two links of 1 m. The elbow began at a right angle.
        bend = math.acos((0.7**2 + 0.9**2 - 2) / 2)
        self.assertAlmostEqual(abs(pose["joints"]["elbow"][0] + math.pi / 2), bend, places=10)
        with open(out, encoding="utf-8") as file:
            self.assertEqual(json.load(file), pose)

    def test_limits_are_kept_and_the_distance_left_is_said(self):
        scene = self.write(ARM)
        target = f"upper={0.5 * math.cos(1.2)},0,{0.5 * math.sin(1.2)}"
        pose = json.loads(self.good("pose", scene, "--drag", target, "--json").stdout)
        self.assertFalse(pose["reached"])
        self.assertAlmostEqual(pose["joints"]["shoulder"][0], 0.9, places=11)
        self.assertAlmostEqual(pose["distance"], math.sin(0.15), places=11)

    def test_a_run_goes_on_from_the_pose(self):
        scene, state = self.write(ARM), os.path.join(self.folder, "posed.ckpt")
        out, yaml = os.path.join(self.folder, "run.csv"), os.path.join(self.folder, "pose.yaml")
        self.good("pose", scene, "--drag", "lower.0,0,0.5=0.7,0,0.9", "--checkpoint", state, "--out", yaml)
        self.good("simulate", scene, "--resume", state, "--out", out, "--quiet")
        with open(out, encoding="utf-8") as file:
            names = file.readline().strip().split(",")
            first = dict(zip(names, map(float, file.readline().split(","))))
        with open(yaml, encoding="utf-8") as file:
            text = file.read()
        place = json.loads(text.split('"lower": ', 1)[1].split("\n", 1)[0])["position"]
        self.assertAlmostEqual(first["lower.x"], place[0], places=4)  # the first row may be a step later
        self.assertAlmostEqual(first["lower.z"], place[2], places=2)

    def test_wrong_drags_are_refused(self):
        scene = self.write(ARM)
        for drag, says in (("lower=1,2", "three finite numbers"), ("lowr=0,0,0", "lower"), ("lower=nan,0,0", "finite")):
            wrong = self.run_catena("pose", scene, "--drag", drag)
            self.assertEqual(wrong.returncode, 2, drag)
            self.assertIn(says, wrong.stderr)

    def test_a_point_has_a_name(self):
        scene = self.write(ARM + "sites:\n  tip: {body: lower, at: [0, 0, 0.5]}\n")
        for name in ("tip", "lower.tip", "lower.0,0,0.5"):
            pose = json.loads(self.good("pose", scene, "--drag", name + "=0.7,0,0.9", "--json").stdout)
            self.assertTrue(pose["reached"], name)
            self.assertLessEqual(pose["distance"], 1e-12, name)

    def test_loops_stay_closed(self):
        scene = os.path.join(EXAMPLES, "jansen_legs.yaml")
        pose = json.loads(self.good("pose", scene, "--drag", "crank.0.075,0,0=0,0,0.85", "--json", "--quiet").stdout)
        self.assertLessEqual(pose["distance"], 1e-11)
        self.assertLessEqual(pose["drift"]["position"], 1e-12)


if __name__ == "__main__":
    main()
