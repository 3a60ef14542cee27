"""Where the program `catena` is, which draws films."""

import os
import shutil
import subprocess


def find():
    """Its path: $CATENA_PROGRAM, beside this package, in the build folder it lies in, or on the PATH. None where it is not."""
    here = os.path.dirname(os.path.realpath(__file__)), os.path.dirname(os.path.abspath(__file__))
    places = [os.environ.get("CATENA_PROGRAM", "")]
    places += [os.path.join(folder, "catena-program") for folder in here]
    places += [os.path.join(folder, "..", "..", "catena") for folder in here]
    for place in places:
        if place and os.path.isfile(place) and os.access(place, os.X_OK):
            return place
    return shutil.which("catena")


def run(*words):
    """Runs it, and raises RuntimeError with what it says where it fails."""
    program = find()
    if program is None:
        raise RuntimeError("the program `catena` is not here; $CATENA_PROGRAM may name it")
    done = subprocess.run([program, *words], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip() or f"catena ended with {done.returncode}")
