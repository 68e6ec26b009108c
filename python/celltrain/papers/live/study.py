"""Live experiments as data: the line, the kernels, and the plan of the transfer, of each point."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from celltrain.data import Data
from celltrain.dbs.plan import Plan
from celltrain.live.hosts import ADDRESSES, Settings
from celltrain.papers.experiment import Experiment, Paper, PaperError, read_experiment
from celltrain.papers.live.trial import Trial
from celltrain.scenario import Scenario

_FILE = "live.toml"
#: The overlay of points that are run briefly, as smoke tests.
_QUICK = "quick"


@dataclass(frozen=True)
class Study:
    """The live experiments of a paper.

    Attributes
    ----------
    vc, client : str
        The VC that carries the packets, and the node at the client's end.
    direction : str
        The direction of data of the paper that the simulator measures beside.
    overlay : str
        The overlay of the paper that is applied to the line, after the others.
    kernels : Settings
        How the kernels at both ends are set.
    plans : Paper
        The plan of a transfer, its overlays and what columns set in it, in the place of the scenario's.
    """

    paper: Paper
    vc: str
    client: str
    direction: str
    overlay: str
    kernels: Settings
    plans: Paper
    experiments: Mapping[str, Experiment]

    def trials(self, experiment: Experiment, *, quick: bool = False) -> list[tuple[Data, Trial]]:
        """Write an experiment out: for each point its values on the axes, and what is to be done."""
        lines = self.paper.points(experiment, (self.overlay,))
        plans = self.plans.points(experiment, (_QUICK,) if quick else ())
        return [
            (dict(line.axes), self._trial(experiment, line.scenario, plan.scenario, line.axes))
            for line, plan in zip(lines, plans, strict=True)
        ]

    def _trial(self, experiment: Experiment, line: Data, plan: Data, axes: Mapping[str, Any]) -> Trial:
        origin = f"{self.paper.name}/{experiment.id}"
        return Trial(
            scenario=Scenario(line, origin),
            plan=Plan(plan | {"hosts": {end: {"address": address} for end, address in ADDRESSES.items()}}, origin),
            vc=self.vc,
            client=self.client,
            kernels=self.kernels,
            ack_grid_s=float(axes["ack_grid_s"]),
        )

    def simulated(self, experiment: Experiment) -> Experiment:
        """Give the experiment with the same points in the simulator."""
        return replace(experiment, columns=(), directions=(self.direction,))


def has_study(paper: Paper) -> bool:
    """Tell whether a paper has live experiments."""
    return (paper.folder / _FILE).is_file()


def read_study(paper: Paper) -> Study:
    """Read the live experiments of a paper.

    Raises
    ------
    PaperError
        The file lacks something or has something that is not known.
    """
    path = paper.folder / _FILE
    with path.open("rb") as file:
        spec = tomllib.load(file)
    try:
        columns = spec.pop("columns")
        experiments = [read_experiment({"columns": columns, **entry}) for entry in spec.pop("experiment")]
        bases = dict.fromkeys((experiment.base for experiment in experiments), spec.pop("plan"))
        plans = replace(paper, bases=bases, overlays=spec.pop("overlays"), settings=spec.pop("settings"))
        return Study(
            paper=paper,
            kernels=Settings(**spec.pop("kernels")),
            plans=plans,
            experiments={experiment.id: experiment for experiment in experiments},
            **spec,
        )
    except (KeyError, TypeError) as error:
        raise PaperError(f"{path}: {error}") from error
