"""Completion in fish, with commas in descriptions."""

from __future__ import annotations

from click.shell_completion import FishComplete, add_completion_class


class Fish(FishComplete):
    """The completion of click, which splits the kind of a value from the rest at the first comma alone."""

    source_template = FishComplete.source_template.replace('string split ","', 'string split --max 1 ","')


def add() -> None:
    """Replace click's completion in fish."""
    add_completion_class(Fish)
