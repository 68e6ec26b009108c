"""Time series of a measurement, as lines to draw in the terminal and on a page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from celltrain import readable
from celltrain.table import Table

Numbers = npt.NDArray[np.float64]
#: Converts recorded times and values, and the start of the flow, to times and values of a line.
Form = Callable[[Numbers, Numbers, float], tuple[Numbers, Numbers]]


@dataclass(frozen=True)
class Line:
    """A quantity of one connection or probe over time.

    Attributes
    ----------
    of : str
        The connection or probe, such as ``download a → b``.
    what : str
        Which of its lines this is, such as ``acknowledged``; empty if there is only one.
    times : array
        Times in s from the common start.
    parts : tuple of str
        The connections whose values it adds up, if there are several.
    """

    of: str
    what: str
    times: Numbers
    values: Numbers
    parts: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The connection, and which of its lines this is."""
        return f"{self.of}, {self.what}" if self.what else self.of


@dataclass(frozen=True)
class Quantity:
    """Lines of one unit.

    Attributes
    ----------
    holds : bool
        Whether a value holds until the next one; otherwise the line between them is straight.
    """

    title: str
    unit: str
    lines: tuple[Line, ...]
    holds: bool


@dataclass(frozen=True)
class _Connection:
    """A connection of a flow; probes have no connections and use number 0."""

    name: str
    source: str
    target: str
    number: int

    @property
    def flow(self) -> tuple[str, str, str]:
        return self.name, self.source, self.target

    def label(self, flows_of_many: Iterable[tuple[str, str, str]]) -> str:
        number = f" ({self.number})" if self.flow in flows_of_many else ""
        return f"{self.name}{number} {self.source} → {self.target}"


def _sampled(times: Numbers, values: Numbers, _: float) -> tuple[Numbers, Numbers]:
    return times, values


def _held(times: Numbers, values: Numbers, start: float) -> tuple[Numbers, Numbers]:
    """Return values of intervals, recorded at their ends, from the start of the first to the end of the last."""
    return np.append(start, times), np.append(values, values[-1])


def _summed(times: Numbers, values: Numbers, start: float) -> tuple[Numbers, Numbers]:
    return np.append(start, times), np.append(0.0, np.nancumsum(values))


#: Title, unit, whether values hold, and the lines: table, column, which line, and how it is drawn.
_DRAWN: tuple[tuple[str, str, bool, tuple[tuple[str, str, str, Form], ...]], ...] = (
    ("throughput", "bit/s", True, (("receiver", "throughput_bps", "", _held),)),
    ("written", "bit/s", True, (("sender", "throughput_bps", "", _held),)),
    (
        "sequence",
        "bytes",
        False,
        (
            ("tcp_info", "sent_bytes", "sent", _sampled),
            ("tcp_info", "acked_bytes", "acknowledged", _sampled),
            ("intervals", "received_bytes", "received", _summed),
        ),
    ),
    ("RTT", "s", False, (("tcp_info", "rtt_s", "", _sampled), ("latency", "rtt_s", "probe", _sampled))),
    (
        "window",
        "segments",
        True,
        (("tcp_info", "cwnd_segments", "cwnd", _sampled), ("tcp_info", "ssthresh_segments", "ssthresh", _sampled)),
    ),
    ("sent again", "segments", True, (("tcp_info", "retransmits", "", _sampled),)),
    (
        "one-way delay",
        "s",
        True,
        (("intervals", "delay_mean_s", "mean", _held), ("intervals", "delay_max_s", "longest", _held)),
    ),
    ("jitter", "s", True, (("intervals", "jitter_s", "", _held),)),
    ("lost", "datagrams", True, (("intervals", "datagrams_lost", "", _held),)),
)


#: Where lines come from: tables of a measurement, and throughput at the ends of connections.
_SOURCES = ("intervals", "tcp_info", "latency", "receiver", "sender")


def quantities(
    tables: Mapping[str, Table], repetition: int, rates: Mapping[str, Table] | None = None
) -> list[Quantity]:
    """Return the quantities recorded in one repetition, in display order, without those that have no numbers.

    ``rates`` has the throughput at the ``receiver`` and the ``sender`` over chosen intervals; by default the recorded
    intervals of the receiver are used.
    """
    sources = {**tables, **(rates or {"receiver": tables["intervals"]})}
    recorded = {name: _by_connection(sources[name], repetition) for name in _SOURCES if name in sources}
    flows = _by_connection(tables["flows"], repetition)
    many = {connection.flow for connection in flows if connection.number > 1}
    found = []
    for title, unit, holds, drawn in _DRAWN:
        lines = []
        for table, column, what, form in drawn:
            for connection, rows in recorded.get(table, {}).items():
                values = rows.get(column, np.zeros(0))
                if not np.isfinite(values).any():
                    continue
                own = flows.get(connection)
                start = float(own["start_s"][0]) if own else 0.0
                lines.append(Line(connection.label(many), what, *form(rows["time_s"], values, start)))
        if title in ("throughput", "written"):
            lines = _sums(lines, list(recorded.get(drawn[0][0], {})), many) + lines
        if lines:
            found.append(Quantity(title, unit, tuple(lines), holds))
    return found


def labels(tables: Mapping[str, Table], repetition: int) -> dict[tuple[str, str, str, int], str]:
    """Return the names of the lines of connections: by flow, its two hosts, and the number of the connection."""
    flows = _by_connection(tables["flows"], repetition)
    many = {connection.flow for connection in flows if connection.number > 1}
    return {(*connection.flow, connection.number): connection.label(many) for connection in flows}


def unit_for(values: Numbers, unit: str) -> tuple[float, str]:
    """Choose the unit in which the largest of the numbers is easiest to read: factor and name.

    >>> unit_for(np.array([2.5e6, 8e5]), "bytes"), unit_for(np.array([0.02]), "s")
    ((1e-06, 'MB'), (1000.0, 'ms'))
    """
    if unit != "bytes":
        return readable.unit_for(values, unit)
    sizes = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "bytes"))
    size, name = next((pair for pair in sizes if np.nanmax(values) >= pair[0]), sizes[-1])
    return 1 / size, name


def _sums(lines: list[Line], connections: Iterable[_Connection], many: Iterable[tuple[str, str, str]]) -> list[Line]:
    """Add up the lines of parallel connections, which share their intervals unless one was cut short."""
    by_label = {line.of: line for line in lines}
    sums = []
    for flow in many:
        own = [by_label[each.label(many)] for each in connections if each.flow == flow and each.label(many) in by_label]
        length = min((len(line.times) for line in own), default=0)
        if length:
            name, source, target = flow
            total = np.sum([line.values[:length] for line in own], axis=0)
            parts = tuple(line.of for line in own)
            sums.append(Line(f"{name} {source} → {target}", f"all {len(own)}", own[0].times[:length], total, parts))
    return sums


def _by_connection(table: Table, repetition: int) -> dict[_Connection, dict[str, Numbers]]:
    """Split the rows of one repetition, which are contiguous for each connection, by connection."""
    chosen = np.flatnonzero(table["repetition"] == repetition)
    names = table["probe" if "probe" in table.columns else "flow"]
    numbers = table["connection"] if "connection" in table.columns else np.zeros(len(table))
    rows: dict[_Connection, list[int]] = {}
    for index in chosen:
        connection = _Connection(names[index], table["from"][index], table["to"][index], int(numbers[index]))
        rows.setdefault(connection, []).append(int(index))
    columns = {name: values for name, values in table.columns.items() if isinstance(values, np.ndarray)}
    return {at: {name: values[own].astype(np.float64) for name, values in columns.items()} for at, own in rows.items()}
