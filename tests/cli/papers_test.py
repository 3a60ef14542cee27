#!/usr/bin/env python3
"""catena bench papers --report: the papers claim by claim."""
import json
import os

from program import ProgramTest, main


class Report(ProgramTest):
    def test_every_claim_of_the_fast_part_holds(self):
        page = os.path.join(self.folder, "papers.md")
        lines = self.good("bench", "papers", "--report", page, "--fast", "--json").stdout.splitlines()
        claims = [f for f in map(json.loads, lines) if f["metric"] == "holds"]
        self.assertGreaterEqual(len(claims), 34)
        for claim in claims:
            self.assertEqual(claim["value"], 1, claim["case"])
        with open(page, encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(text.count("\n## "), 5)
        self.assertIn(f"{len(claims)} of {len(claims)} claims", text)
        self.assertNotIn("does not hold", text)
        # Convergence and mass ratios are drawn beside the page.
        self.assertIn("](papers_sweeps.svg)", text)
        with open(os.path.join(self.folder, "papers_sweeps.svg"), encoding="utf-8") as file:
            drawing = file.read()
        for line in ("2.1, kept residual", "2.2, monitored", "3.1, plain", "3.1, random order", "3.1, relaxation 1.6", "projection (18)-(19)",
                     "approximate (20)-(21)", "exact law", "after 1000 sweeps", "direct"):
            self.assertIn(line, drawing)
        ratios = {f["n"] for f in map(json.loads, lines) if "load over link" in f["case"]}
        self.assertEqual(ratios, {10**k for k in range(7)})
        # The paper's own figures stand beside ours.
        for theirs in ("6.2 ms", "20 ms", "14.4 ms", "35.7 ms"):
            self.assertIn(theirs, text)


if __name__ == "__main__":
    main()
