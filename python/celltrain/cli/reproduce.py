"""``celltrain reproduce``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click
from click.exceptions import Exit

from celltrain.cli.checks import engines_agree
from celltrain.cli.cluster import cluster
from celltrain.cli.console import BadInput, err, folder_for_output, readable_errors
from celltrain.cli.progress import Display
from celltrain.cli.reproduced import named, plain, show

if TYPE_CHECKING:
    from celltrain.papers.kinds import Experiment
    from celltrain.papers.outcome import Outcome
    from celltrain.papers.paper import Paper


@click.command("reproduce")
@click.argument("selections", metavar="[PAPER | PAPER/EXPERIMENT]...", nargs=-1)
@click.option("--list", "list_only", is_flag=True, help="List papers and experiments, and exit.")
@click.option("--all", "everything", is_flag=True, help="All experiments of all papers.")
@click.option(
    "--replications",
    type=click.IntRange(1, 10_000),
    help="Runs of each point; default: by the rule of the paper.",
)
@click.option("--quick", is_flag=True, help="One short run of each point, without claims: a smoke test.")
@click.option("--live", is_flag=True, help="Run the kernel's TCP over the line of the study, in real time (Linux).")
@click.option(
    "--out",
    "folder",
    type=click.Path(path_type=Path),
    default=Path("results"),
    show_default=True,
    help="Folder for tables and plots.",
)
@click.option("--jobs", type=click.IntRange(1), help="Cores to use; default: all.")
@click.option("--dask", "address", metavar="ADDRESS", help="Run on a Dask cluster, such as tcp://host:8786.")
@click.option("--check", is_flag=True, help="Exit with 1 if a claim does not hold.")
@click.option("--json", "as_json", is_flag=True, help="Print only rows and verdicts on stdout, as JSON.")
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
    if list_only:
        from celltrain.cli.studies import show_list

        return show_list(as_json)
    from celltrain.files import json_text
    from celltrain.papers import catalog
    from celltrain.papers.reproduce import Options, run
    from celltrain.sweeps.store import Store

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
    report: list[dict[str, Any]] = []
    failed = 0
    for paper, experiments in _by_paper(chosen):
        outcomes: list[tuple[Outcome, list[Path]]] = []
        order = [experiment.id for experiment in experiments]
        # Claims compare figures: the tables that they read are also made, but not written.
        with readable_errors():
            also = [] if quick else catalog.read_by_claims(paper, experiments)
        tables = {}
        title = f"{paper.name} {named(order)}"
        with engines_agree(target, paper.name), readable_errors(), Display(title) as display:
            for outcome in run(paper, [*experiments, *also], options, display):
                tables[outcome.experiment.id] = outcome.rows
                if outcome.experiment.id in order:
                    # Write at once: an interruption must not lose finished results.
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


def choose(selections: tuple[str, ...] | list[str]) -> list[tuple[Paper, Experiment]]:
    """Find the named papers and experiments."""
    from celltrain.papers import catalog

    if not selections:
        raise BadInput("name a paper or PAPER/EXPERIMENT, or give --all; `celltrain reproduce --list` names them")
    try:
        with readable_errors():
            return list(catalog.chosen(selections))
    except KeyError as error:
        from celltrain.papers.live.choice import is_live

        live = next(filter(is_live, selections), None)
        raise BadInput(f"{live} runs in real time: add --live" if live else str(error.args[0])) from error


def _by_paper(chosen: list[tuple[Paper, Experiment]]) -> list[tuple[Paper, list[Experiment]]]:
    """Group the chosen experiments by paper."""
    papers: dict[str, tuple[Paper, list[Experiment]]] = {}
    for paper, experiment in chosen:
        papers.setdefault(paper.name, (paper, []))[1].append(experiment)
    return list(papers.values())
