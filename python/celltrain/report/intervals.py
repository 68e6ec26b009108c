"""Logs of writes and reads on a page, so that its reader chooses the intervals of throughput."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from celltrain.dbs import rates
from celltrain.dbs.result import Measurement
from celltrain.dbs.series import Line, Quantity, labels
from celltrain.report.figures import Figure, Intervals, Log

#: Maximum number of entries of logs on a page: about 5 MB.
MOST_ENTRIES = 1_000_000
#: The end of connections whose logs a quantity sums up, by title.
_ENDS = {"throughput": "receiver", "written": "sender"}


def logs_of(measured: Measurement, repetition: int, drawn: Sequence[Quantity]) -> dict[int, dict[str, rates.Log]]:
    """Return the logs of quantities: by place of the quantity and name of the connection; empty without logs."""
    found: dict[int, dict[str, rates.Log]] = {}
    names = labels(measured.tables, repetition)
    for place, quantity in enumerate(drawn):
        if quantity.title not in _ENDS:
            continue
        try:
            logs = rates.logs(measured, _ENDS[quantity.title])
        except rates.NoLogError:
            return {}
        found[place] = {names[log.key]: log for log in logs if log.row["repetition"] == repetition and log.key in names}
    return found


def count(logs: Mapping[int, Mapping[str, rates.Log]]) -> int:
    """Count the entries of logs."""
    return sum(len(log.times) for own in logs.values() for log in own.values())


def offer(
    figure: Figure, logs: Mapping[int, Mapping[str, rates.Log]], lines: Mapping[int, Sequence[Line]], every_ns: int
) -> None:
    """Store logs in a figure whose panels have these lines, in their places."""
    stored, sums = [], []
    for panel, own in logs.items():
        places = {line.of: place for place, line in enumerate(lines[panel]) if not line.what}
        for name, log in own.items():
            if name in places:
                waits = figure.add(np.diff(log.times, prepend=0), summed=True)
                octets = figure.add(log.octets, summed=True)
                times = (log.start_ns, log.end_ns, log.until_ns)
                shown = name if log.row["end"] == "receiver" else f"{name}, written"
                stored.append(Log(panel, places[name], shown, waits, octets, *times))
        for place, line in enumerate(lines[panel]):
            parts = [places[part] for part in line.parts if part in places]
            if parts and len(parts) == len(line.parts):
                sums.append((panel, place, parts))
    if stored:
        figure.intervals = Intervals(every_ns, stored, sums)
