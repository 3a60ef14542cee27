"""States, pickles and checkpoints: what is restored goes on with the same bits."""

import copy
import multiprocessing
import os
import pickle
import subprocess

import numpy as np
import pytest

import catena
from scenes import ROOT, double_pendulum, example

ROBOTS = os.path.join(ROOT, "tests", "data", "robots")


def hopper():
    """With contacts, so that warm starts count, an actuator and a closed loop nowhere."""
    return (
        catena.ModelBuilder("hopper")
        .body("trunk", mass=2.0, inertia=[0.1, 0.1, 0.1], position=[0, 0, 1.0], shapes=[{"sphere": 0.1}])
        .body("leg", mass=0.5, inertia=[0.01, 0.01, 0.001], position=[0, 0, 0.6], shapes=[{"capsule": {"radius": 0.05, "length": 0.4}}])
        .joint("knee", "hinge", ["trunk", "leg"], anchor=[0, 0, 0.85], axis=[0, 1, 0])
        .actuator("knee", "position", kp=20, kv=1, signal={"constant": 0.2})
        .ground({"plane": {"normal": [0, 0, 1]}})
        .build()
    )


def test_states_copy_compare_pickle_and_restore_to_the_bit(tmp_path):
    scene = hopper()
    s = catena.Simulation(scene, step=1e-3, method="spook")
    s.ctrl[0] = 0.3
    s.tau[-1] = 0.1
    s.body("trunk").set_force([0.3, 0, 0])
    s.body("leg").add_force_at([0, 0.1, 0], [0, 0, -0.2])
    s.step(700)
    assert len(s.contacts()["gap"]) > 0
    saved = s.state
    saved.save(tmp_path / "a.state")
    s.save(tmp_path / "b.state")
    again = [copy.copy(saved), copy.deepcopy(saved), pickle.loads(pickle.dumps(saved)), catena.State.from_bytes(saved.to_bytes()),
             catena.State.load(tmp_path / "a.state"), catena.State.load(tmp_path / "b.state")]
    assert all(each == saved and hash(each) == hash(saved) for each in again)
    s.step(300)
    end = s.state
    assert end != saved
    for each in again:
        other = catena.Simulation(pickle.loads(pickle.dumps(scene)), step=1e-3, method="spook")
        other.state = each
        other.step(300)
        assert other.state == end
    other = catena.Simulation(scene, step=1e-3, method="spook")
    other.load(tmp_path / "b.state")
    assert np.array_equal(other.tau, s.tau) and other.ctrl[0] == 0.3
    other.step(300)
    assert other.state == end
    # The simulation itself pickles, too.
    third = pickle.loads(pickle.dumps(s))
    assert third.state == end and third.settings == s.settings


@pytest.mark.parametrize("change", [
    "bodies.upper.mass=1.5", "joints.elbow.damping=0.1", "joints.elbow.stiffness=1", "joints.elbow.armature=0.1", "joints.elbow.friction=1",
    "joints.elbow.limits={lower: -1, upper: 1}", "joints.elbow.motor={velocity: 1}", "gravity=[0, 0, -1]", "bodies.lower.position=[0, 0, -1.4]",
    "bodies.lower.shapes=[{sphere: 0.1}]", "springs=[{between: [ground, lower], anchors: [[0, 0, 0], [0, 0, -1]], stiffness: 3}]", "forces=[{body: lower, force: [1, 0, 0]}]",
    "actuators=[{joint: elbow, kind: torque, signal: {constant: 1}}]", "joints.elbow.primary=no", "defaults.friction=0.1",
    "ground.shapes=[{plane: {offset: -9}}]", "collide.adjacent=yes",
])
def test_a_state_of_a_model_that_differs_in_anything_is_refused(change):
    text = catena.ModelBuilder("arm").body("upper", mass=1.0, inertia=[0.1, 0.1, 0.01], position=[0, 0, -0.5]).body(
        "lower", mass=1.0, inertia=[0.1, 0.1, 0.01], position=[0, 0, -1.5]).joint(
        "shoulder", "hinge", ["ground", "upper"], anchor=[0, 0, 0], axis=[0, 1, 0]).joint(
        "elbow", "hinge", ["upper", "lower"], anchor=[0, 0, -1], axis=[0, 1, 0]).text()
    plain, other = catena.load(text), catena.load(text, [change])
    assert plain.model != other.model and plain.model == catena.load(text, ["name=other"]).model
    with pytest.raises(catena.InputError, match="another model"):
        catena.Simulation(other).state = catena.Simulation(plain).state


def test_models_scenes_settings_and_recordings_pickle(tmp_path, monkeypatch):
    # Away from the folder of the file, which a scene carries with it.
    scene = catena.load(example("four_bar"), ["simulate.step=2e-3"])
    robot = catena.load(os.path.join(ROBOTS, "cassie.xml"), keyframe="home", missing_meshes="skip")
    bytes_of = pickle.dumps((scene, scene.model, scene.settings, robot, robot.model))
    monkeypatch.chdir(tmp_path)
    scene2, model2, settings2, robot2, robot_model2 = pickle.loads(bytes_of)
    assert scene2.model == scene.model == model2 and model2.hash == scene.model.hash and settings2 == scene.settings
    assert settings2.step == 2e-3 and scene2.settings.step == 2e-3
    assert robot2.model == robot.model == robot_model2
    assert np.array_equal(catena.Simulation(robot2).q, catena.Simulation(robot).q)
    rec = catena.Simulation(scene).run(0.1, record=["energy.kinetic"])
    rec2 = pickle.loads(pickle.dumps(rec))
    assert np.array_equal(rec2.data, rec.data) and rec2.names == rec.names and rec2.status == "ok" and "<iframe" in rec2._repr_html_()
    s = catena.Settings(step=1e-4, method="operational", contact_solver="cone", solver="tree")
    assert pickle.loads(pickle.dumps(s)) == s == copy.deepcopy(s) and s.contact_solver == "cone" and s["solver"] == "tree"
    assert catena.Simulation(scene, settings=s, step=5e-4).settings.step == 5e-4
    s.step = 2e-4
    assert s["step"] == 2e-4
    s.tuning = {"velocity.motion_gain": 1e-8}
    assert pickle.loads(pickle.dumps(s)).tuning == {"velocity.motion_gain": 1e-8}
    assert catena.Simulation(scene, settings=s).settings.tuning == s.tuning and catena.Settings().tuning == {}


def _end(scene, state):
    sim = catena.Simulation(scene, step=1e-3)
    sim.state = state
    sim.step(50)
    return sim.state


def test_a_spawned_process_ends_with_the_same_bits():
    sim = catena.Simulation(double_pendulum(), step=1e-3)
    sim.set_coordinates(np.array([1.0, 0.3]))
    state = sim.state
    sim.step(50)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(_end, (double_pendulum(), state)) == sim.state


def test_the_program_resumes_what_python_set_aside(tmp_path):
    program = catena.program.find()
    if program is None:
        pytest.skip("the program is not built")
    sim = catena.Simulation(catena.load(example("four_bar")))
    sim.step(100)
    sim.save(tmp_path / "x.state")
    subprocess.run([program, "simulate", example("four_bar"), "--resume", tmp_path / "x.state", "--duration", str(sim.time + 0.1), "--out",
                    tmp_path / "x.csv", "--quiet"], check=True, capture_output=True)
    sim.advance_to(sim.time + 0.1)
    rec = catena.Recording.load(tmp_path / "x.csv")
    assert rec[sim.model.bodies[0] + ".x"][-1] == sim.bodies.position[0, 0]
