"""Lines that are killed at any instant, flooded, or fed with packets that nobody should send."""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
from celltrain import RunError
from celltrain.live import LiveLine, open_line
from celltrain.live.hosts import DEVICE
from celltrain.live.system import sysctl
from live_lines import LINE, need_hosts, wait_until

#: How many lines are killed; `make test-all` kills 200.
KILLS = int(os.environ.get("CELLTRAIN_LINE_KILLS", "5"))
#: How much a line may grow under a flood.
MOST_KIB = 300 << 10


@pytest.fixture(scope="module", autouse=True)
def _hosts() -> None:
    need_hosts()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "line.toml"
    path.write_text(LINE)
    return path


def marked(mark: str) -> dict[int, str]:
    """Return the processes that inherited a mark in their environment, with their command lines."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if f"CELLTRAIN_MARK={mark}".encode() in (process / "environ").read_bytes().split(b"\0"):
                found[int(process.name)] = (process / "cmdline").read_text().replace("\0", " ")
        except OSError:
            continue
    return found


def parent_of(process: int) -> int:
    """Return the parent of a process; 0 if it has ended."""
    try:
        return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def is_over(mark: str) -> bool:
    """Return whether no process has the mark."""
    return not marked(mark)


def state_of_this_host() -> dict[str, object]:
    """Return what a line could leave behind on a host: devices, routes, mounts, names of namespaces, settings."""
    devices = [line.partition(":")[0].strip() for line in Path("/proc/net/dev").read_text().splitlines()[2:]]
    named = Path("/run/netns")
    keys = ("net.ipv4.tcp_congestion_control", "net.ipv4.ip_forward", "net.ipv6.conf.all.disable_ipv6")
    return {
        "devices": sorted(devices),
        "routes": Path("/proc/net/route").read_text(),
        "mounts": sorted(line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()),
        "namespaces": sorted(path.name for path in named.iterdir()) if named.is_dir() else [],
        "settings": [sysctl(key) for key in keys if Path("/proc/sys", *key.split(".")).exists()],
        "hosts": Path("/etc/hosts").read_bytes(),
    }


@pytest.mark.timeout(60 + 15 * KILLS)
def test_nothing_is_left_of_lines_that_were_killed_at_any_instant(file: Path, tmp_path: Path) -> None:
    before = state_of_this_host()
    seed = int(os.environ.get("CELLTRAIN_FAULTS_SEED", random.randrange(2**32)))
    print(f"instants of the kills: CELLTRAIN_FAULTS_SEED={seed}")
    chance = random.Random(seed)
    sleeps = "sleep 1000 & exec sleep 1000"
    command = [sys.executable, "-m", "celltrain", "shell", str(file), "--log", str(tmp_path / "log")]
    for number in range(KILLS):
        mark = f"{os.getpid()}-{seed}-{number}"
        process = subprocess.Popen(
            [*command, "--", "sh", "-c", sleeps],
            env=os.environ | {"CELLTRAIN_MARK": mark},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        time.sleep(chance.uniform(0, 2.5))
        # Either the process of the line, or the one that holds its hosts.
        holders = [
            each
            for each, says in marked(mark).items()
            if "celltrain.live.holder" in says and parent_of(each) == process.pid
        ]
        is_holder = bool(holders) and chance.random() < 0.3
        os.kill(holders[0] if is_holder else process.pid, signal.SIGKILL)
        if is_holder and chance.random() < 0.5:
            # Both at once, as when the memory of a machine is full.
            process.kill()
        process.wait()
        wait_until(partial(is_over, mark), f"all processes of line {number} end")
    assert state_of_this_host() == before


#: Sends for 2 s, as fast as it can, packets of every kind, most of them malformed, below and above IP.
ENEMY = """
import os, random, socket, struct, sys, time
chance = random.Random(int(sys.argv[1]))
raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
below = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM)
index = [index for index, name in socket.if_nameindex() if name != "lo"][0]
name = socket.if_indextoname(index)
server = socket.inet_aton(socket.gethostbyname("server"))
end, sent = time.monotonic() + 2, 0
while time.monotonic() < end:
    for _ in range(50):
        kind = chance.randrange(6)
        try:
            if kind == 0:  # A flood of small packets.
                udp.sendto(b"x", ("server", 9))
            elif kind == 1:  # A fragment of nothing.
                header = struct.pack("!BBHHHBBH", 0x45, 0, 28, 1, 0x2000 | chance.randrange(8192), 64, 17, 0)
                raw.sendto(header + server + server + os.urandom(8), ("server", 0))
            elif kind == 2:  # A header that says more than there is, or less.
                header = struct.pack("!BBHHHBBH", chance.randrange(256), 0, chance.randrange(65536), 0, 0, 64, 6, 0)
                below.sendto(header + server + server, (name, 0x0800))
            elif kind == 3:  # IPv6, and what is neither.
                below.sendto(bytes([0x60]) + os.urandom(60), (name, chance.choice([0x86DD, 0x0800, 0x88CC])))
            elif kind == 4:  # As long as a device lets through.
                below.sendto(bytes([0x45]) + os.urandom(chance.randrange(1500)), (name, 0x0800))
            else:  # Nothing, or nearly.
                below.sendto(os.urandom(chance.randrange(4)), (name, 0x0800))
            sent += 1
        except OSError:
            pass
print(sent)
"""
FRIEND = """
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("0.0.0.0", 7000))
s.settimeout(40)
while s.recv(100) != b"hello":
    pass
print("heard")
"""
CALLING = """
import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for _ in range(100):
    s.sendto(b"hello", ("server", 7000))
    time.sleep(0.1)
"""


def test_a_line_survives_floods_and_malformed_packets_in_bounded_memory(file: Path, tmp_path: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with open_line(file, log=tmp_path / "log") as line:
        enemy = line.popen("client", [sys.executable, "-c", ENEMY, "7"], stdout=subprocess.PIPE, text=True)
        sent, _ = enemy.communicate(timeout=60)
        assert enemy.returncode == 0
        assert int(sent) > 1_000
        assert line.is_up
        # Ordinary packets still cross.
        friend = line.popen("server", [sys.executable, "-c", FRIEND], stdout=subprocess.PIPE, text=True)
        calling = line.popen("client", [sys.executable, "-c", CALLING])
        assert friend.communicate(timeout=60)[0] == "heard\n"
        calling.wait(timeout=60)
    # What found no room was counted, here or in the kernel, and never kept: 1 Mbit/s takes a fraction of it.
    summary = line.summary
    assert summary.up.packets >= summary.up.packets_delivered
    assert summary.up.packets == (summary.up.packets_delivered + summary.up.packets_lost + summary.up.packets_inside)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MOST_KIB


def test_a_line_whose_device_goes_away_says_so_and_has_a_summary(file: Path) -> None:
    lines: list[LiveLine] = []

    def lose_the_device() -> None:
        with open_line(file) as line:
            lines.append(line)
            line.popen("client", ["ip", "link", "delete", DEVICE]).wait(timeout=30)
            wait_until(lambda: not line.is_up, "the line ends")

    with pytest.raises(RunError, match="a device of the line failed"):
        lose_the_device()
    assert lines[0].summary.duration_s > 0
