#!/usr/bin/env python3
"""catena simulate: recordings, flags, summary, and runs that are killed."""
import csv
import json
import math
import os
import signal
import struct
import subprocess
import time

from program import EXAMPLES, PENDULUM, ProgramTest, main


def read_csv(path):
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    return rows[0], [[float(x) for x in row] for row in rows[1:]]


class Recordings(ProgramTest):
    def test_a_csv_has_the_columns_of_the_interface(self):
        scene = self.write(
            """\
bodies:
  rod: {mass: 1, inertia: [0.1, 0.1, 0.001], position: [0.3, 0, -0.4]}
  bob: {kind: particle, mass: 1, position: [2, 0, 0]}
  blob: {kind: scalable, mass: 1, inertia: [1, 1, 1], position: [5, 0, 0]}
joints:
  pivot: {kind: hinge, between: [ground, rod], anchor: [0, 0, 0], axis: [0, 1, 0]}
  string: {kind: distance, between: [ground, bob], anchors: [[1, 0, 0], [2, 0, 0]]}
"""
        )
        self.good("simulate", scene, "--duration", "0.02", "--out", self.path("run.csv"))
        names, rows = read_csv(self.path("run.csv"))
        turning = ["x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"]
        wrench = ["fx", "fy", "fz", "tx", "ty", "tz"]
        wanted = ["time"]
        wanted += [f"rod.{c}" for c in turning]
        wanted += [f"bob.{c}" for c in ["x", "y", "z", "vx", "vy", "vz"]]
        wanted += [f"blob.{c}" for c in turning + ["scale", "scale_velocity"]]
        wanted += ["joint.pivot.q[0]", "joint.pivot.v[0]"] + [f"joint.pivot.{c}" for c in wrench]
        wanted += [f"joint.string.{c}" for c in wrench]
        self.assertEqual(names[: len(wanted)], wanted)
        for name in ("energy.kinetic", "energy.potential", "drift.position", "drift.angle", "residual", "contacts.count", "contacts.normal"):
            self.assertIn(name, names[len(wanted) :])
        for row in rows:
            self.assertEqual(len(row), len(names))

    def test_numbers_are_written_so_that_their_bits_are_kept(self):
        """A checkpoint has the state bit by bit, the recording its last row in digits: they are the same numbers."""
        self.good("simulate", self.write(PENDULUM), "--out", self.path("run.csv"), "--checkpoint", self.path("end.state"))
        names, rows = read_csv(self.path("run.csv"))
        last = dict(zip(names, rows[-1]))
        with open(self.path("end.state"), "rb") as file:
            state = file.read()
        field = struct.pack("<I", len(b"bodies")) + b"bodies"
        at = state.index(field) + len(field) + 4 + 8
        numbers = struct.unpack_from("<13d", state, at)  # position, orientation, velocity, angular velocity
        parts = ["x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"]
        self.assertEqual([last[f"rod.{part}"] for part in parts], list(numbers))
        self.assertGreater(len({x for x in numbers if float(f"{x:.16g}") != x}), 0)  # numbers that fewer digits would lose

    def test_rows_are_written_at_the_times_asked_for(self):
        scene = self.write(PENDULUM)
        self.good("simulate", scene, "--at", "0.05,0,0.0123", "--out", self.path("at.csv"))
        self.assertEqual([row[0] for row in read_csv(self.path("at.csv"))[1]], [0, 0.0123, 0.05])
        self.good("simulate", scene, "--sample", "0.025", "--out", self.path("sample.csv"))
        times = [row[0] for row in read_csv(self.path("sample.csv"))[1]]
        self.assertEqual(len(times), 5)
        for i, t in enumerate(times):
            self.assertAlmostEqual(t, 0.025 * i, places=15)

    def test_at_without_duration_runs_to_the_last_time(self):
        done = self.good("simulate", self.write(PENDULUM), "--at", "0.03,0.07", "--json", "--quiet")
        self.assertAlmostEqual(json.loads(done.stdout)["time"], 0.07, places=12)

    def test_csv_and_hdf5_show_the_same_run(self):
        scene = self.write(PENDULUM)
        for name in ("run.csv", "run.h5"):
            self.good("simulate", scene, "--out", self.path(name))
            self.good("plot", self.path(name), "rod.x+rod.z", "rod.x:rod.z", "log(residual)", "--out", self.path(name + ".svg"), "--title", "run")
        with open(self.path("run.csv.svg"), encoding="utf-8") as a, open(self.path("run.h5.svg"), encoding="utf-8") as b:
            drawn = a.read()
            self.assertEqual(drawn, b.read())
        self.assertIn("<svg", drawn)
        self.assertIn("</svg>", drawn)

    def test_the_same_scene_gives_the_same_bytes(self):
        for name in ("a.csv", "b.csv"):
            self.good("simulate", os.path.join(EXAMPLES, "jansen_legs.yaml"), "--duration", "0.3", "--out", self.path(name))
        with open(self.path("a.csv"), "rb") as a, open(self.path("b.csv"), "rb") as b:
            self.assertEqual(a.read(), b.read())


