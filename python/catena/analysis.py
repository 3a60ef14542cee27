"""Statics, linear models and inverse kinematics on top of the equations of motion."""

import numpy as np

from ._catena import InputError


def equilibrium(sim, tau=None, tolerance=1e-10, iterations=200, patience=100.0):
    """Moves the simulation to where it rests under gravity, springs, loads, actuators, ctrl and tau, loops closed, and leaves it there.

    tau: (nv,) [N, N m], in place of sim.tau for this; None: sim.tau. Newton's method, downhill, to a force left of `tolerance` times
    `scale`; where contacts, limits or dry friction may carry the load, by letting go and taking the speed away, for at most `patience` s
    of simulated time. Returns a dict: residual [N, N m], scale, iterations, stable, settled. Raises InputError where there is none; the
    simulation is then where it was.
    """
    kept = None
    if tau is not None:
        kept = sim.tau.copy()
        sim.tau = np.ascontiguousarray(tau, dtype=float)
    try:
        found = sim._equilibrium(float(tolerance), int(iterations), float(patience))
    finally:
        if kept is not None:
            sim.tau[:] = kept
    if not found.pop("found"):
        raise InputError(f"no equilibrium found: {found['message']}; a force of {found['residual']:.3g} is left")
    del found["message"]
    return found


def linearise(sim, q=None, v=None, tau=None, inputs="tau", h=6e-6):
    """A, B of d/dt (dq, dv) = A (dq, dv) + B du about a state, loops closed: A (2 nv, 2 nv); B (2 nv, nv) of forces along the rates, or
    (2 nv, nu) of ctrl with inputs="ctrl". dq moves q as integrate() does. With loops, dq and dv must fit the loops for A to speak of them.

    q (nq,), v (nv,), tau (nv,): where to linearise; None: where the simulation is, and sim.tau. Springs, dampers, loads and actuators of
    the model count; contacts and limits do not. A by central differences with displacement h over exactly closed loops, B of tau from the
    mass matrix. The simulation stays where it is.
    """
    kept = sim.state
    try:
        if q is not None or v is not None:
            sim.set_coordinates(sim.q.copy() if q is None else np.ascontiguousarray(q, dtype=float),
                                sim.v.copy() if v is None else np.ascontiguousarray(v, dtype=float))
        if tau is not None:
            sim.tau = np.ascontiguousarray(tau, dtype=float)
        return sim._linearise(inputs, float(h))
    finally:
        sim.state = kept


def _rotated(q, x):
    """x turned by the quaternion q, w x y z."""
    w, u = q[0], q[1:]
    return x + 2 * np.cross(u, np.cross(u, x) + w * x)


def inverse_kinematics(sim, targets):
    """Moves the simulation, at rest, so that points come to targets, as far as joints, loops, limits and contacts allow.

    targets: {key: target}. key: the name or handle of a body or site, or (name, point) with the point in its coordinates (a body's: from
    the centre of mass). target: a position (3,) in the world [m]; or a pose (7,), position and quaternion w x y z, which the body or
    site is turned to as well. Returns the largest distance left [m], of a pose that of points 1 m from its origin (rad); the simulation
    is where it came nearest.
    """
    drags = []
    for key, target in dict(targets).items():
        which, point = key if isinstance(key, tuple) else (key, (0.0, 0.0, 0.0))
        point, wanted = np.array(point, dtype=float), np.array(target, dtype=float)
        if wanted.shape not in ((3,), (7,)) or not np.all(np.isfinite(wanted)) or point.shape != (3,):
            raise InputError(f"inverse_kinematics: the target of {which!r} must be a position (3,) or a pose (7,) of finite numbers")
        drags.append((which, point, wanted[:3]))
        if wanted.shape == (7,):
            size = np.linalg.norm(wanted[3:])
            if not 0.5 < size < 2:
                raise InputError(f"inverse_kinematics: the target of {which!r} has no unit quaternion")
            for axis in np.eye(3):  # a frame is where four of its points are
                drags.append((which, point + axis, wanted[:3] + _rotated(wanted[3:] / size, axis)))
    if not drags:
        return 0.0
    return sim._lead(drags)
