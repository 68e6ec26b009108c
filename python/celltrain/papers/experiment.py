"""Experiments as data: a base scenario, what varies, what is measured."""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from celltrain.scenario import Data, merged, nested


class PaperError(ValueError):
    """A paper's files are not in order; the message names the file and what was expected."""


@dataclass(frozen=True)
class Axis:
    """A column of the result that varies, and how its values change the scenario.

    Attributes
    ----------
    column : str
        Name of the column.
    values : tuple
        Its values, in order.
    set : dict of str to str
        Scenario key to template; ``{0}`` stands for the value. A template that is only ``{0}`` gives the value itself.
    overlay : str or None
        Template of the name of an overlay to apply.
    """

    column: str
    values: tuple[Any, ...]
    set: Mapping[str, str] = field(default_factory=dict)
    overlay: str | None = None

    def changes(self, value: Any) -> Iterator[Data]:  # noqa: ANN401 - any value of the language
        """Give the changes that one value makes to the scenario."""
        for key, template in self.set.items():
            yield nested(key, value if template == "{0}" else template.format(value))


@dataclass(frozen=True)
class Plot:
    """A figure: ``y`` against ``x``, a line for each value of ``by``."""

    x: str
    x_label: str
    y: str
    y_label: str
    by: str
    x_scale: str = "linear"
    y_range: tuple[float, float] | None = None
    line_at: float | None = None
    line_label: str = ""


@dataclass(frozen=True)
class Point:
    """One scenario of an experiment, and its values on the axes."""

    axes: Mapping[str, Any]
    scenario: Data


@dataclass(frozen=True)
class Direction:
    """What a direction of data is measured by: a link, and the group of its connections."""

    link: str
    flows: str


@dataclass(frozen=True)
class Replications:
    """How often a point is run: ``least`` times, then ``step`` more while its interval is too wide."""

    least: int
    most: int
    step: int
    column: str
    precision: float


@dataclass(frozen=True)
class Experiment:
    """A figure or table of a paper."""

    id: str
    says: str
    metrics: str
    direction: str
    axes: tuple[Axis, ...]
    plot: Plot
    overlays: tuple[str, ...] = ()


@dataclass(frozen=True)
class Paper:
    """A published study: its folder read."""

    name: str
    folder: Path
    title: str
    base: Data
    overlays: Mapping[str, Data]
    directions: Mapping[str, Direction]
    ideal: float
    replications: Replications
    experiments: Mapping[str, Experiment]

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
        for values in itertools.product(*(axis.values for axis in experiment.axes)):
            data = self.base
            chosen = list(experiment.overlays)
            settings: list[Data] = []
            for axis, value in zip(experiment.axes, values, strict=True):
                if axis.overlay is not None:
                    chosen.append(axis.overlay.format(value))
                settings.extend(axis.changes(value))
            for changes in (*map(self.overlay, chosen), *settings, *map(self.overlay, overlays)):
                data = merged(data, changes)
            named = dict(zip((axis.column for axis in experiment.axes), values, strict=True))
            points.append(Point(named, data))
        return points

    def overlay(self, name: str) -> Data:
        """Give the changes of this name."""
        if name not in self.overlays:
            raise PaperError(f"{self.folder / 'overlays.toml'}: no overlay {name!r}")
        return self.overlays[name]


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
        experiments = [_experiment(dict(entry)) for entry in spec.pop("experiment")]
        ideal = spec.pop("ideal")
        directions = {key: Direction(**value) for key, value in spec.pop("directions").items()}
        return Paper(
            name=name,
            folder=folder,
            title=spec.pop("title"),
            base=_toml(folder / "scenario.toml"),
            overlays=_toml(folder / "overlays.toml"),
            directions=directions,
            ideal=ideal["payload_bytes"] / ideal["line_bytes"],
            replications=Replications(**spec.pop("replications")),
            experiments={experiment.id: experiment for experiment in experiments},
        )
    except (KeyError, TypeError) as error:
        raise PaperError(f"{path}: {error}") from error


def _experiment(entry: Data) -> Experiment:
    axes = tuple(Axis(**{**axis, "values": tuple(axis["values"])}) for axis in entry.pop("axis"))
    overlays = tuple(entry.pop("overlays", ()))
    return Experiment(axes=axes, plot=Plot(**entry.pop("plot")), overlays=overlays, **entry)


def _toml(path: Path) -> Data:
    with path.open("rb") as file:
        return tomllib.load(file)
