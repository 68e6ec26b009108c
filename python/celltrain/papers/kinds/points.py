"""``kind = "points"``: means over the runs of each point, a row for each direction of data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from celltrain.papers.head import Head
from celltrain.papers.kinds.experiment import Point, Row, Simulated, Values
from celltrain.papers.reading import Mistake

if TYPE_CHECKING:
    from celltrain.results import Result


#: Values of each run for a direction of data.
VALUES = (
    *("throughput_bps", "normalized_throughput", "payload_part", "n_flows", "fairness_spread_bps", "jain_index"),
    *("mean_line_rate_bps", "ideal_throughput_bps", "utilization", "cells_offered", "cell_loss_ratio"),
    *("max_queue_cells", "mean_queue_cells", "max_source_queue_cells", "source_cell_loss_ratio"),
    *("rtt_mean_s", "rtt_std_s", "timeouts", "spurious_timeouts", "retransmitted_segments", "longest_idle_s"),
    "measured_s",
)


def with_intervals(head: Head) -> set[str]:
    """Return the names of the values of a run that rows can have, with their intervals."""
    values = [*VALUES, *head.sums, *head.run_values]
    return {name for value in values for name in (value, f"{value}_ci95")}


@dataclass(frozen=True, kw_only=True)
class Points(Simulated):
    """Means over the runs of each point.

    Attributes
    ----------
    directions : tuple of str
        Directions of data that have a row each; with more than one, the column ``direction`` says which.
    extra : tuple of str
        Columns in addition to those of a point, each with its interval.
    columns : tuple of str
        The columns of the table, if they are not those of the head.
    aliases : dict of str to str
        Columns under another name: the name in the table, and that of the value.
    """

    directions: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)

    @property
    def names(self) -> set[str]:
        """Columns of names, which have no unit."""
        return super().names | {"direction"}

    @property
    def measured_directions(self) -> tuple[str, ...]:
        """All directions, since each has a row."""
        return self.directions

    def column_names(self, head: Head) -> list[str]:
        """Name the columns: those listed, or the axes, the columns of a point and the extra ones."""
        if self.columns or head.columns:
            return list(self.columns or head.columns)
        direction = ["direction"] if len(self.directions) > 1 else []
        extra = [name for column in self.extra for name in (column, f"{column}_ci95")]
        return [*self.axis_columns, *direction, *head.point, *extra]

    def known_columns(self, head: Head) -> set[str]:
        """Name the axes, and all values with their intervals."""
        extra = [*self.extra, *self.aliases]
        known = with_intervals(head) | {name for column in extra for name in (column, f"{column}_ci95")}
        return {*known, *self.axis_columns, "direction", "n_runs", *head.row_values}

    def rows(self, head: Head, point: Point, values: Sequence[Values], first: Result) -> Iterator[Row]:
        """Make a row for each direction of data."""
        from celltrain.papers import metrics

        extra = metrics.means([{name: run[name] for name in self.extra} for run in values])
        for direction in self.directions:
            row: dict[str, Any] = {**point.axes, "direction": direction, **extra}
            row |= metrics.means(values, f"{direction}.")
            for name, value in self.aliases.items():
                if value not in row:
                    message = (
                        f'it has no value "{value}", which {self.id} calls "{name}"; expected connections, "flows"'
                    )
                    raise Mistake(message, "directions", direction)
                row |= {f"{name}{end}": row[f"{value}{end}"] for end in ("", "_ci95")}
            row = metrics.with_formulas(row, head.row_values, "row_values")
            for missing in (column for column in self.column_names(head) if column not in row):
                message = f'it has no "{missing}", a column of {self.id}; expected connections, "flows"'
                raise Mistake(message, "directions", direction)
            yield row
