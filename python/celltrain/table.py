"""Tables: columns with units."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from celltrain.extras import need
from celltrain.files import csv_text

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas as pd
    import polars as pl
    from matplotlib.figure import Figure


#: The values of a column: counts, other numbers, or names.
Values: TypeAlias = "npt.NDArray[np.int64] | npt.NDArray[np.float64] | list[str]"


class Table:
    """A table: columns of equal length, numbers as numpy arrays and names as lists.

    Counts are ``int64``. Other numbers are ``float64``, NaN if missing; so are counts that a row may lack.

    Parameters
    ----------
    columns
        Values by column name, in order.
    units
        Unit by column name: SI, ``1`` for ratios and counts, empty for names.
    """

    def __init__(self, columns: Mapping[str, Values], units: Mapping[str, str]) -> None:
        self.columns = dict(columns)
        self.units = dict(units)

    def __getitem__(self, column: str) -> Any:  # noqa: ANN401 - numbers or names, as the column has it
        """Return the values of a column: an array of numbers, or a list of names."""
        try:
            return self.columns[column]
        except KeyError:
            known = ", ".join(self.columns)
            raise KeyError(f"no column {column!r}; there are {known}") from None

    def __len__(self) -> int:
        """Count the rows."""
        return len(next(iter(self.columns.values()), []))

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the columns."""
        return iter(self.columns)

    def rows(self) -> Iterator[dict[str, float | str]]:
        """Iterate over the rows; counts are Python integers, other numbers floats, NaN if missing."""
        for index in range(len(self)):
            yield {
                name: values[index] if isinstance(values, list) else values[index].item()
                for name, values in self.columns.items()
            }

    def to_pandas(self) -> pd.DataFrame:
        """Return a pandas data frame; needs ``pip install 'celltrain[pandas]'``."""
        need("pandas", by="Table.to_pandas()")
        import pandas as pd

        return pd.DataFrame(self.columns)

    def to_polars(self) -> pl.DataFrame:
        """Return a polars data frame; needs ``pip install 'celltrain[polars]'``."""
        need("polars", by="Table.to_polars()")
        import polars as pl

        return pl.DataFrame(self.columns)

    def to_csv(self) -> str:
        """Return CSV with a header line."""
        return csv_text(list(self.columns), self.rows())

    def plot(self, x: str, *y: str, width: str | None = None) -> Figure:
        """Draw columns against another: lines over numbers, bars over names, with intervals if there are any.

        >>> result.links.plot("link", "utilization", width="one").savefig("links.pdf")  # doctest: +SKIP

        Parameters
        ----------
        x, y
            Names of columns.
        width
            ``"one"`` or ``"two"``: the width of one or two columns of a paper, in its font; default: for a screen.

        Returns
        -------
        matplotlib.figure.Figure
            A panel for each column of ``y``; a notebook displays it.

        Raises
        ------
        KeyError
            There is no such column; the message lists the existing ones.
        ValueError
            No column is given for the y axis, or one with names.
        """
        if not y:
            raise ValueError("name the columns to draw: table.plot('link', 'utilization')")
        need("plots", by="Table.plot()")
        from celltrain import drawing, notebook

        with drawing.page(width):
            return notebook.columns_figure(self.columns, self.units, x, y)

    def _repr_html_(self) -> str:
        from celltrain import notebook

        return notebook.table_html(self.columns, self.units)

    def __repr__(self) -> str:
        """Show the first rows, aligned."""
        shown = [[name, *(_short(row[name]) for row in self._first(12))] for name in self.columns]
        widths = [max(map(len, column)) for column in shown]
        lines = [
            "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True))
            for line in zip(*shown, strict=True)
        ]
        rest = len(self) - 12
        return "\n".join(lines + ([f"... {rest} more rows"] if rest > 0 else []))

    def _first(self, count: int) -> list[dict[str, float | str]]:
        return [row for row, _ in zip(self.rows(), range(count), strict=False)]


def _short(value: float | str) -> str:
    return (
        value
        if isinstance(value, str)
        else str(value)
        if isinstance(value, int)
        else ""
        if math.isnan(value)
        else f"{value:.6g}"
    )
