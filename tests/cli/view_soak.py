#!/usr/bin/env python3
"""The live page over a long time: two pages watch and steer while others send nonsense, vanish, flood or never finish a request.

    view_soak.py --catena build/catena --seconds 3600 [--scene examples/strandbeest.yaml]

Nobody is kept waiting for more than a few seconds, what the server holds does not grow, and a signal ends it well. Prints what it saw and ends with exit
code 1 where that does not hold.
"""
import argparse
import os
import random
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

from view_test import Socket, request

PAUSE = 0.05  # s between two visits of a vandal: a soak is long, not hot
LONGEST_WAIT = 10.0  # s for a page to see the run go on
GROWTH = 64 << 20  # bytes that the server may hold more of in the last third of the time than in the second


class Soak:
    def __init__(self, catena, scene, seconds):
        self.process = subprocess.Popen([catena, "view", "--quiet", scene], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]{32})", self.process.stdout.readline().strip())
        self.port, self.token = int(found[1]), found[2]
        self.end = time.monotonic() + seconds
        self.seconds = seconds
        self.lock = threading.Lock()
        self.seen = {"frames": 0, "commands": 0, "visits": 0, "refused": 0, "longest wait, s": 0.0}
        self.wrong = []

    def goes_on(self):
        return time.monotonic() < self.end and self.process.poll() is None

    def count(self, what, value=1):
        with self.lock:
            self.seen[what] += value

    def waited(self, seconds):
        with self.lock:
            self.seen["longest wait, s"] = max(self.seen["longest wait, s"], seconds)
        if seconds > LONGEST_WAIT:
            self.fail(f"a page waited {seconds:.1f} s")

    def fail(self, what):
        with self.lock:
            self.wrong.append(what)

    # What a person does; every page is shown its first frame soon after it asks for one.
    def page(self, seed):
        chance = random.Random(seed)
        while self.goes_on():
            try:
                began = time.monotonic()
                watcher = Socket(self.port, self.token)
                if watcher.status != 101:
                    self.count("refused")
                    time.sleep(1)
                    continue
                watcher.send({"type": "play"})
                watcher.time()
                self.waited(time.monotonic() - began)
                for _ in range(chance.randrange(5, 50)):
                    if not self.goes_on():
                        break
                    watcher.send(self.command(chance))
                    watcher.send({"type": "play"})
                    self.count("commands")
                    watcher.time()
                    self.count("frames")
                    time.sleep(PAUSE)
                watcher.close()
            except (EOFError, OSError, AssertionError, struct.error) as error:
                if self.goes_on():
                    self.fail(f"a page was left: {error!r}")

    @staticmethod
    def command(chance):
        point = [chance.uniform(-1, 1) for _ in range(3)]
        return chance.choice([
            {"type": "step"}, {"type": "pause"}, {"type": "reset"}, {"type": "speed", "value": chance.choice([0.1, 1, 2])},
            {"type": "seek", "time": chance.uniform(0, 3)}, {"type": "drag", "body": 0, "point": [0, 0, 0], "target": point}, {"type": "release"},
            {"type": "settings", "method": chance.choice(["spook", "operational", "lagrange", "impulse"])},
            {"type": "ghost", "on": chance.random() < 0.3}, {"type": "control", "index": chance.randrange(4), "value": chance.uniform(-1, 1)},
            {"type": "parameter", "index": chance.randrange(4), "value": chance.uniform(0.1, 2)}])

    # Nonsense, floods, half requests and clients that are gone without a word.
    def vandal(self, seed):
        chance = random.Random(seed)
        while self.goes_on():
            try:
                chance.choice([self.garbage, self.half, self.vanish, self.flood, self.nonsense, self.outsider])(chance)
            except (EOFError, OSError, IndexError, struct.error):
                pass  # being thrown out is what a vandal may expect
            self.count("visits")
            time.sleep(PAUSE)

    def garbage(self, chance):
        with socket.create_connection(("127.0.0.1", self.port), timeout=5) as connection:
            connection.sendall(chance.randbytes(chance.randrange(1, 5000)))

    def half(self, chance):
        with socket.create_connection(("127.0.0.1", self.port), timeout=5) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: 127"[: chance.randrange(1, 27)])
            time.sleep(chance.uniform(0, 1))

    def vanish(self, chance):
        gone = Socket(self.port, self.token)
        for _ in range(chance.randrange(3)):
            gone.receive()
        gone.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        gone.close()

    def flood(self, _chance):
        visitor = Socket(self.port, self.token)
        for _ in range(600):
            visitor.send({"type": "speed", "value": 1})
        visitor.close()

    def nonsense(self, chance):
        visitor = Socket(self.port, self.token)
        for _ in range(10):
            visitor.send(chance.randbytes(chance.randrange(0, 300)), opcode=chance.choice([0, 1, 2, 3, 8, 9, 10, 15]))
        visitor.close()

    def outsider(self, _chance):
        status = request(self.port, "/?token=" + "0" * 32)[0]
        if status != 403:
            self.fail(f"a wrong token was answered with {status}")

    def resident(self):
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")

    def run(self):
        threads = [threading.Thread(target=self.page, args=(i,)) for i in range(2)] + [threading.Thread(target=self.vandal, args=(10 + i,)) for i in range(2)]
        for each in threads:
            each.start()
        held = [[], [], []]
        while self.goes_on():
            third = min(2, int(3 * (1 - (self.end - time.monotonic()) / self.seconds)))
            held[third].append(self.resident())
            time.sleep(min(5, max(0.1, self.seconds / 60)))
        ended_by_itself = self.process.poll()
        self.end = 0
        if ended_by_itself is None:
            self.process.send_signal(signal.SIGTERM)
            if self.process.wait(timeout=30) != 0:
                self.fail(f"a signal ended it with exit code {self.process.returncode}")
        else:
            self.fail(f"the server ended by itself with exit code {ended_by_itself}")
        for each in threads:
            each.join(timeout=60)
        self.process.stdout.close()
        most = [max(part, default=0) for part in held]
        if most[1] and most[2] > most[1] + GROWTH:
            self.fail(f"memory grew from {most[1] >> 20} to {most[2] >> 20} MB")
        for what, value in self.seen.items():
            print(f"{what:20} {value:.3g}" if isinstance(value, float) else f"{what:20} {value}")
        print("most memory, MB      " + ", ".join(str(m >> 20) for m in most) + "   (by thirds of the time)")
        for what in self.wrong[:20]:
            print("failed: " + what)
        return 1 if self.wrong else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--catena", required=True)
    parser.add_argument("--scene", required=True)
    parser.add_argument("--seconds", type=float, default=3600)
    options = parser.parse_args()
    sys.exit(Soak(options.catena, options.scene, options.seconds).run())
