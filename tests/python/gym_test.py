"""Environments follow the protocol of Gymnasium."""

import os
import subprocess
import sys

import numpy as np
import pytest

import catena
import catena.gym
from scenes import ROOT

GO1 = os.path.join(ROOT, "tests", "data", "robots", "go1.xml")


def walker(**options):
    return catena.gym.Walker(GO1, keyframe="home", **options)


@pytest.mark.parametrize("make", [catena.gym.CartPole, catena.gym.FourBarCrane, walker])
def test_environments_follow_the_protocol(make):
    env = make()
    first, info = env.reset(seed=3)
    again, _ = env.reset(seed=3)
    assert np.array_equal(first, again) and first.shape == env.observation_space.shape and env.observation_space.contains(first)
    assert not np.array_equal(first, env.reset(seed=4)[0])
    assert env.sim.drift()[0] < 1e-10 * max(1, env.sim.size)
    env.action_space.seed(1)
    for _ in range(5):
        observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
        assert isinstance(reward, float) and isinstance(terminated, bool) and isinstance(truncated, bool)
    assert info["status"] == "ok" and observation.shape == first.shape and set(info) == {"time", "energy", "residual", "status"}
    env.close()


def test_a_pole_that_falls_ends_its_episode():
    env = catena.gym.CartPole()
    env.reset(seed=0, options={"noise": 0.0})
    env.sim.set_coordinates(np.array([0.0, 0.19]))
    assert any(env.step([0.0])[2] for _ in range(50))


def test_episodes_are_truncated_at_their_horizon():
    env = catena.gym.FourBarCrane()
    env.horizon = 3
    env.reset(seed=0)
    assert [env.step([0.0])[3] for _ in range(3)] == [False, False, True]


def test_a_walker_that_keeps_its_inputs_stands():
    env = walker()
    env.reset(seed=0, options={"noise": 0.0})
    hold = env.sim.ctrl.copy()
    total = 0.0
    for _ in range(20):
        _, reward, terminated, _, info = env.step(hold)
        total += reward
        assert not terminated and info["status"] == "ok"
    assert 15 < total < 25 and 0.2 < env.sim.q[2] < 0.4
    env.sim.set_coordinates(np.concatenate([[0, 0, 0.05], env.sim.q[3:]]))
    assert env.terminated()


def test_many_walkers_are_walkers():
    envs = catena.gym.WalkerVector(GO1, 2, keyframe="home")
    observations, info = envs.reset(seed=5)
    singles = [walker() for _ in range(2)]
    for i, env in enumerate(singles):
        assert np.array_equal(env.reset(seed=5 + i)[0], observations[i])
    actions = np.stack([env.sim.ctrl for env in singles]) + 0.05
    observations, rewards, *_ = envs.step(actions)
    for i, env in enumerate(singles):
        observation, reward, *_ = env.step(actions[i])
        assert np.array_equal(observation, observations[i]) and reward == pytest.approx(rewards[i], rel=1e-14)
    assert info["energy"].shape == (2,)


def test_an_environment_of_ones_own_is_a_task():
    class Still(catena.gym.Task):
        actuated, limit, noise = ["pivot"], 2.0, 0.0

        def reward(self, q, v, actions):
            return -np.abs(q[:, 0])

    scene = catena.gym.cart_pole_scene()
    one, many = catena.gym.TaskEnv(Still(scene, step=1e-3)), catena.gym.TaskVectorEnv(Still(scene, step=1e-3), 3)
    one.reset(seed=1)
    many.reset(seed=1)
    single = one.step([1.0])
    rows = many.step(np.ones((3, 1)))
    assert np.array_equal(rows[0], np.tile(single[0], (3, 1))) and np.all(rows[1] == single[1])


def test_gymnasium_is_used_where_it_is_installed(tmp_path):
    """With a module of that name: its base classes and boxes are taken, and reset() tells it the seed."""
    (tmp_path / "gymnasium.py").write_text("""
import types
import numpy as np
seeds = []
class Env:
    def reset(self, *, seed=None, options=None):
        seeds.append(seed)
class Box:
    def __init__(self, low, high, dtype=None):
        self.low, self.high, self.shape = np.asarray(low), np.asarray(high), np.shape(low)
vector = types.SimpleNamespace(VectorEnv=type("VectorEnv", (), {}))
spaces = types.SimpleNamespace(Box=Box)
""")
    code = "import catena.gym, gymnasium; e = catena.gym.CartPole(); e.reset(seed=7); assert isinstance(e, gymnasium.Env)\n" \
           "assert isinstance(e.action_space, gymnasium.spaces.Box) and gymnasium.seeds == [7]"
    path = os.pathsep.join([str(tmp_path), os.path.dirname(os.path.dirname(catena.__file__))])
    subprocess.run([sys.executable, "-c", code], check=True, env=dict(os.environ, PYTHONPATH=path))


def test_rewards_and_endings_are_those_of_their_formulas():
    env = catena.gym.CartPole()
    env.reset(seed=2)
    env.apply(np.array([3.0]))
    assert np.array_equal(env.sim.tau, [3.0, 0.0]) and env.reward([3.0]) == 1.0 and not env.terminated()
    assert np.array_equal(env.observe(), np.concatenate([env.sim.q, env.sim.v]))
    energy = env.sim.energy()
    assert env.info() == {"time": env.sim.time, "energy": energy["kinetic"] + energy["potential"], "residual": 0.0, "status": "ok"}
    task, random = env.task, np.random.default_rng(0)
    q, v = random.uniform(-3, 3, (50, 2)), random.uniform(-1, 1, (50, 2))
    assert np.array_equal(task.terminated(q, v), [abs(x) > 2.4 or abs(a) > 0.2 for x, a in q]) and np.array_equal(task.reward(q, v, v), np.ones(50))
    crane, actions = catena.gym.FourBarCraneTask(), random.uniform(-30, 30, (4, 1))
    q = random.uniform(-1, 1, (4, 3))
    base = catena.Simulation(crane.scene).coordinates_of("base")[0].start
    assert np.allclose(crane.reward(q, q, actions), [-((row[base] - 0.3) ** 2) - 1e-4 * u[0] ** 2 for row, u in zip(q, actions)], rtol=1e-14)
    assert not crane.terminated(q, q).any()
    many = catena.gym.FourBarCraneVector(4)
    observations, info = many.reset(seed=1)
    assert np.array_equal(many.observe(), observations) and np.array_equal(observations, np.concatenate([many.batch.q, many.batch.v], axis=1))
    assert np.array_equal(many.reward(actions), crane.reward(many.batch.q, many.batch.v, actions)) and not many.terminated().any()
    kinetic, potential = many.batch.energy()
    assert np.array_equal(many.info()["energy"], kinetic + potential) and np.array_equal(info["time"], np.zeros(4))


def test_scenes_of_the_tasks_are_what_they_say():
    cart, loop = catena.gym.cart_pole_scene().model, catena.gym.four_bar_scene().model
    assert np.array_equal(cart.masses, [1.0, 0.1]) and cart.joints == ["rail", "pivot"] and len(loop.joints) == len(loop.bodies) + 1
    text = catena.gym.on_a_floor(GO1)
    assert GO1 in text and "plane" in text
    s = catena.Simulation(catena.load(text, keyframe="home", missing_meshes="skip"), step=2e-3)
    s.step(500)
    weight = s.model.masses.sum() * np.linalg.norm(s.model.gravity)
    assert np.isclose(s.contacts()["force"][:, 2].sum(), weight, rtol=0.05)  # it stands on the floor, nearly at rest
    assert catena.gym.CartPole().render() is None
