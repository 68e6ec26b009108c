"""How a scenario is evaluated: in trains, or cell by cell, and why."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Stage:
    """How a link, or the source of a VC in one direction, is evaluated.

    Attributes
    ----------
    name
        ``links.NAME`` or ``vcs.NAME``, with `` back`` for the other direction of what is given once for both.
    last
        Where stages in a row differ in their number alone and are evaluated alike, the name of the last one; else none.
    mode
        ``cell by cell``, the plain way, or one of the others, which are fast. The result is the same, bit for bit.
    why
        What decides that.
    """

    name: str
    last: str | None
    mode: str
    why: str

    @property
    def names(self) -> str:
        """The name, or the first and the last one."""
        return self.name if self.last is None else f"{self.name} .. {self.last}"
