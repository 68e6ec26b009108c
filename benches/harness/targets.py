"""What is asked of the engines, and whether a measurement meets it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Bound:
    """A bound that a figure must keep: from above, from below."""

    at_most: float | None = None
    at_least: float | None = None

    def holds(self, value: float) -> bool:
        """Return whether a figure keeps it."""
        return (self.at_most is None or value <= self.at_most) and (self.at_least is None or value >= self.at_least)

    def __str__(self) -> str:
        """Write it.

        >>> str(Bound(at_most=1.5)), str(Bound(at_least=10_000))
        ('at most 1.5', 'at least 10,000')
        """
        sides = (("at most", self.at_most), ("at least", self.at_least))
        return ", ".join(f"{words} {value:,g}" for words, value in sides if value is not None)


@dataclass(frozen=True)
class Target:
    """A figure of one engine, its bound, and what was measured: none where something was missing."""

    says: str
    engine: str
    bound: Bound
    value: float | None
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether it is met; none where it was not measured."""
        return None if self.value is None else self.bound.holds(self.value)

    @property
    def verdict(self) -> str:
        """Return whether it is met."""
        return {None: "NOT MEASURED", True: "met", False: "MISSED"}[self.met]


def show(targets: Sequence[Target], out: Console, scale: float) -> None:
    """Print every target with what was measured and whether that meets it, and how many are met."""
    if not targets:
        return
    table = Table("target", "engine", "asked", box=None)
    table.add_column("measured", justify="right")
    table.add_column("")
    table.add_column("verdict")
    for target in targets:
        table.add_row(target.says, target.engine, str(target.bound), _text(target.value), target.note, target.verdict)
    met = sum(target.met is True for target in targets)
    short = f"; runs are of {scale:g} of their length, and short runs cost more" if scale < 1 else ""
    out.print(f"\nTargets: {met} of {len(targets)} met{short}\n")
    out.print(table)


def _text(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f}" if value >= 100 else f"{value:.2f}"
