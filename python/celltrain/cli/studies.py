"""``celltrain reproduce --list``: the available studies, and the errors of those that cannot be read."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import rich_click as click
from click.exceptions import Exit

from celltrain.cli.console import fail, out

#: Characters in which the words of an experiment are still readable below each other.
_NARROWEST = 20

if TYPE_CHECKING:
    from rich.console import Console

    from celltrain.papers.kinds import Experiment
    from celltrain.papers.paper import Paper


def show_list(as_json: bool) -> None:  # noqa: FBT001
    """Print the studies and their experiments; for unreadable ones print an error and exit with 1."""
    from celltrain.papers import catalog
    from celltrain.papers.live.study import has_study, read_study
    from celltrain.papers.reading import PaperError

    found: list[tuple[Paper, list[Experiment]]] = []
    problems = []
    for name in catalog.names():
        live: list[Experiment] = []
        try:
            paper = catalog.paper(name)
            found.append((paper, live))
            if has_study(paper):
                live.extend(read_study(paper).experiments.values())
        except PaperError as error:
            problems.append(str(error))
    show(found, as_json=as_json)
    for problem in problems:
        fail(problem)
    if problems:
        raise Exit(1)


def _print_line(console: Console, start: str, says: str) -> None:
    """Print an experiment; on a narrow terminal its words go on below each other, in a pipe on one line."""
    if not console.is_terminal or console.width < len(start) + _NARROWEST:
        console.print(start + says, markup=False)
        return
    lines = textwrap.wrap(says, console.width - len(start))
    for number, line in enumerate(lines):
        console.print((start if number == 0 else " " * len(start)) + line, markup=False)


def show(found: list[tuple[Paper, list[Experiment]]], *, as_json: bool) -> None:
    """Print studies, each with its live experiments, and how long experiments take."""
    from celltrain.papers.times import about, recorded

    times = recorded()
    if as_json:
        from celltrain.files import json_text

        listing = [
            {
                "paper": paper.name,
                "title": paper.head.title,
                "experiments": [
                    {"id": each.id, "says": each.says, "cpu_s": times.get(f"{paper.name}/{each.id}")}
                    for each in paper.experiments.values()
                ],
                "live": [{"id": each.id, "says": each.says} for each in live],
            }
            for paper, live in found
        ]
        click.echo(json_text(listing), nl=False)
        return
    console = out()
    for paper, live in found:
        console.print(f"[bold]{paper.name}[/bold]  {paper.head.title}")
        width = max((len(each.id) for each in [*paper.experiments.values(), *live]), default=0)
        for experiment in paper.experiments.values():
            took = about(times.get(f"{paper.name}/{experiment.id}"))
            _print_line(console, f"  {paper.name}/{experiment.id:<{width}} {took:>6}  ", experiment.says)
        for experiment in live:
            _print_line(console, f"  {paper.name}/{experiment.id:<{width}} {'':>6}  ", f"{experiment.says} (--live)")
    if times:
        console.print("Times: about, of one core; n cores share the runs. Without a time: not measured.")
