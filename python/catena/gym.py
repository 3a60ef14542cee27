"""Environments in the style of Gymnasium 1.x, which is used where it is installed and not needed where it is not.

    env = catena.gym.CartPole()
    observation, info = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step(action)

    envs = catena.gym.CartPoleVector(4096, threads=8)     # many at once, over a catena.Batch: arrays with a row an environment
"""

import numpy as np

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


class Env(_Base):
    """A simulation with actions and rewards. Give `scene` and override reward(), terminated() and, if need be, observe() and apply().

    action: forces on `actuated` joints, between -limit and limit. frame_skip: steps an action. noise: of the start, rad and m.
    """

    metadata = {"render_modes": []}

    def __init__(self, scene, actuated=None, limit=1.0, frame_skip=5, horizon=1000, noise=0.05, **settings):
        self.sim = Simulation(scene, **settings)
        joints = list(actuated) if actuated is not None else list(self.sim.model.joints)
        self._slots = np.concatenate([np.arange(self.sim.nv)[self.sim.coordinates_of(j)[1]] for j in joints]).astype(int)
        size = len(self._slots)
        bound = np.broadcast_to(np.asarray(limit, dtype=float), (size,))
        self.action_space = _Box(-bound, bound.copy(), dtype=np.float64)
        self.frame_skip, self.horizon, self.noise = int(frame_skip), int(horizon), float(noise)
        self._start = self.sim.state
        self._random = np.random.default_rng()
        self._count = 0
        shape = self.observe().shape
        self.observation_space = _Box(np.full(shape, -np.inf), np.full(shape, np.inf), dtype=np.float64)

    def observe(self):
        return np.concatenate([self.sim.q, self.sim.v])

    def apply(self, action):
        self.sim.tau[self._slots] = action

    def reward(self, action):
        return 0.0

    def terminated(self):
        return False

    def info(self, report=None):
        energy = self.sim.energy()
        return {"time": self.sim.time, "energy": energy["kinetic"] + energy["potential"],
                "residual": report.residual if report is not None else 0.0, "status": report.status if report is not None else "ok"}

    def reset(self, *, seed=None, options=None):
        """Back to the start, moved at random by up to `noise`, with loops closed."""
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
        joints = list(actuated) if actuated is not None else list(sim.model.joints)
        self._slots = np.concatenate([np.arange(sim.nv)[sim.coordinates_of(j)[1]] for j in joints]).astype(int)
        bound = np.broadcast_to(np.asarray(limit, dtype=float), (len(self._slots),))
        self.num_envs, self.frame_skip, self.horizon, self.noise = n, int(frame_skip), int(horizon), float(noise)
        self._start_q, self._start_v = sim.q.copy(), sim.v.copy()
        self._random = [np.random.default_rng() for _ in range(n)]
        self._count = np.zeros(n, dtype=int)
        self._over = np.zeros(n, dtype=bool)
        shape = self.observe().shape[1:]
        self.single_action_space = _Box(-bound, bound.copy(), dtype=np.float64)
        self.single_observation_space = _Box(np.full(shape, -np.inf), np.full(shape, np.inf), dtype=np.float64)
        self.action_space = _Box(np.tile(-bound, (n, 1)), np.tile(bound, (n, 1)), dtype=np.float64)
        self.observation_space = _Box(np.full((n, *shape), -np.inf), np.full((n, *shape), np.inf), dtype=np.float64)

    def observe(self):
        return np.concatenate([self.batch.q, self.batch.v], axis=1)

    def reward(self, actions):
        return np.zeros(self.num_envs)

    def terminated(self):
        return np.zeros(self.num_envs, dtype=bool)

    def info(self):
        return {"time": self.batch.time.copy(), "residual": self.batch.residual.copy(),
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
        tau = self.batch.tau
        tau[:, self._slots] = np.clip(actions, self.action_space.low, self.action_space.high)
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


def cart_pole_scene():
    return (
        ModelBuilder("cart-pole")
        .body("cart", mass=1.0, inertia=[0.1, 0.1, 0.1], position=[0, 0, 0])
        .body("pole", mass=0.1, inertia=[0.0034, 0.0034, 1e-5], position=[0, 0, 0.5])
        .joint("rail", "slider", ["ground", "cart"], anchor=[0, 0, 0], axis=[1, 0, 0])
        .joint("pivot", "hinge", ["cart", "pole"], anchor=[0, 0, 0], axis=[0, 1, 0])
        .build()
    )


class CartPole(Env):
    """A pole on a cart: a force of up to 10 N on the cart; over when the pole leans by 0.2 rad or the cart has gone 2.4 m."""

    def __init__(self, **settings):
        settings.setdefault("step", 2e-3)
        super().__init__(cart_pole_scene(), actuated=["rail"], limit=10.0, frame_skip=10, horizon=500, noise=0.05, **settings)

    def reward(self, action):
        return 1.0

    def terminated(self):
        x, angle = self.sim.q
        return abs(x) > 2.4 or abs(angle) > 0.2


class CartPoleVector(VectorEnv):
    """Many of CartPole."""

    def __init__(self, num_envs, threads=1, **settings):
        settings.setdefault("step", 2e-3)
        super().__init__(cart_pole_scene(), num_envs, actuated=["rail"], limit=10.0, frame_skip=10, horizon=500, noise=0.05,
                         threads=threads, **settings)

    def reward(self, actions):
        return np.ones(self.num_envs)

    def terminated(self):
        return (np.abs(self.batch.q[:, 0]) > 2.4) | (np.abs(self.batch.q[:, 1]) > 0.2)


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


class FourBarCrane(Env):
    """A parallelogram, a closed loop, that a torque at its base is to hold at an angle of 0.3 rad."""

    def __init__(self, **settings):
        settings.setdefault("step", 2e-3)
        super().__init__(four_bar_scene(), actuated=["base"], limit=30.0, frame_skip=5, horizon=400, noise=0.05, **settings)

    def reward(self, action):
        return -float((self.sim.joint("base").q[0] - 0.3) ** 2 + 1e-4 * np.sum(np.square(action)))


class FourBarCraneVector(VectorEnv):
    """Many of FourBarCrane."""

    def __init__(self, num_envs, threads=1, **settings):
        settings.setdefault("step", 2e-3)
        super().__init__(four_bar_scene(), num_envs, actuated=["base"], limit=30.0, frame_skip=5, horizon=400, noise=0.05,
                         threads=threads, **settings)
        self._base = self._scratch.coordinates_of("base")[0].start

    def reward(self, actions):
        return -((self.batch.q[:, self._base] - 0.3) ** 2 + 1e-4 * np.sum(np.square(actions), axis=1))
