"""The equations of motion from Python, each compared with a computation by hand."""

import numpy as np
import pytest

import catena
import catena.gym
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
    found = s.equilibrium()
    assert found["residual"] < 1e-8 and found["stable"] and not found["settled"]
    assert np.allclose(s.q, 0, atol=1e-8) and np.all(s.v == 0)
    tau = np.array([3.0, 1.0])
    s.equilibrium(tau=tau)
    assert np.allclose(bias_double(s.q, np.zeros(2)), tau, atol=1e-7) and np.all(s.tau == 0)
    falling = catena.Simulation(catena.ModelBuilder().body("stone", mass=1, inertia=[1, 1, 1]).build())
    with pytest.raises(catena.InputError, match="no equilibrium"):
        falling.equilibrium(iterations=5)
    assert np.all(falling.q[:3] == 0)


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
    assert s.inverse_kinematics({tip: target}) < 1e-11
    b = s.body("lower")
    assert np.allclose(b.position + rotation(b.orientation) @ np.array([0, 0, -0.5]), target, atol=1e-11)
    # By the law of cosines, links of 1 m.
    assert np.isclose(np.cos(s.q[1]), (target @ target - 2) / 2, atol=1e-11)
    assert s.drift()[0] < 1e-12
    assert np.isclose(s.inverse_kinematics({tip: np.array([0, 0, -3.0])}), 1, atol=1e-6)


def test_inverse_kinematics_turns_bodies_and_keeps_loops_closed():
    s = catena.Simulation(double_pendulum())
    turned = 0.7  # both joints about y: the pose of the lower body with q = (0.7 - 0.4, 0.4)
    quaternion = [np.cos(turned / 2), 0, np.sin(turned / 2), 0]
    place = np.array([-np.sin(0.3) - 0.5 * np.sin(turned), 0, -np.cos(0.3) - 0.5 * np.cos(turned)])
    assert s.inverse_kinematics({"lower": np.concatenate([place, quaternion])}) < 1e-9
    assert np.allclose(s.q, [0.3, 0.4], atol=1e-9)
    loop = catena.Simulation(catena.gym.four_bar_scene())
    angle = 0.4  # the coupler of a parallelogram goes along a circle
    assert loop.inverse_kinematics({"coupler": [0.5 + 0.5 * np.sin(angle), 0, 0.5 * np.cos(angle)]}) < 1e-11
    assert np.isclose(loop.joint("base").q[0], angle, atol=1e-10) and loop.drift()[0] < 1e-12


SITES = """<mujoco><worldbody><body name="arm" pos="0 0 1"><joint name="hinge" axis="0 1 0"/>
  <inertial pos="0.1 0 0" mass="2" diaginertia="1 1 1"/><site name="tip" pos="0.5 0.1 0.2" quat="0.6 0 0 0.8"/></body>
  <site name="mark" pos="3 2 1"/></worldbody></mujoco>"""


def test_sites_are_frames_with_jacobians():
    s = catena.Simulation(catena.load(SITES), step=1e-3)
    s.set_coordinates([0.3], [2.0])
    tip, c, n = s.site("tip"), np.cos(0.3), np.sin(0.3)
    turn = np.array([[c, 0, n], [0, 1, 0], [-n, 0, c]])
    place = turn @ [0.5, 0.1, 0.2]
    assert np.allclose(tip.position, place + [0, 0, 1], atol=1e-12) and tip.body == "arm" and tip.name == "tip" and {"tip", "mark"} <= set(s.model.sites)
    assert np.allclose(tip.velocity, np.cross([0, 2, 0], place), atol=1e-12)
    assert np.allclose(rotation(tip.orientation), turn @ rotation([0.6, 0, 0, 0.8]), atol=1e-12)
    for J in (s.jacobian("tip"), s.jacobian(tip)):
        assert np.allclose(J[:, 0], np.concatenate([np.cross([0, 1, 0], place), [0, 1, 0]]), atol=1e-12)
    away = place + turn @ rotation([0.6, 0, 0, 0.8]) @ [0, 0, 1]
    assert np.allclose(s.jacobian("tip", [0, 0, 1])[:3, 0], np.cross([0, 1, 0], away), atol=1e-12)
    assert np.all(s.jacobian("mark") == 0) and np.allclose(s.site("mark").position, [3, 2, 1])
    with pytest.raises(catena.InputError, match="tip"):
        s.site("tipp")


def constrained(s, M, h, tau):
    """vdot of M vdot + h = tau + G' lambda with G vdot = -dG/dt v, by numpy."""
    G, q, v, d = s.constraint_jacobian(), s.q.copy(), s.v.copy(), 1e-6
    rate = (s.constraint_jacobian(s.integrate(q, v, d)) - s.constraint_jacobian(s.integrate(q, v, -d))) / (2 * d) @ v
    K = np.block([[M, -G.T], [G, np.zeros((len(G), len(G)))]])
    return np.linalg.lstsq(K, np.concatenate([tau - h, -rate]), rcond=1e-12)[0][: len(v)]


