"""The output of ``celltrain reproduce`` for an outcome: table, verdicts, files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from celltrain.cli.console import out

if TYPE_CHECKING:
    from celltrain.papers.claims import Verdict
    from celltrain.papers.outcome import Outcome


def named(experiments: list[str]) -> str:
    """List experiments in short form."""
    return experiments[0] if len(experiments) == 1 else f"{len(experiments)} experiments"


def plain(outcome: Outcome, verdicts: list[Verdict] | None, files: list[Path]) -> dict[str, Any]:
    """Return an outcome as plain data."""
    return {
        "paper": outcome.paper.name,
        "experiment": outcome.experiment.id,
        "extent": outcome.extent.to_json(),
        "columns": outcome.columns,
        "rows": [{column: row[column] for column in outcome.columns} for row in outcome.rows],
        "not_precise_enough": [dict(point.axes) for point in outcome.imprecise],
        "agreement": None if outcome.agreement is None else outcome.agreement.to_json(),
        "cross_checks": outcome.cross_checks,
        "claims": None if verdicts is None else outcome.plain_verdicts(verdicts),
        "files": [str(file) for file in files],
    }


def show(outcome: Outcome, verdicts: list[Verdict] | None, files: list[Path], *, in_full: bool) -> None:
    """Print table, verdicts and files."""
    from celltrain.papers.kinds import Trace
    from celltrain.sweeps.checks import in_words

    console = out()
    experiment = outcome.experiment
    console.print(f"\n[bold]{outcome.paper.name} {experiment.id}[/bold]  {experiment.says}")
    show_extent(outcome)
    if not isinstance(experiment, Trace):
        table, caption = crosstab(outcome)
        console.print(table)
        console.print(caption, style="italic", markup=False)
    if outcome.imprecise:
        rule = outcome.paper.head.replications
        console.print(
            f"{len(outcome.imprecise)} of {len(outcome.points)} points have a 95 % half-width of {rule.column} above "
            f"{rule.precision:.0%} of the mean; provenance.json names them",
            style="yellow",
            markup=False,
        )
    if outcome.agreement is not None:
        console.print(str(outcome.agreement), style="bold", markup=False, highlight=False)
    if verdicts:
        show_verdicts(verdicts, in_full=in_full)
    if outcome.cross_checks is not None:
        console.print(in_words(outcome.cross_checks), style="dim", markup=False)
    for file in files:
        console.print(f"wrote {file}", style="dim", markup=False)


def crosstab(outcome: Outcome) -> tuple[Any, str]:
    """Make a table of the plotted values: a row for each series, a column for each value on the x axis.

    Returns
    -------
    tuple of rich.table.Table and str
        The table, and what it shows. The words are none of the table, which would be as narrow for them as for its
        columns.
    """
    import numpy as np
    from rich import box
    from rich.table import Table

    from celltrain import readable

    plot, units = outcome.experiment.plot, outcome.units
    panel = plot.panels[0]
    drawn = [other for other in plot.panels if other.y == panel.y]
    rows = [row for row in outcome.rows if any(other.shows(row) for other in drawn)]
    values = np.array([row[panel.y] for row in rows], dtype=np.float64)
    # Panels of parts of the table have labels of their own, none of which says what all of it shows.
    is_one = len({other.label for other in drawn}) == 1
    words = panel.label if is_one else readable.label(readable.heading(panel.y, units[panel.y]), units[panel.y])
    factor, label, _ = readable.scaled(" ".join(words.split()), values, units[panel.y])
    exact = not any(_half_width(row, panel.y) >= 0 for row in rows)
    counts = exact and all(float(value * factor).is_integer() for value in values)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)

    def series(row: Mapping[str, Any]) -> str:
        return plot.series(row, units)

    def place(row: Mapping[str, Any]) -> str:
        value = row[plot.x]
        return value if isinstance(value, str) else readable.with_unit(value, units[plot.x])

    # If the x axis has names, the longer of the two lists goes down the page.
    across, down = (series, place) if plot.kind == "bar" else (place, series)
    table.add_column(plot.x_words if plot.kind == "bar" else "", no_wrap=True)
    heads = list(dict.fromkeys(across(row) for row in rows))
    for head in heads:
        table.add_column(head, justify="right")
    for name in dict.fromkeys(down(row) for row in rows):
        cells = {across(row): row for row in rows if down(row) == name}
        texts = (with_interval(cells[head], panel.y, factor, counts) if head in cells else "" for head in heads)
        table.add_row(name, *texts)
    mean = "" if exact else ", mean ± 95 % half-width"
    return table, label + mean + ("" if plot.kind == "bar" else f"; across: {plot.x_words}")


def _half_width(row: Mapping[str, Any], column: str) -> float:
    """Return the half-width of the interval of a column; NaN if there is none, as of a single run."""
    return float(row.get(f"{column}_ci95", float("nan")))


def with_interval(row: Mapping[str, Any], column: str, factor: float, counts: bool = False) -> str:  # noqa: FBT001
    """Format a mean and its half-width, times a factor; what rounds to zero has no sign, and counts no decimals.

    >>> with_interval({"wait_s": -0.0001}, "wait_s", 1.0), with_interval({"cells": 4}, "cells", 1.0, True)
    ('0.000', '4')
    """
    value, half_width = row[column] * factor, _half_width(row, column) * factor
    places = 3 if abs(value) < 100 and not counts else 0
    spread = "" if half_width != half_width else f" ±{half_width:.{places}f}"
    return f"{value:z.{places}f}{spread}"


def show_extent(outcome: Outcome) -> None:
    """Say what distinguishes the results from those of the study, if anything does."""
    if not outcome.extent.is_study:
        out().print(f"NOT THE STUDY  {outcome.extent.says}", style="bold yellow", markup=False, highlight=False)


def show_verdicts(verdicts: list[Verdict], *, in_full: bool) -> None:
    """Print the verdict on each claim in one line; in full also its words, its source and how it was checked."""
    from rich.padding import Padding
    from rich.text import Text

    console = out()
    marks = {True: ("holds", "green"), False: ("FAILS", "bold red"), None: ("open ", "yellow")}
    for verdict in verdicts:
        word, style = marks[verdict.holds]
        line = Text.assemble((word, style), "  ", (verdict.id.split(".", 2)[-1], "bold"), "  ")
        line.append(verdict.problem or verdict.compared or verdict.says)
        # On a terminal a long line is cut; in a pipe it is whole.
        console.print(line, no_wrap=True, overflow="ellipsis" if console.is_terminal else "ignore", crop=False)
        if in_full:
            for text in (f"{verdict.source}: {verdict.says}", verdict.check.strip(), verdict.measured):
                # Padding fills each line with blanks, which are in the way of who reads a pipe.
                words = Text(text, style="dim")
                console.print(Padding(words, (0, 0, 0, 7)) if console.is_terminal else Text("       ") + words)
    holding = sum(verdict.holds is True for verdict in verdicts)
    more = "" if in_full else "; -v shows how each was checked"
    console.print(f"{holding} of {len(verdicts)} claims hold{more}", style="bold", markup=False)
