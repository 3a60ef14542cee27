#!/usr/bin/env python3
"""Small inputs that ask for much: a clear message, little memory, little time."""
import os
import resource
import subprocess

from program import PENDULUM, ProgramTest, main


class Limits(ProgramTest):
    def run_bounded(self, *arguments, seconds=30, megabytes=1000):
        """Runs the program with so much address space; stdin is empty. AddressSanitizer needs all there is."""
        size = megabytes << 20
        limit = None if self.sanitized() else lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size))
        command = [self.catena, *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, timeout=seconds, stdin=subprocess.DEVNULL, preexec_fn=limit)

    def sanitized(self):
        with open(self.catena, "rb") as file:
            return b"__asan_init" in file.read()

    def refused(self, *arguments):
        done = self.run_bounded(*arguments)
        self.assertEqual(done.returncode, 2, f"{arguments}: {done.stdout[-500:]}{done.stderr[-500:]}")
        self.assertNotEqual(done.stderr.strip(), "")
        self.assertLess(len(done.stderr), 3000)
        return done.stderr

    def test_numbers_that_are_not_finite_are_refused_by_every_flag(self):
        scene = self.write(PENDULUM)
        for flag in ("--step", "--duration", "--sample", "--at", "--tolerance", "--position-tolerance", "--velocity-tolerance"):
            for number in ("nan", "inf", "-inf", "1e999", "x", ""):
                message = self.refused("simulate", scene, flag, number)
                self.assertIn(flag, message)
        for flag in ("--step", "--duration", "--budget"):
            self.assertIn(flag, self.refused("compare", scene, flag, "nan"))

    def test_steps_that_time_cannot_count_are_refused(self):
        scene = self.write(PENDULUM)
        for step in ("1e-300", "5e-324", "1e-14"):
            self.assertIn("step", self.refused("simulate", scene, "--step", step))
            self.assertIn("step", self.refused("compare", scene, "--step", step))
            self.assertIn("step", self.refused("check", scene, "--set", f"simulate.step={step}"))
        self.assertIn("steps", self.refused("simulate", scene, "--step", "1e-9", "--duration", "1e9"))
        self.assertIn("samples", self.refused("simulate", scene, "--sample", "1e-12"))

    def test_scenes_that_ask_for_too_much_are_refused(self):
        self.refused("check", self.write("repeat: {count: 1000000000, bodies: {'b{i}': {mass: 1, inertia: 1}}}\n"))
        self.refused("check", self.write("cloth: {rows: 10000, columns: 10000, spacing: 1, mass: 1}\n"))
        self.refused("check", self.write("include: /dev/zero\n"))
        fifo = self.path("pipe.yaml")
        os.mkfifo(fifo)
        self.refused("check", fifo)
        self.refused("check", self.write(f"include: {fifo}\n"))
        self.refused("check", self.write("bodies: {a: {mass: 1, shapes: [{mesh: /dev/zero}]}}\n"))

    def test_recordings_that_are_pipes_or_devices_are_refused(self):
        for name in ("pipe.csv", "pipe.h5"):
            os.mkfifo(self.path(name))
            self.refused("plot", self.path(name), "x", "--out", self.path("x.svg"))
            self.refused("view", self.path(name))

    def test_bytes_that_are_not_utf8_are_named_with_their_place(self):
        with open(self.path("latin1.yaml"), "wb") as file:
            file.write(PENDULUM.encode().replace(b"rod", b"r\xf6d"))
        for command in ("check", "simulate", "explain", "dynamics"):
            for flags in ([], ["--json"]):
                self.assertRegex(self.refused(command, self.path("latin1.yaml"), *flags), r"latin1\.yaml:\d+:\d+: .*UTF-8")

    def test_any_finite_numbers_can_be_drawn(self):
        numbers = ["0", "5e-324", "1e-310", "1e-300", "1", "1e300", "1.7e308", "-1.7e308", "-5e-324", "nan", "inf"]
        for i, a in enumerate(numbers):
            for b in numbers[i:]:
                with open(self.path("run.csv"), "w", encoding="utf-8") as file:
                    file.write(f"time,a,b\n0,{a},{b}\n1,{b},{a}\n2,{b},{b}\n")
                done = self.run_bounded("plot", self.path("run.csv"), "a", "a:b", "log(b)", "--out", self.path("x.svg"))
                self.assertEqual(done.returncode, 0, f"{a} {b}: {done.stderr}")
                self.assertLess(os.path.getsize(self.path("x.svg")), 300000)
                with open(self.path("x.svg"), encoding="utf-8") as file:
                    drawn = file.read()
                self.assertNotIn("inf", drawn.replace("'Helvetica Neue'", ""), (a, b))
                self.assertNotIn("nan", drawn, (a, b))


if __name__ == "__main__":
    main()
