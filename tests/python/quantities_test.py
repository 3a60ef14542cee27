"""What handles, models, reports and builders say, each compared with a computation by hand."""

import os

import numpy as np
import pytest

import catena
import catena.gym
from scenes import G, M_double, bias_double, double_pendulum, example, rotation

ROD = dict(mass=2.0, inertia=[0.3, 0.4, 0.05], position=[0, 0, -0.5])


def rod(**fields):
    """A rod of 2 kg that swings about y, its centre of mass 0.5 m below the pivot."""
    return catena.ModelBuilder("rod").body("rod", **ROD).joint("pivot", "hinge", ["ground", "rod"], anchor=[0, 0, 0], axis=[0, 1, 0], **fields)


def free_body(**fields):
    return catena.ModelBuilder(gravity=[0, 0, 0]).body("stone", mass=2.0, inertia=[1.0, 2.0, 2.5], **fields)


def test_the_reaction_of_a_pivot_is_newtons_second_law():
    s = catena.Simulation(rod().build(), step=1e-3)
    q, v = 0.7, 1.3
    s.set_coordinates([q], [v])
    angular = -2 * G * 0.5 * np.sin(q) / (0.4 + 2 * 0.25)
    arm = 0.5 * np.array([-np.sin(q), 0, -np.cos(q)])  # a positive turn about y takes -z to -x
    spin, turn = np.array([0, v, 0]), np.array([0, angular, 0])
    acceleration = np.cross(turn, arm) + np.cross(spin, np.cross(spin, arm))
    force = 2 * (acceleration - [0, 0, -G])
    assert np.allclose(s.joint("pivot").reaction[:3], force, atol=1e-10)
    # About the centre of mass the pivot's force and torque turn the rod; the torque about y is nil.
    torque = np.array([0, 0.4 * angular, 0]) + np.cross(arm, force)
    assert np.allclose(s.joint("pivot").reaction[3:], torque, atol=1e-10) and abs(torque[1]) < 1e-12
    s.joint("pivot").tau = 3.0
    assert s.joint("pivot").tau[0] == s.tau[0] == 3.0
    assert np.isclose(s.joint("pivot").reaction[4], 3.0, atol=1e-10)


def test_bodies_move_as_their_joint_says():
    s = catena.Simulation(rod().build())
    q, v = -0.4, 2.0
    s.set_coordinates([q], [v])
    arm, b, all_bodies = 0.5 * np.array([-np.sin(q), 0, -np.cos(q)]), s.body("rod"), s.bodies
    for position, velocity, orientation, spin in (
            (b.position, b.velocity, b.orientation, b.angular_velocity),
            (all_bodies.position[0], all_bodies.velocity[0], all_bodies.orientation[0], all_bodies.angular_velocity[0])):
        assert np.allclose(position, arm, atol=1e-14) and np.allclose(velocity, np.cross([0, v, 0], arm), atol=1e-14)
        assert np.allclose(orientation, [np.cos(q / 2), 0, np.sin(q / 2), 0], atol=1e-14) and np.allclose(spin, [0, v, 0], atol=1e-14)
    assert b.mass == 2.0 and b.name == "rod" and all_bodies.names == ["rod"] and len(all_bodies) == 1


def test_joints_know_their_place():
    s = catena.Simulation(rod().build())
    j = s.joint(0)
    assert j.name == "pivot" and j.kind == "hinge" and j.bodies == ("ground", "rod")
    assert np.allclose(j.anchors, [[0, 0, 0], [0, 0, 0.5]])
    for frame in j.frames:  # its axis is the last one
        assert np.allclose(rotation(frame)[:, 2], [0, 1, 0], atol=1e-14)
    assert s.coordinates_of("pivot") == (slice(0, 1, 1), slice(0, 1, 1)) and s.rate_names == ["pivot"]
    assert (s.nq, s.nv, s.nu) == (1, 1, 0) and s.size == 0.5
    s.set_coordinates([0.3], [0.2])
    assert np.array_equal(j.q, s.q) and np.allclose(j.q, 0.3, atol=1e-15) and np.allclose(j.v, 0.2, atol=1e-15)


