"""TCP at the ends of a line: ``python -m celltrain.live.bulk send|receive SETTINGS``; results are JSON."""

from __future__ import annotations

import json
import math
import os
import random
import select
import socket
import struct
import sys
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from celltrain.live.tcp_info import TcpInfo

_WINDOW_CLAMP = 10
_SAMPLE_EVERY_S = 0.01
_CHUNK = 1 << 16
#: A program may wait this long for a core each time it wakes: as long as a packet may be late on a line that keeps its
#: times (``celltrain.live.summary.MAX_LATENESS_S``). One that wakes a thousand times a second on an idle machine waits
#: 3 % of the time, in parts of 30 us.
SHORT_WAIT_S = 200e-6


@dataclass(frozen=True)
class Files:
    """Files that are sent one after the other, each over its own connection, with a think time before each."""

    size: int
    think_s: float
    first_think_s: float | None = None
    #: Whether lengths and times are fixed; otherwise they are drawn, geometric and exponential.
    size_is_fixed: bool = False
    think_is_fixed: bool = False
    seed: int = 1


@dataclass(frozen=True)
class Bulk:
    """The data that a connection sends: as much as possible, as much as its application writes, or files."""

    address: str
    port: int
    #: Start and end of measurement, relative to the start.
    warm_up_s: float
    end_s: float
    congestion: str | None = None
    mss: int | None = None
    #: The largest window that the receiver offers.
    window: int | None = None
    send_buffer: int | None = None
    #: Whether both programs read the start, by ``time.monotonic()``, from their input after printing ``ready``;
    #: otherwise it is the instant at which the connection is established.
    waits: bool = False
    #: When it begins to send, relative to the start.
    start_s: float = 0.0
    #: Length of a write and of a read, and the rates of the applications.
    write: int = _CHUNK
    write_bps: float | None = None
    read: int = _CHUNK
    read_bps: float | None = None
    files: Files | None = None

    def as_argument(self) -> str:
        """Return it as an argument for the programs of this module."""
        return json.dumps(asdict(self))

    @classmethod
    def of_argument(cls, argument: str) -> Bulk:
        """Read such an argument."""
        told = json.loads(argument)
        files = told.pop("files")
        return cls(**told, files=Files(**files) if files else None)


def _socket(bulk: Bulk) -> socket.socket:
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if bulk.mss is not None:
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, bulk.mss)
    return made


class _Cores:
    """How long this process waited for a core within the measured time, beyond :data:`SHORT_WAIT_S` each time."""

    def __init__(self) -> None:
        self._last: tuple[float, int] | None = None
        self._waited_s = 0.0

    def look(self) -> None:
        """Read the kernel's counters; waits since the last look count if they are long for their number."""
        waited_s, times = _waited()
        if self._last is not None:
            before_s, before = self._last
            self._waited_s += max(0.0, waited_s - before_s - SHORT_WAIT_S * (times - before))
        self._last = (waited_s, times)

    def told(self) -> dict[str, Any]:
        """Return the time it waited for a core, in s, and whether it has priority over all ordinary programs."""
        return {"waited_s": self._waited_s, "is_prompt": os.sched_getscheduler(0) == os.SCHED_FIFO}


def _waited() -> tuple[float, int]:
    """Return for how long this thread was runnable but did not run, in s, and how often it got a core.

    Both are 0 if the kernel does not count them.
    """
    try:
        _, waited_ns, times = Path("/proc/thread-self/schedstat").read_text().split()
        return int(waited_ns) / 1e9, int(times)
    except (OSError, ValueError):
        return 0.0, 0


