"""The kinds of experiments of a study: one file each, and a row here with its name in files."""

from __future__ import annotations

from typing import Any

from celltrain.papers.kinds.cells import Cells
from celltrain.papers.kinds.checks import Checks
from celltrain.papers.kinds.experiment import Experiment
from celltrain.papers.kinds.formulas import Formulas
from celltrain.papers.kinds.points import Points
from celltrain.papers.kinds.routes import Routes
from celltrain.papers.kinds.trace import Trace
from celltrain.papers.reading import as_table, read_by, renamed, unknown

__all__ = ["KINDS", "Cells", "Checks", "Experiment", "Formulas", "Points", "Routes", "Trace"]

KINDS: dict[str, type[Experiment]] = {
    "points": Points,
    "cells": Cells,
    "trace": Trace,
    "checks": Checks,
    "formulas": Formulas,
    "routes": Routes,
}

for kind in KINDS.values():
    renamed(kind, axes="axis")


@read_by(Experiment)
def _read(value: Any) -> Experiment:  # noqa: ANN401 - plain data of a file
    """Read an experiment by its ``kind``; the default is points."""
    if not isinstance(value, dict):
        return as_table(value, Points)
    rest = dict(value)
    name = str(rest.pop("kind", "points"))
    if name not in KINDS:
        raise unknown("kind of experiment", name, KINDS, "kind")
    return as_table(rest, KINDS[name])
