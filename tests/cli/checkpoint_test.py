#!/usr/bin/env python3
"""catena simulate --checkpoint and --resume: a run that was set aside goes on with the same bits, or is refused."""
import os
import signal
import subprocess
import time

from program import EXAMPLES, PENDULUM, ProgramTest, main


# Two rods that swing, the lower one against a wall.
SCENE = PENDULUM.replace("joints:\n", """\
  low: {mass: 1, inertia: [0.1, 0.2, 0.15], position: [0.9, 0, -0.8], shapes: [{sphere: 0.1}]}
ground: {shapes: [{plane: {normal: [1, 0, 0], offset: 0.7}}]}
joints:
  elbow: {kind: ball, between: [rod, low], anchor: [0.6, 0, -0.8]}
""")


class Checkpoints(ProgramTest):
    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def rows(self, name):
        return self.read(name).splitlines()[1:]

    def test_two_halves_are_the_whole(self):
        scene = self.write(SCENE)
        for method in ("lagrange", "impulse", "spook", "operational"):
            flags = ["--method", method, "--sample", "0.01"]
            self.good("simulate", scene, *flags, "--duration", "0.4", "--out", self.path("whole.csv"), "--checkpoint", self.path("whole.state"))
            self.good("simulate", scene, *flags, "--duration", "0.2", "--out", self.path("first.csv"), "--checkpoint", self.path("half.state"))
            self.good("simulate", scene, *flags, "--duration", "0.4", "--out", self.path("second.csv"), "--resume", self.path("half.state"), "--checkpoint", self.path("end.state"))
            self.assertEqual(self.rows("first.csv") + self.rows("second.csv"), self.rows("whole.csv"), method)
            self.assertEqual(self.read("end.state")[20:-8].partition(b"time")[2], self.read("whole.state")[20:-8].partition(b"time")[2], method)

    def test_writing_checkpoints_changes_nothing_of_the_run(self):
        scene = os.path.join(EXAMPLES, "newtons_cradle.yaml")
        self.good("simulate", scene, "--duration", "0.2", "--out", self.path("plain.csv"))
        self.good("simulate", scene, "--duration", "0.2", "--out", self.path("often.csv"), "--checkpoint", self.path("x.state"), "--every", "0.0123")
        self.assertEqual(self.read("plain.csv"), self.read("often.csv"))

    def test_an_interrupted_run_is_set_aside(self):
        scene = self.write(PENDULUM)
        command = [self.catena, "simulate", scene, "--duration", "1e6", "--quiet", "--checkpoint", self.path("x.state"), "--every", "1"]
        with subprocess.Popen(command) as process:
            end = time.monotonic() + 120
            while time.monotonic() < end and not os.path.exists(self.path("x.state")):
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(timeout=120), 130)
        self.good("simulate", scene, "--resume", self.path("x.state"), "--duration", "1", "--out", self.path("rest.csv"))

    def test_another_model_and_other_settings_are_refused(self):
        scene = self.write(PENDULUM)
        self.good("simulate", scene, "--checkpoint", self.path("x.state"))
        self.assertIn("another model", self.bad("simulate", scene, "--resume", self.path("x.state"), "--set", "bodies.rod.mass=2"))
        self.assertIn("another model", self.bad("simulate", os.path.join(EXAMPLES, "four_bar.yaml"), "--resume", self.path("x.state")))
        self.assertIn("step", self.bad("simulate", scene, "--resume", self.path("x.state"), "--step", "2e-3"))
        self.assertIn("method", self.bad("simulate", scene, "--resume", self.path("x.state"), "--method", "spook"))
        self.assertIn("not a checkpoint", self.bad("simulate", scene, "--resume", scene))
        self.assertIn("nowhere", self.bad("simulate", scene, "--resume", "nowhere.state"))
        self.bad("simulate", scene, "--every", "1")


if __name__ == "__main__":
    main()
