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

# A light mass on a spring far too stiff for the step: it leaves the numbers behind after some steps.
EXPLODING = """\
catena: 1
simulate: {step: 1e-2, duration: 5, integrator: euler}
bodies:
  bullet: {kind: particle, mass: 0.001, position: [1, 0.2, 0]}
springs:
  - {between: [ground, bullet], anchors: [[0, 0, 0], [1, 0.2, 0]], stiffness: 1e12, length: 0.5}
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
