"""``celltrain sweep``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click
from click.exceptions import Exit

from celltrain._native import nearest
from celltrain.cli import damaged, plotting, printing
from celltrain.cli.checks import engines_agree, show_warnings_of_points
from celltrain.cli.cluster import cluster
from celltrain.cli.console import BadInput, err, folder_for_output, readable_errors
from celltrain.cli.numbers import import_numpy
from celltrain.cli.progress import Display
from celltrain.cli.results import PATH, show, show_failures
from celltrain.columns import COLUMNS, TABLES
from celltrain.extras import need
from celltrain.line_names import named_line
from celltrain.values import split_values, value_of

if TYPE_CHECKING:
    from celltrain.cli.printing import How
    from celltrain.sweeps import Design, Metric, Range, Samples, Sweep, SweepResults
    from celltrain.sweeps.design import Changes, Kind


class Percent(click.ParamType[float]):
    """A fraction, such as ``2%`` or ``0.02``."""

    name = "percent"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:  # noqa: ANN401
        """Read it."""
        text = str(value).strip()
        try:
            part = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        except ValueError:
            part = 0.0
        if not 0 < part < 1:
            self.fail(f"{text!r}: expected a part of the mean, such as 2%", param, ctx)
        return part


SECONDS = click.FloatRange(0, min_open=True)


@click.command("sweep")
@click.argument("scenario", type=PATH)
@click.option(
    "--set", "grid", metavar="KEY=V1,V2,...", multiple=True, help="Values of a key; all combinations are run."
)
@click.option(
    "--design",
    "kind",
    type=click.Choice(["factorial", "two-level", "fractional"]),
    default="factorial",
    show_default=True,
    help="With --set: all combinations; of exactly two values each (2^k); the fraction that --generator chooses.",
)
@click.option(
    "--generator",
    "generators",
    metavar="'D = ABC'",
    multiple=True,
    help="With --design fractional: the level of the fourth --set is the product of those of the first three.",
)
@click.option("--points", "listed", type=PATH, help="CSV file with a header of keys and a row for each point.")
@click.option(
    "--draw",
    "ranges",
    metavar="KEY=LOW..HIGH",
    multiple=True,
    help="Draw a key's values, as in --draw 'links.up.buffer=log:64..4096 cells', or from a list of values.",
)
@click.option("--samples", type=click.IntRange(1), default=20, show_default=True, help="Points to draw.")
@click.option(
    "--method",
    type=click.Choice(["latin", "random"]),
    default="latin",
    show_default=True,
    help="Draw a Latin hypercube, or independently.",
)
@click.option("--draw-seed", type=click.IntRange(0), default=1, show_default=True, help="Seed for drawing the points.")
@click.option("--replications", type=click.IntRange(1), default=5, show_default=True, help="Runs of each point.")
@click.option(
    "--seed", type=click.IntRange(0), default=1, show_default=True, help="Seed of the first run of each point."
)
@click.option(
    "--until",
    "precision",
    metavar="PERCENT",
    type=Percent(),
    help="Add replications until the 95 % half-width of --metric is below this fraction of its mean.",
)
@click.option(
    "--most",
    type=click.IntRange(2),
    default=100,
    show_default=True,
    help="Maximum number of runs of a point with --until.",
)
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    help="What to print, as in 'max(links.queue_max_cells)'; --until uses the first.  [default: flows.throughput_bps]",
)
@click.option(
    "--deadline",
    "deadline_s",
    metavar="SECONDS",
    type=click.FloatRange(0, min_open=True),
    help="Maximum time of a run.",
)
@click.option("--out", "folder", type=PATH, help="Folder for results.  [default: results/SCENARIO]")
@click.option("--jobs", type=click.IntRange(1), help="Cores to use; default: all.")
@click.option("--dask", "address", metavar="ADDRESS", help="Run on a Dask cluster, such as tcp://host:8786.")
@click.option("--retry-failed", is_flag=True, help="Run failed runs again.")
@click.option(
    "--skip-invalid", is_flag=True, help="Record points that cannot be run as failed, instead of refusing the sweep."
)
@click.option(
    "--replace", is_flag=True, help="Replace index and tables of another sweep in the folder; its records stay."
)
@click.option(
    "--plot",
    metavar="FILE[,x=KEY]",
    help="Draw the metrics (.pdf, .svg or .png) against a key, with lines by others: FILE,x=KEY,by=KEY.",
)
@plotting.width_option
@printing.options()
def command(
    how: How,
    scenario: Path,
    grid: tuple[str, ...],
    kind: Kind,
    generators: tuple[str, ...],
    listed: Path | None,
    ranges: tuple[str, ...],
    samples: int,
    method: str,
    draw_seed: int,
    replications: int,
    seed: int,
    precision: float | None,
    most: int,
    metrics: tuple[str, ...],
    deadline_s: float | None,
    folder: Path | None,
    jobs: int | None,
    address: str | None,
    retry_failed: bool,  # noqa: FBT001
    skip_invalid: bool,  # noqa: FBT001
    replace: bool,  # noqa: FBT001
    plot: str | None,
    width: str | None,
) -> None:
    """Run SCENARIO at many points, on all cores or a cluster; the same command again runs only what is missing.

    For example: celltrain sweep examples/adsl.toml --set 'links.up.rate.every=10 ms,100 ms,1 s'
    """
    need("sweeps", by="celltrain sweep")
    import_numpy()
    from celltrain.scenario import load
    from celltrain.sweeps import Metric, Replications, Sweep, Until
    from celltrain.sweeps.checks import in_words
    from celltrain.sweeps.store import Store

    target = folder or Path("results") / (named_line(scenario) or scenario.stem)
    with readable_errors(), engines_agree(target, scenario.stem):
        chosen = [known(Metric.parse(text)) for text in metrics or ("flows.throughput_bps",)]
        until = Until(precision, chosen[0].text, max(most, replications)) if precision else None
        sweep = Sweep(
            load(scenario),
            design(grid, listed, drawn(ranges, samples, method, draw_seed), kind, generators),
            Replications(replications, seed, until),
            deadline_s,
        )
        names = [*sweep.design.keys, "points", "runs", "failed", *(metric.text for metric in chosen)]
        how.check([*names, *(f"{metric.text}_ci95" for metric in chosen)])
        figure = plotting.Asked.parse(plot, target) if plot else None
        ways = {"retry_failed": retry_failed, "skip_invalid": skip_invalid, "replace": replace}
        damaged.tell(Store(target))
        display, results = carried_out(sweep, target, jobs, address, ways)
        checks = results.cross_checks
        checked = f"; {in_words(checks)}" if checks else ""
        err().print(f"{display.summary}{checked}", style="dim", markup=False)
        show(results, chosen, None, None, how)
        if figure and results.counts()["done"]:
            figure.draw(results, tuple(metric.text for metric in chosen), width)
    show_warnings_of_points(results.warnings)
    err().print(f"results are in {target}", style="dim", markup=False)
    if results.counts()["failed"]:
        show_failures(results)
        raise Exit(1)


def carried_out(
    sweep: Sweep, target: Path, jobs: int | None, address: str | None, how: dict[str, bool]
) -> tuple[Display, SweepResults]:
    """Run a sweep into a folder; ask before the tables of another one are replaced."""
    from celltrain.sweeps import InvalidPoints, OtherSweep

    is_new = not target.exists()
    folder_for_output(target)
    executor = cluster(address, jobs)

    def run(how: dict[str, bool]) -> tuple[Display, SweepResults]:
        with Display(f"sweep {target.name}", target) as display:
            return display, sweep.run(target, jobs=jobs, executor=executor, progress=display, **how)

    try:
        return run(how)
    except InvalidPoints as error:
        if is_new:
            target.rmdir()
        raise BadInput(f"{error}\ncorrect the values, or run the others with --skip-invalid") from error
    except OtherSweep as error:
        if may_replace(str(error)):
            return run({**how, "replace": True})
        raise BadInput(f"{error}; give another folder with --out, or --replace to replace them") from error


def may_replace(what: str) -> bool:
    """Ask whether another sweep's tables may be replaced; without a terminal, the answer is no."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    err().print(what, markup=False)
    return click.confirm("replace them? (its records stay)", err=True)


