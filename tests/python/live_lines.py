"""Shared parts of the tests of lines in real time: a small line, and programs at its ends."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable

import pytest
from celltrain.live import LiveLine, Refused, Settings
from celltrain.live.hosts import Hosts

#: A cell takes 424 us upstream; no packet of these tests finds the queue full.
LINE = """
[measure]
warm_up = "1 s"
duration = "4 s"
[hosts]
home = {}
office = {}
[links.up]
from = "home"
to = "office"
rate = "1 Mbit/s"
buffer = "3000 cells"
delay = "5 ms"
[links.down]
from = "office"
to = "home"
rate = "8 Mbit/s"
buffer = "3000 cells"
delay = "5 ms"
[vcs.vc]
route = ["home", "office"]
encapsulation = "vc-mux"
[flows.upload]
vc = "vc"
tcp = { preset = "plain", variant = "cubic", mss = "1460 bytes" }
"""

#: Sends UDP packets of 1500 octets to the server, which prints how many arrived, and the time from first to last in s.
PACKETS = 40
SENDER = f"""
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for n in range({PACKETS}):
    s.sendto(bytes(1472), ("server", 5000))
"""
RECEIVER = f"""
import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("0.0.0.0", 5000))
s.settimeout(20)
print("ready", flush=True)
times = []
try:
    while len(times) < {PACKETS}:
        s.recv(2000)
        times.append(time.monotonic())
        s.settimeout(1)
except TimeoutError:
    pass
print(len(times), times[-1] - times[0])
"""


def wait_until(condition: Callable[[], bool], what: str) -> None:
    """Wait for at most 30 s, and fail with ``what`` after that."""
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


def need_hosts() -> None:
    """Skip the test if the system does not allow it; CI counts skips."""
    try:
        Hosts(Settings()).close()
    except Refused as refusal:
        pytest.skip(f"NO LIVE TESTS: {refusal}")


def python(line: LiveLine, end: str, text: str) -> subprocess.CompletedProcess[str]:
    """Run Python at an end of the line."""
    return line.run(end, [sys.executable, "-c", text], capture_output=True, text=True, timeout=60)


def burst(line: LiveLine) -> tuple[int, float]:
    """Send packets upstream at once; return how many arrived, and over what time."""
    receiver = line.popen("server", [sys.executable, "-c", RECEIVER], stdout=subprocess.PIPE, text=True)
    assert receiver.stdout is not None
    assert receiver.stdout.readline() == "ready\n"
    sent = python(line, "client", SENDER)
    assert sent.returncode == 0, sent.stderr
    came, span = receiver.communicate(timeout=60)[0].split()
    return int(came), float(span)
