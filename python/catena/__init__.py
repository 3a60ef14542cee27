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
    SiteHandle,
    State,
    StepReport,
    __version__,
    _load,
    solve,
)
from . import analysis as _analysis
from . import batch as _batch
from . import recording as _recording
from .builder import ModelBuilder
from .control import PD, PID, ComputedTorque
from .ensemble import ensemble
from .recording import Recording
from .settings import Settings
from .viewer import Viewer, view

__all__ = [
    "Batch", "BodyHandle", "ComputedTorque", "InputError", "JointHandle", "Model", "ModelBuilder", "PD", "PID", "ProblemError",
    "Recording", "STATUS", "Scene", "Settings", "Simulation", "SiteHandle", "State", "StepReport", "Viewer", "ensemble", "equilibrium",
    "inverse_kinematics", "linearise", "load", "solve", "view",
]


def load(source, overrides=(), *, keyframe="", floating=False, packages=None, softness="rigid", missing_meshes="fail", strict=False):
    """The scene of a file (path-like) or of a text: .yaml, .json, .urdf, .sdf, .xml (MJCF), .usda.

    overrides: assignments "a.b.c=VALUE" made before the scene is understood. keyframe: the named state to start from. Of robot files:
    floating: the base of a URDF is free; packages: {"NAME": folder} of package://NAME; softness: "rigid" or "mujoco"; missing_meshes:
    "fail" or "skip"; strict: refuse a file whose physics was ignored in part. Raises InputError with file:line:column.
    """
    for key, value, known in (("softness", softness, ("rigid", "mujoco")), ("missing_meshes", missing_meshes, ("fail", "skip"))):
        if value not in known:
            raise InputError(f"load: {key}={value!r}: it takes one of: {', '.join(known)}")
    options = {
        "keyframe": str(keyframe or ""), "floating": bool(floating), "mujoco_softness": softness == "mujoco",
        "packages": {str(name): str(folder) for name, folder in (packages or {}).items()}, "skip_missing_meshes": missing_meshes == "skip",
    }
    return _load(str(source), [str(each) for each in overrides], options, bool(strict))


equilibrium = _analysis.equilibrium
linearise = _analysis.linearise
inverse_kinematics = _analysis.inverse_kinematics

Batch.rollout = _batch.rollout
Simulation.run = _recording.run
Simulation.equilibrium = _analysis.equilibrium
Simulation.linearise = _analysis.linearise
Simulation.inverse_kinematics = _analysis.inverse_kinematics
Simulation._repr_html_ = _recording.simulation_html
Simulation.__reduce__ = _recording.reduce_simulation


def __getattr__(name):
    if name in ("gym", "program"):  # not every program needs them
        import importlib

        return importlib.import_module("." + name, __name__)
    raise AttributeError(f"module 'catena' has no attribute {name!r}")
