"""The points of a sweep, checked before anything runs, and as a table on disk."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from celltrain._native import ScenarioError
from celltrain.advice import RunWarning, one_of_each
from celltrain.data import merged, nested
from celltrain.scenario import Scenario
from celltrain.sweeps.design import Changes, Design
from celltrain.sweeps.errors import InvalidPoints
from celltrain.sweeps.kept_traces import packed
from celltrain.sweeps.trace_files import TraceFile, change, owner

_FIXED = ("point", "scenario_hash", "error", "scenario")
#: Maximum number of invalid points that an error lists.
_LISTED = 3


@dataclass(frozen=True)
class Point:
    """A combination of values, and the resulting scenario.

    Attributes
    ----------
    number : int
        Its position in the design, from 0.
    values : dict
        Value by swept key.
    scenario, scenario_hash : str or None
        The canonical scenario in JSON, with references to swept traces, and the hash of the whole; None if it cannot be
        run.
    error : str or None
        Why it cannot be run.
    structure : str
        The hash of its structure; empty if it cannot be run.
    warnings : tuple of RunWarning
        The first warning of each code that does not need a run.
    """

    number: int
    values: Changes
    scenario: str | None = None
    scenario_hash: str | None = None
    error: str | None = None
    structure: str = ""
    warnings: tuple[RunWarning, ...] = ()


def points_of(base: Scenario, design: Design) -> list[Point]:
    """Make the scenario of each point; one that cannot be run is kept with its error.

    Raises
    ------
    ScenarioError
        No point can be run; the error is that of the first.
    DesignError
        A trace cannot be read, or nothing in the scenario reads it.
    """
    points, first = [], None
    written = json.loads(base.as_written())
    for number, values in enumerate(design.points()):
        changes: dict[str, Any] = {}
        for key, value in values.items():
            is_trace = isinstance(value, TraceFile)
            changes = merged(changes, change(key, value, written) if is_trace else nested(key, value))
        try:
            scenario = base.with_changes(changes)
        except ScenarioError as error:
            error = _with_file(error, base.origin, values)
            first = first or error
            points.append(Point(number, values, error=str(error)))
        else:
            points.append(
                Point(
                    number,
                    values,
                    packed(scenario.to_json(), traces_of(values)),
                    scenario.hash,
                    structure=scenario.structure,
                    warnings=one_of_each(scenario.warnings),
                )
            )
    if first and all(point.error for point in points):
        raise first
    return points


def traces_of(values: Changes) -> list[TraceFile]:
    """Return the traces among the values of a point."""
    return [value for value in values.values() if isinstance(value, TraceFile)]


def _with_file(error: ScenarioError, origin: str, values: Changes) -> ScenarioError:
    """Name the file of the trace that an error is about, if it is about one."""
    for key, value in values.items():
        if isinstance(value, TraceFile) and f"{error.key or ''}.".startswith(f"{owner(key)}."):
            failure = ScenarioError(f"{value.path}: {str(error).removeprefix(f'{origin}: ')}")
            failure.key = error.key
            return failure
    return error


def check_all(points: Sequence[Point]) -> None:
    """Refuse points that cannot be run; equal errors are listed once.

    Raises
    ------
    InvalidPoints
        There are some.
    """
    wrong = [point for point in points if point.error]
    if not wrong:
        return
    firsts: dict[str, Point] = {}
    for point in wrong:
        firsts.setdefault(point.error or "", point)
    lines = [f"{len(wrong)} of {len(points)} points cannot be run:"]
    for error, point in list(firsts.items())[:_LISTED]:
        values = ", ".join(f"{key} = {as_text(value)}" for key, value in point.values.items())
        lines.append(f"  point {point.number} ({values}): {error}")
    if len(firsts) > _LISTED:
        lines.append(f"  ... and {len(firsts) - _LISTED} other errors")
    raise InvalidPoints("\n".join(lines))


def warnings_in_short(points: Iterable[Point]) -> list[dict[str, Any]]:
    """Return each code once, with the number of points that have it and the first of them."""
    firsts: dict[str, dict[str, Any]] = {}
    for point in points:
        for each in point.warnings:
            told = firsts.setdefault(each.code, {"code": each.code, "points": 0, "first_point": point.number})
            told["points"] += 1
            if told["first_point"] == point.number:
                told |= {"kind": each.kind, "name": each.name, "look_at": each.look_at}
    return list(firsts.values())


def to_table(points: Sequence[Point], keys: Iterable[str]) -> pa.Table:
    """Return the points as a table: see *The folder of a sweep* in the reference."""
    columns = {
        "point": pa.array([point.number for point in points], pa.int64()),
        "scenario_hash": pa.array([point.scenario_hash for point in points], pa.string()),
        "error": pa.array([point.error for point in points], pa.string()),
        "scenario": pa.array([point.scenario for point in points], pa.string()),
    }
    return pa.table(columns | {key: _column([point.values.get(key) for point in points]) for key in keys})


def keys_of(table: pa.Table) -> list[str]:
    """Return the swept keys of a table of points."""
    return [name for name in table.column_names if name not in _FIXED]


def _column(values: Sequence[Any]) -> pa.Array:
    known = [value for value in values if value is not None]
    for kind, arrow in ((bool, pa.bool_()), (int, pa.int64()), ((int, float), pa.float64())):
        if known and all(isinstance(value, kind) and isinstance(value, bool) == (kind is bool) for value in known):
            return pa.array(values, arrow)
    return pa.array([None if value is None else as_text(value) for value in values], pa.string())


def as_text(value: object) -> str:
    """Format a value of the scenario language: text unchanged, anything else as JSON.

    >>> as_text("10 ms"), as_text([1, 2])
    ('10 ms', '[1, 2]')
    """
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
