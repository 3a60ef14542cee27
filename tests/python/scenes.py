"""Scenes the tests share, and formulas to compare with that owe nothing to the library."""

import os

import numpy as np

import catena

ROOT = os.environ.get("CATENA_SOURCE_DIR", os.path.join(os.path.dirname(__file__), "..", ".."))
G = 9.81


def example(name):
    return os.path.join(ROOT, "examples", name + ".yaml")


def double_pendulum(a=0.0, b=0.0):
    """Two rods of 1 kg and 1 m in the x-z plane, hanging along -z at q = 0; hinges about y."""
    inertia = [1 / 12, 1 / 12, 1e-3]
    return (
        catena.ModelBuilder("double pendulum")
        .body("upper", mass=1.0, inertia=inertia, position=[0, 0, -0.5])
        .body("lower", mass=1.0, inertia=inertia, position=[0, 0, -1.5])
        .joint("shoulder", "hinge", ["ground", "upper"], anchor=[0, 0, 0], axis=[0, 1, 0])
        .joint("elbow", "hinge", ["upper", "lower"], anchor=[0, 0, -1], axis=[0, 1, 0])
        .build()
    )


# The textbook's double pendulum: q1 absolute, q2 relative; rods of mass m, length l, inertia I about their middle.
def M_double(q, m=1.0, l=1.0, I=1 / 12):
    c = np.cos(q[1])
    a = I + m * (l / 2) ** 2
    m22 = a
    m12 = a + m * l * (l / 2) * c
    m11 = a + I + m * (l**2 + (l / 2) ** 2 + 2 * l * (l / 2) * c)
    return np.array([[m11, m12], [m12, m22]])


def bias_double(q, v, m=1.0, l=1.0):
    s = np.sin(q[1])
    k = m * l * (l / 2) * s
    coriolis = np.array([-k * (2 * v[0] * v[1] + v[1] ** 2), k * v[0] ** 2])
    s1, s12 = np.sin(q[0]), np.sin(q[0] + q[1])
    gravity = np.array([G * (m * l / 2 * s1 + m * (l * s1 + l / 2 * s12)), G * m * l / 2 * s12])
    return coriolis + gravity


def rotation(q):
    w, x, y, z = q
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])
