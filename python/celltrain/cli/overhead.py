"""``celltrain overhead``."""

from __future__ import annotations

import json
from typing import Any

import rich_click as click

from celltrain.cli import printing
from celltrain.cli.console import BadInput
from celltrain.cli.printing import How
from celltrain.cli.sheet import Column, Sheet

#: Octets of a cell on the line.
CELL = 53


@click.command("overhead")
@click.argument("lengths", metavar="[OCTETS]...", type=click.IntRange(1, 65_483), nargs=-1)
@click.option(
    "--encapsulation",
    "names",
    metavar="NAME",
    multiple=True,
    help="Show only this one, by its name in scenarios or its keyword in tc-cake. May be repeated.",
)
@printing.options()
def command(how: How, *, lengths: tuple[int, ...], names: tuple[str, ...]) -> None:
    """Print the overhead of IP packets of OCTETS octets on an ATM or ADSL line.

    For each encapsulation (RFC 2684, 2364, 2516): cells, octets on the line and the fraction of them that is
    IP; and the options for tc, as in "tc qdisc ... cake atm overhead 40". Default: an ACK of 40 octets, and
    packets of 576 and 1500.
    """
    rows = table(list(lengths) or [40, 576, 1500], set(names))
    if how.as_json:
        click.echo(json.dumps(how.rows(rows), indent=2))
    else:
        how.show(sheet(rows))


def table(lengths: list[int], wanted: set[str]) -> list[dict[str, Any]]:
    """Make one row for each wanted encapsulation (default: all) and each length."""
    from celltrain import _native

    rows = _native.overhead(lengths)
    known = {name for row in rows for name in row[:2] if isinstance(name, str)}
    if unknown := sorted(wanted - known):
        raise BadInput(f'no encapsulation "{unknown[0]}"; known are {", ".join(sorted(known))}')
    return [
        {
            "encapsulation": name,
            "tc_keyword": keyword,
            "tc_overhead": overhead,
            "mtu": mtu,
            "ip_octets": octets,
            "aal5_payload_octets": payload,
            "cells": cells,
            "line_octets": cells * CELL,
            "efficiency": octets / (cells * CELL),
            "fits_mtu": octets <= mtu,
        }
        for name, keyword, overhead, mtu, octets, payload, cells in rows
        if not wanted or name in wanted or keyword in wanted
    ]


def sheet(rows: list[dict[str, Any]]) -> Sheet:
    """Make the table for display, with the name of each encapsulation once."""
    firsts = [
        number == 0 or row["encapsulation"] != rows[number - 1]["encapsulation"] for number, row in enumerate(rows)
    ]
    options = [row["tc_keyword"] or f"overhead {row['tc_overhead']}" for row in rows]
    lengths = [f"{row['ip_octets']}" + ("" if row["fits_mtu"] else f" > MTU {row['mtu']}") for row in rows]
    several = rows[0]["ip_octets"] != rows[-1]["ip_octets"]

    def column(name: str, heading: str | None = None, unit: str = "", *, texts: list[str] | None = None) -> Column:
        return Column(name, [row[name] for row in rows], heading, unit, texts, "number")

    return Sheet(
        "",
        [
            Column("encapsulation", [row["encapsulation"] for row in rows]),
            Column("tc_keyword", options, "tc-cake"),
            Column("tc_overhead", [row["tc_overhead"] for row in rows], kind="data"),
            column("ip_octets", "IP octets", texts=lengths),
            column("cells"),
            column("line_octets", "line octets"),
            column("efficiency", unit="1"),
        ],
        breaks=[number for number, first in enumerate(firsts) if first and number and several],
    )
