"""Reading the files of results, with a clear error if they are invalid."""

from __future__ import annotations

import re
from collections.abc import Mapping
from csv import Error as CsvError
from csv import reader
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import compute as pc
from pyarrow import csv

from celltrain.refused import Refused
from celltrain.table import Table

#: Numbers from here on mean "without limit".
_UNLIMITED = 1e300


class ReportError(Refused):
    """A folder contains no results, or not what celltrain writes; the message names it and says what to do."""


def units_of(path: Path, value: object) -> dict[str, str]:
    """Check that something maps names of columns to units."""
    if isinstance(value, dict) and all(isinstance(unit, str) for unit in value.values()):
        return value
    raise ReportError(f"{path}: units: expected the unit of each column")


def read_table(path: Path, units: Mapping[str, str]) -> Table:
    """Read a CSV file; a column with a unit holds numbers, if all of its fields are.

    Raises
    ------
    OSError
        The file cannot be read.
    ReportError
        It is not a table.
    """
    try:
        with path.open("rb") as file:
            names = _header(path, file.readline())
            texts = (
                csv.read_csv(
                    file,
                    csv.ReadOptions(column_names=names),
                    csv.ParseOptions(newlines_in_values=True),
                    csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False),
                )
                if path.stat().st_size > file.tell()
                else None
            )
    except pa.ArrowInvalid as error:
        raise ReportError(f"{path}: not the CSV that celltrain writes: {error}") from error
    columns = {name: _values(texts[name] if texts else None, units.get(name, "1")) for name in names}
    return Table(
        columns, {name: units.get(name, "1" if isinstance(columns[name], np.ndarray) else "") for name in names}
    )


def _header(path: Path, line: bytes) -> list[str]:
    try:
        names = next(reader([line.decode()]), [])
    except (UnicodeDecodeError, CsvError) as error:
        raise ReportError(f"{path}: not the CSV that celltrain writes: {error}") from error
    if not names or len(set(names)) < len(names):
        raise ReportError(f"{path}: expected a header that names each column once")
    return names


def _values(texts: pa.ChunkedArray | None, unit: str) -> Any:  # noqa: ANN401 - an array, or names
    if unit != "":
        try:
            return _numbers(texts)
        except pa.ArrowInvalid:
            pass
    return [] if texts is None else [_name(text) for text in texts.to_pylist()]


def _numbers(texts: pa.ChunkedArray | None) -> Any:  # noqa: ANN401 - pyarrow has no types
    if texts is None:
        return np.zeros(0)
    known = pc.if_else(pc.equal(texts, ""), "nan", texts)
    return known.cast(pa.float64()).to_numpy()


def _name(field: str) -> str:
    """Remove the mark that prevents spreadsheets from reading a name as a formula."""
    return field[1:] if re.match(r"'[=+\-@\t\r]", field) else field


def limited(table: Table) -> Table:
    """Leave out recorded quantities that never have a value, such as the rate of a source that nothing limits.

    Earlier results hold the largest number instead of no value.

    >>> limited(Table({"time_s": np.array([0.0]), "acr_bps": np.array([np.nan])}, {})).columns
    {'time_s': array([0.])}
    """
    columns = {}
    for name, values in table.columns.items():
        if isinstance(values, np.ndarray) and values.dtype.kind == "f":
            values = np.where(values > _UNLIMITED, np.nan, values)
            if len(values) and np.isnan(values).all():
                continue
        columns[name] = values
    return Table(columns, table.units)


def natural(name: str) -> list[tuple[int, int, str]]:
    """Return a sort key by which ``fig9`` comes before ``fig10``.

    >>> sorted(["fig10", "tab01", "fig9"], key=natural)
    ['fig9', 'fig10', 'tab01']
    """
    return [
        (0, int(part), "") if part[0] in "0123456789" else (1, 0, part) for part in re.split(r"([0-9]+)", name) if part
    ]
