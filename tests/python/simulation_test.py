"""Arrays, steps, states, runs."""

import copy
import gc
import os
import pickle
import signal
import sys
import threading
import time

import numpy as np
import pytest

import catena
import catena.gym
from scenes import G, M_double, bias_double, double_pendulum, example


def test_views_are_views_and_steps_bring_them_up_to_date():
    s = catena.Simulation(double_pendulum(), step=1e-3)
    s.set_coordinates(np.array([0.5, 0.2]))
    q, x, tau = s.q, s.bodies.position, s.tau
    addresses = [a.ctypes.data for a in (q, x, tau)]
    before = q.copy()
    s.step(10)
    assert not np.array_equal(q, before)
    assert [a.ctypes.data for a in (s.q, s.bodies.position, s.tau)] == addresses
    assert np.array_equal(q, s.q) and np.array_equal(x[1], s.body("lower").position)
    assert not q.flags.owndata and not q.flags.writeable and tau.flags.writeable
    assert s.joint("elbow").q.ctypes.data == q.ctypes.data + 8
    assert s.bodies.orientation.shape == (2, 4) and s.bodies.orientation.flags.c_contiguous
    del s
    gc.collect()
    assert np.all(np.isfinite(q))  # a view keeps the simulation alive


def test_motion_is_that_of_the_equations_integrated_by_numpy():
    s = catena.Simulation(double_pendulum(), step=1e-3, method="lagrange")
    q, v = np.array([1.0, -0.5]), np.array([0.0, 2.0])
    s.set_coordinates(q, v)
    rate = lambda q, v: np.linalg.solve(M_double(q), -bias_double(q, v))
    h = 1e-3
    for _ in range(500):
        a1 = rate(q, v)
        v2, a2 = v + h / 2 * a1, rate(q + h / 2 * v, v + h / 2 * a1)
        v3, a3 = v + h / 2 * a2, rate(q + h / 2 * v2, v + h / 2 * a2)
        v4, a4 = v + h * a3, rate(q + h * v3, v + h * a3)
        q, v = q + h / 6 * (v + 2 * v2 + 2 * v3 + v4), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
    report = s.step(500)
    assert report.ok and report.status == "ok" and report.residual < 1e-10 and report.drift < 1e-11
    assert s.time == 0.5
    assert np.allclose(s.q, q, atol=1e-8) and np.allclose(s.v, v, atol=1e-7)


def test_tau_and_forces_do_work_that_the_books_know():
    s = catena.Simulation(double_pendulum(), step=1e-3)
    before = s.energy()
    s.tau[:] = [3.0, -1.0]
    s.body("lower").set_force([0, 0, 2.0])
    report = s.step(300)
    after = s.energy()
    gained = after["kinetic"] + after["potential"] - before["kinetic"] - before["potential"]
    assert np.isclose(gained, sum(report.energy.values()), atol=1e-9)
    s.clear_forces()
    assert np.all(s.tau == 0)


def test_states_copy_compare_pickle_and_restore_to_the_bit():
    scene = double_pendulum()
    s = catena.Simulation(scene, step=1e-3)
    s.set_coordinates(np.array([1.0, 0.3]))
    s.tau[:] = [0.1, 0.2]
    s.step(50)
    saved = s.state
    assert saved == copy.deepcopy(saved) == pickle.loads(pickle.dumps(saved)) == catena.State.from_bytes(saved.to_bytes())
    s.step(50)
    end = s.q.copy()
    assert saved != s.state
    other = catena.Simulation(pickle.loads(pickle.dumps(scene)), step=1e-3)
    other.state = saved
    other.step(50)
    assert np.array_equal(other.q, end) and other.time == s.time
    with pytest.raises(catena.InputError, match="another model"):
        catena.Simulation(catena.load(example("four_bar"))).state = saved


def test_run_records_and_a_controller_controls():
    s = catena.Simulation(double_pendulum(), step=1e-3)
    target = np.array([0.5, -0.4])
    rec = s.run(2.0, controller=catena.ComputedTorque(100, 20, target))
    assert rec.ok and len(rec) == 201 and rec.time[-1] == 2.0
    assert np.allclose([rec["joint.shoulder.q[0]"][-1], rec["joint.elbow.q[0]"][-1]], target, atol=1e-6)
    # e'' + 20 e' + 100 e = 0: critically damped, e = e0 (1 + 10 t) exp(-10 t)
    e = (target[0] - rec["joint.shoulder.q[0]"]) / target[0]
    assert np.allclose(e, (1 + 10 * rec.time) * np.exp(-10 * rec.time), atol=2e-3)
    frame = rec.to_pandas()
    assert np.array_equal(frame["lower.x"].to_numpy(), rec["lower.x"])
    assert pickle.loads(pickle.dumps(rec))["lower.x"][-1] == rec["lower.x"][-1]
    with pytest.raises(KeyError, match="lower.x"):
        rec["lower"]


