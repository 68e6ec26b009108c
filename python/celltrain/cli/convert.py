"""``celltrain convert``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from celltrain.cli.console import BadInput, echo, readable_errors

if TYPE_CHECKING:
    from celltrain.recordings.formats import Format
    from celltrain.recordings.segments import Options

#: The names in :data:`celltrain.recordings.formats.FORMATS`, so that a page of help imports none of them.
NAMES = ("csv", "mahimahi", "leo", "cellreplay", "netem-trace", "tc", "ping")
WRITTEN = NAMES[:-1]


@click.command("convert")
@click.argument("files", metavar="IN...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--from", "source", type=click.Choice(NAMES), help="Format of IN; default: what its content says.")
@click.option(
    "--to", "target", type=click.Choice(WRITTEN), default="csv", show_default=True, help="Format of the result."
)
@click.option(
    "--out", "outs", type=click.Path(path_type=Path), multiple=True, required=True, help="A file to write, or several."
)
@click.option(
    "--bin",
    "interval",
    metavar="TIME",
    default="10 ms",
    show_default=True,
    help="Time over which delivery opportunities make a rate.",
)
@click.option(
    "--packet",
    metavar="OCTETS",
    type=click.IntRange(28, 65535),
    default=1500,
    show_default=True,
    help="Length of an IP packet, where a format counts packets.",
)
@click.option(
    "--loss", metavar="FRACTION", type=click.FloatRange(0, 1), help="Fraction of packets lost, where IN has none."
)
@click.option("--end", metavar="TIME", help="End of a recording in CSV or of tc, after which it starts again.")
@click.option(
    "--load", type=click.Choice(["heavy", "light"]), help="Record of CellReplay that gives the rate; default: heavy."
)
@click.option(
    "--only", type=click.Choice(["rate", "delay", "loss"]), multiple=True, help="Convert this quantity, and no other."
)
@click.option("--replace", is_flag=True, help="Replace files that exist.")
@click.option("--json", "as_json", is_flag=True, help="Print the format, what was assumed, and the last line as JSON.")
def command(files: tuple[Path, ...], source: str | None, target: str, outs: tuple[Path, ...], **options: Any) -> None:  # noqa: ANN401
    """Convert the recording of a line in the files IN, and print what was assumed.

    Formats: csv (units in the header), mahimahi (a delivery trace), leo (bw_N.txt and delay_N.txt of LeoReplayer and
    LeoCC), cellreplay (the heavy trace, and the light one with delays), netem-trace (JSON, a file for rate, delay and
    loss each), tc (a script of tc qdisc ... netem), ping (a log of ping -D, only read). With several files, name them
    in this order, and --out as often.

    The last line is what to put into a link, or how else to use the result.

    For example: celltrain convert examples/recorded/line.trace --out line.csv
    """
    from celltrain.files import json_text
    from celltrain.printable import encodable, escaped
    from celltrain.recordings.convert import convert
    from celltrain.recordings.detect import detected
    from celltrain.recordings.formats import FORMATS
    from celltrain.recordings.numbers import time_text

    with readable_errors():
        for path in files:
            path.stat()
        name = source or detected(files)
        read = FORMATS[name]
        given = _options(read, options)
        done = convert(files, read, outs, FORMATS[target], given, replace=options["replace"])
    written = [encodable(str(path)) for path in outs]
    if options["as_json"]:
        told = {"from": name, "to": target, "out": written, "duration_s": done.duration / 1e12}
        echo(json_text(told | {"notes": done.notes, "use": encodable(done.use)}))
        return
    if source is None:
        echo(f"format: {name}, as the content says\n")
    for note in done.notes:
        echo(f"{note}\n")
    told_names = escaped(", ".join(written))
    echo(f"wrote {told_names}: {target}, {time_text(done.duration)}\n{escaped(encodable(done.use))}\n")


def _options(read: Format, given: dict[str, Any]) -> Options:
    """Return what the files do not say.

    Raises
    ------
    BadInput
        An option is not for this format, or is no time.
    """
    from celltrain.recordings.formats import FORMATS
    from celltrain.recordings.segments import QUANTITIES, Options

    for name in ("end", "load"):
        if given[name] is not None and name not in read.takes:
            takers = [each.name for each in FORMATS.values() if name in each.takes]
            raise BadInput(f"--{name} is not for --from {read.name}; expected it with {' or '.join(takers)}")
    interval = _time("--bin", given["interval"])
    if interval < 10**9:
        raise BadInput(f"--bin {given['interval']!r}: expected at least 1 ms")
    return Options(
        bin=interval,
        packet=given["packet"],
        loss=_cell_loss(given["loss"], given["packet"]),
        end=None if given["end"] is None else _time("--end", given["end"]),
        load=given["load"] or "heavy",
        only=given["only"] or QUANTITIES,
    )


def _time(option: str, text: str) -> int:
    """Return a time in ps."""
    from celltrain.quantity import seconds

    try:
        return round(seconds(text) * 1e12)
    except ValueError as error:
        raise BadInput(f"{option} {text!r}: {error}") from error


def _cell_loss(loss: float | None, packet: int) -> float | None:
    from celltrain.recordings.cells import cell_loss

    return None if loss is None else cell_loss(loss, packet)
