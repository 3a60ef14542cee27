"""Rollouts of a Batch in the shapes of mujoco.rollout."""

import numpy as np

from ._catena import InputError


def _spread(given, n, width, what):
    """One row for all worlds, or one a world: (n, ...) in C order."""
    array = np.asarray(given, dtype=float)
    if array.ndim == width:
        array = array[None]
    if array.ndim != width + 1 or array.shape[0] not in (1, n):
        raise InputError(f"{what}: an array of {width + 1} dimensions with {n} rows, or 1, is expected, this one has shape {array.shape}")
    return np.ascontiguousarray(np.broadcast_to(array, (n, *array.shape[1:])))


def rollout(batch, initial_state=None, control=None, tau=None, nstep=None):
    """Time, q and v after every step of every world: (n, nstep, nstate).

    initial_state: (n, nstate), time, q, v; or one row for all worlds; None: where the worlds are. control: (n, nstep, nu) or
    (nstep, nu), added to the set-points of the actuators. tau: (n, nstep, nv) or (nstep, nv), forces along the rates. What is
    None stays as batch.ctrl and batch.tau have it. From a step that fails on the rows repeat the last good state; batch.status
    says which worlds failed. The worlds are at the end of the rollout afterwards.
    """
    n = len(batch)
    if initial_state is not None:
        initial_state = _spread(initial_state, n, 1, "initial_state")
    if control is not None:
        control = _spread(control, n, 2, "control")
    if tau is not None:
        tau = _spread(tau, n, 2, "tau")
    for given in (control, tau):
        if given is not None and nstep is None:
            nstep = given.shape[1]
    if nstep is None:
        raise InputError("rollout: nstep is expected where neither control nor tau is given")
    return batch._rollout(initial_state, control, tau, int(nstep))
