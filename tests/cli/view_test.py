#!/usr/bin/env python3
"""catena view from outside: who is let in, what is answered to nonsense, and that nobody stalls the simulation."""
import base64
import json
import os
import re
import signal
import socket
import struct
import subprocess
import time
import zlib

from program import EXAMPLES, PENDULUM, ProgramTest, main


def request(port, target, headers=(), method="GET", host=None):
    """The status and the body of one HTTP request."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        lines = [f"{method} {target} HTTP/1.1", f"Host: {host or f'127.0.0.1:{port}'}", *headers, "", ""]
        connection.sendall("\r\n".join(lines).encode())
        data = b""
        while chunk := connection.recv(65536):
            data += chunk
    head, _, body = data.partition(b"\r\n\r\n")
    return int(head.split()[1]), head.decode("latin1"), body


def replay_header(page):
    """The JSON in front of the run that a page carries."""
    run = re.search(rb'<script id="catena-run"[^>]*>([^<]*)</script>', page)[1]
    data = zlib.decompress(base64.b64decode(run))
    return json.loads(data[4 : 4 + struct.unpack("<I", data[:4])[0]])


class Socket:
    """A WebSocket that says what it is told to say, well formed or not."""

    def __init__(self, port, token, origin=None, host=None):
        self.connection = socket.create_connection(("127.0.0.1", port), timeout=20)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET /live?token={token} HTTP/1.1", f"Host: {host or f'127.0.0.1:{port}'}", "Upgrade: websocket", "Connection: Upgrade"]
        lines += [f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13"] + ([f"Origin: {origin}"] if origin else [])
        self.connection.sendall("\r\n".join(lines + ["", ""]).encode())
        self.data = b""
        while b"\r\n\r\n" not in self.data:
            chunk = self.connection.recv(65536)
            if not chunk:
                break
            self.data += chunk
        head, _, self.data = self.data.partition(b"\r\n\r\n")
        self.status = int(head.split()[1])

    def send(self, payload, opcode=1):
        if isinstance(payload, dict):
            payload = json.dumps(payload).encode()
        mask = os.urandom(4)
        head = bytes([0x80 | opcode])
        if len(payload) < 126:
            head += bytes([0x80 | len(payload)])
        elif len(payload) < 65536:
            head += bytes([0x80 | 126]) + struct.pack(">H", len(payload))
        else:
            head += bytes([0x80 | 127]) + struct.pack(">Q", len(payload))
        self.connection.sendall(head + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(payload)))

    def _need(self, count):
        while len(self.data) < count:
            chunk = self.connection.recv(1 << 20)
            if not chunk:
                raise EOFError
            self.data += chunk
        out, self.data = self.data[:count], self.data[count:]
        return out

    def receive(self):
        """(opcode, payload) of the next frame."""
        first, second = self._need(2)
        length = second & 127
        if length == 126:
            length = struct.unpack(">H", self._need(2))[0]
        elif length == 127:
            length = struct.unpack(">Q", self._need(8))[0]
        return first & 15, self._need(length)

    def until(self, wanted, seconds=20):
        """The first JSON message or time of a frame for which wanted() holds."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            opcode, payload = self.receive()
            message = json.loads(payload) if opcode == 1 else struct.unpack("<d", payload[16:24])[0] if opcode == 2 else None
            if message is not None and wanted(message):
                return message
        raise AssertionError("it did not come")

    def error(self):
        return self.until(lambda m: isinstance(m, dict) and m.get("type") == "error")["message"]

    def time(self, after=-1.0):
        return self.until(lambda m: isinstance(m, float) and m > after)

    def close(self):
        self.connection.close()


def knock(*arguments, **options):
    """The status a WebSocket is answered with."""
    visitor = Socket(*arguments, **options)
    visitor.close()
    return visitor.status


