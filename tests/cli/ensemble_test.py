#!/usr/bin/env python3
"""catena ensemble: the table of one process, of several, of one that was killed; members alone."""
import csv
import json
import os
import shutil
import signal
import subprocess
import time
import unittest

from program import PENDULUM, ProgramTest, main

AXES = ["--grid", "bodies.rod.mass=1:2:3", "--random", "joints.*.damping=lognormal(-2,0.5)", "--runs", "8", "--seed", "5",
        "--measure", "max(rod.z)", "--measure", "final(joint.pivot.q[0])"]


class Ensembles(ProgramTest):
    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def rows(self, folder):
        with open(self.path(folder + "/table.csv"), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def ensemble(self, out, *flags, axes=AXES):
        return self.good("ensemble", self.scene, *axes, "--out", self.path(out), *flags)

    def setUp(self):
        super().setUp()
        self.scene = self.write(PENDULUM)

    def test_any_number_of_threads_gives_the_same_table(self):
        self.ensemble("one", "--threads", "1")
        self.ensemble("three", "--threads", "3")
        self.assertEqual(self.read("one/table.csv"), self.read("three/table.csv"))
        rows = self.rows("one")
        self.assertEqual([int(row["member"]) for row in rows], list(range(24)))
        self.assertEqual([float(row["bodies.rod.mass"]) for row in rows], [1.0] * 8 + [1.5] * 8 + [2.0] * 8)
        self.assertEqual({row["status"] for row in rows}, {"done"})
        self.assertEqual(len({row["joints.pivot.damping"] for row in rows}), 24)
        page = self.read("one/index.html").decode()
        self.assertIn("max(rod.z)", page)
        self.assertGreaterEqual(page.count("<svg"), 2)
        self.assertNotIn("http://", page.replace("http://www.w3.org", ""))
        self.assertGreater(len(self.read("one/table.h5")), 1000)

    def test_a_member_is_recreated_alone_with_the_same_bits(self):
        self.ensemble("e")
        row = self.rows("e")[13]
        self.good("simulate", "--member", self.path("e") + ":13", "--out", self.path("member.csv"))
        self.good("simulate", self.scene, "--set", "bodies.rod.mass=" + row["bodies.rod.mass"], "--set",
                  "joints.pivot.damping=" + row["joints.pivot.damping"], "--out", self.path("set.csv"))
        self.assertEqual(self.read("member.csv"), self.read("set.csv"))
        with open(self.path("member.csv"), encoding="utf-8", newline="") as file:
            samples = list(csv.DictReader(file))
        self.assertEqual(max(float(each["rod.z"]) for each in samples), float(row["max(rod.z)"]))
        self.assertEqual(float(samples[-1]["joint.pivot.q[0]"]), float(row["final(joint.pivot.q[0])"]))

    def test_killed_at_any_moment_it_goes_on_where_it_was(self):
        self.ensemble("whole", "--duration", "2")
        command = [self.catena, "ensemble", self.scene, *AXES, "--duration", "2", "--out", self.path("killed")]
        kills = 0
        for _ in range(3):
            with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
                end = time.monotonic() + 60
                before = self.members("killed")
                while time.monotonic() < end and process.poll() is None and self.members("killed") < before + 2:
                    time.sleep(0.001)
                process.send_signal(signal.SIGKILL)
                kills += process.wait() == -signal.SIGKILL
        self.assertGreater(kills, 0)
        with open(self.path("killed/manifest.jsonl"), "ab") as file:
            file.write(b'{"member": 23, "status": "do')  # half a line, as a full disk or a lost machine leaves it
        done = self.members("killed")
        self.ensemble("killed", "--duration", "2")
        self.assertGreater(done, 0)
        self.assertEqual(self.members("killed"), 24)
        self.assertEqual(self.read("killed/table.csv"), self.read("whole/table.csv"))

    def members(self, folder):
        try:
            return max(0, self.read(folder + "/manifest.jsonl").count(b"\n") - 1)
        except FileNotFoundError:
            return 0

    def test_the_tasks_of_a_slurm_array_make_one_table(self):
        self.ensemble("one")
        for task in (3, 1, 2):
            environment = dict(os.environ, SLURM_ARRAY_TASK_ID=str(task), SLURM_ARRAY_TASK_COUNT="3", SLURM_ARRAY_TASK_MIN="1")
            if task == 2:
                done = self.run_catena("ensemble", "--merge", self.path("array"))
                self.assertEqual(done.returncode, 1)
                self.assertIn("8 are missing, the first is member 1", done.stderr)
            subprocess.run([self.catena, "ensemble", self.scene, *AXES, "--out", self.path("array")], check=True, env=environment,
                           capture_output=True, timeout=300)
        files = sorted(name for name in os.listdir(self.path("array")) if name.startswith("manifest"))
        self.assertEqual(files, ["manifest.0-of-3.jsonl", "manifest.1-of-3.jsonl", "manifest.2-of-3.jsonl"])
        self.good("ensemble", "--merge", self.path("array"))
        self.assertEqual(self.read("array/table.csv"), self.read("one/table.csv"))

    def test_the_tasks_of_srun_make_one_table(self):
        self.ensemble("one")
        for rank in ("1", "0"):
            environment = dict(os.environ, SLURM_PROCID=rank, SLURM_STEP_NUM_TASKS="2", SLURM_NTASKS="2")
            subprocess.run([self.catena, "ensemble", self.scene, *AXES, "--out", self.path("step")], check=True, env=environment,
                           capture_output=True, timeout=300)
        self.good("ensemble", "--merge", self.path("step"))
        self.assertEqual(self.read("step/table.csv"), self.read("one/table.csv"))

    @unittest.skipIf(shutil.which("mpirun") is None, "Open MPI is not installed")
    def test_the_ranks_of_mpirun_make_one_table(self):
        self.ensemble("one")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "SLURM_"))}
        subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", self.catena, "ensemble", self.scene, *AXES, "--out",
                        self.path("mpi")], check=True, env=environment, capture_output=True, timeout=300)
        files = sorted(name for name in os.listdir(self.path("mpi")) if name.startswith("manifest"))
        self.assertEqual(files, ["manifest.0-of-2.jsonl", "manifest.1-of-2.jsonl"])
        self.good("ensemble", "--merge", self.path("mpi"))
        self.assertEqual(self.read("mpi/table.csv"), self.read("one/table.csv"))

    def test_a_member_that_fails_is_a_row(self):
        self.ensemble("e", axes=["--grid", "bodies.rod.mass=-1:3:5", "--measure", "max(rod.z)"])
        rows = self.rows("e")
        self.assertEqual([row["status"] for row in rows], ["refused", "refused", "done", "done", "done"])
        self.assertIn("mass", rows[0]["message"])
        self.assertEqual(rows[0]["max(rod.z)"], "nan")
        self.assertIn("refused", self.read("e/index.html").decode())

    def test_the_worst_members_have_replays(self):
        self.ensemble("e", "--keep", "worst:2")
        rows = self.rows("e")
        worst = sorted(range(24), key=lambda i: (-float(rows[i]["max(rod.z)"]), i))[:2]
        self.assertEqual(sorted(os.listdir(self.path("e/members"))), sorted(f"{i}.html" for i in worst))
        self.assertIn(f"members/{worst[0]}.html", self.read("e/index.html").decode())

    def test_a_hypercube_and_json(self):
        done = self.ensemble("e", "--latin-hypercube", "--json", axes=["--random", "bodies.rod.mass=uniform(1,2)", "--runs", "10"])
        self.assertEqual(json.loads(done.stdout)["done"], 10)
        masses = sorted(float(row["bodies.rod.mass"]) for row in self.rows("e"))
        self.assertEqual([int(10 * (m - 1)) for m in masses], list(range(10)))

    def test_what_is_wrong_is_said(self):
        out = ["--out", self.path("e")]
        self.assertIn("bodies has no 'rodd'", self.bad("ensemble", self.scene, "--grid", "bodies.rodd.mass=1:2:3", *out))
        self.assertIn("did you mean", self.bad("ensemble", self.scene, "--measure", "max(rod.zz)", *out))
        self.assertIn("--runs", self.bad("ensemble", self.scene, "--random", "bodies.rod.mass=normal(1,0.1)", *out))
        self.bad("ensemble", self.scene, "--grid", "bodies.rod.mass=1:2", *out)
        self.bad("ensemble", self.scene)
        self.bad("ensemble", *out)
        self.bad("ensemble", self.scene, "--share", "3/2", *out)
        self.ensemble("e", axes=["--grid", "bodies.rod.mass=1:2:2"])
        self.assertIn("another ensemble", self.bad("ensemble", self.scene, "--grid", "bodies.rod.mass=1:3:2", *out))
        self.assertIn("no member 2", self.bad("simulate", "--member", self.path("e") + ":2"))
        self.bad("simulate", "--member", self.folder + ":0")
        self.bad("simulate", "--member", "e")
        self.bad("simulate", self.scene, "--member", self.path("e") + ":0")
        self.bad("simulate")


if __name__ == "__main__":
    main()
