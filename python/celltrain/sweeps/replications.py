"""How often a point is run: a fixed number of times, or until it is precise enough."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from celltrain.statistics import is_precise


@dataclass(frozen=True)
class Until:
    """A stopping rule: replications are added until the interval of a metric is narrow enough.

    Attributes
    ----------
    precision : float
        Maximum half-width of the 95 % interval, as a fraction of the mean.
    metric : str
        The metric; see *Metrics of a run* in the reference.
    most : int
        Maximum number of replications of a point.
    """

    precision: float
    metric: str = "flows.throughput_bps"
    most: int = 100


@dataclass(frozen=True)
class Replications:
    """The seeds of each point, the same for all points.

    Attributes
    ----------
    count : int
        Runs of a point; with a stopping rule, the number in the first and each further step.
    first_seed : int
        Seed of the first run.
    until : Until or None
        The stopping rule.
    """

    count: int = 5
    first_seed: int = 1
    until: Until | None = None

    def seeds(self, values: Mapping[int, float | None]) -> range:
        """Return the seeds that a point needs, according to its finished runs.

        The rule is applied after whole steps, in order of seeds: neither cores nor interruptions change the answer.

        Parameters
        ----------
        values
            The metric of each finished run by seed; None if the run failed, which ends the steps.
        """
        asked, rule = self.count, self.until
        while rule and asked < rule.most:
            known = [values.get(seed) for seed in self._first(asked) if seed in values]
            if len(known) < asked or None in known:
                break
            if is_precise([value for value in known if value is not None], rule.precision):
                break
            asked = min(asked + self.count, rule.most)
        return self._first(asked)

    @property
    def all_seeds(self) -> range:
        """All seeds that a point could need."""
        return self._first(max(self.count, self.until.most) if self.until else self.count)

    def _first(self, count: int) -> range:
        return range(self.first_seed, self.first_seed + count)

    def to_toml(self) -> dict[str, Any]:
        """Return it as data for TOML."""
        data: dict[str, Any] = {"replications": self.count, "first_seed": self.first_seed}
        if self.until:
            data["until"] = {
                "precision": self.until.precision,
                "metric": self.until.metric,
                "most": self.until.most,
            }
        return data

    @classmethod
    def from_toml(cls, data: Mapping[str, Any]) -> Replications:
        """Read the output of :meth:`to_toml`."""
        until = Until(**data["until"]) if "until" in data else None
        return cls(data["replications"], data["first_seed"], until)
