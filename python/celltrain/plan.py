"""How a scenario is evaluated: in trains, or cell by cell, and why."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Stage:
    """How a link, or the source of a VC in one direction, is evaluated.

    Attributes
    ----------
    name
        ``links.NAME`` or ``vcs.NAME``, with `` back`` for the other direction of an element defined for both.
    last
        The name of the last of several stages that differ only in their number and are evaluated alike; else none.
    mode
        ``cell by cell``, or one of the faster modes. Results are bit-identical.
    why
        The reason for the mode.
    """

    name: str
    last: str | None
    mode: str
    why: str

    @property
    def names(self) -> str:
        """The name, or the first and the last one."""
        return self.name if self.last is None else f"{self.name} .. {self.last}"