def receive(bulk: Bulk) -> dict[str, Any]:
    """Accept connections, one after the other, and count the data that arrive within the measured time."""
    zero, received, cores = None, 0, _Cores()
    with _socket(bulk) as listener:
        if bulk.window is not None:
            listener.setsockopt(socket.IPPROTO_TCP, _WINDOW_CLAMP, bulk.window)
        listener.bind((bulk.address, bulk.port))
        listener.listen(1)
        print("ready", flush=True)
        if bulk.waits:
            zero = float(sys.stdin.readline())
        while True:
            left_s = math.inf if zero is None else zero + bulk.end_s - time.monotonic()
            if left_s <= 0:
                break
            listener.settimeout(min(left_s, 30))
            try:
                connection, _ = listener.accept()
            except TimeoutError:
                if zero is None:
                    raise
                continue
            zero = time.monotonic() if zero is None else zero
            with connection:
                received += _take(connection, bulk, zero, cores)
            if bulk.files is None:
                break
    return {"bytes": received, "throughput_bps": 8 * received / (bulk.end_s - bulk.warm_up_s)} | cores.told()


def _take(connection: socket.socket, bulk: Bulk, zero: float, cores: _Cores) -> int:
    """Read all data of a connection; return how much arrived within the measured time."""
    connection.settimeout(bulk.end_s + 30)
    start, received, in_all, next_s = time.monotonic(), 0, 0, bulk.warm_up_s
    # A sender resets the connection at the end, so that data in its buffer need not cross the line.
    with suppress(ConnectionResetError):
        while chunk := connection.recv(bulk.read):
            elapsed = time.monotonic() - zero
            if bulk.warm_up_s <= elapsed < bulk.end_s:
                received += len(chunk)
                if elapsed >= next_s:
                    next_s = elapsed + _SAMPLE_EVERY_S
                    cores.look()
            in_all += len(chunk)
            if bulk.read_bps is not None:
                time.sleep(max(0.0, start + 8 * in_all / bulk.read_bps - time.monotonic()))
    return received


@dataclass
class _Seen:
    """The kernel's state of the connections within the measured time; instants count from the start."""

    times_s: list[float] = field(default_factory=list)
    srtts_s: list[float] = field(default_factory=list)
    cwnds_bytes: list[int] = field(default_factory=list)
    retransmitted: int = 0
    segments: int = 0
    transfers_s: list[float] = field(default_factory=list)
    congestion: str = ""
    #: Time with a connection, and parts of it: with data in flight, limited by the application, by the receiver's
    #: window and by the send buffer. The kernel counts in ticks of a few ms, so only the totals are accurate.
    looked_s: float = 0.0
    busy_s: float = 0.0
    application_limited_s: float = 0.0
    window_limited_s: float = 0.0
    buffer_limited_s: float = 0.0

    def add(self, at_s: float, since_s: float, before: TcpInfo, now: TcpInfo) -> None:
        """Record the changes of a connection between two samples, ``since_s`` apart."""
        self.times_s.append(at_s)
        # Before the first estimate the kernel says 0.
        self.srtts_s.append(now.srtt_us / 1e6 if now.srtt_us else math.nan)
        self.cwnds_bytes.append(now.cwnd * now.mss)
        self.retransmitted += now.retransmitted - before.retransmitted
        self.segments += now.segments - before.segments
        self.looked_s += since_s
        self.busy_s += (now.busy_us - before.busy_us) / 1e6
        self.window_limited_s += (now.window_limited_us - before.window_limited_us) / 1e6
        self.buffer_limited_s += (now.buffer_limited_us - before.buffer_limited_us) / 1e6
        # Samples are taken before writes, so a sample after a pause of this program shows the effect of the pause.
        if now.is_application_limited:
            self.application_limited_s += since_s


