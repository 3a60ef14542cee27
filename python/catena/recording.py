"""Runs and what is kept of them."""

import os
import sys
import time as _clock

import numpy as np

from . import _catena
from ._catena import InputError, Simulation

_FILMS = (".mp4", ".webm", ".gif", ".png")


class Recording:
    """Rows of numbers with names: rec["foot.z"] is an array over rec.time.

    names: of the columns; data: (rows, columns) float64; status and message: how the run ended; worst: the largest residual, drift [m],
    complementarity and penetration [m] of all its steps; scene and settings: what was run. It pickles.
    """

    def __init__(self, names, rows, scene=None, settings=None, status="ok", message="", worst=None, poses=None):
        self.names = list(names)
        self.data = np.asarray(rows, dtype=float).reshape(-1, len(self.names))
        self.scene, self.settings, self.status, self.message = scene, settings, status, message
        self.worst = dict(worst or {})
        self._poses = poses  # names and rows of what the page needs, where not all columns were kept
        self._index = {name: i for i, name in enumerate(self.names)}

    @staticmethod
    def load(file):
        """A recording of a file: .h5 and .csv, as `catena simulate --out` writes them, or .npz as save() does."""
        file = os.fspath(file)
        if file.endswith(".npz"):
            try:
                with np.load(file) as held:
                    return Recording([str(name) for name in held["names"]], held["data"])
            except (OSError, KeyError, ValueError) as error:
                raise InputError(f"{file}: this is no recording: {error}") from None
        return Recording(*_catena._read_recording(file))

    @property
    def time(self):
        return self["time"]

    @property
    def ok(self):
        return self.status == "ok"

    def __getitem__(self, name):
        if name not in self._index:
            near = [each for each in self.names if str(name).lower() in each.lower()][:5]
            raise KeyError(f"no column '{name}'" + (f"; there are {', '.join(near)}" if near else ""))
        return self.data[:, self._index[name]]

    def __contains__(self, name):
        return name in self._index

    def __iter__(self):
        return iter(self.names)

    def __len__(self):
        return len(self.data)

    def __repr__(self):
        return f"<catena.Recording: {len(self)} rows, {len(self.names)} columns, status {self.status}>"

    def to_pandas(self):
        """A DataFrame with the time as its index."""
        import pandas

        return pandas.DataFrame(self.data, columns=self.names).set_index("time")

    def plot(self, *names, axes=None):
        """Draws columns over time (matplotlib); "energy" stands for kinetic, potential and their sum. Returns the axes."""
        import matplotlib.pyplot as plt

        for name in names:  # before a figure is made
            if name != "energy":
                self[name]
        axes = axes if axes is not None else plt.subplots()[1]
        for name in names:
            if name == "energy":
                kinetic, potential = self["energy.kinetic"], self["energy.potential"]
                for label, values in (("kinetic", kinetic), ("potential", potential), ("sum", kinetic + potential)):
                    axes.plot(self.time, values, label=label)
                axes.set_ylabel("energy, J")
            else:
                axes.plot(self.time, self[name], label=name)
        axes.set_xlabel("time, s")
        if names:
            axes.legend()
        return axes

    def save(self, file):
        """Writes it, by the ending of the name: .csv and .npz (all columns); .h5 (the scene, too); .html, the page that plays it; .glb for
        Blender; .mp4, .webm, .gif or .png (the first moment), which the program `catena` draws with chromium and ffmpeg.
        """
        file = os.fspath(file)
        if file.endswith(".npz"):
            np.savez(file, names=np.array(self.names), data=self.data)
        elif file.endswith(".csv") and self.scene is None:
            np.savetxt(file, self.data, fmt="%.17g", delimiter=",", header=",".join(self.names), comments="")
        elif file.endswith((".csv", ".h5", ".hdf5")):
            self._write(file, self.names, self.data)
        elif file.endswith((".html", ".glb")):
            self._write(file, *(self._poses or (self.names, self.data)))
        elif file.endswith(_FILMS):
            self._film(file)
        else:
            raise InputError(f"{file}: a recording is written as .csv, .npz, .h5, .html, .glb, .mp4, .webm, .gif or .png")

    def _write(self, file, names, data):
        if self.scene is None:
            raise InputError(f"{file}: a recording without its scene is written as .csv or .npz")
        _catena._write_recording(file, self.scene, dict(self.settings or {}), names, np.ascontiguousarray(data))

    def _film(self, file):
        import tempfile

        from . import program

        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "run.html")
            self.save(page)
            program.run("render", page, "--out", os.path.abspath(file), "--quiet")

    def __getstate__(self):
        return {key: value for key, value in self.__dict__.items() if key != "_index"}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._index = {name: i for i, name in enumerate(self.names)}

    def _repr_html_(self):
        """In a notebook: the one-file replay inside the page, without a server."""
        import html
        import tempfile

        if self.scene is None or len(self) == 0:
            return html.escape(repr(self))
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "replay.html")
            self.save(file)
            with open(file, encoding="utf-8") as page:
                text = page.read()
        return f'<iframe srcdoc="{html.escape(text)}" style="width:100%;height:480px;border:0"></iframe>'


