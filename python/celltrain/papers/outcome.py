"""The outcome of an experiment: rows, verdicts, and their files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from celltrain import _native, notebook
from celltrain.extras import need
from celltrain.files import atomic_write, csv_text, json_text, replace_together, sha256
from celltrain.papers.agreement import Agreement
from celltrain.papers.claims import Verdict, judge, read_claims
from celltrain.papers.extent import COLUMN as EXTENT
from celltrain.papers.extent import Extent
from celltrain.papers.kinds import Experiment
from celltrain.papers.paper import Paper
from celltrain.papers.plot import Plot
from celltrain.papers.units import unit
from celltrain.results import SCHEMA_VERSION
from celltrain.stored.seals import sealed_json

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class PointRecord:
    """The origin of a row: the values on the axes, the whole scenario's hash, the runs, and whether they suffice."""

    axes: Mapping[str, Any]
    scenario_hash: str
    runs: int
    precise_enough: bool
    #: Start and length of the measured interval, as the scenario states them; none without a run.
    measure: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """An experiment's table, and its origin."""

    paper: Paper
    experiment: Experiment
    columns: list[str]
    rows: Sequence[Mapping[str, Any]]
    points: list[PointRecord]
    #: Cross-checks of the structures of its points; none if nothing is simulated.
    cross_checks: Mapping[str, Any] | None = None
    extent: Extent = field(default_factory=Extent)
    #: The canonical scenario of the first point; none if nothing is simulated.
    first_scenario: Mapping[str, Any] | None = None
    #: Where its values come from, as the verdicts say.
    origin: ClassVar[str] = "simulated"

    @property
    def imprecise(self) -> list[PointRecord]:
        """Points whose interval is wider than the paper's rule allows, after the maximum number of runs."""
        return [point for point in self.points if not point.precise_enough]

    @property
    def agreement(self) -> Agreement | None:
        """How well the table agrees with the measurements of the study; None if there are none."""
        return None if self.paper.measured is None else Agreement.of(self.paper.measured, self.rows, self.origin)

    @property
    def _measured(self) -> list[dict[str, Any]]:
        return [] if self.paper.measured is None else self.paper.measured.beside(self.rows)

    @property
    def _published(self) -> list[dict[str, Any]]:
        """The measured rows, with the measured value instead of ours."""
        column = "" if self.paper.measured is None else self.paper.measured.column
        return [{**row, column: row[f"measured_{column}"]} for row in self._measured]

    def verdicts(self, tables: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[Verdict]:
        """Check the claims of the experiment against all available tables."""
        claims = read_claims(self.paper.folder)
        return [judge(claim, tables, self.origin) for claim in claims if claim.experiment == self.experiment.id]

    def write(self, folder: Path) -> list[Path]:
        """Write table, figure and provenance into ``folder/PAPER``, and remove what an earlier run left there.

        The provenance comes last: a folder that has it also has the files that it belongs to, whenever this process is
        killed.

        Returns
        -------
        list of Path
            The files.
        """
        files: dict[str, str | bytes] = {"csv": self.csv}
        files |= self._compared()
        files |= self._drawn()
        named = {f"{self.experiment.id}.{suffix}": content for suffix, content in files.items()}
        digests = {name: sha256(content) for name, content in named.items()}
        seal = f"{self.experiment.id}.provenance.json"
        named[seal] = sealed_json(self.provenance | {"files": digests})
        target = self._folder(folder)
        return replace_together(target, named, seal=seal, stale=f"{self.experiment.id}.*")

    @property
    def csv(self) -> str:
        """The table as CSV; unless it is the study's, a column says of each row what it is."""
        if self.extent.is_study:
            return csv_text(self.columns, self.rows)
        return csv_text([*self.columns, EXTENT], [{**row, EXTENT: self.extent.says} for row in self.rows])

    def _compared(self) -> dict[str, str]:
        measured = self._measured
        return {"measured.csv": csv_text(list(measured[0]), measured)} if measured else {}

    def _drawn(self) -> dict[str, bytes]:
        from celltrain.papers import figure

        return figure.draw(self.shown, self._title, self.rows, self.units, self._published, self._mark)

    def plot(self) -> Figure:
        """Draw the figure; a notebook displays it."""
        need("plots", by="Outcome.plot()")
        from celltrain.papers import figure

        return figure.make(self.shown, self._title, self.rows, self.units, self._published, self._mark)

    def _repr_html_(self) -> str:
        columns = {name: _column([row[name] for row in self.rows]) for name in self.columns}
        return notebook.table_html(columns, self.units, self._title)

    @property
    def units(self) -> dict[str, str]:
        """The unit of each column."""
        names = self.paper.names(self.experiment)
        return {column: "" if column in names else unit(column) for column in self.columns}

    @property
    def _title(self) -> str:
        note = "" if self.extent.is_study else f" ({self.extent.says})"
        return f"{self.paper.name} {self.experiment.id}: {self.experiment.says}{note}"

    @property
    def shown(self) -> Plot:
        """The description of the figure: with the colours of the study, and over the time that was simulated."""
        plot = replace(self.experiment.plot, numbers=self.paper.series_numbers)
        return replace(plot, x_range=None) if self.extent.quick else plot

    @property
    def _mark(self) -> str:
        """The word across the figure; none for the study itself."""
        return "" if self.extent.is_study else self.extent.name

    def write_verdicts(self, folder: Path, verdicts: list[Verdict]) -> Path:
        """Write the verdicts on the claims beside the table."""
        path = self._folder(folder) / f"{self.experiment.id}.claims.json"
        atomic_write(path, json_text(self.plain_verdicts(verdicts)))
        return path

    def plain_verdicts(self, verdicts: list[Verdict]) -> list[dict[str, Any]]:
        """Return verdicts as plain data, each with the digest of the table that it belongs to."""
        table = sha256(self.csv)
        return [verdict.to_json() | {"table_sha256": table} for verdict in verdicts]

    def _folder(self, folder: Path) -> Path:
        target = folder / self.paper.name
        target.mkdir(parents=True, exist_ok=True)
        return target

    @property
    def provenance(self) -> dict[str, Any]:
        """How the table was made: version, base scenario, overlays and the hash of each point's whole scenario."""
        return {
            "celltrain": _native.__version__,
            "schema_version": SCHEMA_VERSION,
            "clock": "simulated",
            "paper": self.paper.name,
            "title": self.paper.head.title,
            "experiment": self.experiment.id,
            "says": self.experiment.says,
            "extent": self.extent.to_json(),
            "plot": asdict(self.shown),
            "seeds": "1 to the number of runs of each point, the same for all points",
            "units": self.units,
            "base_scenario": self.paper.base_of(self.experiment),
            "overlays": dict(self.paper.overlays),
            "scenario": self.first_scenario,
            "points": [asdict(point) for point in self.points],
            "cross_checks": self.cross_checks,
            "agreement": None if self.agreement is None else self.agreement.to_json(),
        }


def _column(values: list[Any]) -> notebook.Values:
    if all(isinstance(value, int | float) for value in values):
        return np.array(values, dtype=np.float64)
    return [str(value) for value in values]
