"""What every kind of experiment has, and what a kind must say of itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from celltrain.data import Data
from celltrain.papers.axis import Axis
from celltrain.papers.head import Head
from celltrain.papers.plot import Plot

if TYPE_CHECKING:
    from celltrain.results import Result

Row = Mapping[str, Any]
Values = Mapping[str, float]


@dataclass(frozen=True)
class Point:
    """One scenario of an experiment, its values on the axes, and the overlays that these applied."""

    axes: Mapping[str, Any]
    scenario: Data
    overlays: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Experiment(ABC):
    """A figure or table of a study.

    Attributes
    ----------
    id, says : str
        The figure or table, and what it shows.
    axes : tuple of Axis
        What varies; the points are all combinations.
    overlays : tuple of str
        Names of overlays that all points share.
    base : str
        The file of the scenario that the points change.
    plan : str
        The file of a plan for ``celltrain dbs``, whose flows are those of the scenario.
    """

    id: str
    says: str
    plot: Plot
    axes: tuple[Axis, ...] = ()
    overlays: tuple[str, ...] = ()
    base: str = "scenario.toml"
    plan: str = ""

    @property
    def axis_columns(self) -> list[str]:
        """Names of the columns that vary."""
        return [column for axis in self.axes for column in axis.columns]

    @property
    def names(self) -> set[str]:
        """Columns of names, which have no unit."""
        return {
            column
            for axis in self.axes
            for place, column in enumerate(axis.columns)
            if any(isinstance(row[place], str) for row in axis.values)
        }

    @abstractmethod
    def column_names(self, head: Head) -> list[str]:
        """Name the columns of the table, in order."""

    @abstractmethod
    def known_columns(self, head: Head) -> set[str]:
        """Name all columns that the rows have, of which a table can be made."""


@dataclass(frozen=True, kw_only=True)
class Simulated(Experiment):
    """An experiment whose points are run."""

    @property
    def measured_directions(self) -> tuple[str, ...]:
        """Directions of data whose precision decides how often a point is run; without them it is run once."""
        return ()

    def probe(self) -> Data:
        """Give the changes that make a scenario record what the rows need."""
        return {}

    def read_off(self, result: Result) -> Values:
        """Read what no other experiment needs off a run."""
        return {}

    @abstractmethod
    def rows(self, head: Head, point: Point, values: Sequence[Values], first: Result) -> Iterator[Row]:
        """Make the rows of a point of what was read off its runs, and of the run with seed 1."""


@dataclass(frozen=True, kw_only=True)
class Computed(Experiment):
    """An experiment for which nothing is run."""

    @abstractmethod
    def rows_of(self, origin: str, point: Point) -> tuple[str, list[Row]]:
        """Give the hash of the scenario of a point, empty where there is none, and its rows."""
