"""Which key of which file of a study gave a scenario what cannot be run."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from celltrain import ScenarioError
from celltrain.papers.kinds import Experiment
from celltrain.papers.kinds.experiment import Point
from celltrain.papers.paper import Paper
from celltrain.papers.reading import Key, PaperError, StudyFile
from celltrain.papers.sampling import PROBE


@contextmanager
def blaming(paper: Paper, experiment: Experiment, point: Point) -> Iterator[None]:
    """Give errors of a point's scenario the place of the study that set the key.

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
    """Give the error of a point's scenario with the place of the study that set the key; the error itself if none did.

    What was applied last is looked at first, as it is what the scenario has.
    """
    key = (error.key or "").split(".")
    message = str(error).partition(f"{error.key}: ")[2] or str(error)
    where = ", ".join(f"{column} = {value}" for column, value in point.axes.items())
    message = f"{message}; in {paper.name}/{experiment.id}" + (f" with {where}" if where else "")
    # A live experiment stands in another file: only what it shares with the others is looked through.
    if experiment.id in paper.experiments:
        index = list(paper.experiments).index(experiment.id)
        for path in _in_experiment(experiment, key):
            return paper.file.error(message, "experiment", index, *path)
    for column in experiment.axis_columns:
        for name in paper.head.settings.get(column, {}):
            if _sets(name, key):
                return paper.file.error(message, "settings", column, name)
    overlays = StudyFile.read(paper.folder / "overlays.toml")
    for name in reversed(point.overlays):
        found = _reached(overlays.data[name], key)
        if found is not None:
            return overlays.error(message, name, *found)
    base = StudyFile.read(paper.folder / experiment.base)
    found = _reached(base.data, key)
    return error if found is None else base.error(message, *found)


def _in_experiment(experiment: Experiment, key: Sequence[str]) -> Iterator[tuple[Key, ...]]:
    """Find what sets a key in an experiment: its probe, or the last axis."""
    if list(key[:2]) == ["probes", PROBE]:
        yield ("trace",)
    for place, axis in reversed(list(enumerate(experiment.axes))):
        yield from (("axis", place, "set", name) for name in axis.set if _sets(name, key))


def _sets(name: str, key: Sequence[str]) -> bool:
    """Whether setting the dotted name gives a value to the key."""
    parts = name.split(".")
    return parts == list(key[: len(parts)])


def _reached(data: Any, key: Sequence[str]) -> tuple[str, ...] | None:  # noqa: ANN401 - any value of the language
    """Give the names, perhaps patterns, by which a table has a key; none if it has it not.

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
