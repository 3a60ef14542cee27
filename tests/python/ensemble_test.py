"""Ensembles by threads and by processes: one table, bit for bit."""

import concurrent.futures
import multiprocessing

import numpy as np
import pytest

import catena
from scenes import G

SCENE = """\
catena: 1
simulate: {step: 1e-3, duration: 0.05}
bodies: {rod: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}}
joints: {pivot: {kind: hinge, between: [ground, rod], anchor: [0, 0, 0], axis: [0, 1, 0]}}
"""
AXES = dict(grid=["bodies.rod.mass=1:2:3"], random=["bodies.rod.inertia.1=uniform(0.1,0.2)"], runs=6, seed=4,
            measures=["final(joint.pivot.v[0])"])


@pytest.fixture
def scene(tmp_path):
    path = tmp_path / "pendulum.yaml"
    path.write_text(SCENE)
    return path


def table(folder):
    return (folder / "table.csv").read_bytes()


def test_members_fall_as_their_formula_says(scene, tmp_path):
    t = catena.ensemble(scene, tmp_path / "a", threads=2, **AXES)
    m, inertia = t["bodies.rod.mass"], t["bodies.rod.inertia.1"]
    assert len(m) == 18 and set(t["status"]) == {"done"}
    # From rest at the horizontal: the rate is alpha t up to the turn of gravity, which is O((alpha t^2)^2 / 2) of it.
    alpha = m * G * 0.5 / (inertia + m * 0.25)
    rate = t["final(joint.pivot.v[0])"]
    assert np.all(np.abs(np.abs(rate) / (alpha * 0.05) - 1) < (alpha * 0.05**2) ** 2)


def test_processes_and_threads_make_one_table(scene, tmp_path):
    catena.ensemble(scene, tmp_path / "one", **AXES)
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        catena.ensemble(scene, tmp_path / "pool", executor=pool, chunk=2, **AXES)
    assert table(tmp_path / "one") == table(tmp_path / "pool")


def test_what_is_there_is_not_run_again(scene, tmp_path):
    catena.ensemble(scene, tmp_path / "a", **AXES)
    manifest = tmp_path / "a" / "manifest.jsonl"
    whole, before = table(tmp_path / "a"), manifest.read_bytes()
    manifest.write_bytes(b"".join(before.splitlines(keepends=True)[:10]))
    catena.ensemble(scene, tmp_path / "a", **AXES)
    assert table(tmp_path / "a") == whole and len(manifest.read_bytes().splitlines()) == 19

    class Refuses:
        def submit(self, *_):
            raise AssertionError("nothing is left to run")

    catena.ensemble(scene, tmp_path / "a", executor=Refuses(), **AXES)


def test_bad_ensembles_raise_a_sentence(scene, tmp_path):
    for wrong in (dict(grid=["bodies.rod.mass"]), dict(random=["a=b"]), dict(measures=["rod.z"]), dict(grid=["bodies.x.mass=1:2:2"]),
                  dict(runs=0)):
        with pytest.raises(ValueError):
            catena.ensemble(scene, tmp_path / "bad", **wrong)
    catena.ensemble(scene, tmp_path / "a", grid=["bodies.rod.mass=1:2:2"])
    with pytest.raises(ValueError, match="another ensemble"):
        catena.ensemble(scene, tmp_path / "a", grid=["bodies.rod.mass=1:2:3"])
