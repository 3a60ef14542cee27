"""A cart-pole is balanced by a linear controller made from its own linear model:   PYTHONPATH=build/python python3 examples/python/balance_a_pole.py"""

import numpy as np
from numpy.typing import NDArray

from catena import gym

Array = NDArray[np.float64]


def lqr_gain(A: Array, B: Array, Q: Array, R: Array) -> Array:
    """K of u = -K x that makes the integral of x'Q x + u'R u least: the stable subspace of the Hamiltonian matrix."""
    n = len(A)
    H = np.block([[A, -B @ np.linalg.solve(R, B.T)], [-Q, -A.T]])
    values, vectors = np.linalg.eig(H)
    stable = vectors[:, values.real < 0]
    P = np.real(stable[n:] @ np.linalg.inv(stable[:n]))
    gain: Array = np.linalg.solve(R, B.T @ P)
    return gain


def main() -> None:
    env = gym.CartPole()
    env.reset(seed=1, options={"noise": 0.0})
    A, B = env.sim.linearise()
    K = lqr_gain(A, B[:, :1], np.diag([1.0, 10.0, 1.0, 1.0]), 0.01 * np.eye(1))
    observation, _ = env.reset(seed=2)
    total = 0.0
    terminated = truncated = False
    while not (terminated or truncated):
        observation, reward, terminated, truncated, info = env.step(-K @ observation)
        total += reward
    print(f"balanced for {total:.0f} actions; the pole leans by {observation[1]:.1e} rad, residual {info['residual']:.1e}")
    assert total == 500 and abs(observation[1]) < 1e-3


if __name__ == "__main__":
    main()
