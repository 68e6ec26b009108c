"""``celltrain reproduce``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click
from click.exceptions import Exit

from celltrain.cli.checks import engines_agree
from celltrain.cli.cluster import cluster
from celltrain.cli.console import BadInput, err, folder_for_output, out, readable_errors
from celltrain.cli.progress import Display

if TYPE_CHECKING:
    from celltrain.papers.claims import Verdict
    from celltrain.papers.experiment import Experiment, Paper
    from celltrain.papers.outcome import Outcome


@click.command("reproduce")
@click.argument("selections", metavar="[PAPER | PAPER/EXPERIMENT]...", nargs=-1)
@click.option("--list", "list_only", is_flag=True, help="Name papers and experiments, and stop.")
@click.option("--all", "everything", is_flag=True, help="All experiments of all papers.")
@click.option(
    "--replications",
    type=click.IntRange(1, 10_000),
    help="Runs of each point; default: as the rule of the paper asks.",
)
@click.option("--quick", is_flag=True, help="One short run of each point, without claims: a smoke test.")
@click.option("--live", is_flag=True, help="In real time: the kernel's TCP over the line of the study (Linux).")
@click.option(
    "--out",
    "folder",
    type=click.Path(path_type=Path),
    default=Path("results"),
    show_default=True,
    help="Where tables and plots go.",
)
@click.option("--jobs", type=click.IntRange(1), help="Cores to use; default: all.")
@click.option("--dask", "address", metavar="ADDRESS", help="Run on a Dask cluster, as tcp://host:8786.")
@click.option("--check", is_flag=True, help="Exit with 1 where a claim does not hold.")
@click.option("--json", "as_json", is_flag=True, help="Print rows and verdicts as JSON, and nothing else, on stdout.")
def command(
    selections: tuple[str, ...],
    list_only: bool,  # noqa: FBT001
    everything: bool,  # noqa: FBT001
    replications: int | None,
    quick: bool,  # noqa: FBT001
    live: bool,  # noqa: FBT001
    folder: Path,
    jobs: int | None,
    address: str | None,
    check: bool,  # noqa: FBT001
    as_json: bool,  # noqa: FBT001
) -> None:
    """Reproduce published studies: a table, a plot and a verdict on each claim, for each figure.

    For example: celltrain reproduce adsl-abr/fig04
    """
    from celltrain.files import json_text
    from celltrain.papers import catalog
    from celltrain.papers.reproduce import Options, run
    from celltrain.sweeps.store import Store

    if list_only:
        return show_list(as_json)
    if live:
        from celltrain.cli.reproduce_live import reproduce_live

        if everything or replications:
            raise BadInput("--live runs each point of the papers that are named once: without --all and --replications")
        options = Options(quick=quick, jobs=jobs, workers=cluster(address, jobs))
        return reproduce_live(selections, options, folder=folder, check=check, as_json=as_json)
    chosen = choose(catalog.names() if everything else selections)
    target = folder_for_output(folder)
    store = Store(target)
    with readable_errors():
        store.make()
    options = Options(replications, quick, jobs, cluster(address, jobs), store)
    by_paper: dict[str, tuple[Paper, list[Experiment]]] = {}
    for paper, experiment in chosen:
        by_paper.setdefault(paper.name, (paper, []))[1].append(experiment)
    report: list[dict[str, Any]] = []
    failed = 0
    for paper, experiments in by_paper.values():
        outcomes: list[tuple[Outcome, list[Path]]] = []
        order = [experiment.id for experiment in experiments]
        # Claims compare figures: the tables that they read are made too, but not written.
        also = [] if quick else catalog.read_by_claims(paper, experiments)
        tables = {}
        title = f"{paper.name} {named(order)}"
        with engines_agree(target, paper.name), readable_errors(), Display(title) as display:
            for outcome in run(paper, [*experiments, *also], options, display):
                tables[outcome.experiment.id] = outcome.rows
                if outcome.experiment.id in order:
                    # At once: an interruption must not cost what is finished.
                    outcomes.append((outcome, outcome.write(target)))
        outcomes.sort(key=lambda pair: order.index(pair[0].experiment.id))
        for outcome, files in outcomes:
            verdicts = None if quick else outcome.verdicts(tables)
            if verdicts is not None:
                with readable_errors():
                    files.append(outcome.write_verdicts(target, verdicts))
            failed += sum(verdict.holds is not True for verdict in verdicts or ())
            report.append(plain(outcome, verdicts, files))
            if not as_json:
                show(outcome, verdicts, files)
        err().print(display.summary, style="dim", markup=False)
    if as_json:
        click.echo(json_text(report), nl=False)
    if check and failed:
        raise Exit(1)
    return None


def named(experiments: list[str]) -> str:
    """Name experiments shortly."""
    return experiments[0] if len(experiments) == 1 else f"{len(experiments)} experiments"


def choose(selections: tuple[str, ...] | list[str]) -> list[tuple[Paper, Experiment]]:
    """Find what the user named."""
    from celltrain.papers import catalog

    if not selections:
        raise BadInput("name a paper or PAPER/EXPERIMENT, or give --all; `celltrain reproduce --list` names them")
    try:
        return list(catalog.chosen(selections))
    except KeyError as error:
        from celltrain.papers.live.choice import is_live

        live = next(filter(is_live, selections), None)
        raise BadInput(f"{live} runs in real time: add --live" if live else str(error.args[0])) from error


def show_list(as_json: bool) -> None:  # noqa: FBT001
    """Print the papers and their experiments."""
    from celltrain.files import json_text
    from celltrain.papers import catalog
    from celltrain.papers.live.choice import studies

    papers = [catalog.paper(name) for name in catalog.names()]
    live = {study.paper.name: list(study.experiments.values()) for study in studies()}
    if as_json:
        listing = [
            {
                "paper": paper.name,
                "title": paper.title,
                "experiments": [{"id": each.id, "says": each.says} for each in paper.experiments.values()],
                "live": [{"id": each.id, "says": each.says} for each in live.get(paper.name, ())],
            }
            for paper in papers
        ]
        click.echo(json_text(listing), nl=False)
        return
    for paper in papers:
        out().print(f"[bold]{paper.name}[/bold]  {paper.title}")
        for experiment in paper.experiments.values():
            out().print(f"  {paper.name}/{experiment.id:<8} {experiment.says}", markup=False)
        for experiment in live.get(paper.name, ()):
            out().print(f"  {paper.name}/{experiment.id:<10} {experiment.says} (--live)", markup=False)


def plain(outcome: Outcome, verdicts: list[Verdict] | None, files: list[Path]) -> dict[str, Any]:
    """Give an outcome as plain data."""
    return {
        "paper": outcome.paper.name,
        "experiment": outcome.experiment.id,
        "columns": outcome.columns,
        "rows": [{column: row[column] for column in outcome.columns} for row in outcome.rows],
        "not_precise_enough": [dict(point.axes) for point in outcome.imprecise],
        "agreement": None if outcome.agreement is None else outcome.agreement.to_json(),
        "cross_checks": outcome.cross_checks,
        "claims": None if verdicts is None else [verdict.to_json() for verdict in verdicts],
        "files": [str(file) for file in files],
    }


def show(outcome: Outcome, verdicts: list[Verdict] | None, files: list[Path]) -> None:
    """Print table, verdicts and files."""
    from celltrain.sweeps.checks import in_words

    console = out()
    experiment = outcome.experiment
    console.print(f"\n[bold]{outcome.paper.name} {experiment.id}[/bold]  {experiment.says}")
    if experiment.trace is None:
        console.print(crosstab(outcome))
    if outcome.imprecise:
        rule = outcome.paper.replications
        console.print(
            f"{len(outcome.imprecise)} of {len(outcome.points)} points have a 95 % half-width of {rule.column} above "
            f"{rule.precision:.0%} of the mean; provenance.json names them",
            style="yellow",
            markup=False,
        )
    if outcome.agreement is not None:
        console.print(str(outcome.agreement), style="bold", markup=False, highlight=False)
    if verdicts is not None:
        show_verdicts(verdicts)
    if outcome.cross_checks is not None:
        console.print(in_words(outcome.cross_checks), style="dim", markup=False)
    for file in files:
        console.print(f"wrote {file}", style="dim", markup=False)


def crosstab(outcome: Outcome) -> Any:  # noqa: ANN401 - a rich table
    """Lay the plotted values out: a row for each series, a column for each value on the x axis."""
    import numpy as np
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from celltrain import readable

    plot, units = outcome.experiment.plot, outcome.units
    panel = plot.panels[0]
    drawn = [other for other in plot.panels if other.y == panel.y]
    rows = [row for row in outcome.rows if any(other.shows(row) for other in drawn)]
    values = np.array([row[panel.y] for row in rows], dtype=np.float64)
    factor, label, _ = readable.scaled(" ".join(panel.label.split()), values, units[panel.y])
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, caption_justify="left")

    def series(row: Mapping[str, Any]) -> str:
        return plot.series(row, units)

    def place(row: Mapping[str, Any]) -> str:
        value = row[plot.x]
        return value if isinstance(value, str) else readable.with_unit(value, units[plot.x])

    # The longer of the two lists goes down the page where names stand on the x axis.
    across, down = (series, place) if plot.kind == "bar" else (place, series)
    table.caption = Text(
        f"{label}, mean ± 95 % half-width" + ("" if plot.kind == "bar" else f"; across: {plot.x_words}")
    )
    table.add_column(plot.x_words if plot.kind == "bar" else "", no_wrap=True)
    heads = list(dict.fromkeys(across(row) for row in rows))
    for head in heads:
        table.add_column(head, justify="right")
    for name in dict.fromkeys(down(row) for row in rows):
        cells = {across(row): row for row in rows if down(row) == name}
        table.add_row(name, *(with_interval(cells[head], panel.y, factor) if head in cells else "" for head in heads))
    return table


def with_interval(row: Mapping[str, Any], column: str, factor: float) -> str:
    """Write a mean and its half-width, times a factor."""
    value, half_width = row[column] * factor, row.get(f"{column}_ci95", float("nan")) * factor
    places = 3 if abs(value) < 100 else 0
    spread = "" if half_width != half_width else f" ±{half_width:.{places}f}"
    return f"{value:.{places}f}{spread}"


def show_verdicts(verdicts: list[Verdict]) -> None:
    """Print what became of each claim."""
    from rich.padding import Padding
    from rich.text import Text

    console = out()
    marks = {True: ("holds", "green"), False: ("FAILS", "bold red"), None: ("open ", "yellow")}
    for verdict in verdicts:
        word, style = marks[verdict.holds]
        line = Text.assemble((word, style), "  ", (verdict.id.split(".", 2)[-1], "bold"), f"  {verdict.source}")
        console.print(line)
        console.print(Padding(Text(verdict.says), (0, 0, 0, 7)))
        detail = verdict.problem or verdict.measured
        if verdict.value is not None and verdict.published is not None:
            detail = f"measured {verdict.value:.4g}, published {verdict.published:g}"
        if detail:
            console.print(Padding(Text(detail, style="dim"), (0, 0, 0, 7)))
    holding = sum(verdict.holds is True for verdict in verdicts)
    console.print(f"{holding} of {len(verdicts)} claims hold", style="bold", markup=False)
