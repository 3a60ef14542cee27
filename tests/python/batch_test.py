"""Batches: arrays with a row a world, rollouts, parameters, vector environments."""

import gc
import threading
import time

import numpy as np
import pytest

import catena
import catena.gym
from scenes import G, M_double, bias_double, double_pendulum, example


def test_views_are_views_with_a_row_a_world():
    b = catena.Batch(double_pendulum(), 5, threads=2, step=1e-3)
    assert (len(b), b.nq, b.nv, b.nu, b.nstate, b.threads) == (5, 2, 2, 0, 5, 2)
    q, v, tau, status = b.q, b.v, b.tau, b.status
    addresses = [a.ctypes.data for a in (q, v, tau, status)]
    assert q.shape == v.shape == tau.shape == (5, 2) and b.ctrl.shape == (5, 0) and status.shape == (5,)
    assert q.flags.c_contiguous and not q.flags.owndata and not q.flags.writeable and tau.flags.writeable
    tau[:, 0] = np.arange(5)
    b.step(10)
    assert [a.ctypes.data for a in (b.q, b.v, b.tau, b.status)] == addresses
    assert np.all(np.diff(q[:, 0]) > 0) and np.all(b.time == 0.01) and np.all(b.residual < 1e-10)
    del b
    gc.collect()
    assert np.all(np.isfinite(q))  # a view keeps the batch alive


def test_worlds_move_as_simulations_and_the_equations_say():
    start = np.random.default_rng(1).uniform(-1, 1, (6, 2))
    rates = np.random.default_rng(2).uniform(-1, 1, (6, 2))
    for threads in (1, 2, 4):
        b = catena.Batch(double_pendulum(), 6, threads=threads, step=1e-3, method="lagrange")
        b.reset(q=start, v=rates)
        b.step(100)
        for i in range(6):
            s = catena.Simulation(double_pendulum(), step=1e-3, method="lagrange")
            s.set_coordinates(start[i], rates[i])
            s.step(100)
            assert np.array_equal(s.q, b.q[i]) and np.array_equal(s.v, b.v[i])
    h = 1e-3
    rate = lambda q, v: np.linalg.solve(M_double(q), -bias_double(q, v))
    q, v = start[3], rates[3]
    for _ in range(100):
        a1 = rate(q, v)
        v2, a2 = v + h / 2 * a1, rate(q + h / 2 * v, v + h / 2 * a1)
        v3, a3 = v + h / 2 * a2, rate(q + h / 2 * v2, v + h / 2 * a2)
        v4, a4 = v + h * a3, rate(q + h * v3, v + h * a3)
        q, v = q + h / 6 * (v + 2 * v2 + 2 * v3 + v4), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
    assert np.allclose(b.q[3], q, atol=1e-9) and np.allclose(b.v[3], v, atol=1e-8)


def test_lanes_are_reported_and_change_nothing():
    scene = catena.load(example("pendulum"))
    b, alone = (catena.Batch(scene, 6, method="operational") for _ in range(2))
    alone.use_lanes(False)
    for batch in (b, alone):
        batch.tau[:, 0] = np.linspace(-1, 1, 6)
        batch.step(20)
    assert b.lanes == {"width": 4, "why_not": "", "steps_in_lanes": 6 * 19, "steps_alone": 6}
    assert alone.lanes["steps_in_lanes"] == 0 and alone.lanes["steps_alone"] == 6 * 20
    assert np.array_equal(b.q, alone.q) and np.array_equal(b.v, alone.v)


def test_a_rollout_has_the_shapes_of_mujocos_and_the_numbers_of_steps():
    b = catena.Batch(double_pendulum(), 3, threads=2, step=1e-3)
    start = np.array([0.25, 0.3, -0.2, 0.0, 1.0])
    tau = np.random.default_rng(0).normal(size=(3, 40, 2))
    out = b.rollout(start, tau=tau)
    assert out.shape == (3, 40, b.nstate)
    assert np.allclose(out[:, :, 0], 0.25 + 1e-3 * np.arange(1, 41))
    s = catena.Simulation(double_pendulum(), step=1e-3)
    s.set_coordinates(start[1:3], start[3:])
    for k in range(40):
        s.tau[:] = tau[2, k]
        s.step()
        assert np.array_equal(out[2, k, 1:3], s.q) and np.array_equal(out[2, k, 3:], s.v)
    again = b.rollout(np.tile(start, (3, 1)), tau=tau[:1])
    assert np.array_equal(again[0], out[0]) and np.array_equal(again[2], out[0])
    assert b.rollout(nstep=5).shape == (3, 5, 5)
    assert b.time[0] == pytest.approx(0.25 + 45e-3)


