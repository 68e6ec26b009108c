"""Logs of ``ping -D``: round trips, as the recorder of LeoReplayer keeps them beside a capture. They are only read.

A reply is a line such as ``[1700000000.123456] 64 bytes from 192.0.2.1: icmp_seq=1 ttl=55 time=23.4 ms``: the instant
at which it came, its number, which is one of 16 bits and starts again, and its round trip. Other lines say nothing of
the network. Source: ``ping(8)`` of iputils; ``recorder/generate_trace_uplink.py`` of SpaceNetLab/LeoCC, at 867e673
(2025), which starts ``ping -i 0.005 -D``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from celltrain.recordings.lines import lines_of, refuse
from celltrain.recordings.numbers import MS, PS, number, shortest, time_text
from celltrain.recordings.segments import Notes, Options, Recording, Stream, Stretch, merged

#: A reply, with an instant that is absent without ``-D``.
REPLY = re.compile(r"(?:\[(\d{1,12})\.(\d{6})\] )?\d+ bytes from .+: icmp_seq=(\d{1,5}) .*?time=(\S+) ms(.*)", re.ASCII)
_NUMBERS = 1 << 16
#: The longest round trip, in ms.
_MOST_MS = 7_200_000


def read(paths: Sequence[Path], options: Options, notes: Notes) -> Recording:
    """Read a log."""
    notes.assume("the one-way delay is half of the round trip")
    notes.assume(f"the delay of every {time_text(options.bin)} is the mean of those of the pings sent in it, if any")
    return merged({"delay": Stream(_delays(paths[0], options.bin, notes), repeats=False)}, notes)


def _delays(path: Path, interval: int, notes: Notes) -> Iterator[Stretch]:
    index, start, delay = 0, 0, 0
    first, total, count = None, 0, 0
    for sent, rtt in _pings(path, notes):
        first = sent if first is None else first
        now = max(sent - first, 0) // interval
        if now > index and count:
            delay = total // count
            yield Stretch(start, (index + 1) * interval, delay)
            start, total, count = (index + 1) * interval, 0, 0
            if now > index + 1:
                # No answer: the delay before holds.
                yield Stretch(start, now * interval, delay)
                start = now * interval
        index = max(now, index)
        total, count = total + rtt // 2, count + 1
    yield Stretch(start, (index + 1) * interval, total // count)


def _pings(path: Path, notes: Notes) -> Iterator[tuple[int, int]]:
    """Yield when each answered ping was sent, and its round trip, both in ps; note how many were not answered."""
    line, answered = 0, 0
    lowest, highest = 0, -1
    for line, text in lines_of(path):
        found = REPLY.fullmatch(text)
        if found is None or "DUP!" in found[5]:
            continue
        if found[1] is None:
            refuse(path, line, text, "expected an instant in brackets before it: ping -D writes them")
        rtt = number(found[4])
        if rtt is None or not 0 <= rtt <= _MOST_MS:
            refuse(path, line, found[4], f"expected a round trip in ms, 0 to {_MOST_MS}")
        seen = int(found[3])
        if not answered:
            lowest = highest = seen
        # The number nearest to the highest one so far.
        highest = max(highest, highest + (seen - highest + _NUMBERS // 2) % _NUMBERS - _NUMBERS // 2)
        answered += 1
        trip = round(rtt * MS)
        yield int(found[1]) * PS + int(found[2]) * 10**6 - trip, trip
    if not answered:
        refuse(path, line + 1, None, "no reply; expected lines of ping -D such as [0.5] 64 bytes from HOST: icmp_seq=1")
    lost = highest - lowest + 1 - answered
    if lost > 0:
        share = shortest(float(f"{lost / (lost + answered):.3g}"))
        notes.leave(f"pings without an answer, {lost} or {share} of all, lost on either way: --loss takes a part of it")
