"""The notebooks run from top to bottom; what they claim is asserted in them."""

import glob
import json
import os

import pytest

from scenes import ROOT

FILES = sorted(glob.glob(os.path.join(ROOT, "examples", "notebooks", "*.ipynb")))


def test_there_are_six():
    assert len(FILES) == 6


def run_here(file):
    """Cell after cell in one namespace, as a kernel would."""
    with open(file, encoding="utf-8") as text:
        cells = json.load(text)["cells"]
    namespace = {"__name__": "notebook"}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), os.path.basename(file), "exec"), namespace)


@pytest.mark.parametrize("file", FILES, ids=os.path.basename)
def test_runs(file):
    """In a kernel, by nbconvert, where they are installed (packages.txt); what a cell ends with shows itself there."""
    try:
        import ipykernel  # noqa: F401
        import nbformat
        from nbconvert.preprocessors import ExecutePreprocessor
    except ImportError:
        return run_here(file)
    notebook = nbformat.read(file, as_version=4)
    done, _ = ExecutePreprocessor(timeout=300, kernel_name="python3").preprocess(notebook, {"metadata": {"path": os.path.dirname(file)}})
    if os.path.basename(file).startswith("1_"):
        shown = [output["data"].get("text/html", "") for cell in done.cells if cell.cell_type == "code" for output in cell.outputs if "data" in output]
        assert sum("<iframe" in each for each in shown) == 2  # the simulation and the recording
