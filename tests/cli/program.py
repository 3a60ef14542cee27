"""What the tests of the program share: `python3 NAME_test.py --catena PATH`."""
import argparse
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXAMPLES = os.path.join(ROOT, "examples")

PENDULUM = """\
catena: 1
name: pendulum
simulate: {step: 1e-3, duration: 0.1}
bodies:
  rod: {mass: 1, inertia: [0.1, 0.1, 0.001], position: [0.3, 0, -0.4]}
joints:
  pivot: {kind: hinge, between: [ground, rod], anchor: [0, 0, 0], axis: [0, 1, 0]}
"""

# A load beyond all measure from t = 1 s on: no number is finite after it.
EXPLODING = """\
catena: 1
simulate: {step: 1e-2, duration: 5}
bodies:
  bullet: {kind: particle, mass: 0.001, position: [1, 0.2, 0]}
forces:
  - {body: bullet, force: [1e160, 0, 0], from: 1}
"""


class ProgramTest(unittest.TestCase):
    catena = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, text, name="scene.yaml"):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def run_catena(self, *arguments, timeout=300):
        return subprocess.run([self.catena, *arguments], capture_output=True, text=True, timeout=timeout, cwd=self.folder)

    def good(self, *arguments):
        """Runs and expects exit code 0."""
        done = self.run_catena(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def bad(self, *arguments):
        """Runs and expects exit code 2, a message and nothing on stdout."""
        done = self.run_catena(*arguments)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertNotEqual(done.stderr.strip(), "")
        return done.stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--catena", required=True)
    known, rest = parser.parse_known_args()
    ProgramTest.catena = os.path.abspath(known.catena)
    unittest.main(module="__main__", argv=[sys.argv[0], *rest])
