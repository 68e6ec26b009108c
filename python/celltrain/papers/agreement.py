"""Published measurements compared with our results: which rows were measured, and how well they agree."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Measured:
    """The measurements of a study.

    Attributes
    ----------
    column : str
        The column that was measured; it has the same name in our tables.
    keys : tuple of str
        The columns that identify a row.
    values : dict of tuple to float
        The measured value by the values of ``keys``.
    """

    column: str
    keys: tuple[str, ...]
    values: Mapping[tuple[float, ...], float]

    @classmethod
    def read(cls, path: Path, column: str) -> Measured:
        """Read a table with a row for each measurement; its column ``table`` is ignored."""
        with path.open(newline="") as file:
            rows = list(csv.DictReader(file))
        keys = tuple(key for key in rows[0] if key not in ("table", column))
        return cls(column, keys, {tuple(float(row[key]) for key in keys): float(row[column]) for row in rows})

    def of(self, row: Mapping[str, Any]) -> float | None:
        """Return the measured value for one of our rows; None if there is none.

        >>> measured = Measured("bps", ("rate", "loss"), {(1e6, 0.0): 8e5})
        >>> measured.of({"rate": 1000000, "loss": 0, "bps": 7.9e5}), measured.of({"rate": 2000000, "loss": 0})
        (800000.0, None)
        """
        if not all(key in row for key in self.keys):
            return None
        return self.values.get(tuple(float(row[key]) for key in self.keys))

    def beside(self, rows: Rows) -> list[dict[str, Any]]:
        """Return the measured rows, with the measured value as ``measured_COLUMN`` and the deviation of ours."""
        pairs = ((row, self.of(row)) for row in rows)
        return [
            {key: row[key] for key in (*self.keys, self.column)}
            | {f"measured_{self.column}": value, "deviation": float(row[self.column]) / value - 1}
            for row, value in pairs
            if value is not None
        ]


@dataclass(frozen=True)
class Agreement:
    """How well a table agrees with measurements.

    Attributes
    ----------
    points : int
        Number of measured rows.
    mean_deviation, rms_deviation : float
        Mean absolute value, and root mean square, of (ours / measured - 1).
    rank_correlation : float
        Spearman's, equal values sharing their mean rank; NaN for fewer than three points.
    origin : str
        Where the table comes from: ``simulated``, or ``live`` if kernels were measured.
    """

    points: int
    mean_deviation: float
    rms_deviation: float
    rank_correlation: float
    origin: str = "simulated"

    @classmethod
    def of(cls, measured: Measured, rows: Rows, origin: str = "simulated") -> Agreement | None:
        """Compare a table with its measurements; None if there are none.

        >>> measured = Measured("bps", ("rate",), {(1.0,): 100.0, (2.0,): 200.0, (3.0,): 300.0})
        >>> ours = [{"rate": 1, "bps": 110.0}, {"rate": 2, "bps": 160.0}, {"rate": 3, "bps": 300.0}]
        >>> found = Agreement.of(measured, ours)
        >>> found.points, round(found.mean_deviation, 3), round(found.rms_deviation, 3), found.rank_correlation
        (3, 0.1, 0.129, 1.0)
        """
        beside = measured.beside(rows)
        if not beside:
            return None
        from scipy import stats  # takes a second to import

        deviations = np.array([row["deviation"] for row in beside])
        ours, theirs = ([row[name] for row in beside] for name in (measured.column, f"measured_{measured.column}"))
        enough = len(beside) > 2 and len(set(ours)) > 1 and len(set(theirs)) > 1
        return cls(
            points=len(beside),
            mean_deviation=float(np.abs(deviations).mean()),
            rms_deviation=float(np.sqrt((deviations**2).mean())),
            rank_correlation=float(stats.spearmanr(ours, theirs).statistic) if enough else float("nan"),
            origin=origin,
        )

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)

    def __str__(self) -> str:
        """Return it as one line of text."""
        return (
            f"{self.origin} against {self.points} published values: {self.rms_deviation:.1%} apart (root mean square), "
            f"{self.mean_deviation:.1%} on average, rank correlation {self.rank_correlation:.3f}"
        )
