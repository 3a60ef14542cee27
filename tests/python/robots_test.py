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


def test_a_crowd_has_the_mass_matrices_of_its_members():
    """22_humanoids.xml: MuJoCo's matrix of one humanoid at the states that are recorded of it, one after the other."""
    one, crowd = (json.load(open(os.path.join(FOLDER, name + ".oracle.json"), encoding="utf-8")) for name in ("humanoid.xml", "22_humanoids.xml"))
    states = [one["states"][k % len(one["states"])] for k in range(22)]
    sim = catena.Simulation(catena.load(os.path.join(FOLDER, "22_humanoids.xml")))
    assert sim.nv == crowd["nv"] == 22 * one["nv"]
    q, S, _ = Robot(sim, crowd).at(np.concatenate([state["qpos"] for state in states]), np.concatenate([state["qvel"] for state in states]))
    M, n = S.T @ sim.mass_matrix(q) @ S, one["nv"]
    for k, state in enumerate(states):
        block = np.zeros((n, n))
        block[np.tril_indices(n)] = state["M"]
        block = block + np.tril(block, -1).T
        assert np.max(np.abs(M[n * k : n * k + n, n * k : n * k + n] - block)) <= 1e-8 * np.max(np.diag(block))
        M[n * k : n * k + n, n * k : n * k + n] = 0
    assert np.max(np.abs(M)) <= 1e-9


def inertia_of(sim, i):
    xx, yy, zz, xy, xz, yz = sim.model.inertias[i]
    R = rotation(sim.bodies.orientation[i])
    return R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T


@pytest.mark.parametrize("file", ["robots/icub_reduced.urdf", "robots/gripper.xml", "usd/dr_legs_no_meshes.usda", "usd/dr_testmech.usda"])
def test_mass_matrices_are_sums_over_the_bodies(file):
    """Of the models MuJoCo has no numbers of: M = sum of J' diag(m, I) J over the bodies, and a rotor's inertia on the diagonal."""
    sim = catena.Simulation(catena.load(os.path.join(ROOT, "tests", "data", file), missing_meshes="skip"))
    masses, M = sim.model.masses, np.zeros((sim.nv, sim.nv))
    for i, name in enumerate(sim.model.bodies):
        J = sim.jacobian(i)
        M += masses[i] * J[:3].T @ J[:3] + J[3:].T @ inertia_of(sim, i) @ J[3:]
    own = sim.mass_matrix()
    rotors = np.diag(own - M)
    assert np.all(rotors >= -1e-9 * np.max(np.diag(M))) and np.max(np.abs(own - M - np.diag(rotors))) <= 1e-9 * np.max(np.diag(M))
