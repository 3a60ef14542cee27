"""Models without a file: what is built here is a scene as a file would have it, checked by the same reader."""

import json
import math

from ._catena import InputError, Scene


def _plain(value, where):
    """Numbers, words and lists of them as JSON has them."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, (int, float)):
        if not math.isfinite(value):
            raise InputError(f"{where}: {value} is not finite")
        return value
    if isinstance(value, dict):
        return {str(key): _plain(each, f"{where}.{key}") for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each, where) for each in value]
    raise InputError(f"{where}: a {type(value).__name__} cannot be part of a scene")


class ModelBuilder:
    """ModelBuilder("arm").body("link", mass=1, inertia=[…], position=[…]).joint("pivot", "hinge", ["ground", "link"], …).build()

    Keywords are those of scene files (docs/reference/scene-format.md). Every function returns the builder.
    """

    def __init__(self, name="", gravity=None, dimension=None):
        self._scene = {"catena": 1, "bodies": {}, "joints": {}}
        if name:
            self._scene["name"] = str(name)
        if gravity is not None:
            self._scene["gravity"] = _plain(gravity, "gravity")
        if dimension is not None:
            self._scene["dimension"] = _plain(dimension, "dimension")

    def _add(self, section, name, fields):
        entries = self._scene.setdefault(section, {})
        if not isinstance(name, str) or not name:
            raise InputError(f"{section}: a name is expected")
        if name in entries:
            raise InputError(f"{section}: there is a '{name}' already")
        entries[name] = _plain(fields, name)
        return self

    def body(self, name, **fields):
        """mass or density, inertia, position, orientation, velocity, angular_velocity, shapes, kind."""
        return self._add("bodies", name, fields)

    def joint(self, name, kind, between, **fields):
        """anchor, axis, limits, damping, stiffness, motor, … ; between: two names, "ground" for the ground."""
        return self._add("joints", name, {"kind": kind, "between": list(between), **fields})

    def material(self, name, **fields):
        """friction, restitution, rolling, torsion."""
        return self._add("materials", name, fields)

    def ground(self, *shapes):
        """Shapes of the ground, such as {"plane": {"normal": [0, 0, 1]}}."""
        self._scene.setdefault("ground", {"shapes": []})["shapes"] += [_plain(shape, "ground") for shape in shapes]
        return self

    def force(self, body, **fields):
        self._scene.setdefault("forces", []).append(_plain({"body": body, **fields}, "force"))
        return self

    def spring(self, between, **fields):
        self._scene.setdefault("springs", []).append(_plain({"between": list(between), **fields}, "spring"))
        return self

    def actuator(self, joint, kind, **fields):
        self._scene.setdefault("actuators", []).append(_plain({"joint": joint, "kind": kind, **fields}, "actuator"))
        return self

    def set(self, **sections):
        """Any other section of a scene file, such as simulate={"step": 1e-3} or defaults={"friction": 0.4}."""
        for key, value in sections.items():
            self._scene[key] = _plain(value, key)
        return self

    def text(self):
        """The scene as text, which is also what a file would hold."""
        return json.dumps(self._scene, indent=1)

    def build(self):
        """The Scene. Raises InputError."""
        return Scene(self.text(), [])

    def __repr__(self):
        return f"<catena.ModelBuilder: {len(self._scene['bodies'])} bodies, {len(self._scene['joints'])} joints>"
