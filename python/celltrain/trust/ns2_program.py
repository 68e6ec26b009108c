"""ns-2 as packaged by Debian (``ns2``, 2.35), and the translation of our lines for it."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from celltrain.trust.lines import CELL_BITS, PacketLine
from celltrain.trust.row import NotRun

_SCRIPT = Path(__file__).parent / "peers" / "dumbbell.tcl"
#: A run that takes longer is considered stuck, in s.
_PATIENCE_S = 300


def program() -> str:
    """Find ns-2.

    Raises
    ------
    NotRun
        It is not installed.
    """
    found = shutil.which("ns")
    if found is None:
        raise NotRun("ns-2 is not installed; Debian: apt-get install ns2")
    return found


def version() -> str:
    """Return the version of Debian's package; other builds do not report theirs.

    Raises
    ------
    NotRun
        ns-2 is not installed.
    """
    path = program()
    query = shutil.which("dpkg-query")
    if query is not None:
        done = subprocess.run(
            [query, "-W", "-f", "${Version}", "ns2"], capture_output=True, text=True, timeout=30, check=False
        )
        if done.returncode == 0 and done.stdout:
            return f"ns-2 {done.stdout} (Debian)"
    return f"ns-2 of unknown version ({path})"


@dataclass(frozen=True)
class Sent:
    """A packet that entered the line or was lost on it: time (s), flow (from 0), number, and event."""

    time_s: float
    flow: int
    number: int
    event: str


@dataclass(frozen=True)
class Ns2Run:
    """Greedy connections over a line.

    Attributes
    ----------
    agent, sink : str
        Classes of ns-2, such as ``TCP/Newreno`` and ``TCPSink``.
    line : PacketLine
        The line, as in our scenario.
    starts_s : tuple of float
        When each connection starts.
    tick_s, rto_min_s : float
        Granularity of the clock for round trips, and the minimum time-out.
    seconds : float
        Duration.
    window : int
        Maximum window in segments.
    drops : tuple of int
        Packets that the line loses, numbered from 0, retransmissions included.
    """

    agent: str
    sink: str
    line: PacketLine
    starts_s: tuple[float, ...]
    tick_s: float
    rto_min_s: float
    seconds: float
    window: int = 1000
    drops: tuple[int, ...] = ()

    @cached_property
    def rate_bps(self) -> float:
        """The rate at which a packet takes as long as its cells do on our line."""
        return self.line.rate_bps * 8 * self.line.octets / (CELL_BITS * self.line.cells)

    def carry_out(self) -> Ns2Outcome:
        """Run it.

        Raises
        ------
        NotRun
            ns-2 is not installed, or failed.
        """
        with tempfile.TemporaryDirectory(prefix="celltrain-ns2-") as folder:
            trace = Path(folder) / "trace"
            options = {
                "agent": self.agent,
                "sink": self.sink,
                "rate": f"{self.rate_bps:.9f}",
                "forward": self.line.delay_s,
                "backward": self.line.delay_s,
                "queue": self.line.packets,
                "packet": self.line.octets,
                "segment": self.line.segment,
                "window": self.window,
                "tick": self.tick_s,
                "rto_min": self.rto_min_s,
                "starts": ",".join(map(str, self.starts_s)),
                "seconds": self.seconds,
                "trace": trace,
                "drops": ",".join(map(str, self.drops)),
            }
            output = _run([program(), str(_SCRIPT), *(f"{key}={value}" for key, value in options.items())])
            events = [_event(line) for line in trace.read_text("ascii").splitlines() if line[:1] in ("+", "d")]
        flows = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
        if len(flows) != len(self.starts_s):
            raise NotRun(f"ns-2 printed no result, but {output.strip()[:200]!r}; is it 2.35, as in Debian?")
        return Ns2Outcome(
            tuple(8 * flow["delivered_bytes"] / self.seconds for flow in flows),
            tuple(int(flow["timeouts"]) for flow in flows),
            tuple(int(flow["cuts"]) for flow in flows),
            tuple(event for event in events if event.event == "d" and event.time_s <= self.seconds),
            tuple(event for event in events if event.event == "+"),
        )


@dataclass(frozen=True)
class Ns2Outcome:
    """Results of ns-2: goodput, time-outs and window reductions of each flow; lost packets, and all packets offered."""

    goodput_bps: tuple[float, ...]
    timeouts: tuple[int, ...]
    cuts: tuple[int, ...]
    dropped: tuple[Sent, ...]
    offered: tuple[Sent, ...]


def _event(line: str) -> Sent:
    """Read a line of a trace: event, time, ends, kind, octets, flags, flow, addresses, number, ..."""
    words = line.split()
    return Sent(float(words[1]), int(words[7]), int(words[10]), words[0])


def _run(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotRun(f"ns-2 cannot be run: {error}") from error
    if done.returncode:
        raise NotRun(f"ns-2 failed: {(done.stderr or done.stdout).strip()[-300:]}; is it 2.35, as in Debian?")
    return done.stdout
