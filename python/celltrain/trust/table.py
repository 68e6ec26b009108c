"""The table as JSON, and as a page of the documentation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from celltrain import _native
from celltrain.printable import escaped, in_markdown
from celltrain.trust.case import Case, Verdict
from celltrain.trust.registry import row
from celltrain.trust.row import RowResult, method

#: Version of the JSON format: it increases when a field changes its meaning or is removed.
SCHEMA_VERSION = 1
#: Maximum number of cases of a row on the page; the JSON has all.
_SHOWN = 40
_ORDER = {Verdict.DIFFERS: 0, Verdict.AGREES: 1, Verdict.NOT_RUN: 2}


def worst_first(results: Iterable[RowResult]) -> list[RowResult]:
    """Sort rows: those that differ, by their largest miss, then those that agree, then those that were not run."""
    return sorted(results, key=lambda result: (_ORDER[result.verdict], -result.miss if result.binding else 0.0))


def to_json(results: Iterable[RowResult], *, quick: bool) -> dict[str, Any]:
    """Return the table as plain data; the page explains its fields."""
    return {
        "schema": SCHEMA_VERSION,
        "version": _native.__version__,
        "build": _native.__build__,
        "quick": quick,
        "rows": [_row(result) for result in worst_first(results)],
    }


def _row(result: RowResult) -> dict[str, Any]:
    made = row(result.name)
    return {
        "name": result.name,
        "says": made.says,
        "target": made.target,
        "verdict": str(result.verdict),
        "why_not": result.why_not,
        "reference": result.reference,
        "miss": result.miss,
        "cases": [asdict(case) | {"verdict": str(case.verdict)} for case in result.cases],
    }


def to_markdown(results: Iterable[RowResult], *, quick: bool) -> str:
    """Write the page."""
    ordered = worst_first(results)
    parts = [method("introduction")]
    if quick:
        parts.append("**Only the quick parts were run:** they only show that the checks work.")
    parts.append(f"Made by celltrain {_native.__build__}.")
    parts.append(_summary(ordered))
    parts += [_section(result) for result in ordered]
    return "\n\n".join([*parts, method("json")]) + "\n"


def _summary(results: Sequence[RowResult]) -> str:
    lines = [
        "| row | verdict | cases that meet their target | largest miss | what is compared | target |",
        "|---|---|---|---|---|---|",
    ]
    for result in results:
        made = row(result.name)
        met = f"{len(result.binding) - len(result.differing)} of {len(result.binding)}" if result.binding else ""
        link = f"[{result.name}](#{result.name})"
        lines.append(f"| {link} | {result.verdict} | {met} | {_number(result.miss)} | {made.says} | {made.target} |")
    return "\n".join(lines)


def _section(result: RowResult) -> str:
    made = row(result.name)
    parts = [f"## {result.name}", f"{made.says[0].upper()}{made.says[1:]}. Target: {made.target}.", made.method]
    if result.reference:
        parts.append(f"Compared with {in_markdown(escaped(result.reference))}.")
    if result.why_not:
        parts.append(f"**Not run:** {in_markdown(escaped(result.why_not))}.")
    if result.cases:
        parts.append(_cases(result))
    return "\n\n".join(parts)


def _cases(result: RowResult) -> str:
    """Show the cases that differ, up to a limit, and the worst of the others."""
    binding, shown_only = result.binding, [case for case in result.cases if not case.binds]
    # The page names every case that was not run, however many others there are.
    absent = [case for case in shown_only if case.verdict is Verdict.NOT_RUN]
    others = [case for case in shown_only if case.verdict is not Verdict.NOT_RUN]
    chosen = [*binding[: max(_SHOWN - 10, min(len(binding), 10))], *others[:10], *absent]
    lines = ["| case | quantity | ours | reference | difference | target | miss | verdict | note |", "|" + "---|" * 9]
    lines += [_line(case) for case in chosen]
    left = len(result.cases) - len(chosen)
    return "\n".join(lines) + (f"\n\nThe JSON has {left} more, whose misses are no larger." if left else "")


def _line(case: Case) -> str:
    verdict = str(case.verdict) if case.binds else f"({case.verdict})"
    cells = (
        case.name,
        case.quantity,
        quantity(case.value, case.unit),
        quantity(case.reference, case.unit),
        difference(case),
        case.target,
        _number(case.miss),
        verdict,
        case.note,
    )
    # Names of scripts and what programs print come from outside.
    return "| " + " | ".join(in_markdown(escaped(cell.replace("|", "/"))) for cell in cells) + " |"


def quantity(value: float | None, unit: str) -> str:
    """Format a value for display.

    >>> quantity(6709576.0, "bit/s"), quantity(0.015034, "s"), quantity(37.0, "1"), quantity(None, "s")
    ('6.710 Mbit/s', '15.03 ms', '37', '')
    """
    if value is None or math.isnan(value):
        return ""
    if unit == "bit/s":
        return f"{value / 1e6:.3f} Mbit/s"
    if unit == "s":
        return f"{1e3 * value:.2f} ms"
    text = f"{value:.4g}"
    return text if unit == "1" else f"{text} {unit}"


def difference(case: Case) -> str:
    """Format a difference for display: in percent if the target is relative."""
    if case.difference is None or math.isnan(case.difference):
        return ""
    if "%" in case.target or "factor" in case.target:
        return f"{100 * case.difference:+.1f} %"
    if case.unit == "s":
        return f"{1e3 * case.difference:+.2f} ms"
    return f"{case.difference:+.4g}"


def _number(value: float) -> str:
    return "" if math.isnan(value) else "no value" if math.isinf(value) else f"{value:.2f}"
