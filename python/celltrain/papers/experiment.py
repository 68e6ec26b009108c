"""Experiments as data: a base scenario, what varies, what is measured."""

from __future__ import annotations

import fnmatch
import itertools
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from celltrain.data import Data, merged
from celltrain.dbs import simulated
from celltrain.papers.agreement import Measured
from celltrain.papers.axis import Axis, written_out
from celltrain.papers.plot import Plot
from celltrain.papers.trace import Trace

#: All columns of a point, in order, unless a paper names its own.
POINT = (
    "throughput_bps",
    "throughput_bps_ci95",
    "normalized_throughput",
    "normalized_throughput_ci95",
    "mean_line_rate_bps",
    "ideal_throughput_bps",
    "utilization",
    "utilization_ci95",
    "cell_loss_ratio",
    "cell_loss_ratio_ci95",
    "max_queue_cells",
    "max_queue_cells_ci95",
    "mean_queue_cells",
    "mean_queue_cells_ci95",
    "rtt_mean_s",
    "rtt_mean_s_ci95",
    "timeouts",
    "timeouts_ci95",
    "n_runs",
)


class PaperError(ValueError):
    """A paper's files are not in order; the message names the file and what was expected."""


@dataclass(frozen=True)
class Point:
    """One scenario of an experiment, its values on the axes, and the overlays that these applied."""

    axes: Mapping[str, Any]
    scenario: Data
    overlays: tuple[str, ...] = ()


@dataclass(frozen=True)
class Direction:
    """What a direction of data is measured by: a link, and the groups of its connections, if it has any.

    Attributes
    ----------
    flows : tuple of str
        One group, or several that are measured together.
    waiting_only : bool
        Whether the cell in transmission does not count as queued.
    sent_once_only : bool
        Whether round trips are those of segments that were sent once, taken together over all connections;
        else of all segments, as the mean over connections.
    """

    link: str
    flows: tuple[str, ...] = ()
    waiting_only: bool = False
    sent_once_only: bool = False

    @classmethod
    def read(cls, entry: Mapping[str, Any]) -> Direction:
        """Make a direction of a table of the experiments file."""
        flows = entry.get("flows", ())
        return cls(**{**entry, "flows": (flows,) if isinstance(flows, str) else tuple(flows)})


@dataclass(frozen=True)
class Sum:
    """A number read off a table of a run: the sum of a column, or of a product of columns, over some rows.

    Attributes
    ----------
    of : tuple of str
        The columns that are multiplied.
    where : dict of str to str
        Patterns that the names in other columns must match. Without such a row the sum is zero.
    """

    table: str
    of: tuple[str, ...]
    where: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, entry: Mapping[str, Any]) -> Sum:
        """Make a sum of a table of the experiments file."""
        of = entry["of"]
        return cls(**{**entry, "of": (of,) if isinstance(of, str) else tuple(of)})


@dataclass(frozen=True)
class CellLoss:
    """A loss ratio of the data cells of one direction of a group of VCs at a link."""

    link: str
    vcs: str
    direction: str


@dataclass(frozen=True)
class Replications:
    """How often a point is run: ``least`` times, then ``step`` more while its interval is too wide."""

    least: int
    most: int
    step: int
    column: str
    precision: float
    #: How often points to which an overlay is applied are run at least, by the name of the overlay.
    least_with: Mapping[str, int] = field(default_factory=dict)

    def least_of(self, overlays: Iterable[str]) -> int:
        """Tell how often a point with these overlays is run at least."""
        return max([self.least, *(self.least_with.get(name, 0) for name in overlays)])


@dataclass(frozen=True)
class CellRates:
    """Rates of the kinds of cells that a group of VCs sends on a link, and of its data on another."""

    link: str
    data_link: str
    vcs: str
    direction: str


