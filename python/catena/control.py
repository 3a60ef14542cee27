"""Controllers for Simulation.run(controller=…): objects that are called with the simulation before every step and set sim.tau."""

import numpy as np

from ._catena import InputError


def _slots(sim, joints):
    """Where the joints stand in q and in v. Without names: all joints that have as many coordinates as rates."""
    places = []
    for joint in sim.model.joints if joints is None else joints:
        q, v = sim.coordinates_of(joint)
        if q.stop - q.start != v.stop - v.start:
            if joints is None:
                continue
            raise InputError(f"joint '{joint}' has a quaternion; a controller of angles and lengths cannot hold it")
        if v.stop <= sim.nv:  # those that close loops follow the others
            places.append((q, v))
    return _picked(places, 0, sim.nq), _picked(places, 1, sim.nv)


def _picked(places, k, n):
    """Indices of the k-th slices of all places; where they follow each other one slice, which numpy takes much faster."""
    indices = np.concatenate([np.arange(n)[place[k]] for place in places]) if places else np.zeros(0, dtype=int)
    if len(indices) and np.array_equal(indices, np.arange(indices[0], indices[0] + len(indices))):
        return slice(int(indices[0]), int(indices[0]) + len(indices))
    return indices


def _numbers(given):
    """A number, or an array of float64; functions and None stay what they are."""
    if given is None or callable(given) or isinstance(given, (int, float)):
        return given
    return np.array(given, dtype=float)


class _Controller:
    """What controllers of joints share: which joints, and what they follow."""

    def __init__(self, joints, limit):
        self.joints, self.limit, self._sim = (None if joints is None else list(joints)), _numbers(limit), None

    def _prepare(self, sim):
        """Where the joints are, once a simulation. Its arrays are views, which stay good: they need not be asked for in every step."""
        if self._sim is not sim:
            self._q, self._v = _slots(sim, self.joints)
            self._count = self._v.stop - self._v.start if isinstance(self._v, slice) else len(self._v)
            self._all_q, self._all_v, self._tau, self._sim = sim.q, sim.v, sim.tau, sim
            self._own = self._given = None
            if isinstance(self._q, slice) and isinstance(self._v, slice):  # views of its own part, and room to compute in
                self._own = (self._all_q[self._q], self._all_v[self._v], self._tau[self._v], np.empty(self._count), np.empty(self._count))
        return self._count

    def _value(self, given, time):
        return np.asarray(given(time), dtype=float) if callable(given) else given

    def _apply(self, tau):
        if self.limit is not None:
            tau = np.minimum(np.maximum(tau, -self.limit), self.limit)
        self._tau[self._v] = tau

    def __getstate__(self):
        views = ("_all_q", "_all_v", "_tau", "_own", "_given")
        return {**{key: value for key, value in self.__dict__.items() if key not in views}, "_sim": None}


class PD(_Controller):
    """tau = kp (target - q) + kd (rate - v) on joints that are not balls.

    kp, kd: numbers or (n,) of the n coordinates held. target and rate: numbers, arrays (n,) or functions of time; rate defaults to 0.
    joints: names of those held; None: all. limit: the largest force [N, N m].
    """

    def __init__(self, kp, kd, target=0.0, rate=0.0, joints=None, limit=None):
        super().__init__(joints, limit)
        self.kp, self.kd, self.target, self.rate = _numbers(kp), _numbers(kd), _numbers(target), _numbers(rate)

    def _array(self, given):
        """Numbers as arrays, which numpy takes faster; arrays as they are, so that what is written into them counts."""
        if given is None or isinstance(given, np.ndarray):
            return given
        return np.full(self._count, given, dtype=float) if np.ndim(given) == 0 else np.array(given, dtype=float)

    def _force(self, sim):
        target, rate = self.target, self.rate
        if callable(target) or callable(rate):
            time = sim.time
            target, rate = self._value(target, time), self._value(rate, time)
        error = target - self._all_q[self._q]
        return error, self.kp * error + self.kd * (rate - self._all_v[self._v])

    def __call__(self, sim):
        if self._sim is not sim:
            self._prepare(sim)
        given = self._given  # what it was given, and that as arrays, which numpy takes faster
        if given is None or not (given[0] is self.target and given[1] is self.rate and given[2] is self.kp and given[3] is self.kd
                                 and given[4] is self.limit):
            if self._own is None or callable(self.target) or callable(self.rate):
                return self._apply(self._force(sim)[1])
            now = (self.target, self.rate, self.kp, self.kd, self.limit)
            given = self._given = (*now, *(self._array(each) for each in now))
        _, _, _, _, _, target, rate, kp, kd, limit = given
        q, v, tau, force, damping = self._own
        np.subtract(target, q, force)
        np.multiply(kp, force, force)
        np.subtract(rate, v, damping)
        np.multiply(kd, damping, damping)
        if limit is None:
            np.add(force, damping, tau)
        else:
            np.add(force, damping, force)
            np.maximum(force, np.negative(limit, damping), force)
            np.minimum(force, limit, tau)


class PID(PD):
    """PD with an integral of the error, ki [N m/(rad s)], whose force is at most `windup` [N, N m]. Begins anew when time goes back."""

    def __init__(self, kp, ki, kd, target=0.0, rate=0.0, windup=np.inf, joints=None, limit=None):
        super().__init__(kp, kd, target, rate, joints, limit)
        self.ki, self.windup, self._sum, self._last = _numbers(ki), _numbers(windup), None, 0.0

    def reset(self):
        """Forgets the integral."""
        self._sum = None

    def __call__(self, sim):
        n = self._prepare(sim)
        error, tau = self._force(sim)
        if self._sum is None or sim.time < self._last:
            self._sum, self._last = np.zeros(n), sim.time
        self._sum = np.clip(self._sum + self.ki * (sim.time - self._last) * error, -self.windup, self.windup)
        self._last = sim.time
        self._apply(tau + self._sum)


class ComputedTorque(_Controller):
    """tau = M (acceleration + kd (rate - v) + kp (target - q)) + bias - passive forces: the error obeys e'' + kd e' + kp e = 0.

    Of all joints of a tree without balls and floating bodies. In a mechanism with loops name with `joints` those that are driven, as many as
    it has freedoms: target, rate and acceleration are theirs, the other joints follow from the loops.
    """

    def __init__(self, kp, kd, target, rate=0.0, acceleration=0.0, joints=None, limit=None):
        super().__init__(joints, limit)
        self.kp, self.kd = _numbers(kp), _numbers(kd)
        self.target, self.rate, self.acceleration = _numbers(target), _numbers(rate), _numbers(acceleration)

    def __call__(self, sim):
        n, t = self._prepare(sim), sim.time
        wanted = (self._value(self.acceleration, t) + self.kd * (self._value(self.rate, t) - self._all_v[self._v])
                  + self.kp * (self._value(self.target, t) - self._all_q[self._q]))
        self._tau[self._v] = 0.0  # is one of the passive forces
        passive = sim.passive_forces()
        if n == sim.nv and sim.constraint_jacobian().shape[0] == 0:
            return self._apply(sim.inverse_dynamics(np.ascontiguousarray(wanted)) - passive)
        # What the joints' forces do to their accelerations, loops closed, is linear: a = a0 + A tau.
        base = sim.forward_dynamics(passive)
        answer = np.empty((n, n))
        for k, slot in enumerate(np.arange(sim.nv)[self._v]):
            push = passive.copy()
            push[slot] += 1.0
            answer[:, k] = (sim.forward_dynamics(push) - base)[self._v]
        self._apply(np.linalg.lstsq(answer, wanted - base[self._v], rcond=1e-10)[0])
