"""Recordings in CSV: a header with quantities and units, and a row for each instant at which something changes.

This is the format of ``schedule = { process = "csv" }`` (``crates/celltrain-proto/src/line/schedule/csv.rs``). Read are
also columns that a link cannot follow as they are: round trips, rates and losses of packets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, TextIO

from celltrain.recordings.cells import cell_loss, line_rate
from celltrain.recordings.lines import lines_of, refuse
from celltrain.recordings.numbers import MS, PS, decimal, number, shortest, time_text, toml_text
from celltrain.recordings.segments import QUANTITIES, Notes, Options, Recording, Segment

#: What a scenario reads.
_MOST_ROWS, _MOST_OCTETS = 10_000_000, 64 << 20


@dataclass(frozen=True)
class _Column:
    """A column: its quantity, the factor to ps, bit/s or a fraction, its largest value, and how messages say that."""

    quantity: str
    factor: float
    most: float
    says: str
    #: Whether it is of packets, or of both ways.
    kind: str = ""


def _columns() -> dict[str, _Column]:
    found: dict[str, _Column] = {}
    for unit, ps in (("s", 1e12), ("ms", 1e9), ("us", 1e6)):
        found[f"time_{unit}"] = _Column("time", ps, 8.64e18, f"a time in {unit}, at most 100 days")
        found[f"delay_{unit}"] = _Column("delay", ps, 3.6e15, f"a one-way delay in {unit}, at most an hour")
        found[f"rtt_{unit}"] = _Column("delay", ps, 7.2e15, f"a round trip in {unit}, at most two hours", "rtt")
    for unit, bps in (("bps", 1.0), ("kbps", 1e3), ("mbps", 1e6), ("gbps", 1e9)):
        words = f"a rate in {unit}, 0, or 1 bit/s to 400,000 Gbit/s"
        found[f"rate_{unit}"] = _Column("rate", bps, 4e14, words)
        found[f"ip_rate_{unit}"] = _Column("rate", bps, 4e14, words, "ip")
    for prefix, kind in (("", ""), ("packet_", "packets")):
        of = "packets" if kind else "cells"
        found[f"{prefix}loss"] = _Column("loss", 1.0, 1.0, f"a fraction of {of}, 0 to 1", kind)
        found[f"{prefix}loss_percent"] = _Column("loss", 0.01, 1.0, f"a loss of {of} in per cent, 0 to 100", kind)
    return found


COLUMNS = _columns()
_Row = dict[str, float]


def read(paths: Sequence[Path], options: Options, notes: Notes) -> Recording:
    """Read a file."""
    path = paths[0]
    lines = ((line, text) for line, text in lines_of(path) if not text.startswith("#"))
    line, header = next(lines, (1, None))
    if header is None:
        refuse(path, 1, None, "nothing; expected a header such as time_s,rate_mbps,delay_ms,loss")
    columns = _header(path, line, header)
    _note_columns(columns, options, notes)
    has = tuple(name for name in QUANTITIES if any(column.quantity == name for column in columns))
    note = ""
    if options.end is None:
        note = "the last row lasts as long as the row before it; --end says otherwise"
    return Recording(_segments(path, columns, lines, options), has, options.end is not None, note)


def _header(path: Path, line: int, header: str) -> list[_Column]:
    columns: list[_Column] = []
    for name in (each.strip() for each in header.split(",")):
        column = COLUMNS.get(name)
        if column is None:
            _refuse_name(path, line, name)
        if any(other.quantity == column.quantity for other in columns):
            refuse(path, line, name, f"a second column of the {column.quantity}; expected one")
        columns.append(column)
    if not any(column.quantity == "time" for column in columns):
        refuse(path, line, header, "expected a column time_s, time_ms or time_us")
    if len(columns) < 2:
        refuse(path, line, header, "expected a column of a rate, a delay or a loss beside the time")
    return columns


def _refuse_name(path: Path, line: int, name: str) -> NoReturn:
    with_units = [known for known in COLUMNS if known.rpartition("_")[0] == name]
    if with_units:
        refuse(path, line, name, f"no unit; expected one of {', '.join(with_units)}")
    refuse(path, line, name, f"unknown column; expected a header of {', '.join(COLUMNS)}")


def _note_columns(columns: list[_Column], options: Options, notes: Notes) -> None:
    kinds = {column.kind for column in columns}
    if "rtt" in kinds:
        notes.assume("the one-way delay is half of the round trip")
    if "ip" in kinds:
        notes.assume(f"the rate is that of IP packets of {options.packet} octets; the line's has their cells")
    if "packets" in kinds:
        notes.assume(f"a packet of {options.packet} octets is lost with any of its cells, which are lost independently")


def _segments(
    path: Path, columns: list[_Column], lines: Iterator[tuple[int, str]], options: Options
) -> Iterator[Segment]:
    before: tuple[int, _Row] | None = None
    lasts, line = 0, 1
    for line, text in lines:
        row = _row(path, line, text, columns, options)
        at = round(row.pop("time"))
        if before is None and at != 0:
            refuse(path, line, text, "expected time 0, the start of the recording, in the first row")
        if before is not None:
            if at <= before[0]:
                refuse(path, line, text, "expected a time after that of the row before it")
            lasts = at - before[0]
            yield _segment(before[0], at, before[1])
        before = at, row
    if before is None:
        refuse(path, line + 1, None, "nothing; expected a row at time 0")
    end = options.end if options.end is not None else before[0] + (lasts or PS)
    if end <= before[0]:
        refuse(
            path,
            line,
            None,
            f"--end {time_text(end)} is not after the last row; expected more than {time_text(before[0])}",
        )
    yield _segment(before[0], end, before[1])


def _segment(start: int, stop: int, row: _Row) -> Segment:
    delay = row.get("delay")
    return Segment(start, stop, row.get("rate"), None if delay is None else round(delay), row.get("loss"))


def _row(path: Path, line: int, text: str, columns: list[_Column], options: Options) -> _Row:
    fields = [field.strip() for field in text.split(",")]
    if len(fields) != len(columns):
        refuse(path, line, text, f"{len(fields)} fields; expected {len(columns)}, as the header has")
    row: _Row = {}
    for field, column in zip(fields, columns, strict=True):
        value = number(field)
        value = None if value is None else value * column.factor
        if value is None or not 0 <= value <= column.most or (column.quantity == "rate" and 0 < value < 1):
            refuse(path, line, field, f"expected {column.says}")
        row[column.quantity] = _MEANINGS[column.kind](value, options)
    return row


#: What values of a kind of column say of a line: of its cells, one way.
_MEANINGS: dict[str, Callable[[float, Options], float]] = {
    "": lambda value, _options: value,
    "rtt": lambda value, _options: value / 2,
    "ip": lambda value, options: line_rate(value, options.packet),
    "packets": lambda value, options: cell_loss(value, options.packet),
}


def write(recording: Recording, files: Sequence[TextIO], names: Sequence[str], _options: Options, notes: Notes) -> str:
    """Write a file; return the line for a link."""
    file = files[0]
    headers = {"rate": "rate_bps", "delay": "delay_ms", "loss": "loss"}
    header = ",".join(["time_s", *(headers[name] for name in recording.has)]) + "\n"
    file.write(header)
    rows, octets, end = 0, len(header), 0
    for segment in recording.segments:
        row = _written(segment)
        file.write(row)
        rows, octets, end = rows + 1, octets + len(row), segment.stop
    if rows > _MOST_ROWS or octets > _MOST_OCTETS:
        notes.warn(
            f"no scenario reads {rows} rows of {octets >> 20} MiB; at most {_MOST_ROWS} rows of "
            f"{_MOST_OCTETS >> 20} MiB: a larger --bin makes fewer"
        )
    repeat = f', repeat = "{time_text(end)}"' if recording.repeats else ""
    return f'schedule = {{ process = "csv", file = {toml_text(names[0])}{repeat} }}'


def _written(segment: Segment) -> str:
    fields = [decimal(segment.start, PS)]
    if segment.rate is not None:
        fields.append(shortest(segment.rate))
    if segment.delay is not None:
        fields.append(decimal(segment.delay, MS))
    if segment.loss is not None:
        fields.append(shortest(segment.loss))
    return ",".join(fields) + "\n"
