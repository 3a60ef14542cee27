"""What a run is asked to do: the `simulate:` block of a scene."""

from . import _catena


def _of(words):
    """The settings of words that have been checked."""
    out = Settings.__new__(Settings)
    dict.__init__(out, words)
    return out


class Settings(dict):
    """Settings(step=1e-3, method="spook"): every setting by its word, as a key and as an attribute; those not given have their defaults.

    Words and values are those of scene files (docs/reference/scene-format.md). Simulation(scene, settings=…) takes it. It copies, compares and
    pickles. Raises InputError for words and values there are not.
    """

    def __init__(self, given=None, **words):
        super().__init__(_catena._settings({**(given or {}), **words}))

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no setting '{name}'; there are {', '.join(self)}") from None

    def __setitem__(self, key, value):
        super().update(_catena._settings({**self, key: value}))

    def __setattr__(self, name, value):
        self[name] = value

    def __reduce__(self):
        return (_of, (dict(self),))

    def copy(self):
        return _of(self)

    def __repr__(self):
        return "<catena.Settings " + ", ".join(f"{key}={value!r}" for key, value in self.items()) + ">"