def test_a_world_that_fails_is_a_row_with_a_status():
    b = catena.Batch(double_pendulum(), 3, step=1e-3)
    b.tau[1, 0] = np.nan
    b.step(5)
    assert [catena.STATUS[k] for k in b.status] == ["ok", "diverged", "ok"]
    assert "tau[0]" in b.message(1) and b.message(0) == ""
    assert b.time[1] == 0 and b.time[2] == pytest.approx(5e-3)
    b.reset(mask=[False, True, False])
    b.step(5)
    assert np.all(b.status == 0) and np.array_equal(b.time, [10e-3, 5e-3, 10e-3])


def test_parameters_of_a_world_are_those_of_its_formula():
    scene = catena.load("""\
catena: 1
bodies: {rod: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}}
joints: {pivot: {kind: hinge, between: [ground, rod], anchor: [0, 0, 0], axis: [0, 1, 0]}}
""")
    b = catena.Batch(scene, 4, threads=2, step=1e-4)
    mass = np.array([1.0, 2.0, 3.0, 1.0])
    assert "bodies.rod.mass" in b.parameters and np.array_equal(b.parameter("bodies.rod.mass"), np.ones(4))
    b.set_parameter("bodies.rod.mass", mass)
    assert np.array_equal(b.parameter("bodies.rod.mass"), mass)
    b.step(10)
    assert np.allclose(b.v[:, 0], 1e-3 * mass * G * 0.5 / (0.1 + mass * 0.25), atol=1e-7)
    kinetic, potential = b.energy()
    assert np.allclose(kinetic, 0.5 * (0.1 + mass * 0.25) * b.v[:, 0] ** 2, rtol=1e-12)
    assert np.allclose(kinetic + potential, 0, atol=1e-9)


def test_states_are_copied_in_and_out():
    b = catena.Batch(double_pendulum(), 3, step=1e-3)
    b.tau[:, 0] = [1, 2, 3]
    b.step(20)
    saved = [b.state(i) for i in range(3)]
    s = catena.Simulation(double_pendulum(), step=1e-3)
    s.state = saved[1]
    s.step(10)
    b.step(10)
    assert np.array_equal(s.q, b.q[1])
    after = b.q.copy()
    b.reset(states=saved)
    b.tau[:, 0] = [1, 2, 3]
    b.step(10)
    assert np.array_equal(b.q, after)
    b.reset(states=saved[0], mask=[True, False, True])
    assert np.array_equal(b.q[0], b.q[2]) and not np.array_equal(b.q[0], b.q[1])