def known(metric: Metric) -> Metric:
    """Refuse a metric that the tables of no run have, before anything runs."""
    if metric.table not in TABLES:
        raise BadInput(f"--metric {metric.text}: there is no table {metric.table!r}{nearest(metric.table, TABLES)}")
    numbers = [column.name for column in COLUMNS[metric.table].values() if column.kind != "text"]
    if metric.column not in numbers:
        hint = nearest(metric.column, numbers)
        raise BadInput(f"--metric {metric.text}: {metric.table} has no numbers {metric.column!r}{hint}")
    return metric


def design(
    grid: tuple[str, ...], listed: Path | None, samples: Samples | None, kind: Kind, generators: tuple[str, ...]
) -> Design:
    """Read the options that define what varies, and say what a fractional design confounds."""
    from celltrain.files import read_text
    from celltrain.sweeps import Design
    from celltrain.sweeps.design import listed_points

    points: list[Changes] = []
    if listed:
        try:
            points = listed_points(read_text(listed), str(listed))
        except UnicodeDecodeError as error:
            raise BadInput(str(error)) from error
    found = Design(grid_of(grid), points, samples, kind, generators)
    if confounding := found.confounding:
        err().print(confounding.in_words(), style="dim", markup=False)
    return found


def drawn(ranges: tuple[str, ...], samples: int, method: str, seed: int) -> Samples | None:
    """Read the options that draw points."""
    from celltrain.sweeps import Samples

    if not ranges:
        return None
    return Samples(samples, dict(map(drawn_key, ranges)), "latin" if method == "latin" else "random", seed)


def grid_of(settings: tuple[str, ...]) -> dict[str, list[Any]]:
    """Read ``--set``."""
    grid: dict[str, list[Any]] = {}
    for setting in settings:
        key, values = split_setting("--set", setting, "links.up.rate.every=10 ms,1 s")
        if key in grid:
            raise BadInput(f"--set {key}: given twice; write all values in one, separated by commas")
        grid[key] = [value_of(value) for value in split_values(values)]
    return grid


def drawn_key(setting: str) -> tuple[str, Range | list[Any]]:
    """Read ``--draw``."""
    from celltrain.sweeps import Range

    key, values = split_setting("--draw", setting, "links.up.buffer=64..4096 cells")
    return key, Range.parse(values) if ".." in values else [value_of(value) for value in split_values(values)]


def split_setting(option: str, text: str, example: str) -> tuple[str, str]:
    """Split at the first equals sign."""
    key, separator, values = text.partition("=")
    if not separator or not key.strip() or not values.strip():
        raise BadInput(f"{option} {text!r}: expected KEY=VALUES, such as {example!r}")
    return key.strip(), values
