"""Recordings for CellReplay: the delivery trace of a heavy load, and delays with trains of a light load.

The heavy trace is a packet-delivery trace of packets of 1400 octets. A line of the other file has numbers between
single spaces: milliseconds since the start, the base delay in ms (half of a round trip), and for each packet of a short
train the milliseconds after the first at which it could be delivered, the first 0. CellReplay draws straight lines
between two base delays, and starts again at the time of the last line, of at least three. Source:
``src/frontend/cellular_queue.cc`` and ``record/trace-processor`` of williamsentosa95/cellreplay, at 2ca662c (2025).

In CellReplay a packet on an idle line takes the light trace and, beyond its train, the heavy one. A line of a scenario
has one rate, so that a conversion takes one of them.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TextIO

from celltrain.recordings import mahimahi
from celltrain.recordings.cells import line_bits
from celltrain.recordings.lines import BadRecording, lines_of, refuse
from celltrain.recordings.numbers import MS, PS, time_text, whole
from celltrain.recordings.opportunities import MOST_MS, Deliveries
from celltrain.recordings.segments import Notes, Options, Recording, Segment, Stream, Stretch, merged

#: Octets of an opportunity.
OCTETS = 1400
_MOST_DELAY_MS = 3_600_000
#: The fewest lines of the light file.
_FEWEST = 3


class _Row(NamedTuple):
    """A line of the light file: its time and base delay in ms, the packets of its train, and their time in ms."""

    line: int
    at: int
    delay: int
    packets: int
    lasts: int


def read(paths: Sequence[Path], options: Options, notes: Notes) -> Recording:
    """Read the heavy trace, and the light file."""
    heavy, light = paths
    streams: dict[str, Stream] = {}
    if "rate" in options.only and options.load == "heavy":
        streams["rate"] = mahimahi.stream(heavy, options, notes, OCTETS)
        notes.leave("the trains of the light load: a line has one rate; --load light takes theirs")
    elif "rate" in options.only:
        streams["rate"] = Stream(_rates(light))
        notes.assume(f"the rate is that of the trains of the light load, of packets of {OCTETS} octets")
        notes.assume("a train within one millisecond takes one")
        notes.leave("the trace of the heavy load: a line has one rate; --load heavy takes its")
    if "delay" in options.only:
        streams["delay"] = Stream(_delays(light, options.bin))
        notes.assume("base delays are one-way: CellReplay's recorder halves round trips")
        notes.assume(f"the delay goes in straight lines from row to row, in steps of {time_text(options.bin)}")
    if not streams:
        raise BadRecording("--only loss: the files have none; expected --only rate or --only delay")
    return merged(streams, notes)


def _rows(path: Path) -> Iterator[_Row]:
    before = -1
    line = 0
    for line, text in lines_of(path):
        words = text.rstrip(" ").split(" ")
        numbers = [whole(word) for word in words]
        for word, value in zip(words, numbers, strict=True):
            if value is None or value > MOST_MS:
                refuse(path, line, word, "expected whole milliseconds: a time, a base delay, and those of a train")
        at, *rest = [value for value in numbers if value is not None]
        if not rest or rest[0] > _MOST_DELAY_MS:
            refuse(path, line, text, f"expected a base delay of at most {_MOST_DELAY_MS} ms after the time")
        if line == 1 and at != 0:
            refuse(path, line, words[0], "expected 0, the start of the recording")
        if at < before:
            refuse(path, line, words[0], f"expected at least {before}, the time of the row before it")
        train = rest[1:]
        # Packets of a train may arrive in another order.
        yield _Row(line, at, rest[0], len(train), max(train, default=0) - min(train, default=0))
        before = at
    if line < _FEWEST:
        refuse(path, line + 1, None, f"nothing; expected at least {_FEWEST} rows, as CellReplay does")


def _pairs(path: Path) -> Iterator[tuple[_Row, _Row]]:
    before: _Row | None = None
    for row in _rows(path):
        if before is not None:
            yield before, row
        before = row


def _delays(path: Path, interval: int) -> Iterator[Stretch]:
    """Yield the delay of every interval: the one in its middle."""
    for here, there in _pairs(path):
        start, stop = here.at * MS, there.at * MS
        while start < stop:
            end = min((start // interval + 1) * interval, stop) if here.delay != there.delay else stop
            part = ((start + end) / 2 - here.at * MS) / ((there.at - here.at) * MS)
            yield Stretch(start, end, round((here.delay + part * (there.delay - here.delay)) * MS))
            start = end


def _rates(path: Path) -> Iterator[Stretch]:
    """Yield the rate of each row's train until the next row: of the packets after the first, in their time."""
    for here, there in _pairs(path):
        if here.packets < 2:
            refuse(path, here.line, None, "no train; expected at least two packets, whose distance is a rate")
        if there.at > here.at:
            lasts = max(here.lasts, 1) * MS
            yield Stretch(here.at * MS, there.at * MS, (here.packets - 1) * line_bits(OCTETS) * PS / lasts)


class _Light:
    """The light file, written from segments: trains of one packet, so that all others take the heavy trace."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._rows = 0
        self._last = -1
        self._delay = 0
        self._is_exact = True

    def feed(self, segment: Segment) -> None:
        """Write the rows of a step: the old delay 1 ms before, and the new one."""
        delay = segment.delay or 0
        self._is_exact = self._is_exact and segment.start % MS == 0 and delay % MS == 0
        at, rounded = (segment.start + MS // 2) // MS, (delay + MS // 2) // MS
        if self._rows and rounded == self._delay:
            return
        if self._rows and at - 1 > self._last:
            self._row(at - 1, self._delay)
        if at > self._last:
            self._row(at, rounded)
        self._delay = rounded

    def close(self, period: int, notes: Notes) -> None:
        """Write the last rows."""
        for at in (period // 2, period):
            if at > self._last and (at == period or self._rows < _FEWEST - 1):
                self._row(at, self._delay)
        if not self._is_exact:
            notes.assume("times and delays of the light file are in whole milliseconds")
        if self._rows < _FEWEST:
            raise BadRecording("the recording is shorter than 2 ms; expected one with three rows of CellReplay")

    def _row(self, at: int, delay: int) -> None:
        self._file.write(f"{at} {delay} 0\n")
        self._last = at
        self._rows += 1


def write(recording: Recording, files: Sequence[TextIO], names: Sequence[str], options: Options, notes: Notes) -> str:
    """Write the heavy trace and the light file; return the command that replays them."""
    bits = line_bits(OCTETS)
    deliveries, light, losses = Deliveries(files[0], bits), _Light(files[1]), mahimahi.MeanLoss()
    end = 0
    for segment in recording.segments:
        deliveries.feed(segment)
        light.feed(segment)
        losses.feed(segment.stop - segment.start, segment.loss)
        end = segment.stop
    light.close(deliveries.close(end, notes), notes)
    mahimahi.note_end(recording, notes)
    notes.assume(f"an opportunity carries a packet of {OCTETS} octets, {bits} bits in its cells")
    notes.assume("the light load has trains of one packet: all others take the heavy trace")
    notes.warn(
        "an idle CellReplay lets a packet each millisecond pass at once; --long-to-short-timer-up and -down change that"
    )
    loss = ""
    if "loss" in recording.has:
        told = losses.of_packets(options)
        loss = f" --loss-rate={told.split()[0]}"
        notes.leave(f"changes of the loss: CellReplay takes one number, {told}")
    words = 7 if loss else 6
    heavy, trains = map(shlex.quote, names)
    return f"mm-cellular {words} {trains} {trains} {heavy} {heavy}{loss}"
