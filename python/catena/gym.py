"""Environments in the style of Gymnasium 1.x, which is used where it is installed and not needed where it is not.

    env = catena.gym.CartPole()
    observation, info = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step(action)

    envs = catena.gym.CartPoleVector(4096, threads=8)     # many at once, over a catena.Batch: arrays with a row an environment

An environment of your own: a Task with reward() and terminated() for TaskEnv and TaskVectorEnv, or a subclass of Env.
"""

import os

import numpy as np

from . import load
from ._catena import STATUS, Batch, InputError, Simulation
from .builder import ModelBuilder

try:
    import gymnasium as _gymnasium

    _Base, _VectorBase, _Box = _gymnasium.Env, _gymnasium.vector.VectorEnv, _gymnasium.spaces.Box
except ImportError:
    _Base = _VectorBase = object

    class _Box:
        """A box of float64 numbers, as much of gymnasium.spaces.Box as environments need."""

        def __init__(self, low, high, dtype=np.float64):
            self.low, self.high = np.asarray(low, dtype=dtype), np.asarray(high, dtype=dtype)
            self.shape, self.dtype = self.low.shape, np.dtype(dtype)
            self._random = np.random.default_rng()

        def seed(self, seed=None):
            self._random = np.random.default_rng(seed)

        def sample(self):
            finite = np.isfinite(self.low) & np.isfinite(self.high)
            low, high = np.where(finite, self.low, -1.0), np.where(finite, self.high, 1.0)
            return self._random.uniform(low, high).astype(self.dtype)

        def contains(self, x):
            x = np.asarray(x)
            return x.shape == self.shape and bool(np.all(x >= self.low) and np.all(x <= self.high))


class _Inputs:
    """Where actions go: forces on joints, or the inputs of a robot's actuators."""

    def __init__(self, sim, actuated, limit):
        self.by_ctrl = isinstance(actuated, str) and actuated == "ctrl"
        if self.by_ctrl:
            self.slots = np.arange(sim.nu)
            self.low, self.high = (np.array(bound) for bound in sim.model.control_range.T)
        else:
            joints = list(actuated) if actuated is not None else list(sim.model.joints)
            self.slots = np.concatenate([np.arange(sim.nv)[sim.coordinates_of(j)[1]] for j in joints]).astype(int)
            self.high = np.broadcast_to(np.asarray(limit, dtype=float), (len(self.slots),)).copy()
            self.low = -self.high

    def target(self, of):
        return of.ctrl if self.by_ctrl else of.tau


class Env(_Base):
    """A simulation with actions and rewards. Give `scene` and override reward(), terminated() and, if need be, observe() and apply().

    actuated: joints whose forces the actions are, between -limit and limit; or "ctrl": the inputs of the model's actuators within their
    ranges. frame_skip: steps an action. horizon: actions until an episode is truncated. noise: of the start, rad and m.
    """

    metadata = {"render_modes": []}

    def __init__(self, scene, actuated=None, limit=1.0, frame_skip=5, horizon=1000, noise=0.05, **settings):
        self.sim = Simulation(scene, **settings)
        self._inputs = _Inputs(self.sim, actuated, limit)
        self.action_space = _Box(self._inputs.low, self._inputs.high, dtype=np.float64)
        self.frame_skip, self.horizon, self.noise = int(frame_skip), int(horizon), float(noise)
        self._start = self.sim.state
        self._random = np.random.default_rng()
        self._count = 0
        shape = self.observe().shape
        self.observation_space = _Box(np.full(shape, -np.inf), np.full(shape, np.inf), dtype=np.float64)

    def observe(self):
        return np.concatenate([self.sim.q, self.sim.v])

    def apply(self, action):
        self._inputs.target(self.sim)[self._inputs.slots] = action

    def reward(self, action):
        return 0.0

    def terminated(self):
        return False

    def info(self, report=None):
        energy = self.sim.energy()
        return {"time": self.sim.time, "energy": energy["kinetic"] + energy["potential"],
                "residual": report.residual if report is not None else 0.0, "status": report.status if report is not None else "ok"}

    def reset(self, *, seed=None, options=None):
        """Back to the start, moved at random by up to `noise` (options={"noise": …} for this time), with loops closed."""
        if _Base is not object:
            super().reset(seed=seed)
        if seed is not None:
            self._random = np.random.default_rng(seed)
        noise = float((options or {}).get("noise", self.noise))
        self.sim.state = self._start
        self.sim.clear_forces()
        self._count = 0
        if noise > 0:
            move = self._random.uniform(-noise, noise, self.sim.nv)
            q = self.sim.integrate(self.sim.q.copy(), move, 1.0)
            self.sim.set_coordinates(q, self.sim.v + self._random.uniform(-noise, noise, self.sim.nv))
        return self.observe(), self.info()

    def step(self, action):
        action = np.asarray(action, dtype=float)
        if action.shape != self.action_space.shape or not np.all(np.isfinite(action)):
            raise InputError(f"step: an action of shape {self.action_space.shape} of finite numbers is expected")
        self.apply(np.clip(action, self.action_space.low, self.action_space.high))
        report = self.sim.step(self.frame_skip)
        self._count += 1
        terminated = bool(self.terminated()) or not report.ok
        return self.observe(), float(self.reward(action)), terminated, self._count >= self.horizon, self.info(report)

    def render(self):
        return None

    def close(self):
        pass


