#!/usr/bin/env python3
"""Lacoursière's algorithms as options of a scene and of the program: each is the one that runs, and does what the paper says of it."""
import json
import os

from program import ProgramTest, main

# Six bricks, each a little to the side of the one below, slide over the floor and each other.
WALL = """\
catena: 1
simulate: {method: spook, step: 2 ms, duration: 20 ms, solver: gauss-seidel, sweeps: 40%s}
ground: {shapes: [{plane: {normal: [0, 0, 1], offset: 0}}]}
repeat:
  count: 6
  offset: [0.02, 0, 0.1]
  bodies:
    box{i}: {density: 600, position: [0, 0, 0.05], velocity: [1, 0, 0], shapes: [{box: [0.2, 0.1, 0.1]}]}
"""


class Sweeps(ProgramTest):
    def run_with(self, *flags, scene=""):
        """(summary, numbers of the last row)"""
        out = os.path.join(self.folder, "run.csv")
        wall = self.write(WALL % scene)
        summary = json.loads(self.good("simulate", wall, "--json", "--quiet", "--out", out, *flags).stdout)
        with open(out, encoding="utf-8") as file:
            return summary, [float(x) for x in file.read().splitlines()[-1].split(",")]

    def apart(self, a, b):
        return max(abs(x - y) for x, y in zip(a[1], b[1]))

    def test_the_three_algorithms_have_the_same_iterates(self):
        # 2.1, 2.2 and 3.1 differ in how residuals are kept; after 40 sweeps of 10 steps rounding is all that is between them.
        plain = self.run_with()
        for algorithm in ("monitored", "kept-residual"):
            other = self.run_with("--sweep-algorithm", algorithm)
            self.assertLess(self.apart(plain, other), 1e-9, algorithm)
            self.assertEqual(other[0]["sweeps"], 40)

    def test_only_the_monitored_algorithm_reports_an_error(self):
        self.assertEqual(self.run_with()[0]["monitored"], 0)
        # ξ = Σ‖r‖² of all rows, those that rest at a bound included, so that it converges to theirs and not to zero.
        few, many, most = (self.run_with("--sweep-algorithm", "monitored", "--sweeps", n)[0]["monitored"] for n in ("3", "300", "600"))
        self.assertGreater(few, 2 * many)
        self.assertGreater(many, 0)
        self.assertAlmostEqual(many / most, 1, delta=1e-3)

    def test_orders_differ_and_a_seed_repeats_one(self):
        runs = {order: self.run_with("--sweep-order", order) for order in ("given", "symmetric", "coloured")}
        runs.update({f"random {seed}": self.run_with("--sweep-order", "random", "--seed", seed) for seed in "12"})
        names = list(runs)
        for i, one in enumerate(names):
            for other in names[:i]:
                self.assertGreater(self.apart(runs[one], runs[other]), 1e-12, f"{one}, {other}")
        self.assertEqual(runs["random 1"][1], self.run_with("--sweep-order", "random", "--seed", "1")[1])

    def test_projections_leave_what_the_exact_law_does_not(self):
        # Of a problem that sweeps have time to solve, (18)-(19) and (20)-(21) end at another answer than Coulomb's law.
        laws = {friction: self.run_with("--sweep-friction", friction, "--sweeps", "2000")[0]["complementarity"]
                for friction in ("exact", "projection", "approximate")}
        self.assertLess(laws["exact"], 1e-7)
        self.assertGreater(laws["projection"], 1e-3)
        self.assertGreater(laws["approximate"], 1e-3)

    def test_relaxation_converges_sooner_on_a_stack(self):
        few, relaxed = (self.run_with("--sweep-relaxation", w, "--sweeps", "100")[0]["complementarity"] for w in ("0.5", "1.2"))
        self.assertLess(relaxed, few)

    def test_the_scene_says_the_same_as_the_flags(self):
        for flag, word in (("algorithm", "kept-residual"), ("order", "symmetric"), ("friction", "projection"), ("relaxation", "1.3")):
            self.assertEqual(self.run_with(scene=f", sweep_{flag}: {word}")[1], self.run_with(f"--sweep-{flag}", word)[1], flag)


if __name__ == "__main__":
    main()
