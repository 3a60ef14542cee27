"""Controllers against what they promise."""

import os
import pickle

import numpy as np
import pytest

import catena
import catena.gym
from scenes import ROOT, bias_double, double_pendulum


def test_computed_torque_leaves_a_linear_error():
    s = catena.Simulation(double_pendulum(), step=1e-3)
    target = np.array([0.5, -0.4])
    rec = s.run(2.0, controller=catena.ComputedTorque(100, 20, target))
    # e'' + 20 e' + 100 e = 0: critically damped, e = e0 (1 + 10 t) exp(-10 t)
    e = (target[0] - rec["joint.shoulder.q[0]"]) / target[0]
    assert np.allclose(e, (1 + 10 * rec.time) * np.exp(-10 * rec.time), atol=2e-3)


def test_computed_torque_cancels_springs_and_drives_a_closed_loop():
    text = catena.gym.four_bar_scene().text
    scene = catena.load(text, ["joints.base.damping=2", "joints.base.stiffness=30"])
    s = catena.Simulation(scene, step=1e-3)
    rec = s.run(2.0, controller=catena.ComputedTorque(100, 20, 0.3, joints=["base"]), record=["joint.base.q[0]"])
    e = 1 - rec["joint.base.q[0]"] / 0.3
    assert np.allclose(e, (1 + 10 * rec.time) * np.exp(-10 * rec.time), atol=3e-3) and abs(e[-1]) < 1e-6


def test_pd_and_pid_hold_their_targets():
    s = catena.Simulation(double_pendulum(), step=1e-3)
    s.run(4.0, controller=catena.PD(200, 40, target=0.2), sample=1.0)
    left = 200 * (0.2 - s.q) - bias_double(s.q, np.zeros(2))  # what gravity takes of the stiffness
    assert np.allclose(left, 0, atol=1e-2)
    s = catena.Simulation(double_pendulum(), step=1e-3)
    s.run(12.0, controller=catena.PID(200, 200, 40, target=0.2), sample=1.0)
    assert np.allclose(s.q, 0.2, atol=2e-3)


def test_controllers_hold_some_joints_within_limits_and_pickle():
    s = catena.Simulation(double_pendulum(), step=1e-3)
    hold = pickle.loads(pickle.dumps(catena.PD(200, 40, target=0.5, joints=["elbow"], limit=1.5)))
    hold(s)
    assert s.tau[0] == 0 and s.tau[1] == 1.5
    free = catena.Simulation(catena.ModelBuilder().body("a", mass=1, inertia=[1, 1, 1]).body("b", mass=1, inertia=[1, 1, 1], position=[1, 0, 0])
                             .joint("j", "ball", ["a", "b"], anchor=[0.5, 0, 0]).build())
    catena.PD(1, 1)(free)  # nothing to hold
    assert np.all(free.tau == 0)
    with pytest.raises(catena.InputError, match="quaternion"):
        catena.PD(1, 1, joints=["j"])(free)


def test_a_robot_with_a_floating_trunk_is_held():
    s = catena.Simulation(catena.load(os.path.join(ROOT, "tests", "data", "robots", "humanoid.xml")), step=2e-3)
    hold = catena.PD(50, 5, limit=40)
    assert s.run(0.1, controller=hold, record=[]).ok
    assert np.all(s.tau[:6] == 0) and np.any(s.tau[6:] != 0)


def test_the_integral_is_forgotten():
    s = catena.Simulation(double_pendulum(), step=1e-3)
    hold = catena.PID(10, 100, 1, target=0.2)
    hold(s)
    summed = np.zeros(2)
    for _ in range(20):
        s.step()
        hold(s)
        summed += 100 * 1e-3 * (0.2 - s.q)
    pd = 10 * (0.2 - s.q) - 1 * s.v
    assert np.allclose(s.tau - pd, summed, rtol=1e-12)
    hold.reset()
    hold(s)
    assert np.allclose(s.tau, pd, rtol=1e-15)


def test_pd_follows_functions_of_time_arrays_and_what_is_changed():
    s = catena.Simulation(double_pendulum(), step=1e-3)
    s.set_coordinates([0.3, -0.2], [1.0, 2.0])
    hold = catena.PD([10, 20], 2, target=lambda t: np.array([0.5, t]), rate=[0.1, 0.2], limit=[4.0, 1.0])
    hold(s)
    force = np.array([10, 20]) * ([0.5, 0.0] - s.q) + 2 * ([0.1, 0.2] - s.v)
    assert np.allclose(s.tau, np.clip(force, [-4, -1], [4, 1]), rtol=1e-15)
    hold.target, hold.limit = np.array([0.1, 0.2]), None
    hold(s)
    assert np.allclose(s.tau, np.array([10, 20]) * ([0.1, 0.2] - s.q) + 2 * ([0.1, 0.2] - s.v), rtol=1e-15)
    s.tau[:] = 7
    elbow = catena.PD(5, 1, target=1.0, joints=["elbow"])
    elbow(s)
    assert s.tau[0] == 7 and np.isclose(s.tau[1], 5 * (1 - s.q[1]) - s.v[1], rtol=1e-15)
    with pytest.raises(ValueError):
        catena.PD(1, 1, target=[1.0, 2.0, 3.0])(s)
