"""Finds the key in the files of a study that caused an error in a scenario."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from celltrain._native import ScenarioError
from celltrain.papers.kinds import Experiment
from celltrain.papers.kinds.experiment import Point
from celltrain.papers.paper import Paper
from celltrain.papers.reading import Key, PaperError, StudyFile
from celltrain.papers.sampling import PROBE


@contextmanager
def blaming(paper: Paper, experiment: Experiment, point: Point) -> Iterator[None]:
    """Add to errors of a point's scenario the place in the study that set the key.

    Raises
    ------
    PaperError
        The scenario cannot be run.
    """
    try:
        yield
    except ScenarioError as error:
        raise _blamed(paper, experiment, point, error) from error


def _blamed(paper: Paper, experiment: Experiment, point: Point, error: ScenarioError) -> PaperError | ScenarioError:
    """Return the error of a point's scenario with the place in the study that set the key, if there is one.

    The last change is searched first, since it determines the scenario.
    """
    key = (error.key or "").split(".")
    message = str(error).partition(f"{error.key}: ")[2] or str(error)
    where = ", ".join(f"{column} = {value}" for column, value in point.axes.items())
    message = f"{message}; in {paper.name}/{experiment.id}" + (f" with {where}" if where else "")
    for name in paper.changes:
        if _sets(name, key) or _sets(".".join(key), name.split(".")):
            return PaperError(f"{error.key}, which was changed: {message}")
    # A live experiment is in another file: only the parts that it shares with the others are searched.
    if experiment.id in paper.experiments:
        index = list(paper.experiments).index(experiment.id)
        for path in _in_experiment(experiment, key):
            return paper.file.error(message, "experiment", index, *path)
    for column in experiment.axis_columns:
        for name in paper.head.settings.get(column, {}):
            if _sets(name, key):
                return paper.file.error(message, "settings", column, name)
    for name in reversed(point.overlays):
        overlays = StudyFile.read(paper.folder / "overlays.toml")
        found = _reached(overlays.data[name], key)
        if found is not None:
            return overlays.error(message, name, *found)
    base = StudyFile.read(paper.folder / experiment.base)
    found = _reached(base.data, key)
    return error if found is None else base.error(message, *found)


def _in_experiment(experiment: Experiment, key: Sequence[str]) -> Iterator[tuple[Key, ...]]:
    """Yield what sets a key in an experiment: its probe, or the last axis."""
    if list(key[:2]) == ["probes", PROBE]:
        yield ("trace",)
    for place, axis in reversed(list(enumerate(experiment.axes))):
        yield from (("axis", place, "set", name) for name in axis.set if _sets(name, key))


def _sets(name: str, key: Sequence[str]) -> bool:
    """Return whether setting the dotted name gives a value to the key."""
    parts = name.split(".")
    return parts == list(key[: len(parts)])


def _reached(data: Any, key: Sequence[str]) -> tuple[str, ...] | None:  # noqa: ANN401 - any value of the language
    """Return the names, perhaps patterns, by which a table contains a key; None if it does not.

    >>> _reached({"vcs": {"up*": {"pcr": 1}}}, ["vcs", "upload", "pcr"])
    ('vcs', 'up*', 'pcr')
    >>> _reached({"vcs": {}}, ["vcs", "upload", "pcr"]) is None
    True
    """
    if not key or not isinstance(data, Mapping):
        return ()
    for name in data:
        if fnmatch.fnmatchcase(key[0], name):
            rest = _reached(data[name], key[1:])
            if rest is not None:
                return (name, *rest)
    return None