class VectorEnv(_VectorBase):
    """Many environments at once over one Batch. Override reward() and terminated(), which give (n,) arrays, and, if need be, observe().

    Environment i begins as Env does with the seed `seed + i`, and moves with the same bits. One that is over is put back to a new start by
    the next step(), which ignores its action (Gymnasium's next-step autoreset).
    """

    metadata = {"render_modes": [], "autoreset_mode": "NextStep"}

    def __init__(self, scene, num_envs, actuated=None, limit=1.0, frame_skip=5, horizon=1000, noise=0.05, threads=1, **settings):
        self.batch = Batch(scene, num_envs, threads, **settings)
        self._scratch = Simulation(scene, **settings)
        sim, n = self._scratch, int(num_envs)
        self._inputs = _Inputs(sim, actuated, limit)
        low, high = self._inputs.low, self._inputs.high
        self.num_envs, self.frame_skip, self.horizon, self.noise = n, int(frame_skip), int(horizon), float(noise)
        self._start_q, self._start_v = sim.q.copy(), sim.v.copy()
        self._random = [np.random.default_rng() for _ in range(n)]
        self._count = np.zeros(n, dtype=int)
        self._over = np.zeros(n, dtype=bool)
        shape = self.observe().shape[1:]
        self.single_action_space = _Box(low, high, dtype=np.float64)
        self.single_observation_space = _Box(np.full(shape, -np.inf), np.full(shape, np.inf), dtype=np.float64)
        self.action_space = _Box(np.tile(low, (n, 1)), np.tile(high, (n, 1)), dtype=np.float64)
        self.observation_space = _Box(np.full((n, *shape), -np.inf), np.full((n, *shape), np.inf), dtype=np.float64)

    def observe(self):
        return np.concatenate([self.batch.q, self.batch.v], axis=1)

    def reward(self, actions):
        return np.zeros(self.num_envs)

    def terminated(self):
        return np.zeros(self.num_envs, dtype=bool)

    def info(self):
        kinetic, potential = self.batch.energy()
        return {"time": self.batch.time.copy(), "energy": kinetic + potential, "residual": self.batch.residual.copy(),
                "status": np.asarray(STATUS)[self.batch.status]}

    def _restart(self, mask, noise):
        if not mask.any():
            return
        if noise > 0:
            q, v = self.batch.q.copy(), self.batch.v.copy()
            nv = self.batch.nv
            for i in np.flatnonzero(mask):
                move = self._random[i].uniform(-noise, noise, nv)
                q[i] = self._scratch.integrate(self._start_q, move, 1.0)
                v[i] = self._start_v + self._random[i].uniform(-noise, noise, nv)
            self.batch.reset(mask, q=q, v=v)
        else:
            self.batch.reset(mask)
        self._count[mask] = 0
        self._over[mask] = False

    def reset(self, *, seed=None, options=None):
        """All environments to a new start, moved at random by up to `noise`, with loops closed."""
        if seed is not None:
            seeds = [seed + i for i in range(self.num_envs)] if np.ndim(seed) == 0 else list(seed)
            if len(seeds) != self.num_envs:
                raise InputError(f"reset: {self.num_envs} seeds are expected, or one")
            self._random = [np.random.default_rng(each) for each in seeds]
        self._restart(np.ones(self.num_envs, dtype=bool), float((options or {}).get("noise", self.noise)))
        return self.observe(), self.info()

    def step(self, actions):
        actions = np.asarray(actions, dtype=float)
        if actions.shape != self.action_space.shape or not np.all(np.isfinite(actions)):
            raise InputError(f"step: actions of shape {self.action_space.shape} of finite numbers are expected")
        again = self._over.copy()
        going = ~again
        self._inputs.target(self.batch)[:, self._inputs.slots] = np.clip(actions, self.action_space.low, self.action_space.high)
        self.batch.step(self.frame_skip)
        self._count += 1
        rewards = np.where(going, self.reward(actions), 0.0)
        self._restart(again, self.noise)
        terminated = going & (self.terminated() | (self.batch.status != 0))
        truncated = going & (self._count >= self.horizon)
        self._over = terminated | truncated
        return self.observe(), rewards, terminated, truncated, self.info()

    def close(self, **_):
        pass