@dataclass(frozen=True)
class Experiment:
    """A figure or table of a paper.

    Attributes
    ----------
    directions : tuple of str
        Directions of data that have a row each; with more than one, the column ``direction`` says which.
    extra : tuple of str
        Columns beside those of a point, each with its interval.
    columns : tuple of str
        The columns of the table, where they are not all of a point's.
    cells : CellRates or None
        Rates of kinds of cells, a row for each kind.
    trace : Trace or None
        Time series of one run, instead of means.
    formulas : dict of str to str
        Columns that are computed, in order, from those of the axes and those before; nothing is run.
    aliases : dict of str to str
        Columns under another name: the name in the table, and that of the value.
    routes : dict of str to str
        VCs of the network that have a row each, by the label of the row; nothing is run.
    base : str
        The file of the scenario that the points change.
    plan : str
        The file of a plan for ``celltrain dbs``, whose flows are those of the scenario.
    checks : dict of str to str
        Instead of the rows of the trace: a row for each expression over them, and whether it holds.
    """

    id: str
    says: str
    axes: tuple[Axis, ...]
    plot: Plot
    overlays: tuple[str, ...] = ()
    directions: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    cells: CellRates | None = None
    trace: Trace | None = None
    formulas: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    routes: Mapping[str, str] = field(default_factory=dict)
    base: str = "scenario.toml"
    plan: str = ""
    checks: Mapping[str, str] = field(default_factory=dict)

    @property
    def axis_columns(self) -> list[str]:
        """Names of the columns that vary."""
        return [column for axis in self.axes for column in axis.columns]


@dataclass(frozen=True)
class Paper:
    """A published study: its folder read.

    Attributes
    ----------
    point : tuple of str
        The columns of a point, where an experiment does not name its own.
    settings : dict of str to dict
        Scenario key to template, as in :attr:`Axis.set`, by the column of an axis whose value ``{0}`` is.
    bases : dict of str to dict
        Scenarios that experiments start from, by file name.
    plans : dict of str to dict
        Flows of scenarios, by the file name of the plan that asks for them.
    measured : Measured or None
        What the study measured, to be compared with our tables.
    sums : dict of str to Sum
        Numbers read off each run, that formulas of further values can use.
    run_values, row_values : dict of str to str
        Formulas of further values: of a run, over those of its direction of data and those before; of a row,
        over its other columns.
    """

    name: str
    folder: Path
    title: str
    bases: Mapping[str, Data]
    overlays: Mapping[str, Data]
    directions: Mapping[str, Direction]
    losses: Mapping[str, CellLoss]
    counters: Mapping[str, str]
    ideal: float
    replications: Replications
    experiments: Mapping[str, Experiment]
    point: tuple[str, ...]
    settings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    run_values: Mapping[str, str] = field(default_factory=dict)
    row_values: Mapping[str, str] = field(default_factory=dict)
    sums: Mapping[str, Sum] = field(default_factory=dict)
    measured: Measured | None = None
    plans: Mapping[str, Data] = field(default_factory=dict)

    def points(self, experiment: Experiment, overlays: tuple[str, ...] = ()) -> list[Point]:
        """Write an experiment out: one point for each combination of its axes, in their order.

        Parameters
        ----------
        experiment
            One of this paper's.
        overlays
            Names of overlays to apply last, to every point.
        """
        points = []
        for rows in itertools.product(*(axis.values for axis in experiment.axes)):
            conditions = list(experiment.overlays)
            chosen: list[str] = []
            settings: list[Data] = []
            named: dict[str, Any] = {}
            for axis, values in zip(experiment.axes, rows, strict=True):
                conditions.extend(template.format(*values) for template in axis.conditions)
                chosen.extend(template.format(*values) for template in axis.overlays)
                settings.extend(axis.changes(values))
                own = dict(zip(axis.columns, values, strict=False))
                settings.extend(
                    change
                    for column, value in own.items()
                    for change in written_out(self.settings.get(column, {}), (value,))
                )
                named.update(own)
            data = self.base_of(experiment)
            for changes in (*map(self.overlay, conditions + chosen), *settings, *map(self.overlay, overlays)):
                data = overlaid(data, changes)
            if experiment.trace is not None:
                data = merged(data, experiment.trace.probe())
            points.append(Point(named, data, tuple(conditions + chosen)))
        return points

    def base_of(self, experiment: Experiment) -> Data:
        """Give the scenario that the points of an experiment change."""
        data = self.bases[experiment.base]
        return merged(data, {"flows": self.plans[experiment.plan]}) if experiment.plan else data

    def overlay(self, name: str) -> Data:
        """Give the changes of this name."""
        if name not in self.overlays:
            raise PaperError(f"{self.folder / 'overlays.toml'}: no overlay {name!r}")
        return self.overlays[name]