def simulation_html(sim):
    """In a notebook a simulation shows where it is."""
    return Recording(sim.columns(), [sim.row()], sim.scene, sim.settings)._repr_html_()


def _restored(scene, settings, state):
    sim = Simulation(scene, settings=settings)
    sim.state = state
    return sim


def reduce_simulation(sim):
    """A simulation pickles as its scene, settings and state; a function of on_step() stays behind."""
    return (_restored, (sim.scene, sim.settings, sim.state))


def _is_pose(names):
    """Which columns place the bodies: those of a position with all its parts, and the quaternions."""
    return [i for i, name in enumerate(names)
            if not name.startswith(("joint.", "sensor.", "ctrl.", "actuator.", "energy.", "drift.", "contacts."))
            and name.rsplit(".", 1)[-1] in ("x", "y", "z", "qw", "qx", "qy", "qz", "scale")]


class _Progress:
    """A line on stderr, renewed five times a second."""

    def __init__(self, begin, end):
        self.begin, self.end, self.started, self.shown = begin, end, _clock.monotonic(), _clock.monotonic()

    def show(self, time, last=False):
        now = _clock.monotonic()
        if not last and now - self.shown < 0.2:
            return
        self.shown = now
        done = (time - self.begin) / (self.end - self.begin) if self.end > self.begin else 1.0
        bar = "#" * round(30 * done)
        factor = (time - self.begin) / max(now - self.started, 1e-9)
        print(f"\r[{bar:30}] t = {time:.3f} of {self.end:.3f} s, {factor:.1f} times real time", end="\n" if last else "", file=sys.stderr,
              flush=True)


def _picked(names, record):
    """Places of the columns to keep, the time first, and of those that place the bodies where not all are kept."""
    if record is None:
        return list(range(len(names))), None
    where = {name: i for i, name in enumerate(names)}
    unknown = [name for name in record if name not in where]
    if unknown:
        raise InputError(f"run: there is no column {unknown[0]!r} to record")
    return [0] + [where[name] for name in record if name != "time"], [0] + _is_pose(names)


def run(sim, duration, controller=None, record=None, sample=None, progress=False):
    """Runs for `duration` seconds and returns a Recording.

    controller: called with the simulation before every step, to set sim.tau and sim.ctrl. record: names of columns to keep; all when not
    given. sample: seconds between rows; 10 ms, or a step where that is longer. progress: a bar on stderr. Steps are whole ones whatever
    is recorded; a row is of the end of the step nearest to its time. Ctrl-C stops the run (KeyboardInterrupt); the simulation stays
    where it was then.
    """
    if not np.isfinite(duration) or duration < 0:
        raise InputError(f"run({duration}): a duration of at least 0 s is expected")
    if controller is not None and not callable(controller):
        raise InputError("run: the controller must be callable")
    if sample is not None and not (np.isfinite(sample) and sample > 0):
        raise InputError(f"run: sample={sample}: a time above 0 s is expected")
    names = sim.columns()
    picked, poses = _picked(names, record)
    step = sim.settings["step"]
    stride = max(1, round((sample if sample is not None else max(0.01, step)) / step))
    bar = _Progress(sim.time, sim.time + duration) if progress else None
    first = sim.row()
    rows, places, report = [first[picked]], [first[poses]] if poses else None, None
    worst = dict.fromkeys(("residual", "drift", "complementarity", "penetration"), 0.0)
    if controller is not None:
        sim.on_step(lambda: controller(sim))
    begin, adaptive = sim.time, sim.integrator == "adaptive"
    try:
        count = left = max(0, round(duration / step))
        while left > 0:
            done = min(stride, left)
            left -= done
            report = sim.advance_to(begin + (count - left) * step) if adaptive else sim.step(done)
            for key in worst:
                worst[key] = max(worst[key], getattr(report, key))
            if not report.ok:
                break
            row = sim.row()
            rows.append(row[picked])
            if poses:
                places.append(row[poses])
            if bar:
                bar.show(sim.time)
    finally:
        if controller is not None:
            sim.on_step(None)
        if bar:
            bar.show(sim.time, last=True)
    return Recording([names[i] for i in picked], rows, sim.scene, sim.settings, report.status if report is not None else "ok",
                     report.message if report is not None else "", worst, ([names[i] for i in poses], np.array(places)) if poses else None)
