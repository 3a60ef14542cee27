#!/usr/bin/env python3
"""The machines of examples/ do what their first sentences say, with closed joints and a balanced energy ledger."""
import csv
import json
import os

from program import EXAMPLES, ProgramTest, main


class Machines(ProgramTest):
    def run_example(self, name, *flags):
        """The report, and the columns of the recording."""
        done = self.good("simulate", os.path.join(EXAMPLES, name + ".yaml"), "--out", "run.csv", "--json", "--quiet", *flags)
        report = json.loads(done.stdout)
        self.assertEqual(report["status"], "ok")
        self.assertLess(report["drift"]["position"], 1e-10 * max(1.0, report["drift"]["size"]))
        self.assertLess(report["penetration"], 1e-3)
        self.assertLess(report["complementarity"], 1e-6)
        # What is unexplained is small beside the energies that flow.
        energy = report["energy"]
        flow = sum(abs(energy[key]) for key in ("motors", "actuators", "external", "damping", "contacts"))
        self.assertLess(abs(energy["unexplained"]), 1e-3 * flow)
        with open(self.path("run.csv"), newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        return {key: [float(row[key]) for row in rows] for key in rows[0]}

    def test_the_scissor_lift_raises_its_crate_by_the_height_its_angle_gives(self):
        run = self.run_example("scissor_lift")
        self.assertAlmostEqual(run["platform.z"][-1] - run["platform.z"][0], 2.8, delta=0.02)
        self.assertLess(max(run["crate.x"]) - min(run["crate.x"]), 1e-6)  # it does not slip

    def test_the_delta_robot_keeps_its_platform_level(self):
        run = self.run_example("delta_robot")
        for key in ("platform.qx", "platform.qy", "platform.qz"):
            self.assertLess(max(abs(value) for value in run[key]), 1e-9)
        self.assertLess(min(run["platform.x"]), -0.17)
        self.assertGreater(max(run["platform.x"]), 0.17)

    def test_the_excavator_digs_and_lifts(self):
        run = self.run_example("excavator")
        self.assertLess(min(run["bucket.z"]), -0.3)
        self.assertGreater(max(run["bucket.z"]), 3)
        self.assertLess(max(abs(y) for y in run["bucket.y"]), 1e-9)  # all pins are along y

    def test_the_car_crosses_the_bumps_at_the_speed_its_motors_give(self):
        run = self.run_example("car")
        self.assertGreater(run["chassis.x"][-1], 32)
        self.assertAlmostEqual(run["chassis.vx"][-1], 25 * 0.32, delta=0.1)  # ω r
        self.assertLess(max(abs(z - 0.62) for z in run["chassis.z"]), 0.1)

    def test_the_boulder_crosses_the_bridge_and_the_ropes_do_not_stretch(self):
        run = self.run_example("rope_bridge")
        self.assertGreater(run["boulder.x"][-1], 4.2)
        self.assertGreater(min(run["boulder.z"]), 2.3)

    def test_the_gripper_centres_and_lifts_its_box_and_holds_it(self):
        run = self.run_example("gripper")
        self.assertGreater(run["box.z"][-1], 0.2)
        self.assertLess(abs(run["box.x"][-1]), 1e-3)
        held = [z for t, z in zip(run["time"], run["box.z"]) if t >= 6]
        self.assertLess(max(held) - min(held), 1e-6)  # it does not creep


if __name__ == "__main__":
    main()
