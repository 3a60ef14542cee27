"""Runs and what is kept of them."""

import base64
import csv
import html
import os
import subprocess
import sys
import time as _clock

import numpy as np

from ._catena import InputError


class Recording:
    """Rows of numbers with names: rec["foot.z"] is an array over rec.time."""

    def __init__(self, names, rows, report=None, scene=None):
        self.names = list(names)
        self.data = np.asarray(rows, dtype=float).reshape(-1, len(self.names))
        self.status = report.status if report is not None else "ok"
        self.message = report.message if report is not None else ""
        self._scene = scene
        self._index = {name: i for i, name in enumerate(self.names)}

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
        axes.legend()
        return axes

    def save(self, file):
        """.csv and .npz by themselves; .h5 and .html by running the scene's file again through the program `catena`."""
        file = os.fspath(file)
        if file.endswith(".csv"):
            with open(file, "w", newline="") as out:
                writer = csv.writer(out)
                writer.writerow(self.names)
                writer.writerows([[repr(x) for x in row] for row in self.data.tolist()])
        elif file.endswith(".npz"):
            np.savez(file, names=np.array(self.names), data=self.data)
        elif file.endswith((".html", ".h5")):
            from ._catena import write_recording

            if self._scene is None:
                raise InputError(f"{file}: a recording that was loaded or pickled has no scene to show; save .csv or .npz")
            write_recording(file, self._scene, self.data)
        else:
            raise InputError(f"{file}: a recording is written as .csv, .npz, .h5 or .html")

    def __getstate__(self):
        return {"names": self.names, "data": self.data, "status": self.status, "message": self.message}

    def __setstate__(self, state):
        self.__init__(state["names"], state["data"])
        self.status, self.message = state["status"], state["message"]

    def _repr_html_(self):
        """In a notebook: the one-file replay inside the page, without a server."""
        import tempfile

        if self._scene is None or len(self) == 0:
            return html.escape(repr(self))
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "replay.html")
            self.save(file)
            with open(file, "rb") as page:
                data = base64.b64encode(page.read()).decode()
        return f'<iframe src="data:text/html;base64,{data}" style="width:100%;height:480px;border:0"></iframe>'


def simulation_html(sim):
    return html.escape(repr(sim))


def run(sim, duration, controller=None, record=None, sample=None, progress=False):
    """Runs for `duration` seconds and returns a Recording.

    controller: called with the simulation before every step, to set sim.tau and sim.ctrl.
    record: names of columns to keep; all when not given. sample: seconds between rows; 10 ms, or a step where that is longer.
    Steps are whole ones whatever is recorded; a row is of the end of the step nearest to its time. Ctrl-C stops the run.
    """
    if not np.isfinite(duration) or duration < 0:
        raise InputError(f"run({duration}): a duration of at least 0 s is expected")
    if controller is not None and not callable(controller):
        raise InputError("run: the controller must be callable")
    names = sim.columns()
    if record is not None:
        unknown = [name for name in record if name not in names]
        if unknown:
            raise InputError(f"run: there is no column {unknown[0]!r} to record")
        picked = [0] + [names.index(name) for name in record if name != "time"]
    else:
        picked = list(range(len(names)))
    step = sim.settings["step"]
    stride = max(1, round((sample if sample is not None else max(0.01, step)) / step))
    begin, end = sim.time, sim.time + duration
    rows, report, shown = [sim.row()[picked]], None, _clock.monotonic()
    if controller is not None:
        sim.on_step(lambda: controller(sim))
    try:
        left = max(0, round(duration / step))
        while left > 0:
            report = sim.step(min(stride, left))
            left -= stride
            if not report.ok:
                break
            rows.append(sim.row()[picked])
            if progress and _clock.monotonic() - shown > 0.2:
                shown = _clock.monotonic()
                print(f"\rt = {sim.time:.3f} of {end:.3f} s", end="", file=sys.stderr, flush=True)
    finally:
        if controller is not None:
            sim.on_step(None)
        if progress:
            print(f"\rt = {sim.time:.3f} s after {sim.time - begin:.3f} s of motion", file=sys.stderr)
    scene = sim if record is None else None
    return Recording([names[i] for i in picked], rows, report, scene)
