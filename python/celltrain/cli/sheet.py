"""Tables that commands print: columns with their numbers, and how they are shown."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from celltrain.cli.grid import Cells
from celltrain.quantity import with_unit


@dataclass(frozen=True)
class Column:
    """A column: its values, and their texts where these are not just numbers with a unit or names.

    Attributes
    ----------
    name : str
        Its name in CSV and for ``--sort`` and ``--columns``.
    values : sequence
        Numbers or names, as in CSV.
    heading : str
        Its heading for display, without the unit; default: the name.
    unit : str
        Unit of the values.
    texts : sequence of str or None
        What is shown instead of the values.
    kind : str
        ``""``: as the values are; ``"name"``, ``"number"`` or ``"sentence"``; ``"data"`` is only in CSV.
    styles : sequence of str
        The style of each text.
    """

    name: str
    values: Sequence[Any]
    heading: str | None = None
    unit: str = ""
    texts: Sequence[str] | None = None
    kind: str = ""
    styles: Sequence[str] = ()

    @property
    def is_number(self) -> bool:
        """Whether it is aligned on the right."""
        if self.kind:
            return self.kind == "number"
        return any(isinstance(value, int | float) and not isinstance(value, bool) for value in self.values)

    def cells(self) -> Cells:
        """Return heading and texts for display."""
        from celltrain.figures import figures, titled

        heading = self.name if self.heading is None else self.heading
        texts, unit = self.texts, self.unit
        if texts is None and self.is_number:
            texts, unit = figures(self.values, self.unit, self.name)
        elif texts is None:
            texts = [_text(value) for value in self.values]
        return Cells(titled(heading, unit), texts, self.is_number, self.kind == "sentence", self.styles)

    def of_rows(self, rows: Sequence[int]) -> Column:
        """Return it with only these rows, in this order."""
        return replace(
            self,
            values=[self.values[row] for row in rows],
            texts=None if self.texts is None else [self.texts[row] for row in rows],
            styles=[self.styles[row] for row in rows] if self.styles else (),
        )


@dataclass(frozen=True)
class Sheet:
    """A table: its columns, the number of those that identify a row, and the words around it.

    Attributes
    ----------
    name : str
        Its name, shown above it.
    columns : sequence of Column
        The columns.
    keys : int
        Number of columns, from the first, that identify a row.
    caption : str
        A remark, shown below it.
    most : int
        Maximum number of rows displayed.
    more_in : str
        Where to find the others.
    breaks : sequence of int
        Rows with a blank line before them.
    """

    name: str
    columns: Sequence[Column]
    keys: int = 1
    caption: str = ""
    most: int = 100
    more_in: str = "--format csv prints all"
    breaks: Sequence[int] = ()

    @classmethod
    def of_rows(cls, name: str, rows: Sequence[Mapping[str, Any]], columns: Sequence[str] = ()) -> Sheet:
        """Make a sheet from rows in plain data, with the names of their columns as headings."""
        names = columns or (list(rows[0]) if rows else [])
        return cls(name, [Column(each, [row[each] for row in rows]) for each in names])

    def __len__(self) -> int:
        """Count the rows."""
        return len(self.columns[0].values) if self.columns else 0

    def column(self, name: str) -> Column | None:
        """Return a column by its name, with or without that of the table; the end of a name is enough for one."""
        wanted = name.removeprefix(f"{self.name}.")
        found = [each for each in self.columns if wanted == each.name]
        found = found or [each for each in self.columns if each.name.endswith(f".{wanted}")]
        return found[0] if len(found) == 1 else None

    def chosen(self, names: Sequence[str]) -> Sheet:
        """Return it with only these columns, in this order."""
        columns = [each for each in map(self.column, names) if each]
        return replace(self, columns=columns, keys=min(self.keys, len(columns)))

    def sorted_by(self, name: str, *, descending: bool) -> Sheet:
        """Return it with its rows in the order of a column; missing values last."""
        column = self.column(name)
        if column is None:
            return self
        known = [row for row, value in enumerate(column.values) if not _is_missing(value)]
        # Names and numbers never mix in a column, except for values of a scenario that may be both.
        known.sort(key=lambda row: _order(column.values[row]), reverse=descending)
        rows = known + [row for row, value in enumerate(column.values) if _is_missing(value)]
        return replace(self, columns=[each.of_rows(rows) for each in self.columns], breaks=())

    def data(self) -> tuple[list[str], list[dict[str, Any]]]:
        """Return names of the columns, and rows, for CSV."""
        names = [each.name for each in self.columns]
        return names, [{each.name: each.values[row] for each in self.columns} for row in range(len(self))]

    def cells(self) -> list[Cells]:
        """Return the columns for display."""
        return [each.cells() for each in self.columns if each.kind != "data"]


def _is_missing(value: object) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _order(value: Any) -> tuple[int, Any]:  # noqa: ANN401 - a number or a name
    """Return the place of a value: numbers and quantities by their amount, then names."""
    quantity = with_unit(value) if isinstance(value, str) else None
    if quantity:
        return (0, quantity[0])
    return (0, value) if isinstance(value, int | float) else (1, str(value))


def _text(value: object) -> str:
    return "-" if _is_missing(value) else "yes" if value is True else "no" if value is False else str(value)
