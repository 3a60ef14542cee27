#!/usr/bin/env python3
"""The method operational, its formulations, and catena compare, from outside."""
import json
import os

from program import EXAMPLES, PENDULUM, ProgramTest, main


def example(name):
    return os.path.join(EXAMPLES, name + ".yaml")


class Operational(ProgramTest):
    def summary(self, *arguments):
        return json.loads(self.good("simulate", *arguments, "--json", "--quiet").stdout)

    def test_explain_gives_the_sizes_of_the_papers_table_for_the_dual_arm_robot(self):
        explained = json.loads(self.good("explain", example("dual_arm"), "--json").stdout)
        sizes = explained["formulations"]
        self.assertEqual((explained["bodies"]["count"], sizes["freedoms"], sizes["contacts"], sizes["facets"]), (26, 26, 4, 4))
        self.assertEqual([sizes["sizes"][name] for name in ("nmc", "mc", "rmc", "os")], [310, 50, 24, 24])
        self.assertEqual(explained["auto"]["method"], "operational")
        self.assertIn("the joints form trees", explained["auto"]["why"])

    def test_auto_takes_operational_where_motors_and_gears_prescribe_every_motion(self):
        for name in ["gear_train", "clock"]:
            explained = json.loads(self.good("explain", example(name), "--json").stdout)
            self.assertEqual(explained["auto"]["method"], "operational")
            self.assertIn("prescribe", explained["auto"]["why"])

    def test_auto_takes_lagrange_without_laws_and_spook_for_loops(self):
        self.assertEqual(json.loads(self.good("explain", example("four_bar"), "--json").stdout)["auto"]["method"], "lagrange")
        self.assertEqual(json.loads(self.good("explain", example("strandbeest"), "--json").stdout)["auto"]["method"], "spook")

    def test_the_robot_holds_its_hands_on_the_table(self):
        done = self.summary(example("dual_arm"), "--duration", "0.5")
        self.assertEqual(done["status"], "ok")
        self.assertEqual(done["contacts"], 4)
        self.assertLessEqual(done["penetration"], 1e-4)
        self.assertLessEqual(done["complementarity"], 1e-8)

    def test_formulations_end_at_the_same_energy(self):
        energies = []
        for formulation in ("os", "nmc", "mc", "rmc", "nmc-os", "maximal-os"):
            done = self.summary(example("dual_arm"), "--formulation", formulation, "--solver", "lemke", "--duration", "0.02")
            energies.append(done["energy"]["after"])
        self.assertLessEqual(max(energies) - min(energies), 1e-7)

    def test_the_pendulum_of_table_2_loses_energy_only(self):
        done = self.summary(example("jain_pendulum"), "--duration", "1")
        self.assertGreaterEqual(done["impacts"], 1)
        self.assertLess(done["energy"]["contacts"], 0)
        self.assertLessEqual(done["penetration"], 1e-3)


class Compare(ProgramTest):
    def test_the_grid_of_methods_and_coordinates_is_compared(self):
        runs = json.loads(self.good("compare", self.write(PENDULUM), "--grid", "--duration", "0.2", "--step", "1e-3", "--json").stdout)["methods"]
        self.assertEqual([r["method"] for r in runs], [f"{m}/{c}" for m in ("lagrange", "impulse", "spook", "operational")
                                                       for c in ("maximal", "reduced")])
        for r in runs:
            self.assertLess(r["error"], 1e-4, r["method"])
        self.assertLess(runs[1]["error"], 1e-8)

    def test_a_run_says_in_which_coordinates_it_is_stepped(self):
        flags = ["--method", "lagrange", "--integrator", "rk4", "--coordinates", "reduced", "--duration", "0.05"]
        scene = example("double_pendulum")
        done = self.good("simulate", scene, *flags)
        self.assertIn("method lagrange in reduced coordinates, integrator rk4", done.stderr)
        result = json.loads(self.good("simulate", scene, *flags, "--json").stdout)
        self.assertEqual(result["method"], {"name": "lagrange", "coordinates": "reduced", "integrator": "rk4"})
        self.assertGreater(result["residual"], 0)
        self.assertIn("in maximal coordinates", self.good("explain", scene).stdout)

    def test_every_method_that_applies_has_a_line_and_comes_near_the_reference(self):
        scene = self.write(PENDULUM)
        compared = json.loads(self.good("compare", scene, "--duration", "0.5", "--step", "1e-3", "--json").stdout)
        self.assertEqual(compared["auto"]["method"], "lagrange")
        self.assertGreaterEqual(compared["auto"]["over_best"], 1)
        self.assertEqual([m["method"] for m in compared["methods"]], ["lagrange", "impulse", "spook", "operational"])
        for method in compared["methods"]:
            self.assertLessEqual(method["error"], 1e-5)
            self.assertGreater(method["step_time"], 0)

    def test_contacts_are_compared_too_and_drawn(self):
        out = os.path.join(self.folder, "compare.svg")
        compared = json.loads(self.good("compare", example("dual_arm"), "--duration", "0.05", "--json", "--out", out).stdout)
        errors = {m["method"]: m["error"] for m in compared["methods"] if "error" in m}
        self.assertLessEqual(max(errors["spook"], errors["operational"]), 2e-3)
        with open(out, encoding="utf-8") as svg:
            self.assertIn("operational", svg.read())

    def test_a_comparison_that_would_take_too_long_is_stopped(self):
        # A hundred million steps, in a third of a second.
        done = self.run_catena("compare", example("pendulum"), "--duration", "1e5", "--budget", "0.3", "--methods", "lagrange,spook")
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertIn("--budget", done.stderr)
        self.bad("compare", example("dominoes"), "--budget", "0")
        self.bad("compare", example("dominoes"), "--duration", "-1")

    def test_methods_can_be_named_and_wrong_names_are_refused(self):
        scene = self.write(PENDULUM)
        text = self.good("compare", scene, "--methods", "lagrange,spook", "--duration", "0.1").stdout
        self.assertIn("spook", text)
        self.assertNotIn("operational ", text)
        self.bad("compare", scene, "--methods", "lagrnge")


if __name__ == "__main__":
    main()
