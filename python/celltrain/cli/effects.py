"""``celltrain effects``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from celltrain.cli.console import BadInput, err, out, readable_errors
from celltrain.cli.results import PATH, export, refresh, show_failures, table_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from celltrain.sweeps.effects import Effects

#: Maximum numbers of rows of a table, and of reasons why runs do not count.
_SHOWN_ROWS, _SHOWN_REASONS = 100, 5

FILE = click.Path(path_type=Path)


@click.command("effects")
@click.argument("folder", metavar="DIR", type=PATH)
@click.option(
    "--metric", "metrics", multiple=True, help="The response; may be repeated.  [default: flows.throughput_bps]"
)
@click.option(
    "--order", type=click.IntRange(1), default=2, show_default=True, help="Maximum number of factors of an interaction."
)
@click.option("--multiplicative", is_flag=True, help="Effects multiply: analyse the logarithm of the metric.")
@click.option(
    "--independent", is_flag=True, help="Take all runs as independent (2^k r), although points share their seeds."
)
@click.option("--signs", is_flag=True, help="Print the sign table as well; for two-level designs.")
@click.option("--export", "target", metavar="FILE", type=FILE, help="Write a .csv, .parquet or .json file.")
@click.option("--plot", metavar="FILE", type=FILE, help="Draw effects and variation explained: .svg or .png.")
@click.option("--residuals", metavar="FILE", type=FILE, help="Draw residuals against predictions: .svg or .png.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else, on stdout.")
def command(
    folder: Path,
    metrics: tuple[str, ...],
    order: int,
    multiplicative: bool,  # noqa: FBT001
    independent: bool,  # noqa: FBT001
    signs: bool,  # noqa: FBT001
    target: Path | None,
    plot: Path | None,
    residuals: Path | None,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Compute effects, interactions and allocation of variation of the factorial sweep in DIR.

    For example: celltrain effects results/adsl --metric flows.rtt_mean_s --plot effects.svg
    """
    from celltrain.files import json_text
    from celltrain.sweeps import SweepResults
    from celltrain.sweeps.effects import effects
    from celltrain.sweeps.effects_table import rows

    metrics = metrics or ("flows.throughput_bps",)
    for option, file in (("--plot", plot), ("--residuals", residuals)):
        _check_figure(option, file, metrics)
    with readable_errors():
        results = SweepResults(folder)
        refresh(results)
        found = [
            effects(results, metric, order, multiplicative=multiplicative, independent=independent)
            for metric in metrics
        ]
        if target:
            _export(target, [row for each in found for row in rows(each)])
        if plot or residuals:
            _draw(found[0], plot, residuals)
        if as_json:
            click.echo(json_text([row for each in found for row in rows(each)]), nl=False)
        else:
            _print(found, signs=signs)
    _tell_left_out(found)
    show_failures(results)


def _check_figure(option: str, file: Path | None, metrics: Sequence[str]) -> None:
    if file and file.suffix not in (".svg", ".png"):
        raise BadInput(f"{option} {file}: expected a name that ends with .svg or .png")
    if file and len(metrics) > 1:
        raise BadInput(f"{option} {file}: a figure has one metric, found {len(metrics)}; draw each with a command")


