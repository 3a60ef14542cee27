"""The live page of a simulation, served on this machine by a process of its own."""

import os
import sys

from . import _catena
from ._catena import InputError

_CHILD = "from catena.viewer import _child; _child()"


class Viewer:
    """A live page: .address to open, .close() to end it. It ends with the program, too."""

    def __init__(self, sim, port=0):
        import pickle
        import subprocess

        environment = dict(os.environ)
        root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        environment["PYTHONPATH"] = os.pathsep.join([root, *filter(None, [environment.get("PYTHONPATH")])])
        # A session of its own: Ctrl-C at the prompt is not meant for it.
        self._process = subprocess.Popen([sys.executable, "-c", _CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment,
                                         start_new_session=True)
        try:
            pickle.dump((sim.scene, dict(sim.settings), sim.state, int(port)), self._process.stdin)
            self._process.stdin.flush()
            self.address = self._process.stdout.readline().decode().strip()
        except BrokenPipeError:
            self.address = ""
        if not self.address.startswith("http"):
            message = self.address
            self.close()
            raise InputError(f"view: {message or 'the page could not be served'}")

    def close(self):
        """Ends the page."""
        for stream in (self._process.stdin, self._process.stdout):
            try:
                stream.close()
            except OSError:
                pass
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(timeout=5)
            except Exception:  # it is in a long step
                self._process.kill()
                self._process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if hasattr(self, "_process"):
            self.close()

    def __repr__(self):
        return f"<catena.Viewer at {self.address}>"

    def _repr_html_(self):
        return f'<a href="{self.address}" target="_blank">{self.address}</a>'


def view(sim, port=0, open=True):
    """Opens the live page of a simulation in the browser: it goes on from the present state by itself, and can be paused, dragged and
    changed there; `sim` stays where it is. port: on 127.0.0.1; 0 takes a free one. open=False only serves it. Returns a Viewer.
    """
    viewer = Viewer(sim, port)
    if open:
        import webbrowser

        webbrowser.open(viewer.address)
    return viewer


def _child():
    """The process that serves: what to show comes through stdin, which closes when nobody wants to see it any more."""
    import pickle
    import threading

    stdin, out = sys.stdin.buffer, os.fdopen(os.dup(1), "w")

    def say(text):
        out.write(text + "\n")
        out.flush()

    scene, settings, state, port = pickle.load(stdin)
    threading.Thread(target=lambda: (stdin.read(), os._exit(0)), daemon=True).start()
    try:
        _catena._serve(scene, settings, state, port, say)
    except (InputError, OSError, RuntimeError) as error:
        say(str(error))
