"""Published studies and your own, from Python: choose an experiment, change values, run it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from celltrain.extras import need
from celltrain.scenario import Scenario

if TYPE_CHECKING:
    from celltrain.notebook import Values
    from celltrain.papers.kinds import Experiment
    from celltrain.papers.outcome import Outcome
    from celltrain.papers.paper import Paper


@dataclass(frozen=True)
class Study:
    """A study: a network, and experiments on it."""

    paper: Paper

    @property
    def title(self) -> str:
        """What the study is about."""
        return self.paper.head.title

    @property
    def experiments(self) -> dict[str, str]:
        """What each experiment shows, by its name."""
        return {name: experiment.says for name, experiment in self.paper.experiments.items()}

    def experiment(self, name: str) -> StudyExperiment:
        """Return one of the experiments.

        Raises
        ------
        KeyError
            There is none with this name; the message suggests the nearest.
        """
        from celltrain.papers.catalog import nearest

        if name not in self.paper.experiments:
            raise KeyError(f"no experiment {name!r} in {self.paper.name}{nearest(name, self.paper.experiments)}")
        return StudyExperiment(self.paper, self.paper.experiments[name])

    def _repr_html_(self) -> str:
        """Show the title, and the experiments with what each shows."""
        from html import escape

        from celltrain import notebook

        columns: dict[str, notebook.Values] = {
            "experiment": [*self.experiments],
            "shows": [*self.experiments.values()],
        }
        return f"<p><code>{escape(repr(self))}</code></p>" + notebook.table_html(
            columns, {}, most=len(self.experiments)
        )

    def __repr__(self) -> str:
        """Return its name and title."""
        return f"<Study {self.paper.name}: {self.title}>"


@dataclass(frozen=True)
class StudyExperiment:
    """A figure or table of a study, perhaps with changed values."""

    paper: Paper
    definition: Experiment

    @property
    def points(self) -> list[dict[str, Any]]:
        """The values on the axes of each point."""
        return [dict(point.axes) for point in self.paper.points(self.definition)]

    def with_value(self, key: str, value: object) -> StudyExperiment:
        """Return the experiment with another value at every point; its results are marked as changed.

        Parameters
        ----------
        key
            The dotted key of the scenario, such as ``links.up.buffer``.
        value
            A value of the scenario language, such as ``"512 cells"``.
        """
        return replace(self, paper=replace(self.paper, changes={**self.paper.changes, key: value}))

    def scenario(self, **axes: object) -> Scenario:
        """Return the scenario of the only point with these values on the axes.

        Raises
        ------
        LookupError
            No point has these values, or more than one.
        PaperError
            A changed value does not fit; the message names the key and what was expected.
        """
        from celltrain.papers.blame import blaming
        from celltrain.papers.choice import the_point

        point = the_point(self.paper.points(self.definition), axes)
        with blaming(self.paper, self.definition, point):
            return Scenario(point.scenario, f"{self.paper.name}/{self.definition.id}")

    def run(self, *, replications: int | None = None, quick: bool = False, jobs: int | None = None) -> Outcome:
        """Run all points, and return the table.

        Parameters
        ----------
        replications
            A fixed number of runs of each point, instead of as many as the study requires.
        quick
            One short run of each point.
        jobs
            Cores to use; default: all.

        Returns
        -------
        Outcome
            Its ``rows`` are the table, ``plot()`` draws the figure, ``write(folder)`` writes table, figure and
            provenance; ``extent`` says what distinguishes it from the study's results.
        """
        need("sweeps", by="StudyExperiment.run()")
        from celltrain.papers.reproduce import Options, run
        from celltrain.progress import Progress

        (outcome,) = run(self.paper, [self.definition], Options(replications, quick, jobs), Progress())
        return outcome

    def _repr_html_(self) -> str:
        """Show what it is, and the values of its points."""
        from html import escape

        from celltrain import notebook
        from celltrain.papers.units import unit

        points = self.points
        axes = {name: [point[name] for point in points] for name in (points[0] if points else {})}
        columns = {name: _column(values) for name, values in axes.items()}
        units = {name: "" if isinstance(values, list) else unit(name) for name, values in columns.items()}
        title = f"{self.definition.says}: {len(points)} points"
        return f"<p><code>{escape(repr(self))}</code></p>" + notebook.table_html(columns, units, title)

    def __repr__(self) -> str:
        """Return its name and the changed values."""
        changes: Mapping[str, object] = self.paper.changes
        changed = "".join(f", {key} = {value}" for key, value in changes.items())
        return f"<StudyExperiment {self.paper.name}/{self.definition.id}{changed}>"


def _column(values: list[Any]) -> Values:
    """Return the values of an axis as numbers, or as names if one is not a number."""
    import numpy as np

    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return np.array(values, dtype=np.float64)
    return [str(value) for value in values]


def study(name: str) -> Study:
    """Open a study that ships with celltrain by its name, or one of your own by its folder.

    Raises
    ------
    KeyError
        There is no such study; the message suggests the nearest name.
    PaperError
        Its files are invalid; the message names file, line and key.

    Examples
    --------
    >>> import celltrain
    >>> figure = celltrain.study("adsl-abr").experiment("fig16").with_value("links.up.distance", "2 km")
    >>> figure.points[0]
    {'buffer_cells': 256, 'control': 'no-control'}
    """
    from celltrain.papers.catalog import located

    paper, rest = located(name)
    if rest:
        raise KeyError(f"{name}: expected a study; its experiments are those of study({paper.name!r}).experiments")
    return Study(paper)
