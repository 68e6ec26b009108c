"""Packet-delivery traces: text with a millisecond a line, at which the line can deliver another packet.

Source: ``link_queue.cc`` of Mahimahi, and of LeoReplayer, which reads the same files. After the last line, which is
the period, a trace starts again. Opportunities at 0 are at the end of the period before.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from operator import gt
from pathlib import Path
from typing import TextIO

from celltrain.recordings.lines import blocks_of, lines_in, refuse
from celltrain.recordings.numbers import MS, PS, whole
from celltrain.recordings.segments import Notes, Segment, Stretch

#: The largest timestamp that a scenario reads, in ms.
MOST_MS = 2**32 - 1
#: Rounding of times, in ps: an opportunity this little after a millisecond is at it.
_ROUNDING = 1000


def timestamps(path: Path) -> Iterator[list[int]]:
    """Yield the milliseconds of a trace, many at a time.

    Raises
    ------
    BadRecording
        A line is no whole number or falls, there is none, or the last one is 0.
    """
    before = 0
    line = 0
    for line, block in blocks_of(path):
        values = _quickly(block, before)
        if values is None:
            values = _one_by_one(path, line, block, before)
        yield values
        before = values[-1]
        line += len(values) - 1
    if line == 0:
        refuse(path, 1, None, "nothing; expected a whole number of milliseconds a line")
    if before == 0:
        refuse(path, line, "0", "expected a last line above 0, because it is the trace's period")


def _quickly(block: bytes, before: int) -> list[int] | None:
    """Return the numbers of lines; None if one is not as it must be."""
    if block.translate(None, b"0123456789\n"):
        return None
    try:
        values = list(map(int, block.split(b"\n")))
    except ValueError:
        return None
    falls = values[0] < before or any(map(gt, values, islice(values, 1, None)))
    return None if falls or values[-1] > MOST_MS else values


def _one_by_one(path: Path, number: int, block: bytes, before: int) -> list[int]:
    """Return the numbers of lines, or find the one that is not as it must be."""
    values = []
    for line, text in lines_in(path, number, block):
        at = whole(text)
        if at is None or at > MOST_MS:
            refuse(path, line, text, f"expected a whole number of milliseconds, at most {MOST_MS}, and nothing else")
        if at < before:
            refuse(path, line, text, f"expected at least {before}, the milliseconds of the line before")
        values.append(at)
        before = at
    return values


def rates(times: Iterable[Sequence[int]], interval: int, bits: int) -> Iterator[Stretch]:
    """Yield the rate of opportunities of ``bits`` each in every interval of ``interval`` ps.

    An opportunity at t belongs to the interval (start, end] that contains t, and one at 0 to the first. The last
    interval ends with the period, so that a period carries exactly the bits of the trace.

    >>> [(each.stop // MS, each.value) for each in rates([[5, 10], [12]], 10 * MS, 1000)]
    [(10, 200000.0), (12, 500000.0)]
    """
    index, count, last = 0, 0, 0
    for block in times:
        place = 0
        while True:
            after = bisect_right(block, (index + 1) * interval // MS, place)
            count += after - place
            if after == len(block):
                break
            place = after
            if count:
                yield _rate(index * interval, (index + 1) * interval, count, bits)
                index += 1
            now = (block[place] * MS - 1) // interval
            if now > index:
                yield Stretch(index * interval, now * interval, 0.0)
            index, count = now, 0
        last = block[-1]
    yield _rate(index * interval, last * MS, count, bits)


def _rate(start: int, stop: int, count: int, bits: int) -> Stretch:
    return Stretch(start, stop, count * bits * PS / (stop - start))


class Deliveries:
    """A trace, written from the rate of segments."""

    def __init__(self, file: TextIO, bits: int) -> None:
        """Write into a file opportunities of ``bits`` each."""
        self._file = file
        self._bits = bits
        #: Bits that the line carries before the next opportunity.
        self._ahead = float(bits)
        self._last = 0
        self.count = 0

    def feed(self, segment: Segment) -> None:
        """Write the opportunities of a segment: each at the end of the millisecond in which its bits are complete."""
        rate = segment.rate or 0.0
        carried = rate * (segment.stop - segment.start) / PS
        count = max(0, int((carried - self._ahead) / self._bits + 1 + 1e-9))
        for number in range(count):
            due = segment.start + round((self._ahead + number * self._bits) / rate * PS)
            self._last = max(self._last, 1, (due + MS - 1 - _ROUNDING) // MS)
            self._file.write(f"{self._last}\n")
        self._ahead += count * self._bits - carried
        self.count += count

    def close(self, end: int, notes: Notes) -> int:
        """Write the end of the trace; return its period in ms."""
        period = max(1, -(-end // MS))
        if end % MS:
            notes.assume(f"the recording ends at {period} ms, a whole number of milliseconds")
        if self._last < period:
            notes.assume(f"one opportunity more, at {period} ms, because a trace lasts until its last one")
            self._file.write(f"{period}\n")
            self.count += 1
        return period
