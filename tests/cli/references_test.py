#!/usr/bin/env python3
"""The reference problems through the program, by the script that comes with them, where that folder is there."""
import glob
import os
import subprocess
import sys
import unittest

from program import ROOT, ProgramTest, main

FOLDER = os.path.join(os.path.dirname(ROOT), "shared", "references")


@unittest.skipUnless(os.path.exists(os.path.join(FOLDER, "check.py")), "no ../shared/references")
class References(ProgramTest):
    def check(self, files, *flags):
        self.assertTrue(files)
        done = subprocess.run([sys.executable, os.path.join(FOLDER, "check.py"), self.catena, *files, *flags], capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(len([line for line in done.stdout.splitlines() if " ok " in line]), len(files), done.stdout)

    def test_every_smooth_problem_is_met_to_1e_minus_6(self):
        self.check(sorted(glob.glob(os.path.join(FOLDER, "s*.json"))), "--tolerance", "1e-6")

    def test_every_sampled_nonsmooth_problem_is_met_by_lagrange_and_every_solver_of_spook(self):
        files = [f for n in ("n16", "n18", "n19", "n20", "n22") for f in sorted(glob.glob(os.path.join(FOLDER, n + "*.json")))]
        for flags in (["--method", "lagrange"], *(["--method", "spook", "--solver", s] for s in ("direct", "split", "gauss-seidel"))):
            self.check(files, "--tolerance", "1e-6", "--", *flags)

    def test_the_copies_the_other_tests_read_are_the_folders_own(self):
        for path in glob.glob(os.path.join(FOLDER, "s*.json")):
            with open(path, "rb") as a, open(os.path.join(ROOT, "tests", "data", "references", os.path.basename(path)), "rb") as b:
                self.assertEqual(a.read(), b.read(), path)


if __name__ == "__main__":
    main()
