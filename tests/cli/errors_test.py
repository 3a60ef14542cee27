#!/usr/bin/env python3
"""Exit codes and messages when something is wrong."""
import json
import math
import re
import subprocess

from program import EXPLODING, PENDULUM, ProgramTest, main


class WrongInput(ProgramTest):
    def test_a_mistake_in_a_scene_is_named_with_file_line_and_column(self):
        scene = self.write(PENDULUM.replace("mass: 1,", "mas: 1,"))
        for command in ("simulate", "check", "explain", "dynamics"):
            message = self.bad(command, scene)
            self.assertRegex(message, r"scene\.yaml:5:\d+: ")
            self.assertIn("mass", message)

    def test_a_mistake_in_yaml_itself_is_named_with_its_place(self):
        self.assertRegex(self.bad("check", self.write("catena: 1\nbodies: {rod: [1, 2\n")), r"scene\.yaml:\d+:\d+: ")

    def test_a_missing_file_is_wrong_input(self):
        self.assertIn("nowhere.yaml", self.bad("simulate", "nowhere.yaml"))
        self.assertIn("nowhere.h5", self.bad("plot", "nowhere.h5", "time", "--out", "x.svg"))

    def test_an_unknown_flag_or_command_is_wrong_input(self):
        scene = self.write(PENDULUM)
        for flag, meant in (("--stpe", "--step"), ("--duratoin", "--duration"), ("--slover=tree", "--solver")):
            message = self.bad("simulate", scene, flag, "1")
            self.assertIn(f"did you mean '{meant}'?", message)
            self.assertIn(flag.split("=")[0], message)
        for command, meant in (("simulatte", "simulate"), ("plt", "plot"), ("vieww", "view")):
            self.assertIn(f"did you mean '{meant}'?", self.bad(command, scene))
        self.assertIn("simulate", self.bad("xyzzy"))  # nothing is near: all are named
        self.bad("simulate")
        self.bad("simulate", scene, "more")

    def test_with_json_an_error_is_an_object_on_stdout(self):
        scene = self.write(PENDULUM)
        wrong = self.write(PENDULUM.replace("mass: 1,", "mas: 1,"), "wrong.yaml")
        cases = (["simulate", wrong], ["check", wrong], ["explain", wrong], ["dynamics", wrong], ["compare", wrong], ["simulate", "nowhere.yaml"],
                 ["simulate", scene, "--stpe", "1"], ["simulatte", scene], ["solve", "nowhere.json"], ["simulate", scene, "--method", "magic"])
        for arguments in cases:
            done = self.run_catena(*arguments, "--json")
            self.assertEqual(done.returncode, 2, arguments)
            report = json.loads(done.stdout)
            self.assertEqual(report["status"], "error")
            self.assertIn(report["message"], done.stderr)

    def test_an_unknown_choice_is_answered_with_the_nearest_one(self):
        message = self.bad("simulate", self.write(PENDULUM), "--integrator", "rk5")
        self.assertIn("rk4", message)
        self.assertIn("adaptive", message)

    def test_what_only_operational_has_is_refused_elsewhere(self):
        scene = self.write(PENDULUM)
        for flags in (["--method", "lagrange", "--formulation", "nmc"], ["--method", "spook", "--solver", "lemke"], ["--formulation", "omc"]):
            self.bad("simulate", scene, *flags)

    def test_numbers_that_make_no_sense_are_refused(self):
        scene = self.write(PENDULUM)
        for flags in (["--step", "-1"], ["--step", "x"], ["--at", "-1"], ["--sample", "-0.1"], ["--tolerance", "-1"]):
            self.bad("simulate", scene, *flags)

    def test_a_loop_that_cannot_close_is_wrong_input_that_names_the_joint(self):
        scene = self.write(
            PENDULUM.replace("joints:\n", "joints:\n  far: {kind: ball, between: [ground, rod], anchors: [[9, 0, 0], [0.6, 0, -0.8]]}\n")
        )
        message = self.bad("simulate", scene)
        self.assertRegex(message, r"'(far|pivot)' cannot be closed")

    def test_a_recording_that_cannot_be_written_is_wrong_input(self):
        scene = self.write(PENDULUM)
        for name in ("nowhere/out.csv", "nowhere/out.h5", "out.txt"):
            self.assertIn(name.split("/")[0], self.bad("simulate", scene, "--out", name))
        for ending in (".csv", ".h5", ".html"):
            self.assertIn(ending, self.bad("simulate", scene, "--out", "out.txt"))

    def test_a_column_that_is_not_there_is_answered_with_the_nearest_one(self):
        self.good("simulate", self.write(PENDULUM), "--out", self.path("run.csv"))
        self.assertIn("rod.x", self.bad("plot", self.path("run.csv"), "rod.xx", "--out", self.path("x.svg")))