def test_forces_on_a_body_are_newtons_and_eulers():
    s = catena.Simulation(free_body(angular_velocity=[0.1, 0.2, 0.3]).build(), step=1e-3)
    force, point, inertia, spin = np.array([1.0, -2.0, 3.0]), np.array([0.3, 0.1, -0.2]), np.array([1.0, 2.0, 2.5]), np.array([0.1, 0.2, 0.3])
    s.body("stone").add_force_at(force, point)
    gyroscopic = np.cross(spin, inertia * spin)
    vdot, _ = s.accelerations_and_multipliers()
    assert np.allclose(vdot[0], [*(force / 2), *((np.cross(point, force) - gyroscopic) / inertia)], atol=1e-12)
    s.clear_forces()
    s.body("stone").set_force([0, 0, 4.0], [0, 5.0, 0])
    vdot, _ = s.accelerations_and_multipliers()
    assert np.allclose(vdot[0], [0, 0, 2, *((np.array([0, 5, 0]) - gyroscopic) / inertia)], atol=1e-12)


def test_a_body_led_by_hand_goes_there_at_constant_speed():
    s = catena.Simulation(catena.load("""<mujoco><worldbody><body name="hand" mocap="true" pos="0 0 1"><geom size="0.1"/></body>
      <body name="load" pos="0 0 1"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody>
      <equality><weld body1="hand" body2="load"/></equality></mujoco>"""), step=1e-3)
    s.body("hand").set_mocap([0.5, 0, 1], over=0.1)
    assert s.step(40).ok
    assert np.allclose(s.body("hand").position, [0.2, 0, 1], atol=1e-9) and np.allclose(s.body("hand").velocity, [5, 0, 0], atol=1e-9)
    assert s.step(100).ok
    assert np.allclose(s.body("hand").position, [0.5, 0, 1], atol=1e-9) and np.allclose(s.body("hand").velocity, 0, atol=1e-9)


def test_a_model_holds_what_it_was_built_of():
    builder = rod().set(gravity=[0, 1, -2]).actuator("pivot", "torque", signal={"constant": 0})
    m = builder.build().model
    assert m.name == "rod" and m.bodies == ["rod"] and m.joints == ["pivot"] and m.sites == m.sensors == m.keyframes == []
    assert np.array_equal(m.masses, [2.0]) and np.array_equal(m.inertias, [[0.3, 0.4, 0.05, 0, 0, 0]])
    assert np.array_equal(m.gravity, [0, 1, -2]) and np.array_equal(m.control_range, [[-np.inf, np.inf]])
    robot = catena.load("""<mujoco><worldbody><body name="arm"><joint name="j" axis="0 1 0"/>
      <inertial pos="0.1 0.2 0.3" mass="2" diaginertia="1 1 1"/><site name="tip"/></body></worldbody>
      <actuator><motor name="m" joint="j" ctrlrange="-2 3" ctrllimited="true"/></actuator>
      <sensor><jointpos name="angle" joint="j"/></sensor><keyframe><key name="up" qpos="1"/></keyframe></mujoco>""").model
    assert np.allclose(robot.origins, [[-0.1, -0.2, -0.3]]) and np.array_equal(robot.control_range, [[-2, 3]])
    assert robot.controls == ["m"] and robot.sensors == ["angle"] and "tip" in robot.sites and robot.keyframes == ["up"]
    assert robot.hash != m.hash == builder.build().model.hash


