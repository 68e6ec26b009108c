"""``celltrain effects``."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from celltrain.cli import damaged, plotting, printing
from celltrain.cli.console import BadInput, err, readable_errors
from celltrain.cli.numbers import import_numpy
from celltrain.cli.results import PATH, export, refresh, show_failures
from celltrain.cli.sheet import Column, Sheet
from celltrain.extras import need

if TYPE_CHECKING:
    from celltrain.cli.printing import How
    from celltrain.sweeps.effects import Effects

#: Maximum number of reasons why runs do not count.
_SHOWN_REASONS = 5

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
@click.option("--plot", metavar="FILE", type=FILE, help="Draw effects and variation explained: .pdf, .svg or .png.")
@click.option("--residuals", metavar="FILE", type=FILE, help="Draw residuals against predictions: .pdf, .svg or .png.")
@plotting.width_option
@printing.options()
def command(
    how: How,
    folder: Path,
    metrics: tuple[str, ...],
    order: int,
    multiplicative: bool,  # noqa: FBT001
    independent: bool,  # noqa: FBT001
    signs: bool,  # noqa: FBT001
    target: Path | None,
    plot: Path | None,
    residuals: Path | None,
    width: str | None,
) -> None:
    """Compute effects, interactions and allocation of variation of the factorial sweep in DIR.

    For example: celltrain effects results/adsl --metric flows.rtt_mean_s --plot effects.svg
    """
    need("sweeps", by="celltrain effects")
    import_numpy()
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
            _draw(found[0], plot, residuals, width)
        if how.as_json:
            click.echo(json_text(how.rows([row for each in found for row in rows(each)])), nl=False)
        else:
            with_signs = [_sheet_of_signs(each) for each in found] if signs else []
            how.show(_sheet_of_factors(found[0]), *with_signs, *map(_sheet_of_effects, found))
    _tell_left_out(found)
    show_failures(results)
    damaged.refuse(results.damaged)


def _check_figure(option: str, file: Path | None, metrics: Sequence[str]) -> None:
    if file:
        plotting.kind(file, option)
    if file and len(metrics) > 1:
        raise BadInput(f"{option} {file}: a figure has one metric, found {len(metrics)}; draw each with a command")


def _export(target: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    import pyarrow as pa

    export(target, pa.Table.from_pylist(list(rows)))


def _draw(found: Effects, plot: Path | None, residuals: Path | None, width: str | None) -> None:
    from celltrain import drawing
    from celltrain.sweeps import effects_figure

    with drawing.page(width):
        if plot:
            plotting.save(plot, effects_figure.figure(found))
        if residuals:
            plotting.save(residuals, effects_figure.residuals_figure(found))


def _sheet_of_factors(effects: Effects) -> Sheet:
    read = effects.responses
    caption = f"{read.points.size} points, {effects.replications} replications"
    if read.confounding:
        caption = f"{read.confounding.in_words()}; {caption}"
    low_high = ("low (-1)", "high (+1)") if read.two_level else ("levels",)
    levels = [factor.levels if read.two_level else (", ".join(factor.levels),) for factor in read.factors]
    columns = [
        Column("factor", [factor.letter for factor in read.factors]),
        Column("key", [factor.key for factor in read.factors]),
        *(Column(name, [each[place] for each in levels]) for place, name in enumerate(low_high)),
    ]
    return Sheet("factors", columns, keys=2, caption=caption)


def _sheet_of_signs(effects: Effects) -> Sheet:
    from celltrain.sweeps.effects_table import signs

    if not effects.responses.two_level:
        raise BadInput("--signs: a sign table needs a design in which all factors have two levels")
    names, table = signs(effects)
    by_column = list(zip(*table, strict=True))
    columns = [Column(name, [int(each) for each in by_column[place]]) for place, name in enumerate(names[:-1])]
    columns.append(Column("mean", by_column[-1], unit=effects.responses.unit))
    return Sheet(f"{effects.responses.metric}: sign table", columns)


def _sheet_of_effects(effects: Effects) -> Sheet:
    from celltrain.sweeps.effects_table import rows, with_aliases

    found = rows(effects)
    two_level = effects.responses.two_level
    parts = [row["dof"] is not None for row in found]

    def texts(name: str, of: Callable[[Any], str]) -> list[str]:
        return [of(row[name]) if part else "" for row, part in zip(found, parts, strict=True)]

    def column(name: str, shown: Sequence[str], heading: str | None = None, unit: str = "") -> Column:
        return Column(name, [row[name] for row in found], heading, unit, shown, "number")

    terms = [
        with_aliases(row["term"], row["aliases"].split()) if part or number == 0 else ""
        for number, (row, part) in enumerate(zip(found, parts, strict=True))
    ]
    multiplicative = effects.multiplicative
    columns = [
        Column("term", [row["term"] for row in found], texts=terms),
        Column("levels", [row["levels"] for row in found], kind="data" if two_level else "name"),
        column("effect", [_effect(effects, row) for row in found], *_heading(effects)),
        *([Column("factor", [row["factor"] for row in found], kind="data")] if multiplicative else []),
        Column("effect_ci95", [row["effect_ci95"] for row in found], kind="data"),
        column(
            "variation", texts("variation", lambda part: "-" if math.isnan(part) else f"{100 * part:.1f}"), unit="%"
        ),
        column("dof", texts("dof", str)),
        column("p", ["" if math.isnan(row["p"]) else f"{row['p']:.2g}" for row in found]),
    ]
    return Sheet("effects", columns, keys=1 if two_level else 2, caption=_caption(effects))


def _heading(effects: Effects) -> tuple[str, str]:
    return ("factor", "") if effects.multiplicative else ("effect", _unit(effects)[1].removesuffix("1"))


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