def test_pd_and_pid_hold_their_targets():
    s = catena.Simulation(double_pendulum(), step=1e-3)
    rec = s.run(4.0, controller=catena.PD(200, 40, target=0.2), record=["joint.shoulder.q[0]"])
    assert rec.names == ["time", "joint.shoulder.q[0]"]
    left = 200 * (0.2 - s.q) - bias_double(s.q, np.zeros(2))  # what gravity takes of the stiffness
    assert np.allclose(left, 0, atol=1e-2)
    s = catena.Simulation(double_pendulum(), step=1e-3)
    s.run(12.0, controller=catena.PID(200, 200, 40, target=0.2))
    assert np.allclose(s.q, 0.2, atol=2e-3)


def test_recordings_are_saved(tmp_path):
    s = catena.Simulation(double_pendulum(), step=2e-3)
    s.set_coordinates(np.array([0.4, 0.1]))
    rec = s.run(0.2)
    for name in ("run.csv", "run.npz", "run.h5", "run.html"):
        rec.save(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 100
    lines = (tmp_path / "run.csv").read_text().splitlines()
    assert lines[0].split(",") == rec.names and float(lines[-1].split(",")[1]) == rec.data[-1, 1]
    assert "<iframe" in rec._repr_html_()
    assert rec.plot("energy", "lower.x").get_xlabel() == "time, s"
    with pytest.raises(catena.InputError, match="csv"):
        rec.save(tmp_path / "run.docx")


def test_threads_run_side_by_side_with_the_same_bits():
    scene = catena.load(example("stewart"))
    alone = catena.Simulation(scene)
    alone.step(300)
    sims = [catena.Simulation(scene) for _ in range(4)]
    threads = [threading.Thread(target=s.step, args=(300,)) for s in sims]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for s in sims:
        assert s.state == alone.state


def test_ctrl_c_stops_a_long_run():
    s = catena.Simulation(double_pendulum(), step=1e-6)
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        s.step(10**9)
    assert time.monotonic() - begin < 30
    assert s.time > 0 and s.step().ok


def test_a_failing_controller_ends_the_step_with_its_own_error():
    s = catena.Simulation(double_pendulum())
    with pytest.raises(ZeroDivisionError):
        s.run(0.1, controller=lambda sim: 1 / 0)
    assert s.step().ok


def test_no_leak_in_many_steps():
    import resource

    s = catena.Simulation(double_pendulum(), step=1e-5)
    for _ in range(2000):
        s.step().residual, s.q, s.joint("elbow").v
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(20000):
        s.step().residual, s.q, s.joint("elbow").v
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4000  # kB


def test_environments_follow_the_gymnasium_protocol():
    for make in (catena.gym.CartPole, catena.gym.FourBarCrane):
        env = make()
        first, info = env.reset(seed=3)
        again, _ = env.reset(seed=3)
        assert np.array_equal(first, again) and first.shape == env.observation_space.shape
        assert env.sim.drift()[0] < 1e-10 * max(1, env.sim.size)
        for _ in range(20):
            observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
            assert isinstance(reward, float) and isinstance(terminated, bool) and isinstance(truncated, bool)
        assert info["status"] == "ok" and observation.shape == first.shape
    env = catena.gym.CartPole()
    env.reset(seed=0, options={"noise": 0.0})
    env.sim.set_coordinates(np.array([0.0, 0.19]))
    assert any(env.step([0.0])[2] for _ in range(50))  # it falls


def test_what_things_are_is_written_on_them():
    s = catena.Simulation(double_pendulum())
    assert "double pendulum" in repr(s) and "nq 2" in repr(s)
    for thing in (s.model, s.state, s.step(), s.joint("elbow"), s.body("upper"), double_pendulum()):
        assert repr(thing).startswith("<catena")


def test_import_is_quick():
    import subprocess

    code = "import time, numpy; t = time.process_time(); import catena; print(time.process_time() - t)"
    best = min(float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout) for _ in range(5))
    assert best < 0.2


def test_sensors_and_inputs_of_a_robot_are_read_and_set_by_name_and_place():
    robot = """<mujoco><worldbody><body name="ball"><joint name="rail" type="slide" axis="0 0 1"/>
      <inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/><site name="tip"/></body></worldbody>
      <actuator><motor name="lift" joint="rail" gear="4"/></actuator>
      <sensor><accelerometer name="imu" site="tip"/><jointpos name="height" joint="rail"/></sensor></mujoco>"""
    s = catena.Simulation(catena.load(robot), step=1e-3)
    assert s.nu == 1
    s.ctrl[0] = 2 * G / 4  # the weight
    assert np.allclose(s.sensor("imu"), [0, 0, G], atol=1e-12)
    s.step(100)
    assert s.sensor("height")[0] == pytest.approx(0, abs=1e-12)
    s.ctrl[0] = 0
    assert np.allclose(s.sensor("imu"), 0, atol=1e-12)
    with pytest.raises(catena.InputError):
        s.sensor("imu2")
