"""Reading the files of results: what is there, and a clear error where it is not what it should be."""

from __future__ import annotations

import csv
import json
import math
import re
import sys
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from celltrain.files import read_text
from celltrain.results import Table

#: Rows that are read before they become numbers: text takes ten times the memory.
_CHUNK = 1 << 16
#: Longest field of a CSV file; a name or a number.
_LONGEST_FIELD = 1 << 16


class ReportError(ValueError):
    """A folder holds no results, or a file of them is broken; the message names it and says what to do."""


def read_object(path: Path) -> dict[str, Any]:
    """Read a JSON file that holds an object.

    Raises
    ------
    ReportError
        It is no JSON, or something else.
    """
    return _expected(path, read_json(path), dict, "an object")


def read_objects(path: Path) -> list[dict[str, Any]]:
    """Read a JSON file that holds a list of objects."""
    values = _expected(path, read_json(path), list, "a list")
    return [_expected(path, value, dict, "a list of objects") for value in values]


def read_json(path: Path) -> Any:  # noqa: ANN401 - any JSON value
    """Read a JSON file."""
    try:
        return json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise ReportError(f"{path}: not the JSON that celltrain writes: {error}") from error


def _expected(path: Path, value: Any, kind: type, name: str) -> Any:  # noqa: ANN401 - any JSON value
    if not isinstance(value, kind):
        raise ReportError(f"{path}: expected {name}, found {type(value).__name__}")
    return value


def member(path: Path, data: Mapping[str, Any], key: str, kind: type) -> Any:  # noqa: ANN401 - of the asked kind
    """Take a member of an object that was read from a file, of the expected kind.

    Raises
    ------
    ReportError
        There is none, or it is of another kind.
    """
    if not isinstance(data.get(key), kind):
        found = "nothing" if key not in data else type(data[key]).__name__
        raise ReportError(f"{path}: {key}: expected {kind.__name__}, found {found}")
    return data[key]


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
        It is no table.
    """
    csv.field_size_limit(min(_LONGEST_FIELD, sys.maxsize))
    try:
        with path.open(encoding="utf-8", newline="") as file:
            lines = csv.reader(file)
            names = next(lines, [])
            chunks = list(_chunks(path, lines, [units.get(name, "1") != "" for name in names]))
    except (csv.Error, UnicodeDecodeError) as error:
        raise ReportError(f"{path}: not the CSV that celltrain writes: {error}") from error
    if len(set(names)) < len(names):
        raise ReportError(f"{path}: two columns have one name")
    columns = {name: _joined([chunk[index] for chunk in chunks]) for index, name in enumerate(names)}
    return Table(columns, {name: units.get(name, "1" if isinstance(columns[name], np.ndarray) else "") for name in names})



def _chunks(path: Path, lines: Iterator[list[str]], numeric: list[bool]) -> Iterator[list[Any]]:
    first = 2
    while rows := list(islice(lines, _CHUNK)):
        for offset, row in enumerate(rows):
            if len(row) != len(numeric):
                raise ReportError(f"{path}:{first + offset}: {len(row)} fields, the header has {len(numeric)}")
        first += len(rows)
        yield [
            _numbers(fields) if asked else list(map(_name, fields))
            for asked, fields in zip(numeric, zip(*rows, strict=True), strict=True)
        ]


def _numbers(fields: tuple[str, ...]) -> Any:  # noqa: ANN401 - an array, or names
    try:
        return np.array([float(field) if field else math.nan for field in fields])
    except ValueError:
        return list(map(_name, fields))


def _name(field: str) -> str:
    """Take off the mark that keeps spreadsheets from reading a name as a formula."""
    return field[1:] if re.match(r"'[=+\-@\t\r]", field) else field


def _joined(parts: list[Any]) -> Any:  # noqa: ANN401 - an array, or names
    if all(isinstance(part, np.ndarray) for part in parts):
        return np.concatenate(parts) if parts else np.zeros(0)
    return [str(value) for part in parts for value in (part if isinstance(part, list) else part.tolist())]


def natural(name: str) -> list[tuple[int, int, str]]:
    """Give a key by which ``fig9`` comes before ``fig10``.

    >>> sorted(["fig10", "tab01", "fig9"], key=natural)
    ['fig9', 'fig10', 'tab01']
    """
    return [(0, int(part), "") if part[0] in "0123456789" else (1, 0, part) for part in re.split(r"([0-9]+)", name) if part]
