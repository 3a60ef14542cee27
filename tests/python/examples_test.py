"""The example programs run, and fit the types that are shipped."""

import glob
import os
import subprocess
import sys

import pytest

import catena
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


def test_the_stubs_name_what_there_is():
    with open(os.path.join(os.path.dirname(catena.__file__), "__init__.pyi"), encoding="utf-8") as stubs:
        text = stubs.read()
    for name in catena.__all__:
        assert name in text
    for kind in (catena.Simulation, catena.Model, catena.Scene, catena.State, catena.StepReport, catena.JointHandle, catena.BodyHandle,
                 catena.SiteHandle, catena.Batch):
        for name in dir(kind):
            if not name.startswith("_"):
                assert f"def {name}(" in text, (kind, name)
                assert getattr(kind, name).__doc__ or name in ("name", "scene", "model", "warnings", "integrator", "ok", "copy"), (kind, name)
