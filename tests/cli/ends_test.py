#!/usr/bin/env python3
"""How a run can end: by a signal, on a full disk, in numbers that are no longer finite. Nothing is lost, and the exit code tells."""
import csv
import json
import math
import os
import signal
import subprocess
import time

from program import EXPLODING, PENDULUM, ROOT, ProgramTest, main


def read_csv(path):
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    return rows[0], [[float(x) for x in row] for row in rows[1:]]


class Interrupted(ProgramTest):
    def interrupt(self, sign, *flags):
        """Starts a run without end, and sends the signal when its recording has grown."""
        command = [self.catena, "simulate", self.write(PENDULUM), "--duration", "9e4", "--sample", "1e-3", "--out", self.path("run.csv"), *flags]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            end = time.monotonic() + 120
            while time.monotonic() < end and not (os.path.exists(self.path("run.csv")) and os.path.getsize(self.path("run.csv")) > 20000):
                time.sleep(0.05)
            process.send_signal(sign)
            out, err = process.communicate(timeout=120)
        return process.returncode, out, err

    def test_a_signal_ends_the_run_with_everything_written(self):
        for sign, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            returned, out, err = self.interrupt(sign, "--json", "--out", self.path("run.h5"), "--out", self.path("run.html"))
            self.assertEqual(returned, code, err)
            self.assertIn("energy", err)  # the summary
            self.assertIn("interrupted at t = ", err)
            report = json.loads(out)
            self.assertEqual(report["status"], "interrupted")
            names, rows = read_csv(self.path("run.csv"))
            self.assertAlmostEqual(rows[-1][0], report["time"], places=12)
            for row in rows:
                self.assertEqual(len(row), len(names))
            with open(self.path("run.html"), encoding="utf-8") as file:
                self.assertIn("</html>", file.read())
            self.good("plot", self.path("run.h5"), "rod.x", "--out", self.path("x.svg"))
            for name in ("run.csv", "run.h5", "run.html"):
                os.remove(self.path(name))

    def test_a_second_signal_of_either_kind_ends_at_once(self):
        command = [self.catena, "simulate", self.write(PENDULUM), "--duration", "9e4", "--sample", "1e-3", "--quiet", "--out", self.path("run.csv")]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            end = time.monotonic() + 120
            while time.monotonic() < end and not (os.path.exists(self.path("run.csv")) and os.path.getsize(self.path("run.csv")) > 20000):
                time.sleep(0.05)
            for sign in (signal.SIGSTOP, signal.SIGINT, signal.SIGTERM, signal.SIGCONT):  # both arrive before the run takes another step
                process.send_signal(sign)
            process.communicate(timeout=120)
        self.assertIn(process.returncode, (-signal.SIGINT, -signal.SIGTERM))

    def test_a_killed_run_keeps_all_but_the_last_two_seconds(self):
        command = [self.catena, "simulate", self.write(PENDULUM), "--duration", "1e6", "--sample", "0.1", "--quiet", "--out", self.path("run.csv")]
        with subprocess.Popen(command) as process:
            end = time.monotonic() + 120
            sizes = set()
            while time.monotonic() < end and len(sizes) < 4:  # it is flushed again and again
                time.sleep(0.05)
                if os.path.exists(self.path("run.csv")):
                    sizes.add(os.path.getsize(self.path("run.csv")))
            process.kill()
        self.assertGreaterEqual(len(sizes), 4)
        self.assertGreater(len(read_csv(self.path("run.csv"))[1]), 10)


class FullDisk(ProgramTest):
    def test_output_that_cannot_be_written_is_an_error(self):
        scene = self.write(PENDULUM)
        for arguments in (["simulate", scene, "--json"], ["check", scene], ["explain", scene], ["dynamics", scene, "--json"], ["--help"], []):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([self.catena, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
            self.assertEqual(done.returncode, 1, arguments)
            self.assertIn("No space left", done.stderr)

    def test_a_recording_on_a_full_disk_says_so_and_the_others_are_whole(self):
        for ending in (".csv", ".h5", ".html"):
            full = self.path("full" + ending)
            os.symlink("/dev/full", full)
            good = self.path("good.csv")
            done = self.run_catena("simulate", self.write(PENDULUM), "--duration", "20", "--sample", "1e-3", "--out", good, "--out", full)
            self.assertIn(done.returncode, (1, 2), done.stderr)
            self.assertIn("full" + ending, done.stderr)
            self.assertIn("No space left", done.stderr)
            if done.returncode == 1 and os.path.exists(good):
                names, rows = read_csv(good)
                self.assertTrue(all(len(row) == len(names) for row in rows))


class NotFinite(ProgramTest):
    def check_rows(self, path):
        for row in read_csv(path)[1]:
            self.assertTrue(all(math.isfinite(x) for x in row), row)

    def test_what_is_recorded_is_finite_whatever_the_run_does(self):
        for force in ("1e148", "1e160", "1e200", "1e300"):
            for flags in ([], ["--sample", "0.01"], ["--sample", "0.5"]):
                scene = self.write(EXPLODING.replace("1e160", force))
                done = self.run_catena("simulate", scene, "--out", self.path("run.csv"), *flags)
                self.assertEqual(done.returncode, 3, done.stderr)
                self.check_rows(self.path("run.csv"))
                self.assertRegex(done.stderr, r"stopped after \d+ steps at ")

    def test_a_scene_of_numbers_too_large_stops_or_is_refused(self):
        scene = os.path.join(ROOT, "tests", "data", "scenes", "nan_in_csv.yaml")
        for method in ("auto", "lagrange", "impulse", "spook", "operational"):
            done = self.run_catena("simulate", scene, "--method", method, "--out", self.path("run.csv"))
            self.assertIn(done.returncode, (0, 2, 3), done.stderr)
            if done.returncode != 2:
                self.check_rows(self.path("run.csv"))

    def test_more_memory_than_there_is_becomes_a_message(self):
        scene = os.path.join(ROOT, "tests", "data", "scenes", "too_much_memory.yaml")
        done = self.run_catena("simulate", scene, "--method", "operational", "--duration", "0.1")
        self.assertIn(done.returncode, (0, 1, 2, 3), done.stderr)
        self.assertNotIn("bad_alloc", done.stderr)


if __name__ == "__main__":
    main()
