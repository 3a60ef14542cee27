"""Runs, recordings and what shows itself."""

import os
import shutil
import struct
import urllib.request

import numpy as np
import pytest

import catena
from scenes import double_pendulum


@pytest.fixture
def rec():
    s = catena.Simulation(double_pendulum(), step=2e-3)
    s.set_coordinates(np.array([0.4, 0.1]))
    return s.run(0.2)


def test_columns_are_arrays_and_a_data_frame(rec):
    assert rec.ok and len(rec) == 21 and rec.time[-1] == 0.2 and "lower.x" in rec and list(rec)[0] == "time"
    frame = rec.to_pandas()
    assert np.array_equal(frame["lower.x"].to_numpy(), rec["lower.x"]) and np.array_equal(frame.index, rec.time)
    assert rec.worst["drift"] < 1e-12
    with pytest.raises(KeyError, match="lower.x"):
        rec["lower"]


def test_files_hold_what_was_recorded(rec, tmp_path):
    for name in ("run.csv", "run.npz", "run.h5"):
        rec.save(tmp_path / name)
        again = catena.Recording.load(tmp_path / name)
        assert again.names == rec.names and np.array_equal(again.data, rec.data), name
    assert again.scene.model == rec.scene.model and again.settings == rec.settings
    again.save(tmp_path / "again.html")
    rec.save(tmp_path / "run.html")
    assert "<html" in (tmp_path / "run.html").read_text()[:200].lower()
    rec.save(tmp_path / "run.glb")
    magic, version, length = struct.unpack("<4sII", (tmp_path / "run.glb").read_bytes()[:12])
    assert magic == b"glTF" and version == 2 and length == (tmp_path / "run.glb").stat().st_size
    with pytest.raises(catena.InputError, match="csv"):
        rec.save(tmp_path / "run.docx")
    with pytest.raises(catena.InputError, match="scene"):
        catena.Recording.load(tmp_path / "run.csv").save(tmp_path / "x.html")


def test_films_are_made(rec, tmp_path):
    if catena.program.find() is None or not shutil.which("chromium") or not shutil.which("ffmpeg"):
        pytest.skip("the program, chromium and ffmpeg make films")
    short = catena.Recording(rec.names, rec.data[:3], rec.scene, rec.settings)
    short.save(tmp_path / "run.mp4")
    assert (tmp_path / "run.mp4").read_bytes()[4:8] == b"ftyp"


def test_only_what_is_asked_for_is_kept_and_it_still_shows_itself():
    s = catena.Simulation(double_pendulum(), step=2e-3)
    rec = s.run(0.1, record=["energy.kinetic", "lower.x"])
    assert rec.names == ["time", "energy.kinetic", "lower.x"] and rec.data.shape == (11, 3)
    assert "<iframe" in rec._repr_html_()
    assert "<iframe" in s._repr_html_()


def test_plots_have_names_and_units(rec):
    axes = rec.plot("energy", "lower.x")
    assert axes.get_xlabel() == "time, s" and len(axes.lines) == 4
    with pytest.raises(KeyError):
        rec.plot("nothing")


def test_the_adaptive_integrator_is_recorded_at_equal_times():
    s = catena.Simulation(double_pendulum(), method="lagrange", integrator="adaptive", step=1e-3)
    s.set_coordinates(np.array([1.0, 0.5]))
    rec = s.run(0.1, sample=0.02)
    assert np.allclose(rec.time, np.arange(6) * 0.02, atol=1e-12)


def test_progress_is_shown(capsys):
    catena.Simulation(double_pendulum(), step=1e-3).run(0.05, progress=True)
    assert "times real time" in capsys.readouterr().err


def test_a_run_that_fails_says_so_and_keeps_what_it_had():
    s = catena.Simulation(double_pendulum(), step=1e-3)

    def control(sim):
        if sim.time >= 0.05:
            sim.tau[:] = 1e300

    rec = s.run(1.0, controller=control)
    assert not rec.ok and rec.status != "ok" and rec.message and len(rec) >= 5


def test_the_live_page_is_served():
    s = catena.Simulation(double_pendulum(), step=1e-3)
    s.step(100)
    with catena.view(s, open=False) as viewer:
        assert isinstance(viewer, catena.Viewer) and viewer.address.startswith("http://127.0.0.1:") and "127.0.0.1" in repr(viewer)
        with urllib.request.urlopen(viewer.address, timeout=20) as answer:
            assert b"<html" in answer.read()[:300].lower()
        viewer.close()  # and once more at the end of the block
    with pytest.raises(OSError):
        urllib.request.urlopen(viewer.address, timeout=5)
    with pytest.raises(catena.InputError):
        catena.view(s, port=70000, open=False)
