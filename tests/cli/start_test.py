#!/usr/bin/env python3
"""catena new and catena examples: what a user starts from."""
import json
import os
import shutil
import subprocess

from program import EXAMPLES, ProgramTest, main


def scenes():
    return sorted(name[:-5] for name in os.listdir(EXAMPLES) if name.endswith(".yaml"))


class New(ProgramTest):
    def test_the_scene_it_writes_runs_and_keeps_its_joints_closed(self):
        self.good("new", "my-arm")
        self.assertEqual(sorted(os.listdir(self.path("my-arm"))), ["README.md", "run.py", "scene.yaml"])
        report = json.loads(self.good("simulate", "my-arm/scene.yaml", "--json").stdout)
        self.assertEqual(report["status"], "ok")
        self.assertEqual(report["name"], "my-arm")
        self.assertLess(report["drift"]["position"], 1e-10)

    def test_it_never_overwrites(self):
        self.good("new", "a")
        self.assertIn("a", self.bad("new", "a"))
        os.mkdir(self.path("empty"))
        self.good("new", "empty")
        self.write("", "file")
        self.bad("new", "file")

    def test_a_name_that_would_break_the_scene_is_refused(self):
        for name in ("a: b", "-x", ".hidden", "{", ""):
            done = self.run_catena("new", "--", name)
            self.assertEqual(done.returncode, 2, name)
        self.assertEqual(os.listdir(self.folder), [])


class Examples(ProgramTest):
    def test_every_scene_is_listed_with_a_sentence(self):
        listed = json.loads(self.good("examples", "--json").stdout)
        self.assertEqual([entry["name"] for entry in listed], scenes())
        for entry in listed:
            self.assertGreater(len(entry["about"].split()), 3, entry["name"])
        text = self.good("examples").stdout
        for name in scenes():
            self.assertIn(name, text)

    def test_a_copy_is_the_same_bytes_and_is_good(self):
        self.good("examples", "pendulum", "four_bar.yaml", "--to", "mine")
        for name in ("pendulum.yaml", "four_bar.yaml"):
            with open(self.path("mine/" + name), "rb") as copy, open(os.path.join(EXAMPLES, name), "rb") as original:
                self.assertEqual(copy.read(), original.read())
            self.good("check", "mine/" + name)

    def test_nothing_is_overwritten_unless_forced(self):
        self.write("mine", "pendulum.yaml")
        self.assertIn("--force", self.bad("examples", "four_bar", "pendulum"))
        self.assertFalse(os.path.exists(self.path("four_bar.yaml")))  # nothing was written before that was seen
        self.good("examples", "pendulum", "--force")
        self.good("check", "pendulum.yaml")

    def test_an_unknown_example_is_answered_with_the_nearest(self):
        self.assertIn("did you mean 'pendulum'?", self.bad("examples", "pendulm"))

    def test_they_are_found_from_an_installed_program(self):
        # bin/catena beside share/catena/examples, as `make install` puts them; the library is found through the loader's path.
        os.makedirs(self.path("bin"))
        os.makedirs(self.path("share/catena/examples"))
        installed = shutil.copy(self.catena, self.path("bin/catena"))
        self.write("# A scene of this folder alone.\ncatena: 1\n", "share/catena/examples/only_here.yaml")
        libraries = os.path.dirname(self.catena) + "/src:" + os.environ.get("LD_LIBRARY_PATH", "")
        done = subprocess.run([installed, "examples", "--json"], capture_output=True, text=True, env=dict(os.environ, LD_LIBRARY_PATH=libraries))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([entry["name"] for entry in json.loads(done.stdout)], ["only_here"])


if __name__ == "__main__":
    main()
