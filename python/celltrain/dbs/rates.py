"""Throughput over intervals that are chosen after a measurement, from the log of each write and read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from celltrain import quantity, readable
from celltrain.dbs.columns import COLUMNS
from celltrain.dbs.result import Measurement
from celltrain.table import Table

Counts = npt.NDArray[np.int64]

#: The column of octets by the end of a connection whose log it is from.
ENDS = {"receiver": "received_bytes", "sender": "sent_bytes"}
#: Shortest and longest interval, in ns; no plan is longer.
_SHORTEST_NS, _LONGEST_NS = 1_000, 7 * 24 * 3_600 * 1_000_000_000
#: Maximum number of intervals of all connections together.
_MOST = 1_000_000
_NS = 1_000_000_000


class NoLogError(ValueError):
    """A measurement has no log of writes and reads; the message says why, and what to do."""


@dataclass(frozen=True)
class Log:
    """The log of one end of a connection.

    Attributes
    ----------
    row : dict
        Its row in the table ``logs``.
    times, octets : array
        When each operation returned, in ns from the common start, and its octets.
    start_ns, end_ns : int
        When its flow starts and ends.
    until_ns : int
        Up to when it was measured.
    """

    row: Mapping[str, Any]
    times: Counts
    octets: Counts
    start_ns: int
    end_ns: int
    until_ns: int

    @property
    def key(self) -> tuple[str, str, str, int]:
        """The flow, its two hosts, and the number of the connection."""
        return str(self.row["flow"]), str(self.row["from"]), str(self.row["to"]), int(self.row["connection"])

    def count(self, every_ns: int) -> int:
        """Count the intervals of this length: up to the end of the measured time, or to the last octet."""
        measured = -((self.start_ns - self.until_ns) // every_ns)
        last = max(int(self.times[-1]) - self.start_ns, 0) // every_ns + 1 if len(self.times) else 0
        return max(measured, last)

    def intervals(self, every_ns: int) -> tuple[Counts, Counts]:
        """Return the ends of intervals of this length, in ns from the common start, and the octets in each.

        Intervals begin at the flow's start. The flow's end cuts the last one short; later ones have late data. What the
        clock of the host places before the start is in the first interval, so that no octet is left out.
        """
        index = np.maximum(self.times - self.start_ns, 0) // every_ns
        count = self.count(every_ns)
        # The sums are exact: they are whole numbers below 2^53.
        octets = np.bincount(index, weights=self.octets, minlength=count).astype(np.int64)
        begins = self.start_ns + every_ns * np.arange(count)
        ends = begins + every_ns
        return np.where((begins < self.end_ns) & (self.end_ns < ends), self.end_ns, ends), octets


def logs(measured: Measurement, end: str) -> list[Log]:
    """Return the logs of all senders or all receivers.

    Raises
    ------
    NoLogError
        There are none.
    """
    tables = measured.tables
    if "log_entries" not in tables or not len(tables["logs"]):
        raise NoLogError(_why_none(measured))
    entries = tables["log_entries"]
    until = _recorded_until(tables["intervals"])
    # The rows of a log are contiguous.
    keys = entries["repetition"] * (1 + int(entries["log"].max(initial=0))) + entries["log"]
    borders = np.flatnonzero(np.diff(keys, prepend=-1, append=-1))
    places = {(entries["repetition"][at], entries["log"][at]): slice(at, to) for at, to in pairwise(borders)}
    found = []
    for row in tables["logs"].rows():
        if row["end"] != end:
            continue
        own = places.get((row["repetition"], row["log"]), slice(0))
        start_ns, end_ns = _times_of(measured.provenance["plan"], str(row["flow"]))
        until_ns = min(until.get(_connection(row), start_ns), end_ns)
        found.append(Log(row, entries["time_ns"][own], entries["entry_bytes"][own], start_ns, end_ns, until_ns))
    return found


def throughput(measured: Measurement, every: str, end: str = "receiver") -> Table:
    """Return the throughput of each connection over intervals of any length.

    The sum over the intervals of a connection is exactly what the sender wrote or the receiver read.

    Parameters
    ----------
    measured
        A measurement with logs.
    every
        The length of an interval, such as ``"100 ms"``.
    end
        ``receiver`` for what was read, ``sender`` for what was written.

    Raises
    ------
    NoLogError
        The measurement has no logs; it is a ValueError.
    ValueError
        The interval is no time, or too short for so long a measurement.
    """
    every_ns = nanoseconds(every)
    octets_name = ENDS[end]
    names = ("repetition", "flow", "from", "to", "connection")
    columns: dict[str, list[Any]] = {name: [] for name in (*names, "time_s", octets_name, "throughput_bps")}
    found = logs(measured, end)
    if (count := sum(log.count(every_ns) for log in found)) > _MOST:
        raise ValueError(f"these would be {count} intervals; at most {_MOST} are possible: choose longer ones")
    for log in found:
        ends, octets = log.intervals(every_ns)
        begins = log.start_ns + every_ns * np.arange(len(ends))
        for name in names:
            columns[name].append([log.row[name]] * len(ends))
        columns["time_s"].append(ends / _NS)
        columns[octets_name].append(octets)
        columns["throughput_bps"].append(octets * (8.0 * _NS) / (ends - begins))
    known = {**COLUMNS["flows"], **COLUMNS["intervals"]}
    return Table(
        {name: _joined(parts, known[name].kind) for name, parts in columns.items()},
        {name: known[name].unit for name in columns},
    )


def chosen(measured: Measurement, every: str | None) -> dict[str, Table] | None:
    """Return the throughput at each end over intervals of this length; None without a length."""
    return None if every is None else {end: throughput(measured, every, end) for end in ENDS}


def nanoseconds(every: str) -> int:
    """Read the length of an interval.

    >>> nanoseconds("100ms")
    100000000
    """
    every_ns = round(quantity.seconds(every) * _NS)
    if not _SHORTEST_NS <= every_ns <= _LONGEST_NS:
        raise ValueError(f"expected an interval of 1 us to 168 h, found {every}")
    return every_ns


def notes(measured: Measurement) -> Iterator[str]:
    """Say which logs do not have an entry for each operation, and from when on."""
    if "logs" not in measured.tables:
        return
    for row in measured.tables["logs"].rows():
        connection = f"{row['flow']} ({row['connection']}) {row['from']} → {row['to']}"
        name = f"log of the {row['end']}, {connection}, repetition {row['repetition']}"
        if row["state"] != "complete":
            yield f"{name}: entries are missing, so intervals lack octets"
        exact, coarse = float(row["exact_until_s"]), float(row["coarse_s"])
        if exact == exact:
            times = [readable.amount(value, "s") for value in (exact, coarse)]
            yield (
                f"{name}: each operation up to {times[0]}, then an entry for {times[1]}; shorter intervals show "
                f"nothing more. A larger `measure.log` keeps more, as far as --max-memory of the daemon allows"
            )


def _why_none(measured: Measurement) -> str:
    measure = measured.provenance["plan"]["measure"]
    if measure.get("log") == 0:
        return "the plan has `measure.log` = 0, so writes and reads were not logged: leave it out, and measure again"
    if "log" in measure:
        return "no log of writes and reads arrived: see the table `missing`"
    return (
        f"it was measured by celltrain {measured.provenance['celltrain']} without a log of writes and reads: measure "
        f"again with this version, or use the recorded intervals of {measure['interval']}"
    )


def _times_of(plan: Mapping[str, Any], name: str) -> tuple[int, int]:
    flows = plan["flows"]
    flow = flows[name] if name in flows else flows[name.removesuffix("-back")]
    start, duration = (round(quantity.seconds(flow[key]) * _NS) for key in ("start", "duration"))
    return start, start + duration


def _connection(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in ("repetition", "flow", "from", "to", "connection"))


def _recorded_until(intervals: Table) -> dict[tuple[Any, ...], int]:
    """Return the end of the last interval that was recorded of each connection, in ns."""
    until: dict[tuple[Any, ...], int] = {}
    for row in intervals.rows():
        until[_connection(row)] = round(float(row["time_s"]) * _NS)
    return until


def _joined(parts: list[Any], kind: str) -> Any:  # noqa: ANN401 - numbers or names
    if kind == "text":
        return [name for names in parts for name in names]
    numbers = np.concatenate([np.asarray(part) for part in parts]) if parts else np.zeros(0)
    return numbers.astype(np.float64 if kind == "number" else np.int64)
