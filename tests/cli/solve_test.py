"""catena solve: answers, certificates, comparisons and refusals, as a user sees them."""
import json
import os

from program import ROOT, ProgramTest, main

PROBLEMS = os.path.join(ROOT, "tests", "data", "problems")


class Solve(ProgramTest):
    def test_answer_obeys_the_law(self):
        path = self.write('{"kind": "lcp", "M": [[2, 1], [1, 2]], "q": [-1, 3]}', "p.json")
        answer = json.loads(self.good("solve", path, "--json").stdout)
        self.assertEqual(answer["status"], "exact")
        self.assertAlmostEqual(answer["z"][0], 0.5, delta=1e-15)
        self.assertEqual(answer["z"][1], 0)
        self.assertAlmostEqual(answer["w"][1], 3.5, delta=1e-15)
        for key in ("iterations", "residual", "worst_row", "gap", "fallbacks", "seconds", "solver"):
            self.assertIn(key, answer)

    def test_no_solution_is_a_ray_and_exit_3(self):
        result = self.run_catena("solve", os.path.join(PROBLEMS, "lcp-cps-4.json"), "--json")
        self.assertEqual(result.returncode, 3)
        answer = json.loads(result.stdout)
        self.assertEqual(answer["status"], "ray")
        self.assertTrue(answer["proved"])

    def test_every_solver_on_one_problem(self):
        path = os.path.join(PROBLEMS, "rover9770.json")
        result = self.good("solve", path, "--all", "--json")
        table = {row["asked"]: row for row in json.loads(result.stdout)["solvers"]}
        self.assertEqual(set(table), {"auto", "lemke", "dantzig", "gauss-seidel", "cone"})
        self.assertEqual(table["dantzig"]["status"], "does not apply")
        self.assertLess(table["cone"]["residual"], 1e-10)
        self.assertLess(table["cone"]["seconds_to_1e-8"], 1)
        text = self.run_catena("solve", path, "--all").stdout
        self.assertIn("ms to 1e-8", text)

    def test_wrong_input(self):
        for text, expected in [
            ('{"kind": "lcp", "M": [[1]], "q": [1, 2]}', "/M: 1 rows; the vector q has 2"),
            ('{"kind": "lcp", "M": [[NaN]], "q": [1]}', "p.json:1:"),
            ('{"kind": "lcp", "M": [[1]]', "p.json:1:"),
        ]:
            self.assertIn(expected, self.bad("solve", self.write(text, "p.json")))
        rover = os.path.join(PROBLEMS, "rover9770.json")
        self.assertIn("there are auto, lemke", self.bad("solve", rover, "--solver", "lempke"))
        self.assertIn("no cones", self.bad("solve", rover, "--solver", "dantzig"))
        self.bad("solve", "nowhere.json")


if __name__ == "__main__":
    main()
