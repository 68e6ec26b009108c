"""Recordings for LeoReplayer, as in the data set of LeoCC: ``bw_N.txt`` and ``delay_N.txt``.

``bw_N.txt`` is a packet-delivery trace. ``delay_N.txt`` has a line for every 10 ms: the one-way delay in whole ms. Each
starts again at its own end. Source: ``traces/README.md``, ``leoreplayer/replayer/src/frontend/delay_queue.cc`` and
``link_queue.cc`` of SpaceNetLab/LeoCC, at 867e673 (2025). Its example starts ``mm-delay 10``. The loss is a number on
the command line of ``mm-loss``: a fraction of packets.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

from celltrain.recordings import mahimahi
from celltrain.recordings.cells import line_bits
from celltrain.recordings.lines import BadRecording, lines_of, refuse
from celltrain.recordings.numbers import MS, whole
from celltrain.recordings.opportunities import Deliveries
from celltrain.recordings.segments import Notes, Options, Recording, Segment, Stream, Stretch, merged

#: The time of a line of ``delay_N.txt``, in ps.
INTERVAL = 10 * MS
#: The longest delay of a link, in ms.
_MOST_MS = 3_600_000


def read(paths: Sequence[Path], options: Options, notes: Notes) -> Recording:
    """Read ``bw_N.txt`` and ``delay_N.txt``."""
    streams: dict[str, Stream] = {}
    if "rate" in options.only:
        streams["rate"] = mahimahi.stream(paths[0], options, notes)
    if "delay" in options.only:
        streams["delay"] = Stream(_delays(paths[1]))
        notes.assume("a line of the delays lasts 10 ms, and is a one-way delay")
        notes.assume("a packet with a shorter delay waits for the one before it; in LeoReplayer it overtakes")
    if not streams:
        raise BadRecording("--only loss: the files have none; expected --only rate or --only delay")
    return merged(streams, notes)


def _delays(path: Path) -> Iterator[Stretch]:
    line = 0
    for line, text in lines_of(path):
        delay = whole(text)
        if delay is None or delay > _MOST_MS:
            refuse(path, line, text, f"expected a one-way delay in whole milliseconds, 0 to {_MOST_MS}")
        yield Stretch((line - 1) * INTERVAL, line * INTERVAL, delay * MS)
    if line == 0:
        refuse(path, 1, None, "nothing; expected a one-way delay in whole milliseconds a line")


class _Delays:
    """The file of delays, written from segments."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._line = 0
        self._is_exact = True

    def feed(self, segment: Segment) -> None:
        """Write the lines whose time starts in a segment."""
        delay = segment.delay or 0
        self._is_exact = self._is_exact and segment.start % INTERVAL == 0 and delay % MS == 0
        text = f"{(delay + MS // 2) // MS}\n"
        while self._line * INTERVAL < segment.stop:
            self._file.write(text)
            self._line += 1

    def close(self, end: int, notes: Notes) -> None:
        """Note what the file says otherwise."""
        if not self._is_exact:
            notes.assume("the delay of every 10 ms is the one at their start, in whole milliseconds")
        if end % INTERVAL:
            notes.assume(f"the delays last {self._line * 10} ms, whole times of 10 ms")


def write(recording: Recording, files: Sequence[TextIO], names: Sequence[str], options: Options, notes: Notes) -> str:
    """Write ``bw_N.txt`` and ``delay_N.txt``; return the command that replays them."""
    bits = line_bits(mahimahi.OCTETS)
    deliveries, delays, losses = Deliveries(files[0], bits), _Delays(files[1]), mahimahi.MeanLoss()
    end = 0
    for segment in recording.segments:
        deliveries.feed(segment)
        delays.feed(segment)
        losses.feed(segment.stop - segment.start, segment.loss)
        end = segment.stop
    deliveries.close(end, notes)
    delays.close(end, notes)
    mahimahi.note_end(recording, notes)
    notes.assume(f"an opportunity carries a packet of {mahimahi.OCTETS} octets, {bits} bits in its cells")
    loss = ""
    if "loss" in recording.has:
        told = losses.of_packets(options)
        loss = f"mm-loss downlink {told.split()[0]} "
        notes.leave(f"changes of the loss: mm-loss takes one number, {told}")
    trace, delay = map(shlex.quote, names)
    return f"mm-delay 10 {delay} {loss}mm-link {trace} {trace}"