class Flags(ProgramTest):
    def test_json_is_the_only_thing_on_stdout(self):
        for flags in ([], ["--quiet"]):
            done = self.good("simulate", self.write(PENDULUM), "--json", *flags)
            report = json.loads(done.stdout)
            for key in ("status", "steps", "time", "wall_time", "real_time_factor", "drift", "residual", "energy"):
                self.assertIn(key, report)
            self.assertEqual(report["status"], "ok")
            self.assertEqual(report["steps"], 100)
            self.assertLessEqual(report["drift"]["position"], 1e-12)
            self.assertLessEqual(abs(report["energy"]["unexplained"]), 1e-9)

    def test_without_json_stdout_stays_empty_and_the_summary_is_on_stderr(self):
        done = self.good("simulate", self.write(PENDULUM))
        self.assertEqual(done.stdout, "")
        for word in ("steps", "drift", "residual", "energy"):
            self.assertIn(word, done.stderr)

    def test_quiet_says_nothing(self):
        done = self.good("simulate", self.write(PENDULUM), "--quiet")
        self.assertEqual(done.stdout + done.stderr, "")

    def test_no_progress_bar_when_piped(self):
        done = self.good("simulate", os.path.join(EXAMPLES, "jansen_legs.yaml"), "--duration", "5")
        self.assertNotIn("\r", done.stderr)

    def test_set_changes_a_value_of_the_scene(self):
        scene = self.write(PENDULUM)
        heavy = json.loads(self.good("dynamics", scene, "--json", "--set", "bodies.rod.mass=3").stdout)
        light = json.loads(self.good("dynamics", scene, "--json").stdout)
        self.assertNotEqual(heavy["joints"]["pivot"]["force"], light["joints"]["pivot"]["force"])
        done = self.good("simulate", scene, "--set", "simulate.duration=0.05", "--json", "--quiet")
        self.assertEqual(json.loads(done.stdout)["steps"], 50)
        self.bad("simulate", scene, "--set", "bodies.rod.mas=3")

    def test_the_command_line_overrides_the_scene(self):
        scene = self.write(PENDULUM)
        report = json.loads(self.good("simulate", scene, "--json", "--quiet", "--step", "0.01", "--duration", "0.2").stdout)
        self.assertEqual(report["steps"], 20)

    def test_every_solver_integrator_and_stabilisation_runs_and_agrees(self):
        scene = os.path.join(EXAMPLES, "four_bar.yaml")
        ends = []
        for flags in (
            ["--solver", "tree"],
            ["--solver", "sparse"],
            ["--solver", "dense"],
            ["--integrator", "adaptive", "--tolerance", "1e-11"],
            ["--stabilise", "baumgarte"],
            ["--stabilise", "none"],
        ):
            self.good("simulate", scene, "--at", "0.5", "--out", self.path("end.csv"), *flags)
            names, rows = read_csv(self.path("end.csv"))
            ends.append([rows[-1][names.index(f"rocker.{c}")] for c in "xyz"])
        for end in ends[1:]:
            self.assertLessEqual(math.dist(end, ends[0]), 1e-7)

    def test_warnings_have_their_place_and_do_not_stop_the_run(self):
        scene = self.write(PENDULUM.replace("position: [0.3", "orientation: [1, 0.01, 0, 0], position: [0.3"))
        done = self.good("check", scene)
        self.assertRegex(done.stderr, r"warning: .*scene\.yaml:5:\d+")


class Killed(ProgramTest):
    def test_a_killed_run_leaves_a_file_that_can_be_read(self):
        out = self.path("run.h5")
        command = [self.catena, "simulate", os.path.join(EXAMPLES, "jansen_legs.yaml"), "--duration", "1e4", "--sample", "1e-3", "--out", out, "--quiet"]
        with subprocess.Popen(command) as process:
            deadline = time.monotonic() + 60
            size = 0
            while time.monotonic() < deadline and size < 300000:
                time.sleep(0.1)
                size = os.path.getsize(out) if os.path.exists(out) else 0
            time.sleep(1)
            process.send_signal(signal.SIGKILL)
        self.good("plot", out, "energy.kinetic", "--out", self.path("x.svg"))


if __name__ == "__main__":
    main()
