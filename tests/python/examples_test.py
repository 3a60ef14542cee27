"""The example programs run, and fit the types that are shipped."""

import ast
import glob
import os
import subprocess
import sys

import pytest

import catena
from names_test import public
from scenes import ROOT

FILES = sorted(glob.glob(os.path.join(ROOT, "examples", "python", "*.py")))


@pytest.mark.parametrize("file", FILES, ids=os.path.basename)
def test_runs(file):
    subprocess.run([sys.executable, file], check=True, capture_output=True)


def test_examples_are_clean_under_mypy_strict(tmp_path):
    pytest.importorskip("mypy")
    environment = dict(os.environ, MYPYPATH=os.path.dirname(os.path.dirname(catena.__file__)))
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), *FILES], capture_output=True, text=True,
                          env=environment)
    assert done.returncode == 0, done.stdout


def test_import_is_quick():
    """Of catena itself, beside numpy, in processor time: the least of five. The bound is twice what is asked for, for machines that are busy."""
    code = "import time, numpy; t = time.process_time(); import catena; print(time.process_time() - t)"
    best = min(float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout) for _ in range(5))
    assert best < 0.2


def stubbed():
    """Names of the stubs as public() has them, inherited ones too: {"Simulation.step", "gym.Env.reset", …}."""
    folder, names, bases = os.path.dirname(catena.__file__), set(), {}
    for file, prefix in (("__init__", ""), ("recording", ""), ("settings", ""), ("viewer", ""), ("gym", "gym."), ("program", "program.")):
        with open(os.path.join(folder, file + ".pyi"), encoding="utf-8") as text:
            for node in ast.parse(text.read()).body:
                if isinstance(node, ast.FunctionDef):
                    names.add(prefix + node.name)
                elif isinstance(node, ast.AnnAssign):
                    names.add(prefix + node.target.id)
                elif isinstance(node, ast.ClassDef):
                    names.add(prefix + node.name)
                    bases[prefix + node.name] = [prefix + base.id for base in node.bases if isinstance(base, ast.Name)]
                    for member in node.body:
                        if isinstance(member, ast.FunctionDef):
                            names.add(f"{prefix}{node.name}.{member.name}")
    for kind, parents in bases.items():
        for parent in parents:
            names.update(kind + name[len(parent):] for name in list(names) if name.startswith(parent + "."))
    return names


def test_the_stubs_name_everything_public_and_docstrings_tell_of_it():
    assert sorted(public() - stubbed()) == []
    for kind in (catena.Simulation, catena.Model, catena.Scene, catena.State, catena.StepReport, catena.JointHandle, catena.BodyHandle,
                 catena.SiteHandle, catena.Batch):
        for name in dir(kind):
            if not name.startswith("_"):
                assert getattr(kind, name).__doc__ or name in ("name", "scene", "model", "warnings", "integrator", "ok", "copy"), (kind, name)
