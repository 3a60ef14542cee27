"""Arrays, steps, states, runs."""

import gc
import os
import signal
import threading
import time

import numpy as np
import pytest

import catena
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


def test_run_records_and_a_controller_controls():
    s = catena.Simulation(double_pendulum(), step=1e-3)
    target = np.array([0.5, -0.4])
    rec = s.run(2.0, controller=catena.ComputedTorque(100, 20, target))
    assert rec.ok and len(rec) == 201 and rec.time[-1] == 2.0
    assert np.allclose([rec["joint.shoulder.q[0]"][-1], rec["joint.elbow.q[0]"][-1]], target, atol=1e-6)
    # e'' + 20 e' + 100 e = 0: critically damped, e = e0 (1 + 10 t) exp(-10 t)
    e = (target[0] - rec["joint.shoulder.q[0]"]) / target[0]
    assert np.allclose(e, (1 + 10 * rec.time) * np.exp(-10 * rec.time), atol=2e-3)


def test_pd_and_pid_hold_their_targets():
    s = catena.Simulation(double_pendulum(), step=1e-3)
    rec = s.run(4.0, controller=catena.PD(200, 40, target=0.2), record=["joint.shoulder.q[0]"])
    assert rec.names == ["time", "joint.shoulder.q[0]"]
    left = 200 * (0.2 - s.q) - bias_double(s.q, np.zeros(2))  # what gravity takes of the stiffness
    assert np.allclose(left, 0, atol=1e-2)
    s = catena.Simulation(double_pendulum(), step=1e-3)
    s.run(12.0, controller=catena.PID(200, 200, 40, target=0.2))
    assert np.allclose(s.q, 0.2, atol=2e-3)


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


def test_ctrl_c_stops_a_run_with_a_controller():
    s = catena.Simulation(double_pendulum(), step=1e-6)
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        s.run(1e4, controller=lambda sim: None, record=[], sample=10.0)
    calls = s.steps
    assert calls > 0 and s.step().ok and s.steps == calls + 1  # the controller is off, and the simulation goes on


def test_a_failing_controller_ends_the_step_with_its_own_error():
    s = catena.Simulation(double_pendulum())
    with pytest.raises(ZeroDivisionError):
        s.run(0.1, controller=lambda sim: 1 / 0)
    assert s.step().ok


def resident():
    with open("/proc/self/statm", encoding="ascii") as numbers:
        return int(numbers.read().split()[1]) * 4  # kB


def test_no_leak_in_a_million_steps():
    s = catena.Simulation(double_pendulum(), step=1e-5)
    step, views = s.step, (s.q, s.v, s.bodies.position)

    def work(n):
        for _ in range(n):
            step()

    work(10**5)
    gc.collect()
    before = resident()
    work(10**6)
    gc.collect()
    assert resident() - before < 1000 and np.all(np.isfinite(views[0]))  # kB: a byte a step


def test_no_leak_of_what_is_asked_for_in_steps():
    s = catena.Simulation(double_pendulum(), step=1e-5)

    def work(n):
        for _ in range(n):
            s.step().residual, s.q, s.joint("elbow").v, s.bodies.position, s.state, s.mass_matrix()

    work(2000)
    gc.collect()
    before = resident()
    work(20000)
    gc.collect()
    assert resident() - before < 1000  # kB: 50 B a round


def test_another_thread_is_told_that_the_simulation_is_busy():
    """And the interpreter's lock is released while it steps: this thread goes on."""
    s = catena.Simulation(double_pendulum(), step=1e-6)
    thread = threading.Thread(target=s.step, args=(100000,))
    told = []
    thread.start()
    while thread.is_alive() and not told:
        try:
            s.mass_matrix()
        except catena.InputError as error:
            told.append(str(error))
        time.sleep(1e-3)
    thread.join()
    assert told and "another thread" in told[0] and s.step().ok


def test_what_things_are_is_written_on_them():
    s = catena.Simulation(double_pendulum())
    assert "double pendulum" in repr(s) and "nq 2" in repr(s)
    for thing in (s.model, s.state, s.step(), s.joint("elbow"), s.body("upper"), double_pendulum()):
        assert repr(thing).startswith("<catena")


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


def test_settings_and_warnings_are_those_that_run():
    scene = double_pendulum()
    s = catena.Simulation(scene, step=1e-3, method="lagrange", integrator="rk4")
    assert s.integrator == "rk4" == s.settings["integrator"] and s.settings["method"] == "lagrange" and s.warnings == [] and s.scene.model == scene.model
    other = s.settings.copy()
    other["step"] = 2e-3
    assert s.settings.step == 1e-3 and catena.Simulation(scene, settings=other).settings.step == 2e-3


def test_bodies_that_rest_sleep_where_that_is_asked_for():
    text = """
catena: 1
ground: {shapes: [{plane: {normal: [0, 0, 1], offset: 0}}]}
bodies: {box: {mass: 1, position: [0, 0, 0.1], shapes: [{box: [0.2, 0.2, 0.2]}]}}
"""
    awake, asleep = (catena.Simulation(catena.load(text), step=2e-3, method="spook", sleep=sleep) for sleep in (False, True))
    for sim in (awake, asleep):
        sim.run(3.0)
    assert awake.step().asleep == 0 and asleep.step().asleep == 1
    at = asleep.body("box").position.copy()
    asleep.step(100)
    assert np.array_equal(asleep.body("box").position, at)