def test_builders_know_springs_forces_materials_and_settings():
    builder = free_body(velocity=[1, 0, 0]).force("stone", force=[0, 3, 0]).spring(
        ["ground", "stone"], anchors=[[0, 0, -1], [0, 0, 0]], stiffness=10, length=0.4, damping=0).set(simulate={"step": 5e-4})
    assert '"simulate"' in builder.text() and "1 bodies" in repr(builder)
    s = catena.Simulation(builder.build())
    assert s.settings["step"] == s.settings.step == 5e-4
    vdot, _ = s.accelerations_and_multipliers()
    assert np.allclose(vdot[0, :3], np.array([0, 3, -10 * 0.6]) / 2, atol=1e-12)
    # A box of a slippery material, pushed over the ground: it loses mu g t.
    box = catena.ModelBuilder().material("ice", friction=0.04).material("wood", friction=0.25)
    box.body("box", mass=1.0, position=[0, 0, 0.1], velocity=[1, 0, 0], shapes=[{"box": [0.2, 0.2, 0.2], "material": "ice"}])
    s = catena.Simulation(box.ground({"plane": {"normal": [0, 0, 1]}, "material": "wood"}).build(), step=1e-3)
    report = s.step(200)
    assert np.isclose(s.body("box").velocity[0], 1 - np.sqrt(0.04 * 0.25) * G * 0.2, atol=2e-3)
    assert np.isclose(report.energy["contacts"], 0.5 * (s.body("box").velocity[0] ** 2 - 1), atol=1e-6)
    assert report.contacts == 4 and report.penetration < 1e-9 and report.complementarity < 1e-8


def test_reports_say_what_the_steps_did():
    ball = catena.ModelBuilder().body("ball", mass=1, position=[0, 0, 0.1 + 0.5 * G * 0.1**2], shapes=[{"sphere": 0.1}])
    s = catena.Simulation(ball.ground({"plane": {"normal": [0, 0, 1]}}).set(defaults={"restitution": 0.5, "friction": 0}).build(), step=1e-3)
    assert s.step(99).impacts == 0 and s.steps == 99  # it falls for 0.1 s
    report = s.step(2)
    assert report.ok and report.status == "ok" and report.message == "" and bool(report)
    assert report.impacts == 1 and report.time == s.time == pytest.approx(0.101)
    assert np.isclose(s.body("ball").velocity[2], 0.5 * G * 0.1 - G * 1e-3, atol=1e-9)
    assert report.halvings == report.swept == report.fallbacks == report.sweeps == report.monitored == 0
    lost = 0.5 * (G * 0.1) ** 2 * (1 - 0.5**2)
    assert np.isclose(report.energy["contacts"], -lost, rtol=1e-9)


def test_drift_is_the_gap_of_the_joints():
    s = catena.Simulation(catena.load(example("four_bar")), step=2e-3, method="lagrange", stabilise="none")
    report, gaps = s.step(500), []
    for name in s.model.joints:
        j, ends = s.joint(name), []
        for body, anchor in zip(j.bodies, j.anchors):
            ends.append(anchor if body == "ground" else s.body(body).position + rotation(s.body(body).orientation) @ anchor)
        gaps.append(np.linalg.norm(ends[0] - ends[1]))
    place, angle = s.drift()  # the largest of three components
    assert max(gaps) > 1e-9 and max(gaps) / np.sqrt(3) <= place <= max(gaps) * (1 + 1e-6) and angle < 1e-12
    assert place <= report.drift < 1e-6 and report.drift_angle < 1e-12 and report.residual < 1e-9


def test_rows_are_the_numbers_of_the_state():
    s = catena.Simulation(double_pendulum(), step=1e-3)
    s.set_coordinates([0.4, -0.2], [1.0, 0.5])
    s.step(10)
    row = dict(zip(s.columns(), s.row()))
    assert row["time"] == s.time and row["lower.x"] == s.body("lower").position[0] and row["joint.elbow.q[0]"] == s.q[1]
    assert np.isclose(row["energy.kinetic"], 0.5 * s.v @ M_double(s.q) @ s.v, atol=1e-12)
    height = -0.5 * np.cos(s.q[0]) - np.cos(s.q[0]) - 0.5 * np.cos(s.q.sum())
    assert np.isclose(row["energy.potential"], G * height, atol=1e-10) and np.isclose(s.energy()["potential"], G * height, atol=1e-10)


