"""Optuna looks for the spring and the damper of a door closer:   PYTHONPATH=build/python python3 examples/python/door_by_optuna.py

The door is let go at 90 degrees. It is to close soon and softly: the cost is the time until it stays within 2 degrees, and a tenth of a second for each
degree a second it is faster than 20 where it comes in.
"""

import math
from typing import Any

import numpy as np

import catena

DOOR = """\
catena: 1
name: door with a closer
gravity: [0, 0, 0]
simulate: {step: 2e-3, duration: 6}
bodies:
  door: {mass: 25, position: [0.45, 0, 1], inertia: [8.4, 10.1, 1.7], shapes: [{box: [0.9, 0.04, 2]}]}
joints:
  hinges: {kind: hinge, between: [ground, door], anchor: [0, 0, 1], axis: [0, 0, 1], start: 90 deg, stiffness: 20, damping: 10}
"""


def cost(stiffness: float, damping: float) -> float:
    text = DOOR.replace("stiffness: 20", f"stiffness: {stiffness:.17g}").replace("damping: 10", f"damping: {damping:.17g}")
    sim = catena.Simulation(catena.load(text))
    recording = sim.run(6.0, record=["joint.hinges.q[0]", "joint.hinges.v[0]"], sample=0.01)
    angle, speed = np.degrees(recording["joint.hinges.q[0]"]), np.degrees(recording["joint.hinges.v[0]"])
    outside = np.nonzero(np.abs(angle) > 2)[0]
    last = int(outside[-1]) if outside.size else 0
    arrival = abs(float(speed[min(last + 1, speed.size - 1)]))
    return float(recording["time"][last]) + 0.1 * max(0.0, arrival - 20)


def main() -> None:
    try:
        import optuna
    except ImportError:
        print("Optuna is not installed (apt-get install python3-optuna)")
        return
    optuna.logging.set_verbosity(optuna.logging.WARNING)

    def objective(trial: Any) -> float:
        return cost(trial.suggest_float("stiffness", 5, 200, log=True), trial.suggest_float("damping", 1, 100, log=True))

    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=1))
    study.optimize(objective, n_trials=40)
    k, d = study.best_params["stiffness"], study.best_params["damping"]
    inertia = 1.7 + 25 * 0.45**2
    print(f"stiffness {k:.1f} N m/rad, damping {d:.1f} N m s/rad, damping ratio {d / (2 * math.sqrt(k * inertia)):.2f}: cost {study.best_value:.2f} s")
    assert study.best_value < 0.5 * cost(20, 10)


if __name__ == "__main__":
    main()