def _export(target: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    import pyarrow as pa

    export(target, pa.Table.from_pylist(list(rows)))


def _draw(found: Effects, plot: Path | None, residuals: Path | None) -> None:
    from celltrain.sweeps import effects_figure

    if plot:
        _save(plot, effects_figure.figure(found))
    if residuals:
        _save(residuals, effects_figure.residuals_figure(found))


def _save(file: Path, figure: Figure) -> None:
    from celltrain.files import atomic_write
    from celltrain.sweeps.effects_figure import image

    atomic_write(file, image(figure, file.suffix.removeprefix(".")))
    err().print(f"wrote {file}", style="dim", markup=False)


def _print(found: Sequence[Effects], *, signs: bool) -> None:
    _print_factors(found[0])
    for effects in found:
        if signs:
            _print_signs(effects)
        _print_effects(effects)


def _print_factors(effects: Effects) -> None:
    read = effects.responses
    caption = f"{read.points.size} points, {effects.replications} replications"
    if read.confounding:
        caption = f"{read.confounding.in_words()}; {caption}"
    low_high = ("low (-1)", "high (+1)") if read.two_level else ("levels",)
    shown = table_of(caption, dict.fromkeys(("factor", "key", *low_high), False))
    for factor in read.factors:
        levels = factor.levels if read.two_level else (", ".join(factor.levels),)
        shown.add_row(factor.letter, factor.key, *levels)
    out().print(shown)


def _print_signs(effects: Effects) -> None:
    from celltrain.readable import label
    from celltrain.sweeps.effects_table import signs

    if not effects.responses.two_level:
        raise BadInput("--signs: a sign table needs a design in which all factors have two levels")
    columns, table = signs(effects)
    factor, unit = _unit(effects)
    headings = dict.fromkeys((*columns[:-1], label("mean", unit)), True)
    shown = table_of(f"{effects.responses.metric}: sign table", headings)
    for row in table[:_SHOWN_ROWS]:
        shown.add_row(f"{row[0]:.0f}", *(f"{sign:.0f}" for sign in row[1:-1]), f"{row[-1] * factor:.5g}")
    out().print(shown)
    _print_more(len(table) - _SHOWN_ROWS)


def _print_effects(effects: Effects) -> None:
    from celltrain.readable import label
    from celltrain.sweeps.effects_table import rows, with_aliases

    all_rows = rows(effects)
    by_level = not effects.responses.two_level
    heading = "factor" if effects.multiplicative else label("effect", _unit(effects)[1])
    columns = {"term": False, **({"levels": False} if by_level else {})}
    columns |= dict.fromkeys((heading, "variation", "dof", "p"), True)
    shown = table_of(_caption(effects), columns)
    for number, row in enumerate(all_rows[:_SHOWN_ROWS]):
        is_part = row["dof"] is not None
        shown.add_row(
            with_aliases(row["term"], row["aliases"].split()) if is_part or number == 0 else "",
            *([row["levels"]] if by_level else []),
            _effect(effects, row),
            "" if not is_part else "-" if math.isnan(row["variation"]) else f"{100 * row['variation']:.1f} %",
            str(row["dof"]) if is_part else "",
            "" if math.isnan(row["p"]) else f"{row['p']:.2g}",
        )
    out().print(shown)
    _print_more(len(all_rows) - _SHOWN_ROWS, "; --export FILE.csv has all")


def _print_more(rows: int, where: str = "") -> None:
    if rows > 0:
        out().print(f"... {rows} more rows{where}", style="dim", markup=False)


def _caption(effects: Effects) -> str:
    form = "factor on the geometric mean" if effects.multiplicative else "effect"
    if effects.replications == 1:
        errors = "one replication gives no error estimate and so no intervals: sweep with --replications 2 or more"
    elif effects.independent:
        errors = "95 % intervals, all runs independent"
    else:
        errors = "95 % intervals, from the effects of each seed"
    return f"{effects.responses.metric}: {form}; {errors}"


def _unit(effects: Effects) -> tuple[float, str]:
    """Choose one unit for all effects of an additive model, so that they can be compared at a glance."""
    import numpy as np

    from celltrain.readable import unit_for

    if effects.multiplicative:
        return 1.0, "log10"
    return unit_for(np.array([effects.mean.value]), effects.responses.unit)


def _effect(effects: Effects, row: Mapping[str, Any]) -> str:
    from celltrain.readable import amount, with_interval

    value, half = row["effect"], row["effect_ci95"]
    if math.isnan(value):
        return ""
    if not effects.multiplicative:
        factor, _ = _unit(effects)
        return with_interval(value * factor, half * factor, "1")
    low, middle, high = (10 ** (value + side * half) for side in (-1, 0, 1))
    if row["term"] == "mean":
        unit = effects.responses.unit
        interval = "" if math.isnan(half) else f" ({amount(low, unit)} to {amount(high, unit)})"
        return amount(middle, unit) + interval
    return f"x {row['factor']:.4g}" + ("" if math.isnan(half) else f" ({low:.4g} to {high:.4g})")


def _tell_left_out(found: Sequence[Effects]) -> None:
    for effects in found:
        left_out = effects.responses.left_out
        if left_out:
            runs = f"{effects.responses.metric}: seeds that not all points have are left out ({len(left_out)}):"
            err().print(runs, style="yellow", markup=False)
        for reason in left_out[:_SHOWN_REASONS]:
            err().print(f"  {reason}", style="yellow", markup=False)
        if len(left_out) > _SHOWN_REASONS:
            err().print(f"  ... and {len(left_out) - _SHOWN_REASONS} more", style="yellow", markup=False)