def test_advancing_to_a_time_ends_there():
    s, other = (catena.Simulation(double_pendulum(), step=1e-3) for _ in range(2))
    for each in (s, other):
        each.set_coordinates([0.4, -0.2])
    report = s.advance_to(0.0205)
    other.step(20)
    assert s.time == report.time == 0.0205 and other.time == pytest.approx(0.02)
    # The half step that is left, by the equations: to third order in it.
    a = np.linalg.solve(M_double(other.q), -bias_double(other.q, other.v))
    assert np.allclose(s.q, other.q + 5e-4 * other.v + 0.5 * 5e-4**2 * a, atol=1e-9)


def test_functions_on_step_are_called_before_every_step():
    s = catena.Simulation(rod().build(), step=1e-3)
    times = []
    s.on_step(lambda: times.append(s.time))
    s.step(5)
    s.on_step(None)
    s.step(5)
    assert np.allclose(times, np.arange(5) * 1e-3, atol=1e-15)


def test_errors_name_file_line_and_column(tmp_path):
    file = tmp_path / "arm.yaml"
    file.write_text("catena: 1\nbodies:\n  rod: {mass: 1, inertia: 1}\njoints:\n  pivot: {kind: knot, between: [ground, rod], anchor: [0, 0, 0]}\n")
    with pytest.raises(catena.InputError, match=r"arm\.yaml:5:1\d: .*knot"):
        catena.load(file)
    robot = tmp_path / "arm.xml"
    robot.write_text("<mujoco><worldbody>\n  <body><joint type='knot'/></body></worldbody></mujoco>\n")
    with pytest.raises(catena.InputError, match=r"arm\.xml:2:9: "):
        catena.load(robot)


def test_scenes_keep_their_text_and_where_it_came_from():
    scene = catena.load(example("four_bar"), ["simulate.step=3e-3"])
    assert scene.source == example("four_bar") and scene.settings.step == 3e-3 and scene.model == catena.load(scene.text).model
    assert scene.warnings == [] and scene.ledger == []
    robot = catena.load("<mujoco><visual><map shadowscale='1'/></visual><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>")
    assert any(each["element"] == "visual" for each in robot.ledger)
    assert catena.Scene(example("four_bar")).model == catena.load(example("four_bar")).model


def test_a_state_knows_its_time_model_and_settings():
    s = catena.Simulation(double_pendulum(), step=2e-3)
    s.step(7)
    state = s.state
    assert state.time == s.time and state.model_hash == s.model.hash and state.settings == s.settings and state.copy() == state
    s.step()
    assert state != s.state
    s.state = state
    assert s.time == 0.014


def test_a_failing_run_says_who_failed():
    with pytest.raises(catena.ProblemError):
        catena.solve(np.eye(2), np.zeros(3))
    assert catena.STATUS[0] == "ok" and len(set(catena.STATUS)) == len(catena.STATUS) and issubclass(catena.InputError, ValueError)


def test_the_program_is_found_and_run(tmp_path):
    if catena.program.find() is None:
        pytest.skip("the program is not built")
    assert os.access(catena.program.find(), os.X_OK)
    catena.program.run("simulate", example("pendulum"), "--duration", "0.1", "--out", str(tmp_path / "x.csv"), "--quiet")
    assert np.isclose(catena.Recording.load(tmp_path / "x.csv").time[-1], 0.1)
    with pytest.raises(RuntimeError):
        catena.program.run("simulate", "nowhere.yaml")


def test_a_builder_of_joints_is_a_scene():
    inertia, h = [1 / 12, 1 / 12, 1e-3], np.array([0.3, -0.8])
    built = catena.ModelBuilder("arm").body("a", mass=1, inertia=inertia, position=[0, 0, -0.5]).body("b", mass=1, inertia=inertia, position=[0, 0, -1.5])
    built.joint("one", "hinge", ["ground", "a"], anchor=[0, 0, 0], axis=[0, 1, 0]).joint("two", "hinge", ["a", "b"], anchor=[0, 0, -1], axis=[0, 1, 0])
    assert np.allclose(catena.Simulation(built.build()).mass_matrix(h), M_double(h), atol=1e-12)
    assert catena.load(built.text()).model == built.build().model
