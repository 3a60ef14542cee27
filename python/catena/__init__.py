"""catena: articulated multibody dynamics in linear time.

    import catena
    scene = catena.load("robot.yaml")              # a path, or the text itself
    sim = catena.Simulation(scene, step=1e-3)      # sim.q, sim.v, sim.tau, sim.ctrl: arrays that show the simulation itself
    report = sim.step(100)                         # report.status, .residual, .drift
    rec = sim.run(2.0, controller=lambda sim: ...) # rec["foot.z"], rec.to_pandas(), rec.save("run.html")
    batch = catena.Batch(scene, 4096, threads=8)   # batch.q (n, nq), batch.step(k), batch.rollout(states, controls)

Lengths in m, angles in rad, times in s, forces in N; quaternions are w x y z. A Simulation belongs to one thread at a time;
different ones run side by side in threads, since steps release the interpreter's lock.
"""

from ._catena import (
    STATUS,
    Batch,
    BodyHandle,
    InputError,
    JointHandle,
    Model,
    ProblemError,
    Scene,
    Simulation,
    State,
    StepReport,
    __version__,
    solve,
)
from . import analysis as _analysis
from . import batch as _batch
from . import recording as _recording
from .builder import ModelBuilder
from .control import PD, PID, ComputedTorque
from .ensemble import ensemble
from .recording import Recording

__all__ = [
    "Batch", "BodyHandle", "ComputedTorque", "InputError", "JointHandle", "Model", "ModelBuilder", "PD", "PID", "ProblemError",
    "Recording", "STATUS", "Scene", "Simulation", "State", "StepReport", "ensemble", "equilibrium", "inverse_kinematics", "linearise", "load", "solve",
]


def load(source, overrides=()):
    """The scene of a file (path-like) or of a text with more than one line.

    overrides: assignments "a.b.c=VALUE" made before the scene is understood. Raises InputError with file:line:column.
    """
    return Scene(str(source), [str(each) for each in overrides])


equilibrium = _analysis.equilibrium
linearise = _analysis.linearise
inverse_kinematics = _analysis.inverse_kinematics

Batch.rollout = _batch.rollout
Simulation.run = _recording.run
Simulation.equilibrium = _analysis.equilibrium
Simulation.linearise = _analysis.linearise
Simulation.inverse_kinematics = _analysis.inverse_kinematics
Simulation._repr_html_ = _recording.simulation_html
