#!/usr/bin/env python3
"""The reference problems through the program: scene in, recording out, compared with the independent answers."""
import csv
import glob
import json
import os

from program import ROOT, ProgramTest, main
from reference_problem import Problem, error, flat

FOLDER = os.path.join(ROOT, "tests", "data", "references")
TOLERANCE = 1e-6  # of the answers, which have more digits


def problems(*beginnings):
    return [path for b in beginnings for path in sorted(glob.glob(os.path.join(FOLDER, b + "*.json")))]


class References(ProgramTest):
    def check(self, path, *flags):
        """Every output that a recording can hold; returns how many there were."""
        with open(path, encoding="utf-8") as file:
            problem = Problem(json.load(file))
        outputs = problem.sampled()
        if not outputs:
            return 0
        scene = self.write(json.dumps(problem.scene()))
        times = sorted({o["time"] for o in outputs})
        self.good("simulate", scene, "--quiet", "--at", ",".join(map(repr, times)), "--out", self.path("run.csv"), *flags)
        with open(self.path("run.csv"), encoding="utf-8", newline="") as file:
            rows = {float(row["time"]): row for row in csv.DictReader(file)}
        for output in outputs:
            self.assertIn(output["time"], rows, path)
            wrong = error(problem.read(output, rows[output["time"]]), output["value"])
            self.assertLessEqual(wrong, TOLERANCE, f"{os.path.basename(path)}: {output['kind']} at {output['time']} s, {flags}")
        return len(outputs)

    def check_accelerations(self, path):
        with open(path, encoding="utf-8") as file:
            problem = Problem(json.load(file))
        outputs = [o for o in problem.data["outputs"] if o["kind"] in ("com_acceleration", "angular_acceleration") and o.get("time", 0) == 0]
        bodies = json.loads(self.good("dynamics", self.write(json.dumps(problem.scene())), "--json").stdout)["bodies"]
        for output in outputs:
            name = "acceleration" if output["kind"] == "com_acceleration" else "angular_acceleration"
            self.assertLessEqual(error(flat(bodies[output["body"]][name]), output["value"]), TOLERANCE, path)
        return len(outputs)

    def test_every_smooth_problem_is_met_by_the_adaptive_integrator(self):
        read = {os.path.basename(path): self.check(path, "--method", "lagrange", "--integrator", "adaptive", "--tolerance", "1e-11") for path in problems("s")}
        self.assertEqual(len(read), 19)
        accelerations = {"s13a_tree7_accelerations.json"}  # asks for nothing else
        self.assertEqual({name for name, count in read.items() if count == 0} - accelerations, set())

    def test_accelerations_at_the_start_are_met(self):
        self.assertGreater(self.check_accelerations(*problems("s13a")), 0)

    def test_every_sampled_nonsmooth_problem_is_met_by_lagrange_and_every_solver_of_spook(self):
        files = problems("n16", "n18", "n19", "n20", "n22")
        self.assertEqual(len(files), 9)
        for flags in (["--method", "lagrange"], *(["--method", "spook", "--solver", s] for s in ("direct", "split", "gauss-seidel"))):
            for path in files:
                self.assertGreater(self.check(path, *flags), 0, path)


if __name__ == "__main__":
    main()