def test_other_threads_run_while_a_batch_steps():
    b = catena.Batch(double_pendulum(), 500, step=1e-3)
    count, stop = [0], threading.Event()

    def tick():
        while not stop.is_set():
            count[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        begin = count[0]
        b.step(200)
        assert count[0] > begin
    finally:
        stop.set()
        thread.join()


@pytest.mark.parametrize("single, many", [(catena.gym.CartPole, catena.gym.CartPoleVector),
                                          (catena.gym.FourBarCrane, catena.gym.FourBarCraneVector)])
def test_a_vector_environment_is_its_environments(single, many):
    n = 4
    envs = many(n, threads=2)
    singles = [single() for _ in range(n)]
    observations, info = envs.reset(seed=10)
    assert observations.shape == envs.observation_space.shape and info["time"].shape == (n,)
    for i, env in enumerate(singles):
        first, _ = env.reset(seed=10 + i)
        assert np.array_equal(first, observations[i])
    random = np.random.default_rng(3)
    over = np.zeros(n, dtype=bool)
    for _ in range(60):
        actions = random.uniform(envs.action_space.low, envs.action_space.high)
        observations, rewards, terminated, truncated, info = envs.step(actions)
        for i, env in enumerate(singles):
            if over[i]:
                expected, reward, ended, cut = env.reset()[0], 0.0, False, False
            else:
                expected, reward, ended, cut, _ = env.step(actions[i])
            assert np.array_equal(expected, observations[i]) and ended == terminated[i] and cut == truncated[i]
            assert reward == pytest.approx(rewards[i], rel=1e-14)
            over[i] = ended or cut
    assert list(info["status"]) == ["ok"] * n
    envs.close()


def bad_calls():
    b = catena.Batch(double_pendulum(), 2, step=1e-3)
    other = catena.Batch(catena.load(example("four_bar")), 2)
    return [
        lambda: catena.Batch(double_pendulum(), 0),
        lambda: catena.Batch(double_pendulum(), 2, threads=0),
        lambda: catena.Batch(double_pendulum(), 2, stepp=1),
        lambda: b.step(-1),
        lambda: b.reset(mask=[True]),
        lambda: b.reset(q=np.zeros((2, 3))),
        lambda: b.reset(v=np.zeros((2, 2))),
        lambda: b.reset(q=np.full((2, 2), np.nan)),
        lambda: b.reset(states=other.state(0)),
        lambda: b.reset(states=[b.state(0)]),
        lambda: b.state(2),
        lambda: b.state(-1),
        lambda: b.message(7),
        lambda: b.rollout(),
        lambda: b.rollout(nstep=-1),
        lambda: b.rollout(np.zeros((3, 5)), nstep=2),
        lambda: b.rollout(np.full(5, np.nan), nstep=2),
        lambda: b.rollout(tau=np.zeros((2, 4, 7))),
        lambda: b.rollout(tau=np.zeros((2, 4, 2)), nstep=5),
        lambda: b.parameter("bodies.upper.weight"),
        lambda: b.set_parameter("bodies.upper.mass", [1.0]),
        lambda: b.set_parameter("bodies.upper.mass", [1.0, -1.0]),
        lambda: b.set_parameter("bodies.upper.mass", ["a", "b"]),
        lambda: setattr(b, "tau", np.zeros((2, 5))),
    ]


@pytest.mark.parametrize("k", range(24))
def test_bad_input_raises_a_sentence(k):
    calls = bad_calls()
    assert len(calls) == 24
    with pytest.raises(ValueError) as error:
        calls[k]()
    assert len(str(error.value)) > 10


def test_rows_of_worlds_in_contact_are_those_of_a_simulation():
    scene = catena.ModelBuilder().body("box", mass=2.0, position=[0, 0, 0.1], shapes=[{"box": [0.2, 0.2, 0.2]}]).ground({"plane": {}}).build()
    b = catena.Batch(scene, 3, threads=2, step=2e-3)
    b.reset(mask=[False, True, False], q=np.tile([0, 0, 5.0, 1, 0, 0, 0], (3, 1)))
    b.step(20)
    assert np.array_equal(b.contacts, [4, 0, 4]) and b.settings.step == 2e-3
    assert np.allclose(b.q[:, 2], [0.1, 5 - 0.5 * G * 0.04**2, 0.1], atol=1e-9)
    loop = catena.Batch(catena.load(example("four_bar")), 2)
    s = catena.Simulation(catena.load(example("four_bar")))
    loop.step(25)
    worst = max(s.step().drift for _ in range(25))
    assert np.array_equal(loop.drift, [worst, worst])
    # A world is its numbers: at least a pose and a velocity of its body, and its rows of the arrays.
    assert 8 * (13 + 2 * 7 + 3 * 6) <= b.bytes_per_world < 50000


ROBOT = """<mujoco><worldbody><body name="ball"><joint name="rail" type="slide" axis="0 0 1"/>
  <inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/><site name="tip"/></body></worldbody>
  <actuator><motor name="lift" joint="rail" gear="4"/></actuator>
  <sensor><accelerometer name="imu" site="tip"/><jointpos name="height" joint="rail"/></sensor></mujoco>"""


def test_sensors_of_the_worlds_read_what_newton_says():
    b, plain = (catena.Batch(catena.load(ROBOT), 3, threads=2, step=1e-3) for _ in range(2))
    b.ctrl[:, 0] = plain.ctrl[:, 0] = [0.0, 2 * G / 4, G]
    assert b.sensors.shape == (3, b.nsensor) == (3, 4) and b.sensor("height").shape == (3, 1)
    imu, height, address = b.sensor("imu"), b.sensor("height"), b.sensors.ctypes.data
    lift = 4 * b.ctrl[:, 0] / 2  # m/s^2: what an accelerometer feels is all but gravity
    assert np.allclose(imu, np.stack([0 * lift, 0 * lift, lift], axis=1), atol=1e-12) and np.all(height == 0)
    b.step(100)
    plain.step(100)
    assert b.sensors.ctypes.data == address and np.array_equal(b.q, plain.q)  # reading does not move
    assert np.allclose(imu[:, 2], lift, atol=1e-12) and np.array_equal(height, b.q) and np.allclose(height[:, 0], (lift - G) * 0.1**2 / 2, rtol=1e-9, atol=1e-12)
    b.reset(mask=[True, False, False], q=np.full((3, 1), 0.7))
    assert np.allclose(height[:, 0], [0.7, 0, b.q[2, 0]], atol=1e-12) and np.allclose(imu[:, 2], [0, *lift[1:]], atol=1e-12)
    with pytest.raises(catena.InputError, match="height"):
        b.sensor("heights")
