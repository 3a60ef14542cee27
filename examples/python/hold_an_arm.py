"""An arm is led to a pose by computed torque, pushed, and recorded:   PYTHONPATH=build/python python3 examples/python/hold_an_arm.py"""

import numpy as np

import catena


def arm() -> catena.Scene:
    return (
        catena.ModelBuilder("arm")
        .body("upper", mass=2.0, inertia=[0.06, 0.06, 0.002], position=[0, 0, -0.3])
        .body("lower", mass=1.0, inertia=[0.02, 0.02, 0.001], position=[0, 0, -0.85])
        .joint("shoulder", "hinge", ["ground", "upper"], anchor=[0, 0, 0], axis=[0, 1, 0])
        .joint("elbow", "hinge", ["upper", "lower"], anchor=[0, 0, -0.6], axis=[0, 1, 0])
        .build()
    )


def main() -> None:
    sim = catena.Simulation(arm(), step=1e-3)
    target = np.array([0.8, -1.2])
    hold = catena.ComputedTorque(kp=100, kd=20, target=target)

    def control(s: catena.Simulation) -> None:
        hold(s)
        s.body("lower").set_force([5.0 if 1.0 <= s.time < 1.2 else 0.0, 0.0, 0.0])

    rec = sim.run(3.0, controller=control)
    error = float(np.max(np.abs(sim.q - target)))
    print(f"{rec}: the arm is {error:.1e} rad from where it should be; M =\n{sim.mass_matrix()}")
    assert rec.ok and error < 1e-3


if __name__ == "__main__":
    main()
