"""Studies as data: base scenarios, overlays, and experiments that define what varies and what is measured."""

from __future__ import annotations

import fnmatch
import itertools
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from celltrain.data import Data, merged, nested
from celltrain.papers.axis import written_out
from celltrain.papers.check import check_experiment, check_head
from celltrain.papers.head import Head
from celltrain.papers.kinds import Experiment, Points
from celltrain.papers.kinds.experiment import Point, Simulated
from celltrain.papers.reading import Mistake, PaperError, StudyFile, renamed, unknown

if TYPE_CHECKING:
    from celltrain.papers.agreement import Measured


@dataclass(frozen=True, kw_only=True)
class _ExperimentsFile(Head):
    """An experiments file: its head, and its experiments."""

    experiments: tuple[Experiment, ...]


renamed(_ExperimentsFile, experiments="experiment")


@dataclass(frozen=True)
class Paper:
    """A published study, read from its folder.

    Attributes
    ----------
    file : StudyFile
        The experiments file, for messages about it.
    bases : dict of str to dict
        Scenarios that experiments start from, by file name.
    changes : dict of str to object
        Values that replace those of every point's scenario, by dotted key; none in the study itself.
    """

    name: str
    folder: Path
    file: StudyFile
    head: Head
    bases: Mapping[str, Data]
    overlays: Mapping[str, Data]
    experiments: Mapping[str, Experiment]
    changes: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def plans(self) -> Mapping[str, Data]:
        """Flows of scenarios, by the file name of the plan that defines them.

        Raises
        ------
        PaperError
            A plan requests something that is not simulated.
        """
        names = {experiment.plan for experiment in self.experiments.values()} - {""}
        return {name: _flows(self.folder / name) for name in names}

    @cached_property
    def measured(self) -> Measured | None:
        """The measurements of the study, to compare with our tables; None if there are none.

        Raises
        ------
        PaperError
            The file of the measurements or its column is missing.
        """
        if self.head.measured is None:
            return None
        from celltrain.papers.agreement import Measured

        try:
            return Measured.read(self.folder / self.head.measured.file, self.head.measured.column)
        except OSError as error:
            message = f"cannot read {error.filename}: {error.strerror}"
            raise self.file.error(message, "measured", "file") from error
        except (KeyError, ValueError, IndexError) as error:
            message = f'expected a CSV file with numbers in the column "{self.head.measured.column}": {error}'
            raise self.file.error(message, "measured", "file") from error

    def points(self, experiment: Experiment, overlays: tuple[str, ...] = ()) -> list[Point]:
        """Expand an experiment: one point for each combination of its axes, in order.

        Parameters
        ----------
        experiment
            An experiment of this paper.
        overlays
            Names of overlays to apply last, to every point.
        """
        points = []
        for rows in itertools.product(*(axis.values for axis in experiment.axes)):
            conditions = list(experiment.overlays)
            chosen: list[str] = []
            settings: list[Data] = []
            named: dict[str, Any] = {}
            for axis, values in zip(experiment.axes, rows, strict=True):
                conditions.extend(template.format(*values) for template in axis.conditions)
                chosen.extend(template.format(*values) for template in axis.overlays)
                settings.extend(axis.changes(values))
                own = dict(zip(axis.columns, values, strict=False))
                settings.extend(
                    change
                    for column, value in own.items()
                    for change in written_out(self.head.settings.get(column, {}), (value,))
                )
                named.update(own)
            data = self.base_of(experiment)
            for changes in (*map(self.overlay, conditions + chosen), *settings, *map(self.overlay, overlays)):
                data = overlaid(data, changes)
            for key, value in self.changes.items():
                data = merged(data, nested(key, value))
            if isinstance(experiment, Simulated):
                data = merged(data, experiment.probe())
            points.append(Point(named, data, (*conditions, *chosen, *overlays)))
        return points

    @cached_property
    def series_numbers(self) -> Mapping[str, int]:
        """A number for each name that distinguishes series in figures, such as a control; numbers choose colours."""
        numbers: dict[str, int] = {}
        for experiment in self.experiments.values():
            by = experiment.plot.within_panels().by
            for axis in experiment.axes:
                for place, column in enumerate(axis.columns):
                    if by == (column,) and column in experiment.names:
                        for values in axis.values:
                            numbers.setdefault(str(values[place]), len(numbers))
        return numbers

    @contextmanager
    def at(self, experiment: Experiment) -> Iterator[None]:
        """Prefix the paths of mistakes in an experiment with its own path."""
        try:
            yield
        except Mistake as mistake:
            place = list(self.experiments).index(experiment.id)
            raise Mistake(str(mistake), "experiment", place, *mistake.path) from mistake

    def names(self, experiment: Experiment) -> set[str]:
        """Return the columns of an experiment that hold names instead of numbers, including copies of such columns."""
        names = experiment.names
        return names | {column for column, formula in self.head.row_values.items() if formula in names}

    def base_of(self, experiment: Experiment) -> Data:
        """Return the scenario that the points of an experiment change."""
        data = self.bases[experiment.base]
        return merged(data, {"flows": self.plans[experiment.plan]}) if experiment.plan else data

    def overlay(self, name: str) -> Data:
        """Return the overlay with this name."""
        if name not in self.overlays:
            raise PaperError(f"{self.folder / 'overlays.toml'}: {unknown('overlay', name, self.overlays)}")
        return self.overlays[name]


