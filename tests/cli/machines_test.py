#!/usr/bin/env python3
"""The machines of examples/ do what their first sentences say, with closed joints and a balanced energy ledger."""
import csv
import json
import math
import os

from program import EXAMPLES, ProgramTest, main


def least_squares(table, values):
    """Weights of the columns of the table that come nearest to the values: normal equations, by elimination with pivoting."""
    n = len(table[0])
    a = [[sum(row[i] * row[j] for row in table) for j in range(n)] + [sum(row[i] * v for row, v in zip(table, values))] for i in range(n)]
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(a[i][k]))
        a[k], a[pivot] = a[pivot], a[k]
        for i in range(n):
            if i != k:
                factor = a[i][k] / a[k][k]
                a[i] = [x - factor * y for x, y in zip(a[i], a[k])]
    return [a[k][n] / a[k][k] for k in range(n)]


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
        at = {round(t, 2): k for k, t in enumerate(run["time"])}
        self.assertGreater(run["box.z"][at[2.05]], 0.65)  # it is carried
        for time, x in ((0.6, -0.18), (3.2, 0.18), (6.0, -0.18)):  # where it stood, put down, brought back
            self.assertAlmostEqual(run["box.x"][at[time]], x, delta=2e-3)
            self.assertAlmostEqual(run["box.z"][at[time]], 0.525, delta=1e-4)

    def test_the_bicycle_rights_itself(self):
        run = self.run_example("bicycle")
        leans = [2 * (w * x + y * z) for w, x, y, z in zip(*(run["frame.q" + k] for k in "wxyz"))]
        self.assertGreater(max(abs(lean) for lean in leans), 0.15)
        self.assertLess(abs(leans[-1]), 0.03)

    def test_the_bicycle_has_the_eigenvalues_of_the_benchmark(self):
        """Meijaard, Papadopoulos, Ruina and Schwab (2007), table 2, at 5 m/s: weave, capsize and castering. A small push excites all of them."""
        run = self.run_example("bicycle", "--set", "forces.0.force=[0, 0.5, 0]", "--duration", "3")
        begin = 0.75
        rows = [(t - begin, steer) for t, steer in zip(run["time"], run["joint.steering.q[0]"]) if t >= begin]
        def modes(t, weave=(-0.775341882195845, 4.464867713788230)):
            swing = math.exp(weave[0] * t)
            return [swing * math.cos(weave[1] * t), swing * math.sin(weave[1] * t), math.exp(-0.322866429004087 * t), math.exp(-14.0783896927982 * t)]
        def misfit(**other):
            table = [modes(t, **other) for t, _ in rows]
            weights = least_squares(table, [steer for _, steer in rows])
            worst = max(abs(sum(w * x for w, x in zip(weights, row)) - steer) for row, (_, steer) in zip(table, rows))
            return worst / max(abs(steer) for _, steer in rows)
        self.assertLess(misfit(), 1e-5)
        self.assertGreater(misfit(weave=(-0.775 * 1.01, 4.4649)), 1e-3)  # a hundredth more damping would be seen

    def test_cassie_squats_and_stays_on_its_feet(self):
        run = self.run_example("cassie", "--duration", "2.5")
        height = dict(zip((round(t, 2) for t in run["time"]), run["cassie-pelvis.z"]))
        self.assertLess(height[2.0], height[0.0] - 0.1)
        self.assertGreater(min(height.values()), 0.85)
        weight = sum(1 for n in run["contacts.normal"][25:] if n > 150) / len(run["contacts.normal"][25:])
        self.assertGreater(weight, 0.99)

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
