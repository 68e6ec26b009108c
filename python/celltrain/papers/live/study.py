"""Live experiments as data: the line, the kernels, and the plan of the transfer for each point."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from celltrain.data import Data
from celltrain.live.hosts import ADDRESSES, Settings
from celltrain.papers.check import check_experiment
from celltrain.papers.kinds.points import Points
from celltrain.papers.paper import Paper
from celltrain.papers.reading import Mistake, StudyFile, renamed, unknown

if TYPE_CHECKING:
    from celltrain.papers.live.trial import Trial

_FILE = "live.toml"
#: The overlay for short runs as smoke tests.
_QUICK = "quick"


@dataclass(frozen=True)
class Study:
    """The live experiments of a paper.

    Attributes
    ----------
    vc, client : str
        The VC that carries the packets, and the node at the client's end.
    direction : str
        The direction of data of the paper that the simulator measures for comparison.
    overlay : str
        The overlay of the paper that is applied to the line, after the others.
    kernels : Settings
        Settings of the kernels at both ends.
    plans : Paper
        The plan of a transfer with its overlays and the settings of columns, instead of those of a scenario.
    """

    paper: Paper
    vc: str
    client: str
    direction: str
    overlay: str
    kernels: Settings
    plans: Paper
    experiments: Mapping[str, Points]

    def trials(self, experiment: Points, *, quick: bool = False) -> list[tuple[Data, Trial]]:
        """Expand an experiment: for each point its values on the axes, and its trial."""
        lines = self.paper.points(experiment, (self.overlay,))
        plans = self.plans.points(experiment, (_QUICK,) if quick else ())
        return [
            (dict(line.axes), self._trial(experiment, line.scenario, plan.scenario, line.axes))
            for line, plan in zip(lines, plans, strict=True)
        ]

    def _trial(self, experiment: Points, line: Data, plan: Data, axes: Mapping[str, Any]) -> Trial:
        from celltrain.dbs.plan import Plan
        from celltrain.papers.live.trial import Trial
        from celltrain.scenario import Scenario

        origin = f"{self.paper.name}/{experiment.id}"
        return Trial(
            scenario=Scenario(line, origin),
            plan=Plan(plan | {"hosts": {end: {"address": address} for end, address in ADDRESSES.items()}}, origin),
            vc=self.vc,
            client=self.client,
            kernels=self.kernels,
            ack_grid_s=float(axes["ack_grid_s"]),
        )

    def simulated(self, experiment: Points) -> Points:
        """Return the experiment with the same points in the simulator."""
        return replace(experiment, columns=tuple(experiment.axis_columns), directions=(self.direction,))


def has_study(paper: Paper) -> bool:
    """Return whether a paper has live experiments."""
    return (paper.folder / _FILE).is_file()


@dataclass(frozen=True)
class _LiveFile:
    """A file of live experiments; :class:`Study` explains its keys."""

    vc: str
    client: str
    direction: str
    overlay: str
    columns: tuple[str, ...]
    kernels: Settings
    plan: Mapping[str, Any]
    overlays: Mapping[str, Any]
    experiments: tuple[Points, ...]
    settings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


renamed(_LiveFile, experiments="experiment")


def read_study(paper: Paper) -> Study:
    """Read the live experiments of a paper.

    Raises
    ------
    PaperError
        The file has missing or unknown keys.
    """
    file = StudyFile.read(paper.folder / _FILE)
    found = file.to(_LiveFile)
    experiments = [replace(each, columns=each.columns or found.columns) for each in found.experiments]
    try:
        for name, known, key in (
            (found.direction, paper.head.directions, "direction"),
            (found.overlay, paper.overlays, "overlay"),
        ):
            if name not in known:
                raise unknown(key, name, known, key)
        for index, experiment in enumerate(experiments):
            for overlays in (paper.overlays, found.overlays):
                check_experiment(experiment, paper.head, overlays, "experiment", index)
    except Mistake as mistake:
        raise file.error(str(mistake), *mistake.path) from mistake
    bases = {experiment.base: dict(found.plan) for experiment in experiments}
    head = replace(paper.head, settings=found.settings)
    return Study(
        paper=paper,
        vc=found.vc,
        client=found.client,
        direction=found.direction,
        overlay=found.overlay,
        kernels=found.kernels,
        plans=replace(paper, bases=bases, overlays=found.overlays, head=head),
        experiments={experiment.id: experiment for experiment in experiments},
    )
