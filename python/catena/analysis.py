"""Statics, linear models and inverse kinematics on top of the equations of motion."""

import numpy as np

from ._catena import InputError


def _null_space(G, tolerance=1e-9):
    """An orthonormal basis of the motions that rows G allow."""
    n = G.shape[1]
    if G.shape[0] == 0:
        return np.eye(n)
    _, s, vt = np.linalg.svd(G)
    rank = int(np.sum(s > tolerance * max(1.0, s[0])))
    return vt[rank:].T


def equilibrium(sim, tau=None, tolerance=1e-10, iterations=100):
    """Moves the simulation to where it rests under gravity, its springs, actuators and tau: v = 0 and no force left along any motion
    the joints allow. Newton's method on the coordinates with loops closed after each step. Returns the residual force [N, N m].

    Raises InputError where it does not converge. Contacts and limits are not considered.
    """
    fixed = np.zeros(sim.nv) if tau is None else np.ascontiguousarray(tau, dtype=float)
    zero = np.zeros(sim.nv)

    def force(q):
        sim.set_coordinates(q, zero)
        return sim.passive_forces() + fixed - sim.bias()

    kept = sim.state
    q = sim.q.copy()
    h = 1e-6
    best = np.inf
    for _ in range(iterations):
        f = force(q)
        q = sim.q.copy()
        Z = _null_space(sim.constraint_jacobian())
        residual = Z.T @ f
        best = float(np.max(np.abs(residual), initial=0.0))
        scale = max(1.0, float(np.max(np.abs(sim.bias()), initial=0.0)))
        if best <= tolerance * scale:
            sim.set_coordinates(q, zero)
            return best
        K = np.empty((Z.shape[1], Z.shape[1]))
        for k in range(Z.shape[1]):
            ahead, behind = force(sim_move(sim, q, Z[:, k], h)), force(sim_move(sim, q, Z[:, k], -h))
            K[:, k] = Z.T @ (ahead - behind) / (2 * h)
        step = -np.linalg.lstsq(K, residual, rcond=1e-12)[0]
        size = float(np.max(np.abs(step), initial=0.0))
        q = sim_move(sim, q, Z @ (step * min(1.0, 0.3 / size if size > 0 else 1.0)), 1.0)
    sim.state = kept
    raise InputError(f"no equilibrium found: a force of {best:.3g} is left after {iterations} iterations")


def sim_move(sim, q, direction, h):
    return sim.integrate(np.ascontiguousarray(q), np.ascontiguousarray(direction), h)


def linearise(sim, q=None, v=None, tau=None, h=1e-6):
    """A, B of d/dt (dq, dv) = A (dq, dv) + B dtau about a state: central differences of the forward dynamics with loops closed, on
    the tangent space of q. Springs, dampers and actuators of the model count when q and v are those of the simulation.

    Returns A (2 nv, 2 nv) and B (2 nv, nv). With loops, dq and dv must fit the loops for A to speak of them.
    """
    n = sim.nv
    kept = sim.state
    if q is not None or v is not None:
        sim.set_coordinates(sim.q.copy() if q is None else np.ascontiguousarray(q, dtype=float),
                            sim.v.copy() if v is None else np.ascontiguousarray(v, dtype=float))
    base_q, base_v = sim.q.copy(), sim.v.copy()
    fixed = np.zeros(n) if tau is None else np.ascontiguousarray(tau, dtype=float)

    def rate(dq, dv):
        sim.set_coordinates(sim_move(sim, base_q, dq, 1.0), base_v + dv)
        return sim.forward_dynamics(fixed + sim.passive_forces())

    A, B = np.zeros((2 * n, 2 * n)), np.zeros((2 * n, n))
    A[:n, n:] = np.eye(n)
    zero = np.zeros(n)
    try:
        for k in range(n):
            d = np.zeros(n)
            d[k] = h
            A[n:, k] = (rate(d, zero) - rate(-d, zero)) / (2 * h)
            A[n:, n + k] = (rate(zero, d) - rate(zero, -d)) / (2 * h)
        sim.set_coordinates(base_q, base_v)
        free = sim.forward_dynamics(zero)
        for k in range(n):
            unit = np.zeros(n)
            unit[k] = 1
            B[n:, k] = sim.forward_dynamics(unit) - free
    finally:
        sim.state = kept
    return A, B


def inverse_kinematics(sim, targets, iterations=200, tolerance=1e-8, damping=1e-6):
    """Moves the simulation, at rest, so that points come to targets, loops closed: damped least squares on the motions the joints allow.

    targets: {body: position} or {(body, point): position}, world coordinates; point in body coordinates from the centre of mass.
    Returns the largest distance left [m]; it is more than `tolerance` where the targets cannot be reached.
    """
    wanted = []
    for key, position in targets.items():
        body, point = key if isinstance(key, tuple) else (key, (0.0, 0.0, 0.0))
        wanted.append((body, np.asarray(point, dtype=float), np.asarray(position, dtype=float)))
        if wanted[-1][2].shape != (3,) or not np.all(np.isfinite(wanted[-1][2])):
            raise InputError(f"inverse_kinematics: the target of '{body}' must be three finite numbers")
    zero = np.zeros(sim.nv)
    sim.set_coordinates(sim.q.copy(), zero)

    def errors():
        out = []
        for body, point, position in wanted:
            handle = sim.body(body)
            w, x, y, z = handle.orientation
            u = np.array([x, y, z])
            turned = point + 2 * np.cross(u, np.cross(u, point) + w * point)
            out.append(position - handle.position - turned)
        return np.concatenate(out)

    error = errors()
    for _ in range(iterations):
        if np.max(np.abs(error)) <= tolerance:
            break
        J = np.vstack([sim.jacobian(body, point)[:3] for body, point, _ in wanted])
        Z = _null_space(sim.constraint_jacobian())
        JZ = J @ Z
        d = Z @ (JZ.T @ np.linalg.solve(JZ @ JZ.T + damping * np.eye(len(error)), error))
        size = float(np.max(np.abs(d), initial=0.0))
        kept, part = sim.q.copy(), min(1.0, 0.3 / size if size > 0 else 1.0)
        for _ in range(8):
            sim.set_coordinates(sim_move(sim, kept, d, part), zero)
            trial = errors()
            if np.linalg.norm(trial) < np.linalg.norm(error):
                break
            part /= 2
        else:
            sim.set_coordinates(kept, zero)
            break
        error = trial
    return float(np.max(np.linalg.norm(error.reshape(-1, 3), axis=1)))
