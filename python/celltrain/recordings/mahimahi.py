"""Traces of Mahimahi's ``mm-link``: opportunities for packets of 1500 octets, and nothing else.

Source: ``mm-link(1)`` and ``src/frontend/link_queue.cc`` of Mahimahi, whose 1504 octets are those of a packet and the
four that a TUN device puts before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from celltrain.recordings.cells import line_bits, packet_loss
from celltrain.recordings.numbers import shortest, time_text, toml_text
from celltrain.recordings.opportunities import Deliveries, rates, timestamps
from celltrain.recordings.segments import Notes, Options, Recording, Stream, merged

OCTETS = 1500


def stream(path: Path, options: Options, notes: Notes, octets: int = OCTETS) -> Stream:
    """Read a trace as rates."""
    notes.assume(f"an opportunity carries a packet of {octets} octets, {line_bits(octets)} bits in its cells")
    notes.assume(f"opportunities are gathered into rates over {time_text(options.bin)}")
    return Stream(rates(timestamps(path), options.bin, line_bits(octets)))


def read(paths: Sequence[Path], options: Options, notes: Notes) -> Recording:
    """Read a trace."""
    return merged({"rate": stream(paths[0], options, notes)}, notes)


def write(recording: Recording, files: Sequence[TextIO], names: Sequence[str], options: Options, notes: Notes) -> str:
    """Write the rate of a recording as a trace; return the line for a link."""
    if "delay" in recording.has:
        notes.leave("the delay, which a trace of Mahimahi does not have; a link has its own key, `delay`")
    deliveries = Deliveries(files[0], line_bits(OCTETS))
    losses = MeanLoss()
    end = 0
    for segment in recording.segments:
        deliveries.feed(segment)
        losses.feed(segment.stop - segment.start, segment.loss)
        end = segment.stop
    deliveries.close(end, notes)
    note_end(recording, notes)
    if "loss" in recording.has:
        notes.leave(f"the loss, which a trace does not have: mm-loss takes one number, {losses.of_packets(options)}")
    notes.assume(f"an opportunity carries a packet of {OCTETS} octets, {line_bits(OCTETS)} bits in its cells")
    return link_line(names[0])


def link_line(name: str) -> str:
    """Return the key of a link that follows a trace."""
    return f'rate = {{ process = "mahimahi", file = {toml_text(name)} }}'


def note_end(recording: Recording, notes: Notes) -> None:
    """Note that the format starts a recording again, if the recording does not say so."""
    if recording.end_note:
        notes.assume(recording.end_note)
    if not recording.repeats:
        notes.assume("the recording starts again at its end")


class MeanLoss:
    """The mean loss over time, for formats that take one number."""

    def __init__(self) -> None:
        self._total = 0.0
        self._time = 0
        self._values: set[float] = set()

    def feed(self, duration: int, loss: float | None) -> None:
        """Add a segment."""
        self._total += duration * (loss or 0.0)
        self._time += duration
        if len(self._values) < 2:
            self._values.add(loss or 0.0)

    def of_packets(self, options: Options) -> str:
        """Return the mean loss of packets in words."""
        mean = packet_loss(self._total / self._time, options.packet)
        number = shortest(float(f"{mean:.6g}"))
        over = "" if len(self._values) == 1 else ", the mean over time"
        return f"{number} of packets of {options.packet} octets{over}"
