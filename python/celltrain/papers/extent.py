"""How much of a study a run covers: all of it, or less, which its results must say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

#: The column of tables that are not the study's, and the key in their provenance.
COLUMN = "extent"


@dataclass(frozen=True)
class Extent:
    """What was run of a study.

    Attributes
    ----------
    quick : bool
        One short run of each point.
    replications : int or None
        A number of runs of each point that replaces the study's rule.
    changes : dict of str to object
        Values of the scenario that were changed, by dotted key.
    """

    quick: bool = False
    replications: int | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_study(self) -> bool:
        """Whether this is the study as published: its network, and as many runs as its rule requires."""
        return not (self.quick or self.changes) and self.replications is None

    @property
    def name(self) -> str:
        """One word for it, which is also in names of folders.

        >>> Extent().name, Extent(quick=True).name, Extent(replications=4).name
        ('study', 'quick', 'replications')
        """
        if self.changes:
            return "changed"
        if self.quick:
            return "quick"
        return "study" if self.replications is None else "replications"

    @property
    def folder(self) -> str:
        """The folder that results are written to by default.

        >>> Extent().folder, Extent(quick=True).folder
        ('results', 'results-quick')
        """
        return "results" if self.is_study else f"results-{self.name}"

    @property
    def says(self) -> str:
        """What distinguishes the results from the study's; empty for the study itself.

        >>> Extent(replications=4, changes={"links.up.buffer": "512 cells"}).says
        'changed: links.up.buffer = 512 cells; 4 runs of each point, not as many as the study requires'
        """
        parts = []
        if self.changes:
            parts.append("changed: " + ", ".join(f"{key} = {value}" for key, value in self.changes.items()))
        if self.quick:
            parts.append("quick run: one short run of each point")
        elif self.replications is not None:
            runs = "1 run" if self.replications == 1 else f"{self.replications} runs"
            parts.append(f"{runs} of each point, not as many as the study requires")
        return "; ".join(parts)

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "name": self.name,
            "says": self.says,
            "quick": self.quick,
            "replications": self.replications,
            "changes": dict(self.changes),
        }
