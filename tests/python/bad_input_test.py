"""Sixty and more wrong things to do, none of which may end the interpreter."""

import pickle

import numpy as np
import pytest

import catena
import catena.gym
from scenes import double_pendulum, example

NAN, INF = float("nan"), float("inf")
ERRORS = (catena.InputError, OSError, RuntimeError, catena.ProblemError, ValueError, TypeError, KeyError, AttributeError, IndexError, OverflowError)


def sim():
    return catena.Simulation(double_pendulum())


class Sparse:
    """As scipy.sparse would give it."""

    def __init__(self, shape):
        self.shape, self.row, self.col, self.data = shape, [2], [0], [1.0]

    def tocoo(self):
        return self


B = catena.ModelBuilder
good_body = dict(mass=1, inertia=[1, 1, 1])
WRONG = {
    "no such file": lambda: catena.load("nowhere.yaml"),
    "empty path": lambda: catena.load(""),
    "text that is no scene": lambda: catena.load("a: [1,\n"),
    "text of another kind": lambda: catena.load("- 1\n- 2\n"),
    "an unknown key": lambda: catena.load("catena: 1\nbodeis: {}\n"),
    "an override that is none": lambda: catena.load(example("four_bar"), ["nonsense"]),
    "a scene that is none": lambda: catena.Simulation("four_bar"),
    "a scene that is None": lambda: catena.Simulation(None),
    "no scene": lambda: catena.Simulation(),
    "an unknown setting": lambda: catena.Simulation(double_pendulum(), stepp=1e-3),
    "an unknown method": lambda: catena.Simulation(double_pendulum(), method="magic"),
    "a method that is a number": lambda: catena.Simulation(double_pendulum(), method=3),
    "a step of zero": lambda: catena.Simulation(double_pendulum(), step=0),
    "a negative step": lambda: catena.Simulation(double_pendulum(), step=-1e-3),
    "a step of nan": lambda: catena.Simulation(double_pendulum(), step=NAN),
    "a step of inf": lambda: catena.Simulation(double_pendulum(), step=INF),
    "a step in words": lambda: catena.Simulation(double_pendulum(), step="1 ms"),
    "an integrator of another method": lambda: catena.Simulation(double_pendulum(), method="spook", integrator="rk4"),
    "an odd number of facets": lambda: catena.Simulation(double_pendulum(), facets=5),
    "no threads": lambda: catena.Simulation(double_pendulum(), threads=0),
    "a negative number of steps": lambda: sim().step(-1),
    "half a step": lambda: sim().step(0.5),
    "steps in words": lambda: sim().step("one"),
    "too many steps for a number": lambda: sim().step(10**30),
    "to nan": lambda: sim().advance_to(NAN),
    "to inf": lambda: sim().advance_to(INF),
    "an unknown joint": lambda: sim().joint("knee"),
    "a joint beyond": lambda: sim().joint(2),
    "a joint before": lambda: sim().joint(-1),
    "a joint that is none": lambda: sim().joint(None),
    "an unknown body": lambda: sim().body("foot"),
    "a body beyond": lambda: sim().body(7),
    "a body that is a float": lambda: sim().body(1.5),
    "tau too long": lambda: setattr(sim(), "tau", [1, 2, 3]),
    "tau too short": lambda: setattr(sim(), "tau", [1]),
    "tau of nan": lambda: setattr(sim(), "tau", [NAN, 0]),
    "tau of words": lambda: setattr(sim(), "tau", ["a", "b"]),
    "tau of two dimensions": lambda: setattr(sim(), "tau", np.zeros((2, 1))),
    "tau not contiguous": lambda: setattr(sim(), "tau", np.zeros(4)[::2]),
    "tau of objects": lambda: setattr(sim(), "tau", np.array([None, None])),
    "tau of complex numbers": lambda: setattr(sim(), "tau", np.array([1j, 2j])),
    "ctrl where there is none": lambda: setattr(sim(), "ctrl", [1.0]),
    "q written to": lambda: sim().q.__setitem__(0, 1.0),
    "q replaced": lambda: setattr(sim(), "q", [0, 0]),
    "positions written to": lambda: sim().bodies.position.__setitem__((0, 0), 1.0),
    "coordinates too few": lambda: sim().set_coordinates([0.0]),
    "coordinates of nan": lambda: sim().set_coordinates([0.0, NAN]),
    "rates too many": lambda: sim().set_coordinates([0.0, 0.0], [0, 0, 0]),
    "coordinates that cannot close": lambda: catena.Simulation(catena.load(example("four_bar"))).set_coordinates([40.0] * 99),
    "a force of two numbers": lambda: sim().body("lower").set_force([1, 2]),
    "a force of inf": lambda: sim().body("lower").set_force([1, 2, INF]),
    "a point of words": lambda: sim().body("lower").add_force_at([1, 2, 3], "tip"),
    "a state that is none": lambda: setattr(sim(), "state", None),
    "bytes that are no state": lambda: catena.State.from_bytes(b"hello"),
    "half a state": lambda: catena.State.from_bytes(sim().state.to_bytes()[:-9]),
    "more than a state": lambda: catena.State.from_bytes(sim().state.to_bytes() + b"x"),
    "a state of another model": lambda: setattr(sim(), "state", catena.Simulation(catena.load(example("four_bar"))).state),
    "a state with a broken size": lambda: catena.State.from_bytes(sim().state.to_bytes()[:48] + b"\xff" * 8),
    "a jacobian of the ground": lambda: sim().jacobian("ground"),
    "a jacobian at half a point": lambda: sim().jacobian("lower", [1.0]),
    "a mass matrix at q of nan": lambda: sim().mass_matrix([NAN, 0]),
    "inverse dynamics of too few": lambda: sim().inverse_dynamics([1.0]),
    "forward dynamics of words": lambda: sim().forward_dynamics(["a", "b"]),
    "compliance of nobody there": lambda: sim().compliance(["foot"]),
    "compliance of a number": lambda: sim().compliance(3),
    "a run of nan": lambda: sim().run(NAN),
    "a run backwards": lambda: sim().run(-1),
    "a controller that is none": lambda: sim().run(0.1, controller=3),
    "on_step of a number": lambda: sim().on_step(3),
    "a record of nothing there": lambda: sim().run(0.1, record=["foot.z"]),
    "an ik target of two numbers": lambda: sim().inverse_kinematics({"lower": [1, 2]}),
    "an ik target of nan": lambda: sim().inverse_kinematics({"lower": [1, 2, NAN]}),
    "an lcp that is not square": lambda: catena.solve(np.zeros((2, 3)), np.zeros(2)),
    "an lcp of nan": lambda: catena.solve(np.full((2, 2), NAN), np.zeros(2)),
    "an lcp with another solver": lambda: catena.solve(np.eye(2), np.zeros(2), solver="magic"),
    "a block of an unknown law": lambda: catena.solve(np.eye(2), np.zeros(2), blocks=[{"law": "love", "size": 2}]),
    "blocks that do not cover": lambda: catena.solve(np.eye(2), np.zeros(2), blocks=[{"law": "free", "size": 1}]),
    "a block that is no dict": lambda: catena.solve(np.eye(2), np.zeros(2), blocks=[3]),
    "a body twice": lambda: B().body("a", **good_body).body("a", **good_body),
    "a body without a name": lambda: B().body("", **good_body),
    "a mass of nan": lambda: B().body("a", mass=NAN),
    "a negative mass": lambda: B().body("a", mass=-1, inertia=[1, 1, 1]).build(),
    "a mass of words": lambda: B().body("a", mass=object()),
    "a joint between strangers": lambda: B().body("a", **good_body).joint("j", "ball", ["a", "b"], anchor=[0, 0, 0]).build(),
    "a joint of no kind": lambda: B().body("a", **good_body).joint("j", "knot", ["ground", "a"], anchor=[0, 0, 0]).build(),
    "a pickle that is none": lambda: pickle.loads(pickle.dumps(double_pendulum())[:-20]),
    "a pickled scene with a part missing": lambda: catena.Scene.__new__(catena.Scene).__setstate__(("a: 1\n",)),
    "a setting there is not": lambda: catena.Settings(stepp=1),
    "a setting there is not, read": lambda: catena.Settings().stepp,
    "a setting of the wrong kind": lambda: catena.Settings().__setitem__("threads", 1.5),
    "a tuning there is not": lambda: catena.Settings(tuning={"velocity.motion_gian": 1e-8}),
    "a tuning that is none": lambda: catena.Settings(tuning=3),
    "settings that are none": lambda: catena.Simulation(double_pendulum(), settings=3),
    "a softness there is not": lambda: catena.load(example("four_bar"), softness="fluffy"),
    "a keyframe there is not": lambda: catena.load(example("four_bar"), keyframe="home"),
    "a checkpoint that is none": lambda: catena.State.load(example("four_bar")),
    "a checkpoint that is nowhere": lambda: sim().load("nowhere.state"),
    "a checkpoint into nowhere": lambda: sim().save("/nowhere/x.state"),
    "one byte of a state changed": lambda: catena.State.from_bytes(bytes([*(b := bytearray(sim().state.to_bytes()))[:100], b[100] ^ 1, *b[101:]])),
    "a site there is not": lambda: sim().site("tip"),
    "a site beyond": lambda: sim().site(0),
    "a sensor there is not": lambda: sim().sensor("imu"),
    "a jacobian of another simulation's body": lambda: sim().jacobian(sim().body("lower")),
    "a jacobian of nothing": lambda: sim().jacobian(None),
    "contacts at q of nan": lambda: sim().contacts(q=[NAN, 0]),
    "accelerations at too few rates": lambda: sim().accelerations_and_multipliers(v=[1.0]),
    "a linear model of other inputs": lambda: sim().linearise(inputs="wind"),
    "a linear model without a displacement": lambda: sim().linearise(h=0.0),
    "an equilibrium under tau of nan": lambda: sim().equilibrium(tau=[NAN, 0]),
    "an ik target that is no unit quaternion": lambda: sim().inverse_kinematics({"lower": [0, 0, 0, 0, 0, 0, 0]}),
    "an ik target of nobody": lambda: sim().inverse_kinematics({"foot": [0, 0, 0]}),
    "a drag to nan": lambda: sim().drag("lower", None, [NAN, 0, 0]),
    "a sample of zero": lambda: sim().run(0.1, sample=0.0),
    "a step by another name": lambda: sim().step(m=3),
    "two numbers of steps": lambda: sim().step(1, 2),
    "steps of None": lambda: sim().step(None),
    "a simulation that was not made": lambda: catena.Simulation.__new__(catena.Simulation).step(),
    "a step of nobody": lambda: catena.Simulation.step(3),
    "a report made by hand": lambda: catena.StepReport(),
    "a recording that is none": lambda: catena.Recording.load(example("four_bar")),
    "a recording of nothing": lambda: catena.Recording.load("nowhere.npz"),
    "a sparse matrix of the wrong shape": lambda: catena.solve(Sparse((3, 2)), np.zeros(2)),
    "a problem without b": lambda: catena.solve(np.eye(2)),
    "a problem file that is not there": lambda: catena.solve("nowhere.json"),
    "a block without rows": lambda: catena.solve(np.eye(2), np.zeros(2), blocks=[{"law": "free", "size": 0}]),
    "a page at no port": lambda: catena.view(sim(), port=-1, open=False),
    "a walker that is nowhere": lambda: catena.gym.Walker("nowhere.xml"),
    "an action of the wrong size": lambda: catena.gym.CartPole().step([1, 2]),
    "an action of nan": lambda: catena.gym.CartPole().step([NAN]),
}


@pytest.mark.parametrize("what", WRONG)
def test_is_refused_with_a_sentence(what):
    with pytest.raises((*ERRORS, pickle.UnpicklingError, EOFError)) as caught:
        WRONG[what]()
    assert str(caught.value)


def test_there_are_sixty_of_them():
    assert len(WRONG) >= 60


def test_nan_written_into_a_view_is_found_at_the_next_step():
    s = sim()
    s.tau[0] = NAN
    with pytest.raises(catena.InputError, match="not finite"):
        s.step()
    s.tau[0] = 0
    assert s.step().ok


def test_handles_outlive_the_name_of_their_simulation():
    joint, body = sim().joint("elbow"), sim().body("lower")
    assert joint.q.shape == (1,) and body.position.shape == (3,)
