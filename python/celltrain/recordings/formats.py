"""The formats of recordings, a row for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from celltrain.recordings import cellreplay, csv_rows, leo, mahimahi, netem_trace, ping, tc
from celltrain.recordings.segments import Notes, Options, Recording

Read = Callable[[Sequence[Path], Options, Notes], Recording]
Write = Callable[[Recording, Sequence[TextIO], Sequence[str], Options, Notes], str]


@dataclass(frozen=True)
class Format:
    """A format: how many files it has, and what reads and writes them."""

    name: str
    #: The files, in the order of the command line, in words.
    files: str
    #: The numbers of files that are read.
    counts: range
    read: Read
    #: None if it is only read.
    write: Write | None
    #: Quantities without which it cannot be written.
    needs: tuple[str, ...] = ()
    #: Whether it has a file for each quantity.
    is_by_quantity: bool = False
    #: Options that only some formats take.
    takes: tuple[str, ...] = ()


_ONE, _TWO = range(1, 2), range(2, 3)
_ALL = (
    Format("csv", "one file", _ONE, csv_rows.read, csv_rows.write, takes=("end",)),
    Format("mahimahi", "one trace", _ONE, mahimahi.read, mahimahi.write, ("rate",)),
    Format("leo", "two files, bw_N.txt and delay_N.txt", _TWO, leo.read, leo.write, ("rate", "delay")),
    Format(
        "cellreplay",
        "two files, the trace of the heavy load and the delays with trains of the light load",
        _TWO,
        cellreplay.read,
        cellreplay.write,
        ("rate", "delay"),
        takes=("load",),
    ),
    Format(
        "netem-trace",
        "a file for each quantity: rate, delay, loss",
        range(1, 4),
        netem_trace.read,
        netem_trace.write,
        is_by_quantity=True,
    ),
    Format("tc", "one script", _ONE, tc.read, tc.write, takes=("end",)),
    Format("ping", "one log", _ONE, ping.read, None),
)
#: The formats by name.
FORMATS: Mapping[str, Format] = {each.name: each for each in _ALL}