def test_a_closed_loop_answers_as_a_kkt_system_does():
    s = catena.Simulation(catena.gym.four_bar_scene(), step=1e-3)
    s.step(200)
    M, h = s.mass_matrix(), s.bias()
    tau = np.array([1.0, -0.5, 0.3])
    assert np.allclose(s.forward_dynamics(tau), constrained(s, M, h, tau), atol=1e-7)
    # Compliance: unit impulses on a body, the loop held.
    J, G = np.vstack([s.jacobian("crank"), s.jacobian("coupler")]), s.constraint_jacobian()
    Minv = np.linalg.inv(M)
    held = Minv - Minv @ G.T @ np.linalg.pinv(G @ Minv @ G.T, rcond=1e-9) @ G @ Minv
    assert np.allclose(s.compliance(["crank", s.body("coupler")]), J @ held @ J.T, atol=1e-9)
    # At any q and v, loops closed: the same as a simulation that was put there.
    other = catena.Simulation(catena.gym.four_bar_scene(), step=1e-3)
    q, v = s.q.copy(), s.v.copy()
    mine, theirs = other.accelerations_and_multipliers(q, v), s.accelerations_and_multipliers()
    assert np.allclose(mine[0], theirs[0], atol=1e-9) and np.allclose(mine[1], theirs[1], atol=1e-8)
    assert other.time == 0 and np.all(other.v == 0)


def test_linear_models_predict_closed_loops():
    s = catena.Simulation(catena.gym.four_bar_scene(), step=1e-3)
    s.set_coordinates(s.q + [0.4, 0, 0])
    A, B = s.linearise()
    # The one freedom: torque at the base by its inertia, gravity's stiffness by differences of the energy.
    Z = np.array([1.0, -1.0, -1.0])  # crank; coupler, back; ground against rocker
    M, h, d = s.mass_matrix(), s.bias(), 1e-4
    inertia = Z @ M @ Z
    assert np.allclose(B[3:, 0], Z / inertia, atol=1e-9)
    q = s.q.copy()
    height = lambda x: (s.set_coordinates(s.integrate(q, x * Z, 1.0)), s.energy()["potential"])[1]
    stiffness = (height(d) - 2 * height(0.0) + height(-d)) / d**2
    assert np.allclose(A[3:, :3] @ Z, -Z * stiffness / inertia, atol=1e-4)
    s.set_coordinates(q)
    modes = s.modes()
    assert np.allclose(modes["eigenvalue"] ** 2, -stiffness / inertia, rtol=1e-5)
    assert np.allclose(np.abs(modes["shape"]), 1, atol=1e-6)


def test_linear_models_know_actuators():
    builder = catena.ModelBuilder(gravity=[0, 0, 0]).body("cart", mass=2, inertia=[1, 1, 1])
    builder.joint("rail", "slider", ["ground", "cart"], anchor=[0, 0, 0], axis=[1, 0, 0], damping=0.5)
    s = catena.Simulation(builder.actuator("rail", "position", kp=50, kv=3, signal={"constant": 0}).build())
    A, B = s.linearise(inputs="ctrl")
    assert np.allclose(A, [[0, 1], [-25, -1.75]], atol=1e-6) and np.allclose(B, [[0], [25]], atol=1e-6)
    A, B = s.linearise(q=[0.3], v=[1.0], tau=[2.0])
    assert np.allclose(B, [[0], [0.5]]) and s.q[0] == 0 and s.tau[0] == 0
    modes = s.modes()
    assert np.isclose(modes["frequency"][0], np.sqrt(25 - 0.875**2) / (2 * np.pi)) and np.isclose(modes["damping"][0], 0.875 / 5)
    with pytest.raises(catena.InputError):
        s.linearise(inputs="torque")


def test_passive_forces_are_springs_dampers_and_what_drives():
    s = catena.Simulation(catena.load("""
bodies: {cart: {mass: 2, inertia: 1}}
joints: {rail: {kind: slider, between: [ground, cart], anchor: [0, 0, 0], axis: [1, 0, 0], stiffness: 30, damping: 4, rest: 0.1}}
"""))
    s.set_coordinates([0.3], [0.5])
    s.tau[0] = 7
    s.body("cart").set_force([2, 0, 0])
    assert np.isclose(s.passive_forces()[0], 7 + 2 - 30 * 0.2 - 4 * 0.5)
    assert np.isclose(s.passive_forces([0.0], [0.0])[0], 7 + 2 + 30 * 0.1)
    assert s.rate_names == ["rail"] and s.joint("rail").kind == "slider" and s.joint("rail").bodies == ("ground", "cart")


