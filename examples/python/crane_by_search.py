"""A four-bar crane, a closed loop, learns to hold an angle by random search over 32 environments at once:   PYTHONPATH=build/python python3 examples/python/crane_by_search.py"""

import numpy as np

from catena import gym


def main() -> None:
    n, actions = 32, 60
    envs = gym.FourBarCraneVector(n, threads=2)
    random = np.random.default_rng(0)
    best, spread, history = np.zeros(3), np.array([30.0, 30.0, 5.0]), []
    for _ in range(6):
        # A proportional and a derivative gain and an offset, a row an environment; the first is the best so far.
        gains = best + spread * random.normal(size=(n, 3)) * (np.arange(n) > 0)[:, None]
        observations, info = envs.reset(seed=0, options={"noise": 0.0})
        returns = np.zeros(n)
        for _ in range(actions):
            error, speed = 0.3 - observations[:, 0], observations[:, 3]
            torque = gains[:, 0] * error - gains[:, 1] * speed + gains[:, 2]
            observations, rewards, _, _, info = envs.step(torque[:, None])
            returns += rewards
        winner = int(np.argmax(returns))
        best, spread = gains[winner], 0.7 * spread
        history.append(float(returns[winner]))
    print(f"costs {[round(x, 2) for x in history]}; gains {best.round(1)}; worst residual {info['residual'].max():.1e}")
    assert history == sorted(history) and history[-1] > 0.8 * history[0] and all(info["status"] == "ok")


if __name__ == "__main__":
    main()
