"""The base of every kind of experiment, and what a kind must define."""

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
    """One scenario of an experiment, its values on the axes, and the overlays that they apply."""

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
        """Return all columns of the rows, from which a table can be made."""


@dataclass(frozen=True, kw_only=True)
class Simulated(Experiment):
    """An experiment whose points are run."""

    @property
    def measured_directions(self) -> tuple[str, ...]:
        """Directions of data whose precision decides how often a point is run; without them it is run once."""
        return ()

    def probe(self) -> Data:
        """Return the changes that make a scenario record the quantities that the rows need."""
        return {}

    def read_off(self, result: Result) -> Values:
        """Extract values from a run that no other experiment needs."""
        return {}

    @abstractmethod
    def rows(self, head: Head, point: Point, values: Sequence[Values], first: Result) -> Iterator[Row]:
        """Make the rows of a point from the values of its runs, and from the run with seed 1."""


@dataclass(frozen=True, kw_only=True)
class Computed(Experiment):
    """An experiment without runs."""

    @abstractmethod
    def rows_of(self, origin: str, point: Point) -> tuple[str, list[Row]]:
        """Return the hash of the scenario of a point, empty if there is none, and its rows."""
