"""Figures as data for the page: stacked panels that share the x axis, and their packed numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from celltrain import readable
from celltrain.papers.plot import Panel as PlotPanel
from celltrain.papers.plot import Plot
from celltrain.report.packing import pack
from celltrain.table import Table

Numbers = npt.NDArray[np.number[Any]]

#: From this number on, styles repeat the colours with other dashes.
COLOURS = 8
#: Colours before this one (black, grey) are for figures with markers; thin lines use the others.
FIRST_BRIGHT = 2
#: The column of instants of every trace.
TIME = "time_s"


@dataclass(frozen=True)
class Series:
    """One line, or the bars of one colour: places of its columns, and its style."""

    name: str
    x: int
    y: int
    half: int | None
    style: int
    #: Whether it is drawn as a thin line behind the others, for comparison.
    behind: bool = False
    #: Whether it is drawn as open marks without a line: published values beside the simulated ones of the same name.
    open: bool = False
    #: The full name of the recorded quantity, such as ``links.up.queue_cells``; empty if it is none.
    recorded: str = ""


@dataclass(frozen=True)
class Panel:
    """One pair of axes. Numbers times ``factor`` have the unit of the label."""

    label: str
    series: Sequence[Series]
    factor: float = 1.0
    unit: str = ""
    scale: str = "linear"
    range: Sequence[float] | None = None
    line_at: float | None = None
    line_label: str = ""
    steps: bool = False


@dataclass(frozen=True)
class XAxis:
    """The x axis shared by the panels of a figure; if it has names, series contain positions of names."""

    label: str
    factor: float = 1.0
    unit: str = ""
    scale: str = "linear"
    range: Sequence[float] | None = None
    names: Sequence[str] = ()


@dataclass(frozen=True)
class Log:
    """The log that a series sums up over intervals: places of its columns, and its times in ns from x = 0.

    Attributes
    ----------
    panel, series : int
        The place of the series.
    name : str
        The connection and, of the sender, that it is what was written.
    waits, octets : int
        The columns: the time from the entry before it, in ns, and the octets of each entry.
    start, end, until : int
        When the flow starts and ends, and up to when it was measured.
    """

    panel: int
    series: int
    name: str
    waits: int
    octets: int
    start: int
    end: int
    until: int


@dataclass(frozen=True)
class Intervals:
    """Intervals that the reader chooses: their length at first in ns, logs, and series that are sums of others.

    Attributes
    ----------
    sums : sequence of (panel, series, series added up)
    """

    every: int
    logs: Sequence[Log]
    sums: Sequence[tuple[int, int, Sequence[int]]]


@dataclass
class Figure:
    """A figure.

    Attributes
    ----------
    kind : str
        ``trace`` (long lines), ``line`` (a marker for each value, with its interval), ``dots`` (markers without lines)
        or ``bar``.
    """

    title: str
    kind: str
    x: XAxis
    panels: list[Panel] = field(default_factory=list)
    columns: list[dict[str, Any]] = field(default_factory=list)
    intervals: Intervals | None = None

    def add(self, values: Numbers, *, exact: bool = False, summed: bool = False) -> int:
        """Store the numbers of a column, and return its position."""
        self.columns.append(pack(values, exact=exact, summed=summed))
        return len(self.columns) - 1

    def to_json(self) -> dict[str, Any]:
        """Return the data for the page's script."""
        return asdict(self)


def of_traces(title: str, traces: Mapping[str, Table]) -> Figure:
    """Make a figure of all traces of a run, a panel for each quantity, all on one time axis."""
    drawn = _Traces(title)
    for table in traces.values():
        for name, time, values in drawn.columns_of(table):
            item, _, quantity = name.rpartition(".")
            drawn.add(
                (quantity, table.units[name]),
                readable.quantity(quantity, table.units[name]),
                item or name,
                time,
                values,
                name,
            )
    return drawn.figure()


def of_runs(title: str, runs: Mapping[str, Mapping[str, Table]]) -> Figure:
    """Make a figure of the same traces of several runs: a panel for each quantity recorded, a series for each run."""
    drawn = _Traces(title)
    for run, traces in runs.items():
        for table in traces.values():
            for name, time, values in drawn.columns_of(table):
                item, _, quantity = name.rpartition(".")
                words = f"{item}: {readable.quantity(quantity, table.units[name])}" if item else name
                drawn.add((name, table.units[name]), words, run, time, values)
    return drawn.figure()


class _Traces:
    """A figure of traces under construction: panels by quantity and unit."""

    def __init__(self, title: str) -> None:
        self._figure = Figure(title, "trace", XAxis("time [s]", unit="s"))
        self._words: dict[tuple[str, str], str] = {}
        self._series: dict[tuple[str, str], list[Series]] = {}
        self._largest: dict[tuple[str, str], list[float]] = {}

    def columns_of(self, table: Table) -> Iterator[tuple[str, int, Numbers]]:
        """Yield the numbers that a probe recorded: name, position of their instants, and values."""
        if TIME not in table.columns or not len(table):
            return
        time = self._figure.add(table[TIME], exact=True)
        for name in table:
            values = table[name]
            if name != TIME and isinstance(values, np.ndarray):
                yield name, time, values

    def add(
        self, place: tuple[str, str], words: str, series: str, time: int, values: Numbers, recorded: str = ""
    ) -> None:
        """Add a series to the panel with this name for a quantity and its unit."""
        own = self._series.setdefault(place, [])
        drawn = Series(series, time, self._figure.add(values), None, FIRST_BRIGHT + len(own), recorded=recorded)
        own.append(drawn)
        self._words[place] = words
        finite = values[np.isfinite(values)]
        self._largest.setdefault(place, []).append(float(np.abs(finite).max()) if finite.size else 0.0)

    def figure(self) -> Figure:
        """Return the figure with its panels."""
        for place, series in self._series.items():
            factor, shown = readable.unit_for(np.array(self._largest[place]), place[1])
            label = readable.label(self._words[place], shown)
            # Queues, windows and rates keep their value until they change.
            self._figure.panels.append(Panel(label, series, factor, shown if shown != "1" else "", steps=True))
        return self._figure


