"""``celltrain overhead``."""

from __future__ import annotations

import json

import rich_click as click

from celltrain.cli.console import BadInput, out

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
@click.option(
    "--aal",
    type=click.Choice(["1", "3/4", "5"]),
    default="5",
    show_default=True,
    help="The adaptation layer: that of packets with 48 octets a cell (5), or with 44 (3/4).",
)
@click.option("--json", "as_json", is_flag=True, help="Print only the table on stdout, as JSON.")
def command(*, lengths: tuple[int, ...], names: tuple[str, ...], aal: str, as_json: bool) -> None:
    """Print the overhead of IP packets of OCTETS octets on an ATM or ADSL line.

    For each encapsulation (RFC 2684, 2364, 2516): cells, octets on the line and the fraction of them that is
    IP; and the options for tc, as in "tc qdisc ... cake atm overhead 40". Default: an ACK of 40 octets, and
    packets of 576 and 1500.
    """
    if aal == "1":
        raise BadInput(
            "AAL1 carries no packets, but a circuit of constant rate, 47 octets in each cell of 53: one of R bit/s"
            ' takes R / 376 cells/s; see the traffic process "aal1"'
        )
    rows = table(list(lengths) or [40, 576, 1500], set(names), aal)
    if as_json:
        click.echo(json.dumps(rows, indent=2))
    else:
        show(rows)


def table(lengths: list[int], wanted: set[str], aal: str = "5") -> list[dict[str, object]]:
    """Make one row for each wanted encapsulation (default: all) and each length."""
    from celltrain import _native

    rows = _native.overhead(lengths, aal)
    known = {name for row in rows for name in row[:2] if isinstance(name, str)}
    if unknown := sorted(wanted - known):
        raise BadInput(f'no encapsulation "{unknown[0]}" in AAL{aal}; known are {", ".join(sorted(known))}')
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


def show(rows: list[dict[str, object]]) -> None:
    """Print the rows as a table."""
    from rich import box
    from rich.table import Table

    page = Table(box=box.SIMPLE_HEAD)
    for heading in ("encapsulation", "tc-cake"):
        page.add_column(heading)
    for heading in ("IP octets", "cells", "line octets", "efficiency"):
        page.add_column(heading, justify="right")
    last = None
    for row in rows:
        name = str(row["encapsulation"])
        keyword = row["tc_keyword"] or ("" if row["tc_overhead"] is None else f"overhead {row['tc_overhead']}")
        first = name != last
        if first and last is not None and rows[0]["ip_octets"] != rows[-1]["ip_octets"]:
            page.add_section()
        last = name
        above = "" if row["fits_mtu"] else f" > MTU {row['mtu']}"
        page.add_row(
            name if first else "",
            str(keyword) if first else "",
            f"{row['ip_octets']}{above}",
            str(row["cells"]),
            str(row["line_octets"]),
            f"{row['efficiency']:.1%}",
        )
    out().print(page)