class _Connection:
    """A sending connection that is sampled every 10 ms."""

    def __init__(self, bulk: Bulk, zero: float | None, seen: _Seen, cores: _Cores) -> None:
        self._bulk, self._seen, self._cores = bulk, seen, cores
        self.socket = _socket(bulk)
        if bulk.congestion is not None:
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, bulk.congestion.encode())
        if bulk.send_buffer is not None:
            # The kernel doubles the given value for its own overhead.
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, bulk.send_buffer)
        self.socket.settimeout(30)
        self.socket.connect((bulk.address, bulk.port))
        self.socket.settimeout(_SAMPLE_EVERY_S)
        used = self.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16)
        seen.congestion = used.rstrip(b"\0").decode()
        self.zero = time.monotonic() if zero is None else zero
        self._last_s = time.monotonic() - self.zero
        self._before = TcpInfo.of(self.socket)

    def is_over(self) -> bool:
        """Whether the measured time has ended."""
        return time.monotonic() - self.zero >= self._bulk.end_s

    def look(self) -> None:
        """Sample the kernel's state, if the last sample is at least 10 ms old."""
        elapsed = time.monotonic() - self.zero
        if elapsed < self._last_s + _SAMPLE_EVERY_S:
            return
        now = TcpInfo.of(self.socket)
        if self._bulk.warm_up_s <= elapsed < self._bulk.end_s:
            since_s = elapsed - max(self._last_s, self._bulk.warm_up_s)
            self._seen.add(elapsed, since_s, self._before, now)
            self._cores.look()
        self._last_s, self._before = elapsed, now

    def send(self, octets: int | None) -> None:
        """Send this many octets, or forever, at the rate at which the application writes."""
        bulk, sent = self._bulk, 0
        start = time.monotonic()
        data = bytes(bulk.write)
        while (octets is None or sent < octets) and not self.is_over():
            if bulk.write_bps is not None:
                wait = start + 8 * sent / bulk.write_bps - time.monotonic()
                if wait > 0:
                    time.sleep(min(wait, _SAMPLE_EVERY_S))
                    self.look()
                    continue
            _, can_write, _ = select.select([], [self.socket], [], _SAMPLE_EVERY_S)
            self.look()
            if can_write:
                with suppress(TimeoutError):
                    sent += self.socket.send(data if octets is None else data[: octets - sent])

    def finish(self) -> bool:
        """Wait until the other end has everything and also closes; return whether it did in time."""
        self.socket.shutdown(socket.SHUT_WR)
        while not self.is_over():
            with suppress(TimeoutError):
                self.socket.recv(1)
                return True
            self.look()
        return False

    def break_off(self) -> None:
        """Close with a reset."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


def send(bulk: Bulk) -> dict[str, Any]:
    """Send the requested data until the end."""
    seen, cores, zero = _Seen(), _Cores(), None
    if bulk.waits:
        print("ready", flush=True)
        zero = float(sys.stdin.readline())
        time.sleep(max(0.0, zero + bulk.start_s - time.monotonic()))
    if bulk.files is None:
        connection = _Connection(bulk, zero, seen, cores)
        connection.send(None)
        connection.break_off()
    else:
        _send_files(bulk, bulk.files, time.monotonic() if zero is None else zero, seen, cores)
    return asdict(seen) | cores.told()


def _send_files(bulk: Bulk, files: Files, zero: float, seen: _Seen, cores: _Cores) -> None:
    """Think, connect, send, close, and so on."""
    numbers = random.Random(files.seed)
    think = files.first_think_s
    while True:
        if think is None:
            think = files.think_s if files.think_is_fixed else numbers.expovariate(1) * files.think_s
        if time.monotonic() + think - zero >= bulk.end_s:
            return
        time.sleep(think)
        think = None
        start = time.monotonic()
        connection = _Connection(bulk, zero, seen, cores)
        connection.send(files.size if files.size_is_fixed else _geometric(numbers, files.size))
        if connection.finish() and start - zero >= bulk.warm_up_s:
            seen.transfers_s.append(time.monotonic() - start)
        connection.break_off()


def _geometric(numbers: random.Random, mean: int) -> int:
    """Draw a length of at least one."""
    if mean <= 1:
        return 1
    return 1 + int(math.log(1 - numbers.random()) / math.log(1 - 1 / mean))


def main() -> None:
    """Run the role given on the command line."""
    role, argument = sys.argv[1:]
    bulk = Bulk.of_argument(argument)
    try:
        result = send(bulk) if role == "send" else receive(bulk)
    except OSError as error:
        sys.exit(f"error: {role} {bulk.address}:{bulk.port}: {error}")
    print(json.dumps(result))


if __name__ == "__main__":
    main()