def of_experiment(title: str, plot: Plot, table: Table, published: Table | None = None) -> Figure:
    """Make the figure that a study's plot describes.

    Parameters
    ----------
    title, plot
        The title and the description of the figure.
    table
        The rows of the experiment.
    published
        Rows with published values in place of simulated ones; they may lack columns that are not published.

    Raises
    ------
    KeyError
        The table lacks a column of the plot.
    """
    x = table[plot.x]
    if plot.kind == "bar":
        texts = [value if isinstance(value, str) else readable.with_unit(value, table.units[plot.x]) for value in x]
        names = list(dict.fromkeys(texts))
        axis, x = XAxis(plot.x_words, names=names), np.array([float(names.index(text)) for text in texts])
    else:
        axis = _x_axis(plot, x, table.units[plot.x])
    plot = plot.in_small_panels(list(table.rows()), table.units).within_panels()
    figure = Figure(title, plot.kind, axis)
    names = list(_rows(plot, table, {}))
    numbers = dict(zip(names, plot.numbers_of(names), strict=True))
    groups: dict[str, list[_Group]] = {}
    for panel in plot.panels:
        where = repr(panel.where)
        if where not in groups:
            groups[where] = _groups(figure, plot, table, panel.where, x, numbers)
        drawn = _panel(figure, plot, panel, table, groups[where])
        if published is not None and plot.kind == "line" and panel.y in published.columns:
            drawn = replace(drawn, series=[*drawn.series, *_published(figure, plot, panel, published, numbers)])
        figure.panels.append(drawn)
    return figure


def _published(
    figure: Figure, plot: Plot, panel: PlotPanel, table: Table, numbers: Mapping[str, int]
) -> Iterator[Series]:
    """Yield the published values of each series of a panel."""
    for group in _groups(figure, plot, table, panel.where, table[plot.x], numbers):
        y = figure.add(table[panel.y][group.rows])
        yield Series(group.name, group.x, y, None, group.number, open=True)


def _x_axis(plot: Plot, x: Numbers, unit: str) -> XAxis:
    factor, label, shown = readable.scaled(plot.x_label, x if plot.x_range is None else np.array(plot.x_range), unit)
    return XAxis(label, factor, shown, plot.x_scale, plot.x_range)


@dataclass(frozen=True)
class _Group:
    """The rows of a series in a panel, the position of their x values, and the number of the series in the figure."""

    name: str
    rows: npt.NDArray[np.intp]
    x: int
    number: int


def _groups(
    figure: Figure, plot: Plot, table: Table, where: Mapping[str, Any], x: Numbers, numbers: Mapping[str, int]
) -> list[_Group]:
    found = []
    for name, rows in _rows(plot, table, where).items():
        ordered = rows[np.argsort(x[rows], kind="stable")] if plot.kind == "line" else rows
        found.append(_Group(name, ordered, figure.add(x[ordered], exact=True), numbers[name]))
    return found


def _rows(plot: Plot, table: Table, where: Mapping[str, Any]) -> dict[str, npt.NDArray[np.intp]]:
    """Find the rows of each series among those with these values."""
    told = Table({name: table[name] for name in (*plot.by, *where)}, table.units)
    if not told.columns:
        return {"": np.arange(len(table))}
    return {name: np.array(places) for name, places in plot.places(told.rows(), table.units, where).items()}


def _panel(figure: Figure, plot: Plot, panel: PlotPanel, table: Table, groups: Sequence[_Group]) -> Panel:
    y, unit = table[panel.y], table.units[panel.y]
    drawn = [y]
    half = table.columns.get(f"{panel.y}_ci95")
    first = 0 if plot.kind == "line" else FIRST_BRIGHT
    series = []
    if panel.beside is not None and groups:
        beside = table[panel.beside][groups[0].rows]
        drawn.append(beside)
        words = readable.quantity(panel.beside, table.units[panel.beside])
        series.append(Series(words, groups[0].x, figure.add(beside), None, 1, behind=True))
    for group in groups:
        interval = figure.add(half[group.rows]) if isinstance(half, np.ndarray) and plot.kind != "trace" else None
        name = group.name or readable.quantity(panel.y, unit)
        series.append(Series(name, group.x, figure.add(y[group.rows]), interval, first + group.number))
    values = np.concatenate(drawn) if panel.range is None else np.array(panel.range)
    factor, label, unit = readable.scaled(" ".join(panel.label.split()), values, unit)
    label = f"{panel.title}: {label}" if panel.title else label
    return Panel(
        label,
        series,
        factor,
        unit,
        panel.scale,
        panel.range,
        panel.line_at,
        panel.line_label,
        panel.steps,
    )
