"""``celltrain reproduce --live``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click
from click.exceptions import Exit

from celltrain.cli.console import BadInput, err, out, readable_errors
from celltrain.cli.progress import Display
from celltrain.cli.reproduced import named, plain, show_extent, show_verdicts
from celltrain.cli.reproduction_folder import target_of, writing

if TYPE_CHECKING:
    from celltrain.papers.claims import Verdict
    from celltrain.papers.kinds.points import Points
    from celltrain.papers.live.outcome import LiveOutcome
    from celltrain.papers.live.study import Study
    from celltrain.papers.reproduce import Options

    Judged = tuple[LiveOutcome, list[Verdict] | None, list[Path]]


def reproduce_live(
    selections: tuple[str, ...], options: Options, *, folder: Path | None, check: bool, as_json: bool, in_full: bool
) -> None:
    """Run live experiments: a table, a comparison, a figure and a verdict on each claim, for each."""
    from dataclasses import replace

    from celltrain.files import json_text
    from celltrain.papers.claims import read_claims
    from celltrain.papers.live.reproduce import require_hosts

    chosen = choose(selections)
    with readable_errors():
        for study, _ in chosen:
            # Report a mistake in the claims before measuring.
            read_claims(study.paper.folder)
            require_hosts(study)
    target = target_of(folder, options, [(study.paper, each) for study, all_ in chosen for each in all_])
    report: list[dict[str, Any]] = []
    failed = 0
    with writing(target) as store:
        for study, experiments in chosen:
            for outcome, verdicts, files in carried_out(study, experiments, replace(options, store=store), target):
                failed += sum(verdict.holds is not True for verdict in verdicts or ())
                beside = [{column: row[column] for column in outcome.comparison_columns} for row in outcome.rows]
                report.append(plain(outcome, verdicts, files) | {"comparison": beside})
                if not as_json:
                    show(outcome, verdicts, files, in_full=in_full)
    if as_json:
        click.echo(json_text(report), nl=False)
    if check and failed:
        raise Exit(1)


def choose(selections: tuple[str, ...]) -> list[tuple[Study, list[Points]]]:
    """Find the named papers and experiments."""
    from celltrain.papers.live import choice

    if not selections:
        raise BadInput("name a paper or PAPER/EXPERIMENT with --live; `celltrain reproduce --list` names them")
    try:
        with readable_errors():
            return choice.chosen(selections)
    except KeyError as error:
        raise BadInput(str(error.args[0])) from error


def carried_out(study: Study, experiments: list[Points], options: Options, target: Path) -> Iterator[Judged]:
    """Run experiments of one study: each is written as soon as it is done; claims are checked at the end."""
    from celltrain.papers.live.reproduce import run, seconds_needed

    order = [experiment.id for experiment in experiments]
    outcomes: list[tuple[LiveOutcome, list[Path]]] = []
    with readable_errors():
        minutes = seconds_needed(study, experiments, options) / 60
        err().print(f"in real time, about {max(1, round(minutes))} min", style="dim", markup=False)
        with Display(f"{study.paper.name} {named(order)}", target) as display:
            for outcome in run(study, experiments, options, display):
                outcomes.append((outcome, outcome.write(target)))
    outcomes.sort(key=lambda pair: order.index(pair[0].experiment.id))
    tables = {outcome.experiment.id: outcome.rows for outcome, _ in outcomes}
    for outcome, files in outcomes:
        verdicts = None if options.quick else outcome.verdicts(tables)
        if verdicts is not None:
            with readable_errors():
                files.append(outcome.write_verdicts(target, verdicts))
        yield outcome, verdicts, files
    err().print(display.summary, style="dim", markup=False)


def show(outcome: LiveOutcome, verdicts: list[Verdict] | None, files: list[Path], *, in_full: bool) -> None:
    """Print the comparison, verdicts and files."""
    console = out()
    experiment = outcome.experiment
    console.print(f"\n[bold]{outcome.paper.name} {experiment.id}[/bold]  {experiment.says}")
    show_extent(outcome)
    console.print(comparison(outcome))
    if outcome.degraded:
        console.print(
            f"{len(outcome.degraded)} of {len(outcome.points)} points, marked *, are degraded: the line left packets "
            "late, or a kernel dropped some; the same command measures them again",
            style="yellow",
            markup=False,
        )
    # The rank correlation of fewer points is meaningless.
    if outcome.agreement is not None and outcome.agreement.points > 2:
        console.print(f"with the grid: {outcome.agreement}", style="bold", markup=False)
    for problem in outcome.realtime_problems:
        console.print(f"the line had no priority over other programs: {problem}", style="yellow", markup=False)
    if verdicts:
        show_verdicts(verdicts, in_full=in_full)
    for file in files:
        console.print(f"wrote {file}", style="dim", markup=False)


def comparison(outcome: LiveOutcome) -> Any:  # noqa: ANN401 - a rich table
    """Make a table of the three values of each point, beside the axes that vary."""
    from rich import box
    from rich.table import Table

    from celltrain.papers.live.sources import SOURCES

    varying = [
        column
        for column in outcome.experiment.axis_columns
        if column in outcome.columns and len({row[column] for row in outcome.rows}) > 1
    ]
    caption = "throughput in kbit/s; late: 95th percentile of how much later than in the model packets left, in ms"
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, caption=caption, caption_justify="left")
    for heading in (*varying, *SOURCES, "live / published", "late"):
        table.add_column(heading, justify="right")
    for row in outcome.rows:
        point = [f"{row[column]:.10g}" for column in varying]
        values = [kilobits(row[column]) for column in SOURCES.values()]
        ratio = row["live_bps"] / row["published_bps"]
        late = f"{1e3 * row['lateness_p95_s']:.2f}{' *' if row['degraded'] else ''}"
        table.add_row(*point, *values, "-" if ratio != ratio else f"{ratio:.2f}", late)
    return table


def kilobits(bps: float) -> str:
    """Format a rate in kbit/s; a dash if there is none."""
    return "-" if bps != bps else f"{bps / 1e3:.1f}"
