"""A Go1 trots: an open-loop gait through its position servos.   PYTHONPATH=build/python python3 examples/python/walk_go1.py [go1.xml]"""

import os
import sys

import numpy as np
from numpy.typing import NDArray

from catena import gym

Array = NDArray[np.float64]

HERE = os.path.dirname(os.path.abspath(__file__))


def gait(time: float, home: Array, frequency: float = 2.5) -> Array:
    """Diagonal legs together: thighs swing, knees lift in the half of the period in which the leg is in the air."""
    out = home.copy()
    for leg, phase in enumerate((0.0, 0.5, 0.5, 0.0)):  # front right, front left, rear right, rear left
        angle = 2 * np.pi * (frequency * time + phase)
        out[3 * leg + 1] += 0.15 * np.cos(angle)
        out[3 * leg + 2] += -0.45 * max(0.0, np.sin(angle))
    return out


def main() -> None:
    file = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", "..", "tests", "data", "robots", "go1.xml")
    env = gym.Walker(file, keyframe="home")
    observation, info = env.reset(seed=0, options={"noise": 0.0})
    home = env.sim.ctrl.copy()
    total, terminated = 0.0, False
    for _ in range(100):
        observation, reward, terminated, _, info = env.step(gait(env.sim.time, home))
        total += reward
        if terminated:
            break
    print(f"after {env.sim.time:.1f} s at x = {observation[0]:.3f} m, {observation[2]:.3f} m high; return {total:.1f}, {info['status']}")
    assert not terminated and observation[0] > 0.2


if __name__ == "__main__":
    main()