def overlaid(base: Mapping[str, Any], changes: Mapping[str, Any]) -> Data:
    """Merge nested tables; a key that is a pattern stands for every key of the base that it matches.

    >>> overlaid({"up": {"x": 1}, "down": {"x": 1}}, {"*": {"x": 2}, "up": {"y": 3}})
    {'up': {'x': 2, 'y': 3}, 'down': {'x': 2}}
    >>> overlaid({"up": {}}, {"back*": {"x": 2}})
    {'up': {}}
    """
    result = dict(base)
    for pattern, value in changes.items():
        is_pattern = any(letter in pattern for letter in "*?[")
        keys = [key for key in base if fnmatch.fnmatchcase(key, pattern)] if is_pattern else [pattern]
        for key in keys:
            old = result.get(key)
            both_tables = isinstance(old, Mapping) and isinstance(value, Mapping)
            result[key] = overlaid(old or {}, value) if both_tables else value
    return result


def read_paper(name: str, folder: Path) -> Paper:
    """Read the folder of a study.

    Raises
    ------
    PaperError
        A file has missing or unknown keys.
    """
    file = StudyFile.read(folder / "experiments.toml")
    found = file.to(_ExperimentsFile)
    overlays = _overlays(folder / "overlays.toml")
    try:
        check_head(found, overlays)
        for index, experiment in enumerate(found.experiments):
            check_experiment(experiment, found, overlays, "experiment", index)
            _require_complete(experiment, folder, "experiment", index)
        _require_distinct(found.experiments)
    except Mistake as mistake:
        raise file.error(str(mistake), *mistake.path) from mistake
    return Paper(
        name=name,
        folder=folder,
        file=file,
        head=found,
        bases={base: StudyFile.read(folder / base).data for base in {each.base for each in found.experiments}},
        overlays=overlays,
        experiments={experiment.id: experiment for experiment in found.experiments},
    )


def _overlays(path: Path) -> Mapping[str, Data]:
    """Read the overlays of a study; none without the file."""
    if not path.is_file():
        return {}
    file = StudyFile.read(path)
    for name, changes in file.data.items():
        if not isinstance(changes, dict):
            raise file.error("expected a table of changes to a scenario", name)
    return file.data


def _require_complete(experiment: Experiment, folder: Path, *path: str | int) -> None:
    """Check that an experiment measures something, and that its files exist."""
    if isinstance(experiment, Points) and not experiment.directions:
        raise Mistake('the key "directions" is missing', *path)
    for key, name in (("base", experiment.base), ("plan", experiment.plan)):
        if name and not (folder / name).is_file():
            raise unknown("file", name, [each.name for each in folder.glob("*.toml")], *path, key)


def _require_distinct(experiments: tuple[Experiment, ...]) -> None:
    seen: set[str] = set()
    for index, experiment in enumerate(experiments):
        if experiment.id in seen:
            raise Mistake(f'a second experiment "{experiment.id}"; expected another name', "experiment", index, "id")
        seen.add(experiment.id)


def _flows(path: Path) -> Data:
    from celltrain.dbs import simulated

    plan = StudyFile.read(path)
    try:
        return simulated.flows(plan.data)
    except ValueError as error:
        # The message begins with the key.
        key, _, message = str(error).partition(": ")
        raise plan.error(message, *key.split(".")) from error
