"""Steps of ``tc qdisc ... netem`` with rate, delay and loss: a shell script with ``sleep``, or lines with a time.

Source: ``tc-netem(8)`` and ``tc(8)`` of iproute2, ``sch_netem.c`` of Linux. A change without ``delay`` or ``loss`` sets
them to none, one without ``rate`` leaves it. netem counts a packet with its Ethernet header of 14 octets, adds
PACKETOVERHEAD, and sends as many cells of CELLSIZE octets, each with CELLOVERHEAD more, as hold it.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NoReturn, TextIO

from celltrain.recordings.cells import cell_loss, line_bits, packet_loss
from celltrain.recordings.lines import lines_of, refuse
from celltrain.recordings.numbers import MS, PS, decimal, number, quantity, shortest
from celltrain.recordings.segments import QUANTITIES, Notes, Options, Recording, Segment

#: Octets of the header that netem counts with an IP packet on Ethernet.
ETHERNET = 14
#: The overhead of a packet as netem counts it on a line of cells: AAL5's trailer of 8 octets for Ethernet's header.
_CELLS = "-6 48 5"


def _rate_units() -> dict[str, float]:
    units = {"": 1.0, "bit": 1.0, "bps": 8.0}
    for power, prefix in enumerate("kmgt", 1):
        units |= {f"{prefix}bit": 1e3**power, f"{prefix}bps": 8 * 1e3**power}
        units |= {f"{prefix}ibit": 1024.0**power, f"{prefix}ibps": 8 * 1024.0**power}
    return units


#: Units in bit/s; a bare number is in bit/s, and ``bps`` octets per second.
RATES = _rate_units()
#: Units in ps; a bare number is in microseconds.
TIMES = {
    "": 1e6,
    **dict.fromkeys(("s", "sec", "secs"), 1e12),
    **dict.fromkeys(("ms", "msec", "msecs"), 1e9),
    **dict.fromkeys(("us", "usec", "usecs"), 1e6),
    **dict.fromkeys(("ns", "nsec", "nsecs"), 1e3),
}
#: Units of ``sleep``, in ps.
SLEEPS = {"": 1e12, "s": 1e12, "m": 60e12, "h": 3600e12}
_PERCENT = {"": 0.01, "%": 0.01}
#: Options of netem that no recording has, with what they do.
_OTHERS = ("duplicate", "corrupt", "reorder", "gap", "slot", "ecn", "limit", "seed", "distribution")

#: Values that are words: of `loss` and of `distribution`.
_NAMES = ("random", "state", "gemodel", "normal", "uniform", "pareto", "paretonormal")
#: The most steps of a script.
_MOST_STEPS = 1_000_000


@dataclass
class _Step:
    """The values from an instant on: rate of the line in bit/s, delay in ps, loss of cells."""

    at: int
    rate: float | None
    delay: float
    loss: float


def read(paths: Sequence[Path], options: Options, notes: Notes) -> Recording:
    """Read a script."""
    script = _Script(paths[0], options, notes)
    # The steps are few: a shell runs a hundred a second.
    steps = list(islice(script.steps(), _MOST_STEPS + 1))
    if len(steps) > _MOST_STEPS:
        refuse(paths[0], script.line, None, f"more than {_MOST_STEPS} steps; expected fewer")
    if not steps:
        refuse(
            paths[0],
            script.line + 1,
            None,
            "no step; expected lines such as tc qdisc change dev eth0 root netem rate 5mbit",
        )
    segments = _segments(paths[0], script, steps, options)
    has = tuple(name for name in QUANTITIES if name in script.named)
    if not has:
        refuse(paths[0], script.line, None, "no step has a rate, a delay or a loss; expected one")
    if "rate" in has:
        notes.assume(f"netem counts a packet of {options.packet} octets with {ETHERNET} octets of Ethernet")
    if "loss" in has:
        notes.assume(f"a packet of {options.packet} octets is lost with any of its cells, which are lost independently")
    notes.assume("a change without delay or loss sets them to none, one without rate leaves it, as in Linux")
    note = ""
    if script.end is None and options.end is None:
        note = "the last step lasts as long as the step before it; --end says otherwise"
    return Recording(iter(segments), has, script.repeats or options.end is not None, note)


def _segments(path: Path, script: _Script, steps: list[_Step], options: Options) -> list[Segment]:
    """Return the segments."""
    ends = [step.at for step in steps[1:]]
    # Of steps at one instant the last one counts.
    lasting = [(step, end) for step, end in zip(steps, ends, strict=False) if end > step.at]
    start = steps[-1].at
    lasts = lasting[-1][1] - lasting[-1][0].at if lasting else PS
    end = next((each for each in (options.end, script.end) if each is not None), start + lasts)
    if end > start:
        lasting.append((steps[-1], end))
    elif options.end is not None and end < start:
        refuse(path, script.line, None, "--end is before the last step; expected a later end")
    first = next((step.rate for step, _ in lasting if step.rate is not None), None)
    for step, _ in lasting:
        if step.rate is None and step.loss == 1:
            # No packet passes, at no rate.
            step.rate = first
    without = [step for step, _ in lasting if step.rate is None]
    if without and len(without) < len(lasting):
        refuse(
            path, script.line, None, "steps without a rate before the first with one; expected a rate in all or none"
        )
    return [Segment(step.at, end, step.rate, round(step.delay), step.loss) for step, end in lasting]


class _Script:
    """A script, while it is read."""

    def __init__(self, path: Path, options: Options, notes: Notes) -> None:
        self._path, self._options, self._notes = path, options, notes
        self._at = 0.0
        self._device = ""
        self._rate: float | None = None
        self._has_sleep = False
        self.line = 0
        self.repeats = False
        #: The quantities that a step names.
        self.named: set[str] = set()
        #: The end in ps, if the script says one.
        self.end: int | None = None

    def steps(self) -> Iterator[_Step]:
        """Yield the steps.

        Raises
        ------
        BadRecording
            A line is not understood, or a value is out of range.
        """
        for line, text in lines_of(self._path):
            self.line = line
            words = self._words(text)
            if not words or words[0] in ("set", "trap", "done", "exit") or "=" in words[0]:
                continue
            if self.end is not None and not self.repeats:
                self._refuse(text, "expected the end of the script after qdisc del")
            if words in (["while", "true;", "do"], ["while", ":;", "do"]):
                self.repeats = True
            elif words[0] == "sleep" and len(words) == 2:
                self._has_sleep = True
                self._at += self._value(words[1], SLEEPS, "a time such as 0.5", 8.64e18)
                self.end = None
            elif (step := self._step(words, text)) is not None:
                yield step
        if self._has_sleep and self.end is None:
            self.end = round(self._at)

    def _words(self, text: str) -> list[str]:
        try:
            return shlex.split(text, comments=True)
        except ValueError:
            self._refuse(text, "expected closed quotes")

    def _step(self, words: list[str], text: str) -> _Step | None:
        if (seconds := number(words[0])) is not None:
            if seconds * PS < self._at or seconds < 0 or self._has_sleep:
                self._refuse(words[0], "expected a time in s that does not fall, and no sleep")
            self._at = seconds * PS
            words = words[1:]
        if words[:1] == ["sudo"]:
            words = words[1:]
        if words[:2] != ["tc", "qdisc"] or len(words) < 5:
            self._refuse(text, "expected tc qdisc change dev DEVICE root netem ..., sleep SECONDS or a comment")
        verb = words[2]
        if verb in ("del", "delete"):
            if self._device:
                self.end = round(self._at)
            return None
        if verb not in ("add", "change", "replace") or words[3] != "dev" or "netem" not in words:
            self._refuse(text, "expected add, change or replace, dev DEVICE, and netem")
        if self._device and words[4] != self._device:
            self._refuse(words[4], f"expected the steps of one device, {self._device}")
        self._device = words[4]
        return self._netem(words[words.index("netem") + 1 :])

    def _netem(self, words: list[str]) -> _Step:
        step = _Step(round(self._at), self._rate, 0.0, 0.0)
        while words:
            name = words.pop(0)
            values = self._values(words)
            if name == "rate":
                step.rate = self._line_rate(values)
                self.named.add("rate")
            elif name in ("delay", "latency"):
                self.named.add("delay")
                step.delay = self._value(values[:1], TIMES, "a time such as 20ms, at most an hour", 3.6e15)
                if values[1:]:
                    self._notes.leave("jitter: a link has its own key, `jitter`")
            elif name in ("loss", "drop"):
                values = values[1:] if values[:1] == ["random"] else values
                if values and values[0] in _NAMES:
                    self._refuse(values[0], "expected loss PERCENT: losses of a recording are independent")
                lost = self._value(values[:1], _PERCENT, "a loss such as 1%, at most 100%", 1.0)
                self.named.add("loss")
                step.loss = cell_loss(lost, self._options.packet)
                if values[1:]:
                    self._notes.leave("the correlation of losses")
            elif name in _OTHERS:
                self._notes.leave(f"netem's {name}, which a recording does not have")
            else:
                self._refuse(name, f"expected options of netem: rate, delay, loss, {', '.join(_OTHERS)}")
        self._rate = step.rate
        return step

    def _values(self, words: list[str]) -> list[str]:
        """Take the words up to the next option."""
        values: list[str] = []
        while words and (words[0] in _NAMES or words[0][:1].isdigit() or words[0][:1] in ("-", ".")):
            values.append(words.pop(0))
        return values

    def _line_rate(self, values: list[str]) -> float:
        """Return the rate of the line on which a packet takes as long as in netem."""
        rate = self._value(values[:1], RATES, "a rate such as 5mbit, at least 8bit", 4e14, lowest=8.0)
        overheads = [number(value) for value in values[1:4]]
        if None in overheads or len(values) > 4:
            self._refuse(" ".join(values), "expected rate RATE PACKETOVERHEAD CELLSIZE CELLOVERHEAD")
        packet, size, cell = [*(int(value or 0) for value in overheads), 0, 0, 0][:3]
        octets = self._options.packet + ETHERNET + packet
        if size:
            octets = -(-octets // size) * (size + cell)
        if octets <= 0:
            self._refuse(" ".join(values), "expected an overhead that leaves octets of a packet")
        return rate * line_bits(self._options.packet) / (8 * octets)

    def _value(
        self, text: str | list[str], units: dict[str, float], expected: str, most: float, lowest: float = 0.0
    ) -> float:
        word = text if isinstance(text, str) else (text[0] if text else "")
        value = quantity(word.lower(), units)
        if value is None or not lowest <= value <= most:
            self._refuse(word, f"expected {expected}")
        return value

    def _refuse(self, found: str, expected: str) -> NoReturn:
        refuse(self._path, self.line, found, expected)


_HEAD = """\
#!/bin/sh
# Steps of a line by netem. Usage, as root: sh FILE DEVICE
set -e
dev=${1:?usage: sh FILE DEVICE}
tc qdisc replace dev "$dev" root netem
trap 'tc qdisc del dev "$dev" root netem' EXIT
trap 'exit 130' INT TERM
"""


def write(recording: Recording, files: Sequence[TextIO], names: Sequence[str], options: Options, notes: Notes) -> str:
    """Write a script; return how to run it."""
    file = files[0]
    file.write(_HEAD + ("while true; do\n" if recording.repeats else ""))
    for segment in recording.segments:
        file.write(f'tc qdisc change dev "$dev" root netem{_netem(segment, options, notes)}\n')
        file.write(f"sleep {decimal(segment.stop - segment.start, PS)}\n")
    if recording.repeats:
        file.write("done\n")
    elif recording.end_note:
        notes.assume(recording.end_note)
    if "rate" in recording.has:
        notes.assume(
            f"the device is Ethernet: rate ... {_CELLS} replaces its header by AAL5's trailer, and sends cells"
        )
    notes.warn("each sleep takes a little longer than it says, as tc and sleep start")
    notes.leave("the buffer: netem holds 1000 packets, those in its delay included; `limit` changes that")
    return f"sudo sh {shlex.quote(names[0])} DEVICE"


def _netem(segment: Segment, options: Options, notes: Notes) -> str:
    words = ""
    lost = None if segment.loss is None else packet_loss(segment.loss, options.packet)
    if segment.rate is not None and segment.rate < 8:
        # A rate of 0 means none to netem, and packets that are sent slowly stay slow.
        notes.assume("an outage loses all packets: a rate of 0 means no limit to netem")
        lost = 1.0
    elif segment.rate is not None:
        words += f" rate {round(segment.rate)}bit {_CELLS}"
    if segment.delay is not None:
        words += f" delay {decimal(segment.delay, MS)}ms"
    if lost is not None:
        words += f" loss {shortest(float(f'{100 * lost:.10g}'))}%"
        if segment.loss is not None:
            notes.assume(f"netem loses packets, not cells: those of {options.packet} octets that lose a cell")
    return words
