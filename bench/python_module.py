#!/usr/bin/env python3
"""What the Python module costs:   PYTHONPATH=build/python python3 bench/python_module.py

Processor time, and of several runs the least, so that what else the machine does counts little; how fast threads are needs a machine that is idle.
"""

import gc
import os
import resource
import subprocess
import sys
import threading
import time

import catena

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def least(work, count, windows=400):
    """Seconds of processor time of one of `count` rounds of work(count)."""
    best = float("inf")
    for _ in range(windows):
        begin = time.process_time()
        work(count)
        best = min(best, time.process_time() - begin)
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
    """Two seconds on its feet, at 1 kHz, from one state: the mean of all steps, and of such runs the least."""
    sim = catena.Simulation(catena.load(os.path.join(ROOT, "tests", "data", "robots", "humanoid.xml")), step=1e-3)
    hold = catena.PD(400, 20, limit=150)
    sim.run(1.0, controller=hold, record=[])  # lands and stands
    start, q, v, tau = sim.state, sim.q, sim.v, sim.tau

    def law():
        tau[6:] = -400 * q[7:] - 20 * v[6:]

    for name, control in (("without a controller", None), ("a law of numpy", law), ("catena.PD", lambda: hold(sim))):
        best = float("inf")
        for _ in range(8):
            sim.state = start
            sim.on_step(control)
            begin = time.process_time()
            report = sim.step(2000)
            best = min(best, time.process_time() - begin)
            sim.on_step(None)
        print(f"humanoid at 1 kHz, {name}: {best * 500:.1f} us a step, {2 / best:.1f} times real time; {report.contacts} contacts, "
              f"trunk at {q[2]:.2f} m after it")


def parallel(work, number):
    """Wall-clock and processor time of the four works in `number` threads, and how often a thread waited for something."""
    parts = [threading.Thread(target=lambda own: [each() for each in own], args=(work[i::number],)) for i in range(number)]
    begin, used, waited = time.perf_counter(), time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw
    for part in parts:
        part.start()
    for part in parts:
        part.join()
    return time.perf_counter() - begin, time.process_time() - used, resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw - waited


def threads():
    """One thread and four, in turn. Processor time says whether threads wait for each other's memory or spin, whatever else the machine does."""
    scene = catena.load(os.path.join(ROOT, "examples", "stewart.yaml"))
    sims = [catena.Simulation(scene) for _ in range(4)]
    start = sims[0].state
    runs = {1: [], 4: []}
    for _ in range(12):
        for number in runs:
            for sim in sims:
                sim.state = start
            runs[number].append(parallel([lambda sim=sim: sim.step(2000) for sim in sims], number))
    wall, used, waits = ({number: min(run[k] for run in runs[number]) for number in runs} for k in (0, 1, 2))
    print(f"four simulations in four threads: {wall[1] / wall[4]:.2f} times as fast as in one on {os.cpu_count()} cores, "
          f"{used[4] / used[1]:.3f} times its processor time; waits {waits[4]}, in one {waits[1]}")


def importing():
    code = ("import time; a = time.perf_counter(); import numpy; b = time.perf_counter(); import catena; c = time.perf_counter()\n"
            "print(b - a, c - b)")
    runs = [[float(part) for part in subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()]
            for _ in range(20)]
    numpy, own = sorted(runs, key=sum)[len(runs) // 2]
    print(f"import catena: {(numpy + own) * 1e3:.0f} ms, {numpy * 1e3:.0f} of them numpy's (wall clock, the median of {len(runs)})")


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
