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


class Losing:
    """Runs members here and now, but loses the answers to the first `lost` calls, as a worker does that ends."""

    def __init__(self, lost):
        self.lost = lost
        self.calls = 0

    def submit(self, work, *arguments):
        self.calls += 1
        future = concurrent.futures.Future()
        if self.calls <= self.lost:
            future.set_exception(ConnectionError("the worker is gone"))
        else:
            future.set_result(work(*arguments))
        return future


def test_members_of_lost_workers_are_handed_out_again(scene, tmp_path):
    catena.ensemble(scene, tmp_path / "whole", **AXES)
    losing = Losing(lost=2)
    catena.ensemble(scene, tmp_path / "lost", executor=losing, chunk=6, **AXES)
    assert losing.calls == 3 + 2    # three parts, two of them twice
    assert table(tmp_path / "lost") == table(tmp_path / "whole")


def test_workers_that_are_always_lost_end_the_call_and_what_others_gave_is_kept(scene, tmp_path):
    class Half(Losing):
        def submit(self, work, spec, members):
            self.lost = self.calls + (1 if 0 in members else 0)    # whoever has the first member
            return super().submit(work, spec, members)

    with pytest.raises(ConnectionError, match="the worker is gone"):
        catena.ensemble(scene, tmp_path / "half", executor=Half(0), chunk=6, **AXES)
    assert (tmp_path / "half" / "manifest.jsonl").read_bytes().count(b"\n") == 1 + 12
    catena.ensemble(scene, tmp_path / "half", **AXES)
    catena.ensemble(scene, tmp_path / "whole", **AXES)
    assert table(tmp_path / "half") == table(tmp_path / "whole")