class Stopped(ProgramTest):
    def test_a_simulation_that_diverges_ends_with_3_and_says_where(self):
        done = self.run_catena("simulate", self.write(EXPLODING))
        self.assertEqual(done.returncode, 3)
        self.assertIn("'bullet'", done.stderr)
        self.assertIn("t = ", done.stderr)
        self.assertRegex(done.stderr, r"stopped after \d+ steps")

    def test_the_recording_keeps_everything_up_to_the_last_good_state(self):
        for name in ("run.csv", "run.h5"):
            done = self.run_catena("simulate", self.write(EXPLODING), "--out", self.path(name), "--json", "--quiet")
            self.assertEqual(done.returncode, 3)
            report = json.loads(done.stdout)
            self.assertEqual(report["status"], "stopped")
            self.good("plot", self.path(name), "bullet.x", "--out", self.path("x.svg"))
        with open(self.path("run.csv"), encoding="utf-8") as file:
            rows = file.read().splitlines()
        self.assertGreater(len(rows), 2)
        self.assertAlmostEqual(float(rows[-1].split(",")[0]), report["time"], places=12)
        state = [float(x) for x in rows[-1].split(",")[:7]]  # time, position, velocity of the bullet
        self.assertTrue(all(math.isfinite(x) for x in state), state)

    def test_help_and_version_are_not_errors(self):
        self.assertIn("simulate", self.good("--help").stdout)
        self.assertEqual(self.good().stdout, self.good("--help").stdout)
        for command in ("simulate", "plot", "view", "compare", "solve", "check", "convert", "dynamics", "explain", "render", "ensemble", "examples"):
            text = self.good(command, "--help").stdout
            self.assertIn("Examples:", text)
        text = self.good("simulate", "--help").stdout
        for word in ("auto", "tree", "sparse", "dense", "linear", "sle", "sle-sparse", "iterative", "parts", "direct", "split", "gauss-seidel", "lemke", "cone"):
            self.assertIn(word, text)
        self.assertRegex(self.good("--version").stdout, r"catena \d+\.\d+")

    def test_shells_complete_commands_flags_and_words(self):
        script = self.good("completion", "bash").stdout
        asked = {"catena simu": ["simulate"], "catena simulate --inte": ["--integrator"], "catena simulate --method oper": ["operational"], "catena ver": []}
        for typed, wanted in asked.items():
            words = typed.split(" ")
            test = f"COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; _catena; printf '%s\\n' \"${{COMPREPLY[@]}}\""
            done = subprocess.run(["bash", "-c", script + test], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.stdout.split(), wanted, done.stderr)
        self.assertTrue(self.good("completion", "zsh").stdout.startswith("#compdef catena"))
        fish = self.good("completion", "fish").stdout
        self.assertIn("-l method", fish)
        self.assertIn("bash, zsh, fish", self.bad("completion", "tcsh"))

    def test_the_manual_page_has_every_command_and_flag(self):
        page = self.good("man").stdout.replace("\\-", "-")
        self.assertTrue(page.startswith(".TH CATENA 1"))
        for command in ("simulate", "plot", "view", "compare", "check", "convert", "new", "examples"):
            self.assertIn(f".SS catena {command}\n", page)
            for flag in re.findall(r"^ +(?:-\w,)?(--[a-z-]+)", self.good(command, "--help").stdout, re.M):
                self.assertIn(flag, page)


if __name__ == "__main__":
    main()
