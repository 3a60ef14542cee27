"""Controllers for Simulation.run(controller=…): objects that are called with the simulation before every step and set sim.tau."""

import numpy as np


def _targets(target, time, size):
    given = target(time) if callable(target) else target
    return np.broadcast_to(np.asarray(given, dtype=float), (size,))


class PD:
    """tau = kp (q - target) + kd (v - rate), with the signs that pull towards the target. For joints without quaternions (nq == nv).

    target and rate: numbers, arrays (nv,) or functions of time; rate defaults to 0.
    """

    def __init__(self, kp, kd, target=0.0, rate=0.0):
        self.kp, self.kd, self.target, self.rate = kp, kd, target, rate

    def __call__(self, sim):
        n = sim.nv
        if sim.nq != n:
            raise ValueError("PD works on joints without quaternions; this model has ball joints or floating bodies")
        sim.tau[:] = self.kp * (_targets(self.target, sim.time, n) - sim.q) + self.kd * (_targets(self.rate, sim.time, n) - sim.v)


class PID(PD):
    """PD with an integral of the error, ki [N m/(rad s)], bounded by `limit`."""

    def __init__(self, kp, ki, kd, target=0.0, rate=0.0, limit=np.inf):
        super().__init__(kp, kd, target, rate)
        self.ki, self.limit, self._sum, self._last = ki, limit, None, None

    def __call__(self, sim):
        super().__call__(sim)
        error = _targets(self.target, sim.time, sim.nv) - sim.q
        if self._sum is None or sim.time < self._last:
            self._sum, self._last = np.zeros(sim.nv), sim.time
        self._sum = np.clip(self._sum + (sim.time - self._last) * error, -self.limit, self.limit)
        self._last = sim.time
        sim.tau[:] += self.ki * self._sum


class ComputedTorque:
    """tau = M (acceleration + kd (rate - v) + kp (target - q)) + bias: the error obeys e'' + kd e' + kp e = 0."""

    def __init__(self, kp, kd, target, rate=0.0, acceleration=0.0):
        self.kp, self.kd, self.target, self.rate, self.acceleration = kp, kd, target, rate, acceleration

    def __call__(self, sim):
        n, t = sim.nv, sim.time
        if sim.nq != n:
            raise ValueError("ComputedTorque works on joints without quaternions")
        wanted = (
            _targets(self.acceleration, t, n)
            + self.kd * (_targets(self.rate, t, n) - sim.v)
            + self.kp * (_targets(self.target, t, n) - sim.q)
        )
        sim.tau[:] = sim.inverse_dynamics(np.ascontiguousarray(wanted))
