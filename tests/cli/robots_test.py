#!/usr/bin/env python3
"""Robot files from outside: scenes wherever a scene is taken, the ledger, --strict, missing meshes."""
import json
import os

from program import ROOT, ProgramTest, main

PENDULUM = """<mujoco><worldbody><body name="rod"><joint name="pivot" axis="0 1 0" {joint}/>
<geom type="capsule" size=".02 .5" pos="0 0 -.5"/>{more}</body></worldbody></mujoco>"""


def robot(name):
    return os.path.join(ROOT, "tests", "data", "robots", name)


class Robots(ProgramTest):
    def test_a_robot_file_is_simulated_explained_and_checked(self):
        path = self.write(PENDULUM.format(joint="", more=""), "robot.xml")
        ledger = json.loads(self.good("simulate", path, "--duration", "0.1", "--json").stdout)["ledger"]
        self.assertTrue(any(e["element"] == "geom" and e["attribute"] == "size" and e["what"] == "used" for e in ledger))
        self.good("explain", path)
        self.assertIn("defaulted    compiler angle", self.good("check", path, "--ledger").stdout)
        brief = self.good("check", path).stdout
        self.assertIn("defaulted compiler angle", brief)
        self.assertNotIn("used         geom", brief)

    def test_strict_refuses_files_of_which_physics_was_ignored(self):
        self.good("check", self.write(PENDULUM.format(joint="", more="<camera/>"), "clean.xml"), "--strict")
        windy = PENDULUM.replace("</mujoco>", '<option wind="1 0 0" density="1.2"/></mujoco>')
        lost = self.write(windy.format(joint="", more=""), "lost.xml")
        self.assertIn("--strict", self.bad("check", lost, "--strict"))

    def test_a_keyframe_is_where_the_run_starts(self):
        self.good("simulate", robot("humanoid.xml"), "--keyframe", "squat", "--duration", "0.01", "--quiet")
        self.assertIn("'squat'", self.bad("simulate", robot("humanoid.xml"), "--keyframe", "squatt", "--duration", "0.01"))

    def test_meshes_that_collide_and_are_missing_say_how_to_go_on(self):
        self.assertIn("--missing-meshes skip", self.bad("check", robot("panda.xml")))
        self.good("check", robot("panda.xml"), "--missing-meshes", "skip", "--quiet")

    def test_SDF_and_USD_are_scenes_too(self):
        sdf = self.write("""<sdf version="1.9"><model name="m"><link name="a"><pose>0 0 -0.5 0 0 0</pose></link><joint name="j" type="revolute">
          <parent>world</parent><child>a</child><pose>0 0 0.5 0 0 0</pose><axis><xyz>0 1 0</xyz></axis></joint></model></sdf>""", "robot.sdf")
        usd = os.path.join(ROOT, "tests", "data", "usd", "dr_legs_no_meshes.usda")
        for path in (sdf, usd):
            self.good("simulate", path, "--duration", "0.01", "--quiet", "--out", self.path("run.h5"))
            self.good("explain", path)

    def test_check_names_the_rule_the_place_and_what_is_wrong(self):
        path = self.write("bodies:\n  a: {mass: 1, inertia: 0.1, position: [0, 0, -0.5]}\njoints:\n"
                          "  j: {kind: hinge, between: [ground, a], anchor: [0, 0, 0], axis: [0, 1, 0], limits: {lower: -90, upper: 90}}\n",
                          "degrees.yaml")
        self.assertIn("degrees.yaml:4:3: R14: joint 'j' has a limit of 90 rad", self.good("check", path).stdout)
        findings = json.loads(self.good("check", path, "--json").stdout)["findings"]
        self.assertEqual([f["rule"] for f in findings], ["R14"])

    def test_what_cannot_be_assembled_is_a_finding_and_an_error(self):
        path = self.write("bodies:\n  a: {mass: 1, inertia: 0.1, position: [0, 0, -0.5]}\njoints:\n"
                          "  j: {kind: hinge, between: [ground, a], anchor: [0, 0, 0], axis: [0, 1, 0]}\n"
                          "  k: {kind: distance, between: [ground, a], anchors: [[5, 0, 0], [0, 0, -1]], length: 1}\n", "open.yaml")
        self.assertIn("R17", self.bad("check", path))

    def test_the_text_of_check_is_brief_and_the_ledger_whole(self):
        brief = self.good("check", robot("humanoid.xml")).stdout.splitlines()
        whole = self.good("check", robot("humanoid.xml"), "--ledger").stdout.splitlines()
        self.assertLess(len(brief), 40)
        self.assertGreater(len(whole), 200)

    def test_convert_writes_what_can_be_loaded_and_says_what_was_lost(self):
        for ending in ("yaml", "xml", "urdf"):
            out = self.path("again." + ending)
            result = json.loads(self.good("convert", robot("double_pendulum_simple.urdf"), out, "--json").stdout)
            self.assertEqual(result["status"], "ok")
            self.good("check", out, "--quiet")
        self.assertIn(".urdf", self.bad("convert", robot("double_pendulum_simple.urdf"), "again.doc"))

    def test_bodies_that_overlap_at_the_start_are_named_and_left_out_or_moved_apart(self):
        flags = ("--missing-meshes", "skip", "--duration", "0.02", "--step", "2e-3", "--json")
        out = self.good("simulate", robot("anymal.urdf"), *flags)
        self.assertRegex(out.stderr, r"overlap by [0-9.]+ mm at t = 0: they never touch")
        ledger = json.loads(out.stdout)["ledger"]
        self.assertTrue(any(e["element"] == "overlap" and e["what"] == "approximated" for e in ledger))
        two = self.write("""gravity: [0, 0, 0]
bodies:
  a: {mass: 1, inertia: [1, 1, 1], shapes: [{sphere: 1}]}
  b: {mass: 1, inertia: [1, 1, 1], position: [1.5, 0, 0], shapes: [{sphere: 1}]}
""", "two.yaml")
        self.assertIn("the first steps move them apart", self.good("check", two).stderr)
        self.assertIn("they never touch", self.good("check", two, "--overlapping", "exclude").stderr)
        self.bad("check", two, "--overlapping", "sometimes")


if __name__ == "__main__":
    main()