def test_integrate_turns_quaternions_as_exponentials_do():
    s = catena.Simulation(catena.ModelBuilder().body("top", mass=1, inertia=[1, 2, 3]).build())
    v = np.array([1.0, 2.0, 3.0, 0.3, -0.2, 0.5])
    moved = s.integrate(s.q.copy(), v, 0.5)
    angle = np.linalg.norm(v[3:]) * 0.5
    assert np.allclose(moved[:3], [0.5, 1, 1.5]) and np.isclose(moved[3], np.cos(angle / 2))
    assert np.allclose(moved[4:], np.sin(angle / 2) * v[3:] / np.linalg.norm(v[3:]))


def test_solve_is_right_about_a_small_lcp_and_a_friction_problem():
    A, b = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-5.0, -6.0])
    s = catena.solve(A, b)
    assert np.allclose(s["z"], [4 / 3, 7 / 3]) and s["status"] == "exact"
    assert np.allclose(s["w"], A @ s["z"] + b, atol=1e-12)
    # A unit mass pressed with 10 and pushed with 8 sideways under mu = 0.5 slides: friction 5.
    s = catena.solve(np.eye(3), np.array([-10.0, -8.0, 0.0]), blocks=[{"law": "cone", "size": 3, "friction": 0.5}])
    assert np.allclose(s["z"], [10, 5, 0], atol=1e-8)


def test_solve_takes_sparse_matrices_and_problem_files(tmp_path):
    sparse = pytest.importorskip("scipy.sparse")
    random = np.random.default_rng(1)
    L = random.normal(size=(12, 12)) * (random.uniform(size=(12, 12)) < 0.3) + 2 * np.eye(12)
    A, b = L @ L.T, random.normal(size=12)
    blocks = [{"law": "cone", "size": 3, "friction": 0.4}] * 2 + [{"law": "complementary", "size": 4}, {"law": "free", "size": 2}]
    for laws in (None, blocks):
        dense = catena.solve(A, b, blocks=laws)
        for kind in (sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix):
            assert np.allclose(catena.solve(kind(A), b, blocks=laws)["z"], dense["z"], atol=1e-7)
        z, w = dense["z"], A @ dense["z"] + b
        if laws is None:  # w' z = 0, both not negative: the answer itself
            assert np.all(z >= -1e-9) and np.all(w >= -1e-9) and abs(w @ z) < 1e-8
    (tmp_path / "p.json").write_text('{"kind": "lcp", "M": [[2, 1], [1, 2]], "q": [-5, -6]}')
    assert np.allclose(catena.solve(tmp_path / "p.json")["z"], [4 / 3, 7 / 3])


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
    # The same at a state of one's own, which nobody has stepped to: dropped onto an edge less, or lifted off.
    c = s.contacts(q=s.q.copy(), v=np.zeros(6))
    assert np.isclose(c["normal_force"].sum(), 2 * G, rtol=1e-6)
    assert len(s.contacts(q=s.q + [0, 0, 1, 0, 0, 0, 0])["gap"]) == 0
    vdot, _ = s.accelerations_and_multipliers(q=s.q + [0, 0, 1, 0, 0, 0, 0])
    assert np.allclose(vdot[0], [0, 0, -G, 0, 0, 0], atol=1e-9)


def test_equilibrium_in_a_contact_is_where_the_box_lies():
    scene = (
        catena.ModelBuilder()
        .body("box", mass=2.0, position=[0, 0, 0.12], shapes=[{"box": [0.2, 0.2, 0.2]}])
        .ground({"plane": {"normal": [0, 0, 1]}})
        .build()
    )
    s = catena.Simulation(scene, step=1e-3)
    assert s.equilibrium()["settled"] and np.isclose(s.body("box").position[2], 0.1, atol=1e-6) and s.time == 0


def test_the_rows_of_a_loop_are_those_of_its_geometry():
    s = catena.Simulation(catena.gym.four_bar_scene(), step=1e-3)
    s.set_coordinates(s.q + [0.4, 0, 0])
    C, q, d = s.constraint_jacobian(), s.q.copy(), 1e-6
    rank = np.linalg.matrix_rank(C, tol=1e-9)
    free = np.linalg.svd(C)[2][rank:]  # what the rows leave: one freedom of three
    assert rank == 2 and free.shape == (1, 3)
    # A parallelogram: the crank and the rocker turn alike, the coupler does not turn.
    turn = {name: s.jacobian(name)[4] @ free[0] for name in ("crank", "coupler", "rocker")}
    assert np.isclose(turn["crank"], turn["rocker"], rtol=1e-9) and abs(turn["coupler"]) < 1e-9 * abs(turn["crank"])
    # Moved along it the loop stays closed, to second order: rods of 0.5, 1 and 0.5 m about y, from the crank's base.
    s.set_coordinates(s.integrate(q, free[0], d))
    assert abs(s.joint("base").q[0] - q[s.coordinates_of("base")[0]][0] - d * turn["crank"]) < 10 * d**2
    angle = s.joint("base").q[0]
    assert np.allclose(s.body("coupler").position, [0.5 + 0.5 * np.sin(angle), 0, 0.5 * np.cos(angle)], atol=1e-12)
