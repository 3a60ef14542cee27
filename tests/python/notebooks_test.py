"""The notebooks run from top to bottom; what they claim is asserted in them."""

import glob
import json
import os

import pytest

from scenes import ROOT

FILES = sorted(glob.glob(os.path.join(ROOT, "examples", "notebooks", "*.ipynb")))


def test_there_are_six():
    assert len(FILES) == 6


@pytest.mark.parametrize("file", FILES, ids=os.path.basename)
def test_runs(file):
    """Cell after cell in one namespace, as a kernel would; with nbconvert where its kernel is installed, in a kernel itself."""
    with open(file, encoding="utf-8") as text:
        cells = json.load(text)["cells"]
    namespace = {"__name__": "notebook"}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), os.path.basename(file), "exec"), namespace)


@pytest.mark.parametrize("file", FILES[:1], ids=os.path.basename)
def test_runs_in_a_kernel(file):
    pytest.importorskip("ipykernel")
    nbformat = pytest.importorskip("nbformat")
    preprocessors = pytest.importorskip("nbconvert.preprocessors")
    notebook = nbformat.read(file, as_version=4)
    preprocessors.ExecutePreprocessor(timeout=300, kernel_name="python3").preprocess(notebook, {})