class Task:
    """What is to be learnt, for one environment and for many: arrays have a row an environment.

    scene; actuated, limit, frame_skip, horizon, noise as Env has them; settings of the simulation.
    """

    actuated, limit, frame_skip, horizon, noise = None, 1.0, 5, 1000, 0.05

    def __init__(self, scene, **settings):
        self.scene, self.settings = scene, settings

    def reward(self, q, v, actions):
        """(n,) of coordinates q (n, nq), rates v (n, nv) and actions (n, na)."""
        return np.zeros(len(q))

    def terminated(self, q, v):
        """(n,) bools."""
        return np.zeros(len(q), dtype=bool)

    def _options(self):
        return {"actuated": self.actuated, "limit": self.limit, "frame_skip": self.frame_skip, "horizon": self.horizon,
                "noise": self.noise, **self.settings}


class TaskEnv(Env):
    """A Task for one."""

    def __init__(self, task):
        self.task = task
        super().__init__(task.scene, **task._options())

    def reward(self, action):
        return float(self.task.reward(self.sim.q[None], self.sim.v[None], np.asarray(action)[None])[0])

    def terminated(self):
        return bool(self.task.terminated(self.sim.q[None], self.sim.v[None])[0])


class TaskVectorEnv(VectorEnv):
    """A Task for many at once."""

    def __init__(self, task, num_envs, threads=1):
        self.task = task
        super().__init__(task.scene, num_envs, threads=threads, **task._options())

    def reward(self, actions):
        return self.task.reward(self.batch.q, self.batch.v, actions)

    def terminated(self):
        return self.task.terminated(self.batch.q, self.batch.v)


def cart_pole_scene():
    return (
        ModelBuilder("cart-pole")
        .body("cart", mass=1.0, inertia=[0.1, 0.1, 0.1], position=[0, 0, 0])
        .body("pole", mass=0.1, inertia=[0.0034, 0.0034, 1e-5], position=[0, 0, 0.5])
        .joint("rail", "slider", ["ground", "cart"], anchor=[0, 0, 0], axis=[1, 0, 0])
        .joint("pivot", "hinge", ["cart", "pole"], anchor=[0, 0, 0], axis=[0, 1, 0])
        .build()
    )


class CartPoleTask(Task):
    """A pole on a cart: a force of up to 10 N on the cart; over when the pole leans by 0.2 rad or the cart has gone 2.4 m."""

    actuated, limit, frame_skip, horizon = ["rail"], 10.0, 10, 500

    def __init__(self, **settings):
        super().__init__(cart_pole_scene(), **{"step": 2e-3, **settings})

    def reward(self, q, v, actions):
        return np.ones(len(q))

    def terminated(self, q, v):
        return (np.abs(q[:, 0]) > 2.4) | (np.abs(q[:, 1]) > 0.2)


