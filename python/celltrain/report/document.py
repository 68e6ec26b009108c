"""The content of a report as data: chapters of sections, each with figure, claims, tables and provenance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from celltrain.report.figures import Figure
from celltrain.report.stage import Stage


@dataclass(frozen=True)
class Fact:
    """A line of provenance: its name and value."""

    name: str
    value: str
    #: Whether the value is a hash or similar machine-readable text.
    code: bool = False


@dataclass(frozen=True)
class Column:
    """The heading of a column of a table."""

    name: str
    unit: str
    numeric: bool


@dataclass(frozen=True)
class Grid:
    """A table whose numbers are already formatted as text.

    Attributes
    ----------
    left_out : int
        Number of rows that are not shown.
    file : str
        Name of the file with all rows, in full precision.
    """

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]
    left_out: int = 0
    file: str = ""
    #: Whether the table is shown at once or only on request.
    unfolded: bool = True


@dataclass(frozen=True)
class Claim:
    """A claim of a study, and our value."""

    id: str
    says: str
    source: str
    holds: bool | None
    published: str
    ours: str
    #: Where our value comes from: simulated, or live.
    origin: str
    #: How the claim was checked, or why it could not be.
    detail: str


@dataclass(frozen=True)
class Listing:
    """A long text that is shown on request, such as a scenario."""

    title: str
    text: str


@dataclass(frozen=True)
class Section:
    """A separate result: an experiment, or the tables of a run.

    Attributes
    ----------
    key : str
        Short name, such as ``fig04``.
    """

    key: str
    title: str
    figures: Sequence[Figure] = ()
    #: The network above the first figure, on which that figure is played.
    stage: Stage | None = None
    claims: Sequence[Claim] = ()
    grids: Sequence[Grid] = ()
    facts: Sequence[Fact] = ()
    listings: Sequence[Listing] = ()
    #: Notes that the reader needs to judge the numbers.
    notes: Sequence[str] = ()
    #: What distinguishes the results from those of a study, for readers who see only this section.
    warning: str = ""

    @property
    def holding(self) -> int:
        """Count the claims that hold."""
        return sum(claim.holds is True for claim in self.claims)

    @property
    def failing(self) -> list[Claim]:
        """The claims that do not hold."""
        return [claim for claim in self.claims if claim.holds is False]

    @property
    def unchecked(self) -> list[Claim]:
        """The claims that could not be checked."""
        return [claim for claim in self.claims if claim.holds is None]


@dataclass(frozen=True)
class Chapter:
    """A run, a study, a sweep.

    Attributes
    ----------
    facts, listings
        How the results were made, for the end of the chapter.
    summary : str
        The same in one line, for its top.
    drawing : str
        The address of an image of the network; empty if there is none.
    damaged : mapping of Path to str
        Damaged records, which the chapter leaves out, and what is wrong with each.
    """

    kind: str
    title: str
    sections: Sequence[Section]
    facts: Sequence[Fact] = ()
    listings: Sequence[Listing] = ()
    summary: str = ""
    drawing: str = ""
    damaged: Mapping[Path, str] = field(default_factory=dict)

    @property
    def claims(self) -> int:
        """Count all claims."""
        return sum(len(section.claims) for section in self.sections)

    @property
    def holding(self) -> int:
        """Count the claims that hold."""
        return sum(section.holding for section in self.sections)

    @property
    def failing(self) -> list[tuple[Section, Claim]]:
        """The claims that do not hold, each with its section."""
        return [(section, claim) for section in self.sections for claim in section.failing]

    @property
    def unchecked(self) -> int:
        """Count the claims that could not be checked."""
        return sum(len(section.unchecked) for section in self.sections)


@dataclass(frozen=True)
class Report:
    """Everything found in a folder."""

    title: str
    version: str
    chapters: Sequence[Chapter] = field(default_factory=tuple)
