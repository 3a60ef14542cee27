#!/usr/bin/env python3
"""What the Python module costs:   PYTHONPATH=build/python python3 bench/python_module.py

Each figure is the least of many short windows, so that what else the machine does counts little; threads need a machine that is idle.
"""

import gc
import os
import subprocess
import sys
import threading
import time

import catena

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def least(work, count, windows=400):
    """Seconds of one of `count` rounds of work(count)."""
    best = float("inf")
    for _ in range(windows):
        begin = time.perf_counter()
        work(count)
        best = min(best, time.perf_counter() - begin)
    return best / count


def pendulum():
    return catena.ModelBuilder("pendulum").body("rod", mass=1.0, inertia=[0.1, 0.1, 0.01], position=[0, 0, -0.5]).joint(
        "pivot", "hinge", ["ground", "rod"], anchor=[0, 0, 0], axis=[0, 1, 0]).build()


def overhead():
    for method in ("operational", "lagrange"):
        sim = catena.Simulation(pendulum(), step=1e-5, method=method)

        def one_by_one(count):
            step = sim.step
            for _ in range(count):
                step()

        inside, outside = least(sim.step, 300), least(one_by_one, 300)
        views = sim.q, sim.v, sim.bodies.position
        held = least(one_by_one, 300)
        del views
        print(f"step() of a pendulum, {method}: {outside * 1e6:.2f} us, {(outside - inside) * 1e6:.2f} us more than in step(n); "
              f"{(held - inside) * 1e6:.2f} us with views held")


def humanoid():
    sim = catena.Simulation(catena.load(os.path.join(ROOT, "tests", "data", "robots", "humanoid.xml")), step=1e-3)
    start, hold = sim.state, catena.PD(50, 5, limit=40)

    def law():
        sim.tau[6:] = -50 * sim.q[7:] - 5 * sim.v[6:]

    for name, control in (("no controller", None), ("a law of numpy", law), ("catena.PD", lambda: hold(sim))):
        sim.state = start
        sim.on_step(control)
        step = least(sim.step, 10, 60)
        sim.on_step(None)
        print(f"humanoid at 1 kHz, {name}: {step * 1e6:.0f} us a step, {1e-3 / step:.1f} times real time")


def threads():
    scene = catena.load(os.path.join(ROOT, "examples", "stewart.yaml"))

    def wall(number):
        sims = [catena.Simulation(scene) for _ in range(4)]
        parts = [threading.Thread(target=lambda own: [sim.step(400) for sim in own], args=(sims[i::number],)) for i in range(number)]
        begin = time.perf_counter()
        for part in parts:
            part.start()
        for part in parts:
            part.join()
        return time.perf_counter() - begin

    one, four = min(wall(1) for _ in range(5)), min(wall(4) for _ in range(5))
    print(f"four simulations in four threads: {one / four:.2f} times as fast as in one, on {os.cpu_count()} cores")


def importing():
    code = "import time, numpy; t = time.process_time(); import catena; print(time.process_time() - t)"
    own = min(float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout) for _ in range(8))
    print(f"import catena: {own * 1e3:.0f} ms besides numpy")


def leak(steps):
    def resident():
        with open("/proc/self/statm", encoding="ascii") as numbers:
            return int(numbers.read().split()[1]) * 4

    sim = catena.Simulation(pendulum(), step=1e-5)
    for count in (20000, steps):
        gc.collect()
        before = resident()
        for _ in range(count):
            sim.step()
    gc.collect()
    print(f"memory after {steps:.0e} steps: {resident() - before} kB more")


if __name__ == "__main__":
    overhead()
    humanoid()
    importing()
    threads()
    leak(10**6)
