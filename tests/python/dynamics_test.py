"""The equations of motion from Python, each compared with a computation by hand."""

import numpy as np
import pytest

import catena
from scenes import G, M_double, bias_double, double_pendulum, example, rotation

Q, V = np.array([0.7, -1.1]), np.array([0.9, 1.7])


@pytest.fixture
def sim():
    s = catena.Simulation(double_pendulum(), step=1e-3)
    s.set_coordinates(Q, V)
    return s


def test_mass_matrix_is_that_of_the_textbook(sim):
    assert np.allclose(sim.mass_matrix(), M_double(Q), rtol=0, atol=1e-12)
    other = np.array([-2.0, 0.3])
    assert np.allclose(sim.mass_matrix(other), M_double(other), rtol=0, atol=1e-12)


def test_bias_is_that_of_the_textbook(sim):
    assert np.allclose(sim.bias(), bias_double(Q, V), rtol=0, atol=1e-11)
    assert np.allclose(sim.bias(Q, np.zeros(2)), bias_double(Q, np.zeros(2)), rtol=0, atol=1e-11)


def test_inverse_and_forward_dynamics_are_inverse(sim):
    a = np.array([0.3, -2.0])
    tau = sim.inverse_dynamics(a)
    assert np.allclose(tau, M_double(Q) @ a + bias_double(Q, V), atol=1e-11)
    assert np.allclose(sim.forward_dynamics(tau), a, atol=1e-11)


def test_jacobian_moves_points_as_differences_do(sim):
    point, h = np.array([0.1, 0.2, -0.3]), 1e-6

    def place(q):
        sim.set_coordinates(q, np.zeros(2))
        b = sim.body("lower")
        return b.position + rotation(b.orientation) @ point

    J = sim.jacobian("lower", point)
    for k in range(2):
        d = np.zeros(2)
        d[k] = h
        assert np.allclose(J[:3, k], (place(Q + d) - place(Q - d)) / (2 * h), atol=1e-8)
    assert np.allclose(J[3:], [[0, 0], [1, 1], [0, 0]], atol=1e-12)


def test_kinetic_energy_is_half_v_M_v(sim):
    assert np.isclose(sim.energy()["kinetic"], 0.5 * V @ M_double(Q) @ V, atol=1e-12)


def test_compliance_is_J_Minv_Jt(sim):
    J = np.vstack([sim.jacobian("upper"), sim.jacobian("lower")])
    assert np.allclose(sim.compliance(["upper", "lower"]), J @ np.linalg.inv(M_double(Q)) @ J.T, atol=1e-10)


def test_centroidal_quantities_by_summing_over_the_bodies(sim):
    c = sim.centroidal()
    m, x, v = sim.model.masses, sim.bodies.position, sim.bodies.velocity
    assert np.isclose(c["mass"], m.sum())
    centre = m @ x / m.sum()
    assert np.allclose(c["position"], centre)
    assert np.allclose(c["velocity"], m @ v / m.sum())
    L = sum(m[i] * np.cross(x[i] - centre, v[i]) for i in range(2))
    L = L + sum(np.array([0, sim.bodies.angular_velocity[i, 1] / 12, 0]) for i in range(2))
    assert np.allclose(c["angular_momentum"], L, atol=1e-12)
    assert np.allclose(c["momentum_matrix"] @ V, np.concatenate([m @ v, L]), atol=1e-11)


def test_loops_are_kept_closed_by_forward_dynamics():
    s = catena.Simulation(catena.load(example("four_bar")), step=1e-3)
    s.step(50)
    G_ = s.constraint_jacobian()
    assert np.max(np.abs(G_ @ s.v)) < 1e-9
    a = s.forward_dynamics(s.passive_forces())
    # A hundredth of a microstep later the rows still hold: d/dt (G v) = 0.
    q, v, h = s.q.copy(), s.v.copy(), 1e-5
    later = s.integrate(s.integrate(q, v, h), a, h * h / 2)
    before = s.integrate(s.integrate(q, v, -h), a, h * h / 2)
    assert np.max(np.abs(s.constraint_jacobian(later) @ (v + h * a) - s.constraint_jacobian(before) @ (v - h * a))) < 1e-7
    # and the bodies accelerate as the multipliers of all joints have it
    vdot, _ = s.accelerations_and_multipliers()
    for i, name in enumerate(s.model.bodies):
        J = s.jacobian(name)
        drift = (s.jacobian(name, q=later) @ v - s.jacobian(name, q=before) @ v) / (2 * h)
        assert np.allclose(J @ a + drift, vdot[i], atol=1e-5 * max(1, np.max(np.abs(vdot))))


