"""``celltrain overhead``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from celltrain.cli import printing
from celltrain.cli.console import BadInput, err, out, readable_errors
from celltrain.cli.printing import How
from celltrain.cli.sheet import Sheet

if TYPE_CHECKING:
    from celltrain.framing import Detection, Size

#: Lengths of the pings of ``--detect``, over five steps of cells; Ethernet pads none of them.
_PINGED = range(96, 96 + 5 * 48)


@click.command("overhead")
@click.argument("lengths", metavar="[OCTETS]...", type=click.IntRange(1, 65_483), nargs=-1)
@click.option(
    "--encapsulation",
    "names",
    metavar="NAME",
    multiple=True,
    help="Show only this one, by its name or its keyword in tc-cake. May be repeated.",
)
@click.option(
    "--aal",
    type=click.Choice(["1", "3/4", "5"]),
    default="5",
    show_default=True,
    help="The adaptation layer of cells: 48 octets of a packet's PDU in each (5), or 44 (3/4).",
)
@click.option(
    "--detect",
    "place",
    metavar="HOST-OR-PCAP",
    help="Find the framing of the line to a host by pings, or from a capture that has pings of many sizes.",
)
@click.option("--pings", type=click.IntRange(1), default=8, show_default=True, help="With --detect: pings of a size.")
@printing.options()
def command(
    how: How, *, lengths: tuple[int, ...], names: tuple[str, ...], aal: str, place: str | None, pings: int
) -> None:
    """Print the overhead of IP packets of OCTETS octets on lines of ATM (ADSL), PTM (VDSL), DOCSIS and Ethernet.

    For each encapsulation (RFC 2684, 2364, 2516): octets on the line, the fraction of them that is IP, cells and
    padding; and the options for tc, as in "tc qdisc ... cake atm overhead 40". Default: an ACK of 40 octets, and
    packets of 576 and 1500.
    """
    from celltrain.files import json_text

    if place:
        if lengths or names:
            raise BadInput("--detect finds an encapsulation: leave out lengths and --encapsulation")
        found = detected(place, pings)
        if how.as_json:
            click.echo(json_text(found.to_json()), nl=False)
        else:
            tell(found)
        return
    if aal == "1":
        raise BadInput(
            "AAL1 carries no packets, but a circuit of constant rate, 47 octets in each cell of 53: one of R bit/s"
            ' takes R / 376 cells/s; see the traffic process "aal1"'
        )
    rows = wanted(list(lengths) or [40, 576, 1500], names, aal)
    plain = [row.to_json() for row in rows]
    if how.as_json:
        click.echo(json_text(how.rows(plain)), nl=False)
    elif how == How():
        show(rows)
    else:
        how.show(Sheet.of_rows("", plain))


def wanted(lengths: list[int], names: tuple[str, ...], aal: str) -> list[Size]:
    """Return the sizes for the wanted encapsulations; default: all."""
    from celltrain._native import nearest
    from celltrain.framing import sizes

    rows = sizes(lengths, aal)
    known = sorted({name for row in rows for name in (row.encapsulation, row.tc_keyword) if name})
    for name in names:
        if name not in known:
            raise BadInput(f'no encapsulation "{name}"{nearest(name, known)}')
    return [row for row in rows if not names or row.encapsulation in names or row.tc_keyword in names]


def show(rows: list[Size]) -> None:
    """Print a row for each encapsulation, a column for each length."""
    from rich import box
    from rich.table import Table

    lengths = list(dict.fromkeys(row.ip_octets for row in rows))
    caption = "octets on the line, the part that is IP; cells, padding"
    page = Table(box=box.SIMPLE_HEAD, caption=caption, caption_justify="left", pad_edge=False)
    page.add_column("encapsulation\nand tc-cake", no_wrap=True)
    for length in lengths:
        page.add_column(f"{length}\noctets", justify="right")
    for name in dict.fromkeys(row.encapsulation for row in rows):
        own = {row.ip_octets: row for row in rows if row.encapsulation == name}
        first = own[lengths[0]]
        keyword = first.tc_keyword or ("" if first.tc_overhead is None else f"overhead {first.tc_overhead}")
        page.add_row(f"{name}\n  {keyword}", *(f"{described(own[length])}" for length in lengths))
    console = out()
    with console.capture() as captured:
        console.print(page)
    # In a pipe no line ends with spaces.
    click.echo("\n".join(line.rstrip() for line in captured.get().splitlines()))


def described(size: Size) -> str:
    """Describe a packet on a line, in two lines."""
    if not size.fits_mtu:
        return f"-\n> MTU {size.mtu}"
    parts = [f"{size.cells} cell{'s' * (size.cells > 1)}"] if size.cells else []
    parts += [f"pad {size.padding_octets}"] if size.padding_octets else []
    return f"{size.line_octets}  {size.efficiency:.1%}\n{', '.join(parts)}"


def detected(place: str, pings: int) -> Detection:
    """Measure or read round trips, and find the framing that they show."""
    from celltrain.framing import detect
    from celltrain.framing.pings import captured, measured

    with readable_errors():
        try:
            if Path(place).is_file():
                return detect(captured(Path(place)))
            err().print(f"pinging {place}: {len(_PINGED) * pings} times", style="dim", markup=False)
            return detect(measured(place, _PINGED, pings))
        except ValueError as error:
            raise BadInput(f"{place}: {error}") from error


def tell(found: Detection) -> None:
    """Print what was found, and how sure it is."""
    console = out()
    basis = f"({found.samples} round trips of {found.sizes} sizes)"
    if found.is_atm is None:
        console.print(
            f"cannot tell {basis}: they vary too much, or grow too little with the size; try more --pings, or a time "
            "with less traffic",
            markup=False,
        )
        return
    if not found.is_atm:
        console.print(f"no ATM quantisation found, confidence {found.confidence:.0%} {basis}", markup=False)
        return
    assert found.cell_time_s is not None
    console.print(
        f"ATM: round trips grow by {found.cell_time_s * 1e6:.0f} us every 48 octets {basis}\n"
        f"overhead {found.offset} octets (or 48 more), confidence {found.confidence:.0%}",
        markup=False,
    )
    if len(found.offsets) > 1:
        others = ", ".join(map(str, found.offsets))
        console.print(f"with 95 % confidence one of {others}: more --pings tell them apart", markup=False)
    names = ", ".join(found.encapsulations) or "none that celltrain knows"
    console.print(f"encapsulation: {names}\ntc: atm overhead {found.offset}", markup=False)
