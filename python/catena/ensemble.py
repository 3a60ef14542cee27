"""Ensembles from Python: the members run wherever an executor runs them, the table is that of `catena ensemble`."""

import functools
import os

import numpy as np

from . import _catena


@functools.lru_cache(maxsize=4)
def _ensemble_of(spec):
    return _catena._Ensemble.of(spec)


def _run(spec, members):
    """The lines of some members; what an executor is given, and a function of its arguments alone."""
    ensemble = _ensemble_of(spec)
    return [ensemble.run(member) for member in members]


def _column(values):
    try:
        return np.array([float(value) for value in values])
    except ValueError:
        return np.array(values)


def _read(folder):
    import csv

    with open(os.path.join(folder, "table.csv"), encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    return {name: _column([row[k] for row in rows[1:]]) for k, name in enumerate(rows[0])}


_MOST_TRIES = 3  # members that fail are rows of the table: what raises is a worker that was lost, or one that cannot run any of them


def _collect(executor, spec, parts, manifest):
    """Runs parts and writes their rows; the parts whose worker was lost, and why the first was. What the others give is kept."""
    lost, failure = [], None
    for part, future in [(part, executor.submit(_run, spec, part)) for part in parts]:
        try:
            lines = future.result()
        except Exception as error:
            lost.append(part)
            failure = failure or error
            continue
        for line in lines:
            manifest.write(line)
    return lost, failure


def ensemble(scene, out, grid=(), random=(), measures=(), runs=1, seed=0, latin_hypercube=False, overrides=(), executor=None,
             threads=1, chunk=None):
    """Runs a scene file many times with other values in it; the columns of the table as arrays, by name.

    grid: "bodies.rod.mass=1:2:11"; random: "joints.*.damping=lognormal(-2,0.3)", drawn `runs` times for each point of the grid;
    measures: "max(foot.z)". out: the folder, as `catena ensemble` makes it; one that was begun is gone on with. executor: anything
    with submit() (concurrent.futures, mpi4py.futures) or get_executor() (dask.distributed.Client); None: `threads` threads here.
    The table does not depend on who ran the members.
    """
    whole = _catena._Ensemble(os.fspath(scene), [str(each) for each in overrides], list(grid), list(random), list(measures),
                              int(runs), int(seed), bool(latin_hypercube))
    folder, spec = os.fspath(out), whole.spec
    manifest = _catena._Manifest(folder, whole)
    waiting = manifest.waiting
    own = None
    if executor is None:
        import concurrent.futures

        own = executor = concurrent.futures.ThreadPoolExecutor(max_workers=max(1, int(threads)))
    elif hasattr(executor, "get_executor"):
        executor = executor.get_executor()
    size = int(chunk) if chunk is not None else max(1, min(64, len(waiting) // 64))
    try:
        parts = [waiting[i : i + size] for i in range(0, len(waiting), size)]
        failure = None
        for _ in range(_MOST_TRIES):
            parts, failure = _collect(executor, spec, parts, manifest)
            if not parts:
                break
        if failure is not None:
            raise failure
    finally:
        if own is not None:
            own.shutdown(cancel_futures=True)
    missing = _catena._finish_ensemble(folder, whole)
    if missing:
        raise RuntimeError(f"{folder}: {missing} members are missing; run the ensemble again, it goes on where it was")
    return _read(folder)
