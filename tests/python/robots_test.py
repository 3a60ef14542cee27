"""Mass matrices, bias forces and accelerations of every robot in tests/data/robots against MuJoCo's numbers there."""

import glob
import json
import os

import numpy as np
import pytest

import catena
from scenes import ROOT, rotation

FOLDER = os.path.join(ROOT, "tests", "data", "robots")
ORACLES = sorted(glob.glob(os.path.join(FOLDER, "*.oracle.json")))
FREE, BALL = 0, 1  # MuJoCo's types of joints; 2 slides, 3 turns


def quaternion_product(a, b):
    return np.concatenate([[a[0] * b[0] - a[1:] @ b[1:]], a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])])


def conjugate(q):
    return q * [1, -1, -1, -1]


class Robot:
    """The coordinates of a file in those of a simulation: q of qpos, and v = S qvel + what S changes by."""

    def __init__(self, sim, oracle):
        self.sim, self.oracle = sim, oracle
        self.names = sim.rate_names
        self.free = [name[:-2] for name in self.names if name.endswith(".x") and name[:-2] in sim.model.bodies]
        self.balls = [name for name in sim.model.joints if sim.joint(name).kind == "ball" and sim.coordinates_of(name)[1].stop <= sim.nv]

    def at(self, qpos, qvel):
        sim = self.sim
        q, S, bias = np.zeros(sim.nq), np.zeros((sim.nv, len(qvel))), np.zeros(sim.nv)
        free, balls, file_q, file_v = iter(self.free), iter(self.balls), 0, 0
        place = {name: i for i, name in enumerate(self.names)}
        named = {joint["name"] for joint in self.oracle["joints"]}
        nameless = (name for name in self.names if name not in named and name in sim.model.joints)  # in the order of the file
        for joint in self.oracle["joints"]:
            if joint["type"] == FREE:
                body = next(free)
                i, k = sim.model.bodies.index(body), place[body + ".x"]
                R = rotation(qpos[file_q + 3 : file_q + 7])
                c, w = -R @ sim.model.origins[i], R @ qvel[file_v + 3 : file_v + 6]
                first = 7 * (k // 6)  # floating bodies come first
                q[first : first + 3] = qpos[file_q : file_q + 3] + c
                q[first + 3 : first + 7] = qpos[file_q + 3 : file_q + 7]
                S[k : k + 3, file_v : file_v + 3] = np.eye(3)
                S[k : k + 3, file_v + 3 : file_v + 6] = np.cross(R.T, c).T
                S[k + 3 : k + 6, file_v + 3 : file_v + 6] = R
                bias[k : k + 3] = np.cross(w, np.cross(w, c))
                file_q, file_v = file_q + 7, file_v + 6
            elif joint["type"] == BALL:
                name = next(balls)
                slot_q, slot_v = sim.coordinates_of(name)
                frame = sim.joint(name).frames[1]
                own = quaternion_product(conjugate(frame), quaternion_product(qpos[file_q : file_q + 4], frame))
                q[slot_q] = own
                # Rates along the axes of frame A: those of the child, turned into frame B, then by q.
                S[slot_v, file_v : file_v + 3] = rotation(own) @ rotation(conjugate(frame))
                file_q, file_v = file_q + 4, file_v + 3
            else:
                k = place[joint["name"] or next(nameless)]
                q[k + sim.nq - sim.nv - self._quaternions_after(k)] = qpos[file_q]
                S[k, file_v] = 1
                file_q, file_v = file_q + 1, file_v + 1
        return q, S, bias

    def _quaternions_after(self, rate):
        return sum(1 for name in self.balls if self.sim.coordinates_of(name)[1].start > rate)


@pytest.mark.parametrize("file", ORACLES, ids=lambda file: os.path.basename(file)[: -len(".oracle.json")])
def test_equations_of_motion_are_those_of_the_oracle(file):
    with open(file, encoding="utf-8") as text:
        oracle = json.load(text)
    if not oracle["states"][0]["M"]:
        pytest.skip("no matrices of this one")
    sim = catena.Simulation(catena.load(file[: -len(".oracle.json")], missing_meshes="skip"))
    assert (sim.nq, sim.nv) == (oracle["nq"], oracle["nv"])
    robot = Robot(sim, oracle)
    for state in oracle["states"][:5]:
        n = oracle["nv"]
        qpos, qvel = np.array(state["qpos"]), np.array(state["qvel"])
        M = np.zeros((n, n))
        M[np.tril_indices(n)] = state["M"]
        M = M + np.tril(M, -1).T
        q, S, change = robot.at(qpos, qvel)
        v = S @ qvel
        own = sim.mass_matrix(q)
        assert np.max(np.abs(S.T @ own @ S - M)) <= 1e-8 * np.max(np.diag(M))
        bias = S.T @ (sim.bias(q, v) + own @ change)
        expected = np.array(state["bias"])
        assert np.max(np.abs(bias - expected)) <= 1e-8 * (1 + np.max(np.abs(expected)))