def four_bar_scene():
    rod = [0.01, 0.01, 0.0005]
    return (
        ModelBuilder("four-bar crane")
        .body("crank", mass=1.0, inertia=rod, position=[0, 0, 0.25])
        .body("coupler", mass=1.0, inertia=rod, position=[0.5, 0, 0.5], orientation={"axis": [0, 1, 0], "angle": 1.5707963267948966})
        .body("rocker", mass=1.0, inertia=rod, position=[1, 0, 0.25])
        .joint("base", "hinge", ["ground", "crank"], anchor=[0, 0, 0], axis=[0, 1, 0])
        .joint("left", "hinge", ["crank", "coupler"], anchor=[0, 0, 0.5], axis=[0, 1, 0])
        .joint("right", "hinge", ["coupler", "rocker"], anchor=[1, 0, 0.5], axis=[0, 1, 0])
        .joint("post", "hinge", ["rocker", "ground"], anchor=[1, 0, 0], axis=[0, 1, 0])
        .build()
    )


class FourBarCraneTask(Task):
    """A parallelogram, a closed loop, that a torque at its base is to hold at an angle of 0.3 rad."""

    actuated, limit, horizon = ["base"], 30.0, 400

    def __init__(self, **settings):
        super().__init__(four_bar_scene(), **{"step": 2e-3, **settings})
        self._base = Simulation(self.scene).coordinates_of("base")[0].start

    def reward(self, q, v, actions):
        return -((q[:, self._base] - 0.3) ** 2 + 1e-4 * np.sum(np.square(actions), axis=1))


def on_a_floor(file):
    """The text of an MJCF file's robot on a horizontal floor at z = 0."""
    return (f'<mujoco><include file="{os.path.abspath(os.fspath(file))}"/>\n'
            '<worldbody><geom name="floor" type="plane" size="0 0 0.05"/></worldbody></mujoco>\n')


class WalkerTask(Task):
    """A robot with a floating trunk, such as the Go1 or a humanoid, is to go along x: its speed, less 1e-3 of the squared changes of its inputs
    from the first ones, and 1 for every action it stands. Over when the trunk is lower or higher than `height` or leans by 60 degrees.

    file: an MJCF file, put on a floor where floor=True; keyframe: the state it starts from; height: (lowest, highest) of the trunk's
    centre of mass [m]; None: half and twice that of the start.
    """

    actuated, frame_skip, horizon, noise = "ctrl", 10, 500, 0.01

    def __init__(self, file, keyframe="", height=None, floor=True, **settings):
        scene = load(on_a_floor(file) if floor else file, keyframe=keyframe, missing_meshes="skip")
        super().__init__(scene, **{"step": 2e-3, **settings})
        start = Simulation(scene, **self.settings)
        self._ctrl, z = start.ctrl.copy(), float(start.q[2])
        self.height = (z / 2, 2 * z) if height is None else tuple(height)

    def reward(self, q, v, actions):
        return 1.0 + v[:, 0] - 1e-3 * np.sum(np.square(actions - self._ctrl), axis=1)

    def terminated(self, q, v):
        up = 1 - 2 * (q[:, 4] ** 2 + q[:, 5] ** 2)  # the cosine of the lean, of the quaternion q[3:7]
        return (q[:, 2] < self.height[0]) | (q[:, 2] > self.height[1]) | (up < 0.5)


class CartPole(TaskEnv):
    """CartPoleTask for one."""

    def __init__(self, **settings):
        super().__init__(CartPoleTask(**settings))


class CartPoleVector(TaskVectorEnv):
    """CartPoleTask for many."""

    def __init__(self, num_envs, threads=1, **settings):
        super().__init__(CartPoleTask(**settings), num_envs, threads)


class FourBarCrane(TaskEnv):
    """FourBarCraneTask for one."""

    def __init__(self, **settings):
        super().__init__(FourBarCraneTask(**settings))


class FourBarCraneVector(TaskVectorEnv):
    """FourBarCraneTask for many."""

    def __init__(self, num_envs, threads=1, **settings):
        super().__init__(FourBarCraneTask(**settings), num_envs, threads)


class Walker(TaskEnv):
    """WalkerTask for one."""

    def __init__(self, file, **options):
        super().__init__(WalkerTask(file, **options))


class WalkerVector(TaskVectorEnv):
    """WalkerTask for many."""

    def __init__(self, file, num_envs, threads=1, **options):
        super().__init__(WalkerTask(file, **options), num_envs, threads)