def test_linearise_gives_the_frequency_of_a_pendulum():
    s = catena.Simulation(double_pendulum())
    A, B = s.linearise()
    M, K = M_double(np.zeros(2)), G * np.array([[2.0, 0.5], [0.5, 0.5]])
    assert np.allclose(A[2:, :2], -np.linalg.solve(M, K), atol=1e-5)
    assert np.allclose(A[2:, 2:], 0, atol=1e-5)
    assert np.allclose(B[2:], np.linalg.inv(M), atol=1e-9)
    assert s.time == 0 and np.all(s.q == 0)


def test_equilibrium_is_where_the_potential_is_least():
    s = catena.Simulation(double_pendulum())
    s.set_coordinates(np.array([0.5, -0.3]))
    assert s.equilibrium() < 1e-8
    assert np.allclose(s.q, 0, atol=1e-8)
    tau = np.array([3.0, 1.0])
    s.equilibrium(tau=tau)
    assert np.allclose(bias_double(s.q, np.zeros(2)), tau, atol=1e-7)


def test_drag_takes_a_point_where_geometry_lets_it():
    s = catena.Simulation(double_pendulum())
    s.set_coordinates(np.array([0.4, 0.6]))
    target = np.array([0.8, 0.0, -1.1])
    assert s.drag("lower", [0, 0, -0.5], target) < 1e-11
    b = s.body("lower")
    assert np.allclose(b.position + rotation(b.orientation) @ np.array([0, 0, -0.5]), target, atol=1e-11)
    assert s.drift()[0] < 1e-12 and np.all(s.v == 0)
    # Two links of 1 m reach 2 m.
    assert abs(s.drag("lower", [0, 0, -0.5], [0, 0, -3.0]) - 1) < 1e-6


def test_inverse_kinematics_reaches_what_can_be_reached():
    s = catena.Simulation(double_pendulum())
    s.set_coordinates(np.array([0.4, 0.6]))
    tip = ("lower", (0, 0, -0.5))
    target = np.array([0.8, 0.0, -1.1])
    assert s.inverse_kinematics({tip: target}) < 1e-7
    b = s.body("lower")
    assert np.allclose(b.position + rotation(b.orientation) @ np.array([0, 0, -0.5]), target, atol=1e-7)
    assert s.drift()[0] < 1e-12
    assert s.inverse_kinematics({tip: np.array([0, 0, -3.0])}) > 0.9


def test_solve_is_right_about_a_small_lcp_and_a_friction_problem():
    A, b = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-5.0, -6.0])
    s = catena.solve(A, b)
    assert np.allclose(s["z"], [4 / 3, 7 / 3]) and s["status"] == "exact"
    assert np.allclose(s["w"], A @ s["z"] + b, atol=1e-12)
    # A unit mass pressed with 10 and pushed with 8 sideways under mu = 0.5 slides: friction 5.
    s = catena.solve(np.eye(3), np.array([-10.0, -8.0, 0.0]), blocks=[{"law": "cone", "size": 3, "friction": 0.5}])
    assert np.allclose(s["z"], [10, 5, 0], atol=1e-8)


@pytest.mark.parametrize("method", ["lagrange", "impulse", "spook", "operational"])
def test_contacts_carry_the_weight(method):
    scene = (
        catena.ModelBuilder()
        .body("box", mass=2.0, position=[0, 0, 0.1], shapes=[{"box": [0.2, 0.2, 0.2]}])
        .ground({"plane": {"normal": [0, 0, 1]}})
        .build()
    )
    s = catena.Simulation(scene, method=method, step=1e-3)
    assert s.step(100).ok
    c = s.contacts()
    assert np.isclose(c["normal_force"].sum(), 2 * G, rtol=1e-6)
    assert np.allclose(c["force"].sum(axis=0), [0, 0, 2 * G], atol=1e-5)
    assert np.allclose(c["normal"], [0, 0, 1]) and np.all(c["bodies"] == [0, -1])
