#!/usr/bin/env python3
"""The bits of a run do not depend on the processor.

The C library takes its functions by what the processor has; GLIBC_TUNABLES hides that. Where qemu-user is installed, a whole run is done on an emulated
processor without AVX, which takes the other compilation of everything that is dispatched at run time as well.
"""
import os
import shutil
import subprocess

from program import EXAMPLES, ProgramTest, main

PLAIN = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F,-AVX2_Usable,-FMA_Usable,-AVX512F_Usable"}


class Processors(ProgramTest):
    def recorded(self, example, method, name, before=(), environment=None):
        out = self.path(name)
        subprocess.run([*before, self.catena, "simulate", os.path.join(EXAMPLES, example + ".yaml"), "--method", method, "--duration", "0.1",
                        "--out", out, "--quiet"], check=True, env={**os.environ, **(environment or {})}, stdout=subprocess.DEVNULL)
        with open(out, "rb") as file:
            return file.read()

    def test_runs_are_the_same_bytes_without_the_newest_instructions(self):
        with open(self.catena, "rb") as program:
            sanitized = b"__asan_init" in program.read()  # which needs more address space than the emulator has
        emulator = None if sanitized else shutil.which("qemu-x86_64")
        for example, method in [("delta_robot", "auto"), ("car", "operational"), ("stewart", "lagrange"), ("jansen_legs", "spook"), ("chain", "impulse")]:
            with self.subTest(example=example, method=method):
                here = self.recorded(example, method, "here.csv")
                self.assertGreater(len(here), 1000)
                self.assertEqual(here, self.recorded(example, method, "plain.csv", environment=PLAIN))
                if emulator:
                    self.assertEqual(here, self.recorded(example, method, "emulated.csv", before=(emulator, "-cpu", "Nehalem")))


if __name__ == "__main__":
    main()