class View(ProgramTest):
    def view(self, *arguments):
        self.process = subprocess.Popen([self.catena, "view", "--quiet", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder)
        self.addCleanup(self.end)
        address = self.process.stdout.readline().strip()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]{32})", address)
        self.assertIsNotNone(found, address)
        self.port, self.token = int(found[1]), found[2]
        return self.port, self.token

    def end(self):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(timeout=20)
        self.process.stdout.close()
        self.process.stderr.close()

    def still_runs(self):
        watcher = Socket(self.port, self.token)
        self.assertEqual(watcher.status, 101)
        watcher.send({"type": "play"})
        watcher.time(after=watcher.time() + 0.05)
        watcher.close()
        self.assertIsNone(self.process.poll())

    def test_only_the_right_host_origin_and_token_come_in(self):
        port, token = self.view(self.write(PENDULUM))
        status, head, body = request(port, f"/?token={token}")
        self.assertEqual(status, 200)
        self.assertIn(b"<div id=\"catena\">", body)
        self.assertIn("Content-Security-Policy: default-src 'none'", head)
        self.assertEqual(request(port, f"/?token={token}", host=f"localhost:{port}")[0], 200)
        for target in ("/", "/?token=", f"/?token={token[:-1]}", f"/?token={'0' * 32}", f"/?t={token}", "/live"):
            self.assertEqual(request(port, target)[0], 403, target)
        for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", f"127.0.0.1.evil.example:{port}", "127.0.0.1:1"):
            self.assertEqual(request(port, f"/?token={token}", host=host)[0], 403, host)
        for origin in ("http://evil.example", "null", f"https://127.0.0.1:{port}", f"http://127.0.0.1:{port}.evil.example"):
            self.assertEqual(request(port, f"/?token={token}", [f"Origin: {origin}"])[0], 403, origin)
            self.assertEqual(knock(port, token, origin=origin), 403, origin)
        self.assertEqual(knock(port, "0" * 32), 403)
        self.assertEqual(knock(port, token, host="evil.example"), 403)
        self.assertEqual(knock(port, token, origin=f"http://127.0.0.1:{port}"), 101)
        self.assertEqual(request(port, f"/other?token={token}")[0], 404)
        self.assertEqual(request(port, f"/?token={token}", method="DELETE")[0], 405)
        with self.assertRaises(OSError):  # nobody answers but on loopback
            address = next((info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET) if not info[4][0].startswith("127.")), None)
            if address is None:
                raise OSError("this machine has no other address")
            socket.create_connection((address, port), timeout=2)
        self.still_runs()

    def test_nonsense_gets_an_error_and_nothing_else(self):
        port, token = self.view(self.write(PENDULUM))
        watcher = Socket(port, token)
        for message in (b"", b"x", b"[]", b"{}", b'{"type":"fly"}', b'{"type":"drag","body":9,"point":[0,0,0],"target":[0,0,0]}', b'{"type":"speed","value":1e999}', b"[" * 4000):
            watcher.send(message)
            self.assertNotEqual(watcher.error(), "")
        watcher.send(b'{"type":"play"}', opcode=2)
        self.assertIn("text", watcher.error())
        watcher.send({"type": "step"})  # and what is well formed is obeyed
        self.assertAlmostEqual(watcher.time(after=0), 1e-3, places=9)
        watcher.close()
        garbage = socket.create_connection(("127.0.0.1", port), timeout=5)
        garbage.sendall(os.urandom(4096))
        garbage.close()
        self.still_runs()

    def test_oversized_messages_and_headers_end_the_connection_only(self):
        port, token = self.view(self.write(PENDULUM))
        watcher = Socket(port, token)
        watcher.send(b"x" * 5000)
        with self.assertRaises((EOFError, OSError)):
            while watcher.receive()[0] != 8:
                pass
            raise EOFError  # a close frame is as good
        watcher.close()
        try:
            answer = request(port, f"/?token={token}", [f"X-Long: {'y' * 20000}"])[0]
        except (OSError, IndexError):
            answer = 0
        self.assertNotEqual(answer, 200)
        self.still_runs()

    def test_too_many_messages_are_refused(self):
        port, token = self.view(self.write(PENDULUM))
        watcher = Socket(port, token)
        for _ in range(600):
            watcher.send({"type": "speed", "value": 1})
        self.assertIn("too many", watcher.error())
        watcher.close()
        self.still_runs()

    def test_clients_that_vanish_or_do_not_read_stall_nobody(self):
        port, token = self.view(os.path.join(EXAMPLES, "tree127.yaml"))
        asleep = [Socket(port, token) for _ in range(3)]  # they never read
        asleep[0].send({"type": "speed", "value": 0})
        asleep[0].send({"type": "play"})
        gone = Socket(port, token)
        gone.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        gone.close()  # a reset, without a word
        watcher = Socket(port, token)
        first = watcher.time()
        self.assertGreater(watcher.time(after=first + 0.3), first)
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
            self.assertLess(int(file.read().split()[1]) * 4096, 1 << 30)  # what is not read is not kept
        for each in [*asleep, watcher]:
            each.close()
        self.still_runs()

    def test_requests_that_never_arrive_keep_nobody_out(self):
        port, token = self.view(self.write(PENDULUM))
        idle = []
        for i in range(80):  # more than there may be connections; some say half a request
            idle.append(socket.create_connection(("127.0.0.1", port), timeout=20))
            if i % 2 == 0:
                idle[-1].sendall(b"GET / HTTP/1.1\r\nHost: 127")
            if i % 20 == 19:  # while they hold on, everybody else is answered, at once
                self.assertEqual(request(port, f"/?token={token}")[0], 200)
                self.still_runs()
        for each in idle:
            each.close()
        self.still_runs()

    def test_pages_that_watch_are_bounded_and_leave_room_for_others(self):
        port, token = self.view(self.write(PENDULUM))
        watchers = [Socket(port, token) for _ in range(20)]
        self.assertEqual([w.status for w in watchers].count(101), 16)
        self.assertEqual({w.status for w in watchers}, {101, 503})
        self.assertEqual(request(port, f"/?token={token}")[0], 200)
        for each in watchers:
            each.close()
        for _ in range(100):  # a place is free as soon as the server has seen that one has left
            if knock(port, token) == 101:
                break
        self.still_runs()

    def test_two_pages_see_the_same_run(self):
        port, token = self.view(self.write(PENDULUM))
        one, other = Socket(port, token), Socket(port, token)
        one.send({"type": "step"})
        self.assertAlmostEqual(one.time(after=0), 1e-3, places=9)
        self.assertAlmostEqual(other.time(after=0), 1e-3, places=9)
        other.send({"type": "reset"})
        one.until(lambda m: m == 0.0)
        one.close()  # without a word
        other.send({"type": "step"})
        self.assertAlmostEqual(other.time(after=0), 1e-3, places=9)
        other.close()
        self.still_runs()

    def test_recordings_are_served_as_replays(self):
        scene = self.write(PENDULUM)
        for name in ("run.h5", "run.csv"):
            self.good("simulate", scene, "--out", self.path(name), "--quiet")
            port, token = self.view(self.path(name))
            self.assertIn(b"catena-run", request(port, f"/?token={token}")[2])
            self.assertEqual(knock(port, token), 404)
            self.end()
        self.assertIn("cannot be read", self.bad("view", self.path("none.h5")))

    def test_a_port_that_is_taken_is_said(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            self.assertIn("cannot be had", self.bad("view", self.write(PENDULUM), "--port", str(taken.getsockname()[1])))
        self.assertIn("--port", self.bad("view", self.write(PENDULUM), "--port", "70000"))

    def test_a_signal_ends_it_well(self):
        for sign in (signal.SIGINT, signal.SIGTERM):
            self.view(self.write(PENDULUM))
            self.process.send_signal(sign)
            self.assertEqual(self.process.wait(timeout=20), 0)
            self.end()

    def test_a_signal_ends_it_whatever_it_computes(self):
        port, token = self.view(self.write(PENDULUM))
        watcher = Socket(port, token)
        watcher.send({"type": "settings", "step": 0.1})
        watcher.send({"type": "ghost", "on": True, "step": 1e-6})
        watcher.send({"type": "speed", "value": 0})
        watcher.send({"type": "play"})
        watcher.time(after=0)
        self.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.process.wait(timeout=20), 0)
        watcher.close()

    def test_pages_steer_while_others_flood_vanish_and_send_nonsense(self):
        from view_soak import Soak  # which takes its clients from here

        self.assertEqual(Soak(self.catena, self.write(PENDULUM), seconds=5).run(), 0)

    def test_a_recording_is_shown_as_it_was_run(self):
        scene = self.write(PENDULUM)
        self.good("simulate", scene, "--out", self.path("run.h5"), "--out", self.path("run.html"), "--quiet", "--step", "2e-3",
                  "--set", "bodies.rod.mass=7", "--method", "spook", "--solver", "direct")
        port, token = self.view(self.path("run.h5"))
        with open(self.path("run.html"), "rb") as file:
            pages = [request(port, f"/?token={token}")[2], file.read()]
        for page in pages:
            header = replay_header(page)
            self.assertEqual(header["scene"]["bodies"][0]["mass"], 7)
            self.assertEqual(header["scene"]["run"]["step"], 2e-3)
            self.assertEqual(header["scene"]["run"]["method"], "spook")
            self.assertEqual(header["info"]["overrides"], ["bodies.rod.mass=7"])
            self.assertEqual(header["info"]["settings"]["contact_solver"], "direct")
            self.assertRegex(header["info"]["catena"], r"^\d+\.\d+")
            self.assertRegex(header["info"]["date"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")


if __name__ == "__main__":
    main()
