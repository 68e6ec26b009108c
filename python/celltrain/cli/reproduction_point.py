"""``celltrain reproduce PAPER/EXPERIMENT --point``: the scenario of one point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import rich_click as click

from celltrain.cli.console import BadInput, echo, readable_errors
from celltrain.values import split_values, value_of

if TYPE_CHECKING:
    from celltrain.papers.kinds import Experiment
    from celltrain.papers.paper import Paper


def show_point(chosen: Sequence[tuple[Paper, Experiment]], text: str, *, quick: bool) -> None:
    """Print the scenario of a point as TOML.

    Raises
    ------
    BadInput
        The values select no point, or several; the message lists the values of the axes.
    """
    import tomli_w

    from celltrain.papers.blame import blaming
    from celltrain.papers.choice import the_point
    from celltrain.scenario import Scenario

    if len(chosen) != 1:
        raise BadInput("--point: name one experiment, such as adsl-abr/fig16")
    ((paper, experiment),) = chosen
    with readable_errors():
        try:
            point = the_point(paper.points(experiment, ("quick",) if quick else ()), _values(text))
        except LookupError as error:
            raise BadInput(f"--point: {error.args[0]}") from error
        with blaming(paper, experiment, point):
            Scenario(point.scenario, f"{paper.name}/{experiment.id}")
    where = ", ".join(f"{column} = {value}" for column, value in point.axes.items())
    click.echo(f"# {paper.name}/{experiment.id}" + (f" with {where}" if where else ""))
    echo(tomli_w.dumps(point.scenario))


def _values(text: str) -> dict[str, Any]:
    """Read ``COLUMN=VALUE,...``."""
    values = {}
    for part in split_values(text) if text.strip() else []:
        column, separator, value = part.partition("=")
        if not separator:
            raise BadInput(f"--point: {part!r}: expected COLUMN=VALUE, such as control=gfc")
        values[column.strip()] = value_of(value.strip())
    return values