def overlaid(base: Mapping[str, Any], changes: Mapping[str, Any]) -> Data:
    """Merge nested tables, where a key that is a pattern stands for every key of the base that it matches.

    >>> overlaid({"up": {"x": 1}, "down": {"x": 1}}, {"*": {"x": 2}, "up": {"y": 3}})
    {'up': {'x': 2, 'y': 3}, 'down': {'x': 2}}
    >>> overlaid({"up": {}}, {"back*": {"x": 2}})
    {'up': {}}
    """
    result = dict(base)
    for pattern, value in changes.items():
        is_pattern = any(letter in pattern for letter in "*?[")
        keys = [key for key in base if fnmatch.fnmatchcase(key, pattern)] if is_pattern else [pattern]
        for key in keys:
            old = result.get(key)
            both_tables = isinstance(old, Mapping) and isinstance(value, Mapping)
            result[key] = overlaid(old or {}, value) if both_tables else value
    return result


def read_paper(name: str, folder: Path) -> Paper:
    """Read the folder of a paper.

    Raises
    ------
    PaperError
        A file lacks something or has something that is not known.
    """
    path = folder / "experiments.toml"
    spec = _toml(path)
    try:
        columns = spec.pop("columns", ())
        experiments = [read_experiment({"columns": columns, **entry}) for entry in spec.pop("experiment")]
        ideal = spec.pop("ideal")
        measured = spec.pop("measured", None)
        return Paper(
            name=name,
            folder=folder,
            title=spec.pop("title"),
            bases={base: _toml(folder / base) for base in {experiment.base for experiment in experiments}},
            plans={plan: simulated.flows(_toml(folder / plan)) for plan in {each.plan for each in experiments} - {""}},
            overlays=_toml(folder / "overlays.toml"),
            directions={key: Direction.read(value) for key, value in spec.pop("directions").items()},
            losses={key: CellLoss(**value) for key, value in spec.pop("losses", {}).items()},
            counters=spec.pop("counters", {}),
            ideal=ideal["payload_bytes"] / ideal["line_bytes"],
            replications=Replications(**spec.pop("replications")),
            experiments={experiment.id: experiment for experiment in experiments},
            point=tuple(spec.pop("point", POINT)),
            settings=spec.pop("settings", {}),
            measured=None if measured is None else Measured.read(folder / measured["file"], measured["column"]),
            sums={key: Sum.read(value) for key, value in spec.pop("sums", {}).items()},
            run_values=spec.pop("run_values", {}),
            row_values=spec.pop("row_values", {}),
        )
    except (KeyError, TypeError) as error:
        raise PaperError(f"{path}: {error}") from error


def read_experiment(entry: Data) -> Experiment:
    """Make an experiment of a table of the experiments file."""
    axes = tuple(Axis.read(dict(axis)) for axis in entry.pop("axis", ()))
    lists: dict[str, Any] = {key: tuple(entry.pop(key, ())) for key in ("overlays", "directions", "extra", "columns")}
    trace, cells = entry.pop("trace", None), entry.pop("cells", None)
    return Experiment(
        axes=axes,
        plot=Plot.read(entry.pop("plot")),
        trace=None if trace is None else Trace.read(trace),
        cells=None if cells is None else CellRates(**cells),
        **lists,
        **entry,
    )


def _toml(path: Path) -> Data:
    with path.open("rb") as file:
        return tomllib.load(file)
