"""Errors in addition to those of the core: errors that users can cause, runs at a limit, and engines that differ."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from celltrain import _native

#: Maximum time for shrinking a scenario that shows a defect, in s.
_SHRINKING_S = 10.0


class Refused(ValueError):
    """A request cannot be carried out; the message says why, and what to do."""


class EnginesDiffer(_native.RunError):
    """The two engines, which must agree to the last bit, have different results: a defect of celltrain.

    Attributes
    ----------
    scenario : str
        The scenario in JSON.
    origin : str
        Its name in messages.
    seed : int
        The seed of both runs.
    difference : mapping
        The first value that differs: ``table``, ``row`` (from 0 on), ``names`` (of the row, by column), ``column``,
        and the texts of both values, ``trains`` and ``cells``; ``says`` summarizes them. If one engine failed,
        only the last three.
    simulated_s : float
        The time from the start of the run within which they differ.
    """

    def __init__(
        self, scenario: str, origin: str, seed: int, difference: Mapping[str, Any], simulated_s: float
    ) -> None:
        super().__init__(
            f"the two engines differ: {difference['says']}; this is a defect of celltrain, and neither result is to be "
            f"trusted: please report it with the scenario and the seed {seed}"
        )
        self.scenario = scenario
        self.origin = origin
        self.seed = seed
        self.difference = difference
        self.simulated_s = simulated_s

    def save(self, folder: str | Path = ".", name: str | None = None) -> Path:
        """Search for a smaller scenario that still differs, for at most ten seconds, and write it for a report.

        Returns
        -------
        Path
            The file, ``NAME.differs.toml``.

        Raises
        ------
        OSError
            The file cannot be written.
        """
        import tomli_w

        from celltrain.files import atomic_write, output_folder
        from celltrain.threads import interruptible

        checked_ps = round(self.simulated_s * 1e12)
        shrunken = interruptible(
            lambda cancel: _native.shrunken(self.scenario, self.seed, checked_ps, _SHRINKING_S, cancel)
        )
        path = output_folder(Path(folder)) / f"{name or Path(self.origin).stem}.differs.toml"
        head = [
            f"The engines of celltrain {_native.__build__} differ in this scenario with seed {self.seed}:",
            self.difference["says"],
            f"celltrain run {path.name} --seed {self.seed} --verify",
        ]
        # Names can contain line breaks, but comments cannot.
        lines = ["# " + "".join(c if c.isprintable() else "�" for c in line) for line in head]
        atomic_write(path, "\n".join(lines) + "\n\n" + tomli_w.dumps(json.loads(shrunken)))
        return path


@dataclass(frozen=True)
class Stopped:
    """Where a run was stopped that needed more than its limits allow.

    Attributes
    ----------
    limit : str or None
        The key in ``[limits]``; None if the system had no memory.
    allowed : float
        The value of the key.
    at_s : float
        The simulated time in s at which the run was stopped.
    """

    limit: str | None
    allowed: float
    at_s: float

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"limit": self.limit, "allowed": self.allowed if self.limit else None, "at_s": self.at_s}
