"""Ensembles on the engines that clusters run: Dask's workers, one of which is lost, and MPI's ranks make the table of one process, bit for bit."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time

import pytest

import catena

SCENE = """\
catena: 1
simulate: {step: 1e-3, duration: 0.5}
bodies: {rod: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}}
joints: {pivot: {kind: hinge, between: [ground, rod], anchor: [0, 0, 0], axis: [0, 1, 0]}}
"""
AXES = dict(grid=["bodies.rod.mass=1:2:4"], random=["joints.pivot.damping=uniform(0.1,0.2)"], runs=10, seed=4,
            measures=["final(joint.pivot.v[0])"])


@pytest.fixture
def scene(tmp_path):
    path = tmp_path / "pendulum.yaml"
    path.write_text(SCENE)
    return path


@pytest.fixture
def expected(scene, tmp_path):
    catena.ensemble(scene, tmp_path / "one", **AXES)
    return table(tmp_path / "one")


def table(folder):
    return (folder / "table.csv").read_bytes()


def members(folder):
    """How many have been written down."""
    try:
        return max(0, (folder / "manifest.jsonl").read_bytes().count(b"\n") - 1)
    except FileNotFoundError:
        return 0


def test_dask_workers_make_the_table_of_one_process_though_one_of_them_is_killed(scene, expected, tmp_path):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            pids = list(client.run(os.getpid).values())
            assert len(set(pids)) == 2
            failure = []

            def run():
                try:
                    catena.ensemble(scene, tmp_path / "dask", executor=client, chunk=1, **AXES)
                except Exception as error:
                    failure.append(error)

            running = threading.Thread(target=run)
            running.start()
            end = time.monotonic() + 120
            while running.is_alive() and members(tmp_path / "dask") < 3 and time.monotonic() < end:
                time.sleep(0.001)
            os.kill(pids[0], signal.SIGKILL)
            running.join(300)
            assert not running.is_alive() and not failure, failure
    assert table(tmp_path / "dask") == expected


PROGRAM = """\
import sys
from mpi4py.futures import MPIPoolExecutor
import catena

if __name__ == "__main__":
    with MPIPoolExecutor() as executor:
        catena.ensemble(sys.argv[1], sys.argv[2], executor=executor, chunk=3, **{axes!r})
"""


def mpirun(processes, *command):
    if shutil.which("mpirun") is None:
        pytest.skip("Open MPI is not installed")
    # Loopback alone: the ranks are on one machine.
    flags = ["--allow-run-as-root", "--oversubscribe", "--mca", "btl", "self,vader", "--mca", "btl_vader_single_copy_mechanism", "none"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "SLURM_"))}
    done = subprocess.run(["mpirun", *flags, "-n", str(processes), *command], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


def test_mpi_workers_are_handed_members_one_by_one(scene, expected, tmp_path):
    pytest.importorskip("mpi4py")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(axes=AXES))
    mpirun(3, sys.executable, "-m", "mpi4py.futures", str(program), str(scene), str(tmp_path / "mpi"))
    assert table(tmp_path / "mpi") == expected
