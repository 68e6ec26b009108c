"""The outcome of a live experiment: published, simulated and measured values side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from celltrain.files import csv_text
from celltrain.papers.agreement import Agreement
from celltrain.papers.live.sources import COLUMN, SOURCES, side_by_side
from celltrain.papers.live.trial import Measured
from celltrain.papers.outcome import Outcome, PointRecord
from celltrain.papers.plot import Plot
from celltrain.papers.units import unit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_BESIDE = (*SOURCES.values(), "simulated_bps_ci95", "retransmits", "packets_lost", "lateness_p95_s", "degraded")


@dataclass(frozen=True, kw_only=True)
class LivePoint(PointRecord):
    """The origin of a row in real time, including the plan of the transfer and the behaviour of line and kernels."""

    plan_hash: str
    measured: Measured

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data, without the settings of the kernels, which are equal for all points."""
        plain = asdict(self)
        measured: dict[str, Any] = plain.pop("measured")
        del measured["kernels"]
        return {**plain, **measured}


@dataclass(frozen=True)
class LiveOutcome(Outcome):
    """A live experiment's table, and the values for comparison.

    Each row also has the columns of :data:`SOURCES`, and the timing accuracy of the line.
    """

    origin: ClassVar[str] = "live"

    @property
    def comparison_columns(self) -> list[str]:
        """The columns of the comparison table."""
        return [*(column for column in self.columns if column != COLUMN), *_BESIDE]

    @property
    def live_points(self) -> list[LivePoint]:
        """The origin of each row."""
        return [point for point in self.points if isinstance(point, LivePoint)]

    @property
    def degraded(self) -> list[LivePoint]:
        """Points whose line was late."""
        return [point for point in self.live_points if point.measured.degraded]

    @property
    def realtime_problems(self) -> list[str]:
        """Why lines had no priority over ordinary programs, each reason once."""
        problems = dict.fromkeys(point.measured.realtime_problem for point in self.live_points)
        return [problem for problem in problems if problem]

    @property
    def agreement(self) -> Agreement | None:
        """How well the points with the clock of a receiver of 1999 agree with the published values."""
        rows = [row for row in self.rows if row["ack_grid_s"]]
        return None if self.paper.measured is None else Agreement.of(self.paper.measured, rows, self.origin)

    def _compared(self) -> dict[str, str]:
        return {"comparison.csv": csv_text(self.comparison_columns, self.rows)}

    @property
    def provenance(self) -> dict[str, Any]:
        """How the table was made, including the kernel, its settings, and the line's timing accuracy at each point."""
        points = self.live_points
        return super().provenance | {
            "clock": "wall",
            "seeds": "1 for the line's losses; one run of each point",
            "comparison_units": {column: unit(column) for column in self.comparison_columns},
            "kernels": points[0].measured.kernels if points else {},
            "points": [point.to_json() for point in points],
        }

    def plot(self) -> Figure:
        """Draw the figure; a notebook displays it."""
        from celltrain.papers import figure

        return figure.make(*self._figure, mark=self._mark)

    def _drawn(self) -> dict[str, bytes]:
        from celltrain.papers import figure

        return figure.draw(*self._figure, mark=self._mark)

    @property
    def _figure(self) -> tuple[Plot, str, list[Mapping[str, Any]], dict[str, str]]:
        """The content of the figure: plot, title, rows and units."""
        rows = list(self._unfolded())
        return side_by_side(self.shown), self._title, rows, self.units | {"source": ""}

    def _unfolded(self) -> Iterator[Mapping[str, Any]]:
        """Yield a row for each source."""
        for source, column in SOURCES.items():
            for row in self.rows:
                half_width = row["simulated_bps_ci95"] if source == "simulated" else float("nan")
                yield {**row, "source": source, COLUMN: row[column], f"{COLUMN}_ci95": half_width}
