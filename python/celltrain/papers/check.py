"""Checks of a study that involve several keys: names without a referent, formulas that cannot be parsed."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from celltrain.columns import TABLES
from celltrain.papers.head import Head
from celltrain.papers.kinds import Checks, Experiment, Formulas, Points
from celltrain.papers.kinds.points import VALUES, with_intervals
from celltrain.papers.reading import Key, Mistake, unknown


def check_head(head: Head, overlays: Mapping[str, Any]) -> None:
    """Check the part that all experiments of a study share.

    Raises
    ------
    Mistake
        A check failed; the path starts at the root of the file.
    """
    rule = head.replications
    known = {*VALUES, *head.sums, *head.run_values}
    if rule.column not in known:
        raise unknown("value of a run", rule.column, known, "replications", "column")
    for name in rule.least_with:
        if name not in overlays:
            raise unknown("overlay", name, overlays, "replications", "least_with", name)
    for name, each in head.sums.items():
        if each.table not in TABLES:
            raise unknown("table of a run", each.table, TABLES, "sums", name, "table")
    for section, formulas in (("run_values", head.run_values), ("row_values", head.row_values)):
        for name, formula in formulas.items():
            check_formula(formula, section, name)


def check_experiment(experiment: Experiment, head: Head, overlays: Mapping[str, Any], *path: Key) -> None:
    """Check the names in an experiment, which is at ``path``.

    Raises
    ------
    Mistake
        A check failed; the path starts at the root of the file.
    """
    for where, name in _overlays(experiment):
        if name not in overlays:
            raise unknown("overlay", name, overlays, *path, *where)
    for index, name in enumerate(getattr(experiment, "directions", ())):
        if name not in head.directions:
            raise unknown("direction of data", name, head.directions, *path, "directions", index)
    if isinstance(experiment, Points):
        _check_values(experiment, head, *path)
    formulas = experiment.formulas if isinstance(experiment, Formulas) else {}
    for name, formula in formulas.items():
        check_formula(formula, *path, "formulas", name)
    for name, formula in (experiment.checks if isinstance(experiment, Checks) else {}).items():
        check_formula(formula, *path, "checks", name)
    known = experiment.known_columns(head)
    columns = experiment.column_names(head)
    own = bool(getattr(experiment, "columns", ()))
    for index, column in enumerate(columns):
        if column not in known:
            where = (*path, "columns", index) if own else ("columns" if head.columns else "point",)
            raise unknown("column", column, known, *where)
    for where, column in experiment.plot.reads:
        if column not in columns:
            raise unknown("column of the table", column, columns, *path, "plot", *where)


def check_formula(text: str, *path: Key) -> None:
    """Check that a formula can be parsed; its names are checked when it is evaluated.

    Raises
    ------
    Mistake
        It is not an expression.
    """
    try:
        ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        raise Mistake(f'expected a formula such as "max(a, b) / 2", found "{text}": {reason}', *path) from error


def _check_values(experiment: Points, head: Head, *path: Key) -> None:
    extra = {*head.losses, *head.counters}
    for index, name in enumerate(experiment.extra):
        if name not in extra:
            raise unknown("loss or counter", name, extra, *path, "extra", index)
    known = with_intervals(head)
    for name, value in experiment.aliases.items():
        if value not in known:
            raise unknown("value", value, known, *path, "aliases", name)


def _overlays(experiment: Experiment) -> Iterator[tuple[tuple[Key, ...], str]]:
    """Yield each overlay that an experiment names, and the path to it."""
    yield from ((("overlays", index), name) for index, name in enumerate(experiment.overlays))
    for index, axis in enumerate(experiment.axes):
        for where, name in axis.names_overlays():
            yield ("axis", index, *where), name
