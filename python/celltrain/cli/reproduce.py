"""``celltrain reproduce``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click
from click.exceptions import Exit

from celltrain.cli.checks import engines_agree
from celltrain.cli.cluster import cluster
from celltrain.cli.console import BadInput, err, readable_errors
from celltrain.cli.progress import Display
from celltrain.cli.reproduced import named, plain, show
from celltrain.cli.reproduction_folder import target_of, writing
from celltrain.cli.settings import parse_setting
from celltrain.extras import need

if TYPE_CHECKING:
    from celltrain.papers.claims import Verdict
    from celltrain.papers.kinds import Experiment
    from celltrain.papers.outcome import Outcome
    from celltrain.papers.paper import Paper
    from celltrain.papers.reproduce import Options


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
    help="Folder for tables and plots; default: results, or results-quick and the like for less than the study.",
)
@click.option(
    "--set",
    "settings",
    metavar="KEY=VALUE",
    multiple=True,
    help="Change a value of the network at every point; the results are marked as changed.",
)
@click.option(
    "--point",
    metavar="COLUMN=VALUE,...",
    help="Print the scenario of one point as TOML instead of running: `celltrain run` gives the same results.",
)
@click.option("--jobs", type=click.IntRange(1), help="Cores to use; default: all.")
@click.option("--dask", "address", metavar="ADDRESS", help="Run on a Dask cluster, such as tcp://host:8786.")
@click.option("--check", is_flag=True, help="Exit with 1 if a claim does not hold.")
@click.option("-v", "--verbose", "in_full", is_flag=True, help="Show the words, source and check of each claim.")
@click.option("--json", "as_json", is_flag=True, help="Print only rows and verdicts on stdout, as JSON.")
def command(
    selections: tuple[str, ...],
    list_only: bool,  # noqa: FBT001
    everything: bool,  # noqa: FBT001
    replications: int | None,
    quick: bool,  # noqa: FBT001
    live: bool,  # noqa: FBT001
    folder: Path | None,
    settings: tuple[str, ...],
    point: str | None,
    jobs: int | None,
    address: str | None,
    check: bool,  # noqa: FBT001
    in_full: bool,  # noqa: FBT001
    as_json: bool,  # noqa: FBT001
) -> None:
    """Reproduce published studies: a table, a plot and a verdict on each claim, for each figure.

    For example: celltrain reproduce adsl-abr/fig04

    A PAPER is one of `celltrain reproduce --list`, or the folder of a study of your own, such as ./my-study.
    """
    if list_only:
        from celltrain.cli.studies import show_list

        return show_list(as_json)
    need("plots", "sweeps", *(["emulation"] if live else []), by="celltrain reproduce")
    from celltrain.papers import catalog
    from celltrain.papers.reproduce import Options

    options = Options(replications, quick, jobs)
    if live:
        from celltrain.cli.reproduce_live import reproduce_live

        if everything or replications or settings or point:
            raise BadInput(
                "--live runs each point of the papers that are named once: without --all, --replications, --set and "
                "--point"
            )
        options = replace(options, workers=cluster(address, jobs))
        return reproduce_live(selections, options, folder=folder, check=check, as_json=as_json, in_full=in_full)
    changes = dict(parse_setting(setting) for setting in settings)
    chosen = changed(choose(catalog.names() if everything else selections), changes)
    if point is not None:
        from celltrain.cli.reproduction_point import show_point

        return show_point(chosen, point, quick=quick)
    target = target_of(folder, options, chosen)
    with writing(target) as store:
        options = replace(options, workers=cluster(address, jobs), store=store)
        failed = carry_out(chosen, options, target, as_json=as_json, in_full=in_full)
    if check and failed:
        raise Exit(1)
    return None


def changed(chosen: list[tuple[Paper, Experiment]], changes: Mapping[str, Any]) -> list[tuple[Paper, Experiment]]:
    """Return the chosen experiments with changed values at every point."""
    return [(replace(paper, changes=changes), experiment) for paper, experiment in chosen] if changes else chosen


def carry_out(
    chosen: list[tuple[Paper, Experiment]], options: Options, target: Path, *, as_json: bool, in_full: bool
) -> int:
    """Run the chosen experiments, write and print their results; return the number of claims that do not hold.

    Raises
    ------
    Exit
        Runs failed; the experiments without them are there.
    """
    from celltrain.files import json_text
    from celltrain.papers.reproduce import RunsFailed

    report: list[dict[str, Any]] = []
    failed, broken = 0, []
    for paper, experiments in _by_paper(chosen):
        try:
            for outcome, verdicts, files in judged(paper, experiments, options, target):
                failed += sum(verdict.holds is not True for verdict in verdicts or ())
                report.append(plain(outcome, verdicts, files))
                if not as_json:
                    show(outcome, verdicts, files, in_full=in_full)
        except RunsFailed as error:
            broken.append(error)
    if as_json:
        click.echo(json_text(report), nl=False)
    for each in broken:
        err().print(str(each), style="bold red", markup=False)
    if broken:
        raise Exit(1)
    return failed


def judged(
    paper: Paper, experiments: list[Experiment], options: Options, target: Path
) -> Iterator[tuple[Outcome, list[Verdict] | None, list[Path]]]:
    """Run experiments of one study: each is written as soon as it is done; claims are checked at the end.

    Raises
    ------
    RunsFailed
        Runs failed; all experiments without them have been yielded.
    """
    from celltrain.papers import catalog
    from celltrain.papers.reproduce import RunsFailed, run

    order = [experiment.id for experiment in experiments]
    # Claims are about the study's own network, and about more than one short run.
    checks = not (options.quick or paper.changes)
    # Claims compare figures: the tables that they read are also made, but not written.
    with readable_errors():
        also = catalog.read_by_claims(paper, experiments) if checks else []
    outcomes: list[tuple[Outcome, list[Path]]] = []
    tables = {}
    broken: RunsFailed | None = None
    title = f"{paper.name} {named(order)}"
    with engines_agree(target, paper.name), readable_errors(), Display(title, target) as display:
        try:
            for outcome in run(paper, [*experiments, *also], options, display):
                tables[outcome.experiment.id] = outcome.rows
                if outcome.experiment.id in order:
                    # Write at once: an interruption must not lose finished results.
                    outcomes.append((outcome, outcome.write(target)))
        except RunsFailed as error:
            broken = error
    outcomes.sort(key=lambda pair: order.index(pair[0].experiment.id))
    for outcome, files in outcomes:
        verdicts = outcome.verdicts(tables) if checks else None
        if verdicts is not None:
            with readable_errors():
                files.append(outcome.write_verdicts(target, verdicts))
        yield outcome, verdicts, files
    err().print(display.summary, style="dim", markup=False)
    if broken:
        raise broken


def choose(selections: tuple[str, ...] | list[str]) -> list[tuple[Paper, Experiment]]:
    """Find the named papers and experiments."""
    from celltrain.papers import catalog

    if not selections:
        raise BadInput(
            "name a paper, PAPER/EXPERIMENT or the folder of a study, or give --all; `celltrain reproduce --list` "
            "names them"
        )
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
