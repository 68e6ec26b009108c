"""How results are printed: ``--format``, ``--json``, ``--sort`` and ``--columns`` of all commands with tables."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Concatenate, ParamSpec, TypeVar

import rich_click as click
from rich.text import Text

from celltrain._native import nearest
from celltrain.cli.console import BadInput, echo, out
from celltrain.cli.grid import grid
from celltrain.cli.sheet import Sheet
from celltrain.printable import in_markdown
from celltrain.values import split_values

P = ParamSpec("P")
R = TypeVar("R")

FORMATS = ("table", "csv", "json", "md")


@dataclass(frozen=True)
class How:
    """What the options say.

    Attributes
    ----------
    format : str
        One of ``table``, ``csv``, ``json`` and ``md``.
    sort : str
        The column that orders the rows, with a minus sign for descending order; empty: as they come.
    columns : tuple of str
        The chosen columns; empty: all.
    """

    format: str = "table"
    sort: str = ""
    columns: tuple[str, ...] = ()

    @property
    def as_json(self) -> bool:
        """Whether the command prints JSON, and nothing else, on stdout."""
        return self.format == "json"

    def show(self, *sheets: Sheet) -> None:
        """Print tables in the chosen format; JSON is up to the command.

        Raises
        ------
        BadInput
            No table has a column that was named.
        """
        shown = [self._arranged(sheet, sheets) for sheet in sheets]
        write = {"csv": _csv, "md": _markdown}.get(self.format)
        if write:
            echo("\n".join(write(sheet, titled=len(shown) > 1) for sheet in shown))
            return
        for number, sheet in enumerate(shown):
            if number:
                out().print()
            print_sheet(sheet)

    def rows(self, rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """Arrange rows for JSON: sorted, and with the chosen columns.

        Raises
        ------
        BadInput
            There is no column that was named.
        """
        if not rows or not (self.sort or self.columns):
            return list(rows)
        sheet = Sheet.of_rows("", rows)
        return list(self._arranged(sheet, [sheet]).data()[1])

    def check(self, names: Iterable[str]) -> None:
        """Refuse columns that no table will have, before anything runs.

        Raises
        ------
        BadInput
            A name is unknown.
        """
        known = list(dict.fromkeys(names))
        short = [name.partition(".")[2] for name in known]
        for option, wanted in (
            ("--sort", self.sort.removeprefix("-")),
            *(("--columns", each) for each in self.columns),
        ):
            if wanted and wanted not in known and wanted not in short:
                raise BadInput(f"{option}: there is no column {wanted!r}{nearest(wanted, [*known, *short])}")

    def _arranged(self, sheet: Sheet, sheets: Sequence[Sheet]) -> Sheet:
        if self.columns:
            for name in self.columns:
                _known("--columns", name, sheets)
            sheet = sheet.chosen(self.columns)
        if self.sort:
            name = self.sort.removeprefix("-")
            _known("--sort", name, sheets)
            sheet = sheet.sorted_by(name, descending=self.sort.startswith("-"))
        return sheet


def _known(option: str, name: str, sheets: Sequence[Sheet]) -> None:
    if all(sheet.column(name) is None for sheet in sheets):
        names = list(dict.fromkeys(column.name for sheet in sheets for column in sheet.columns))
        raise BadInput(f"{option}: there is no column {name!r}{nearest(name, names)}")


def options(*, columns: bool = True, sort: bool = True) -> Callable[[Callable[Concatenate[How, P], R]], Callable[P, R]]:
    """Add the options to a command, whose first parameter gets what they say."""

    def add(command: Callable[Concatenate[How, P], R]) -> Callable[P, R]:
        @functools.wraps(command)
        def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
            as_json, form = kwargs.pop("as_json"), str(kwargs.pop("form"))
            if as_json and form != "table":
                raise BadInput(f"--json is --format json: leave out --format {form}")
            chosen = split_values(str(kwargs.pop("shown_columns", "") or ""))
            order = str(kwargs.pop("sort", "") or "")
            return command(How("json" if as_json else form, order, tuple(filter(None, chosen))), *args, **kwargs)

        result: Any = wrapped
        result = click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else, on stdout.")(
            result
        )
        result = click.option(
            "--format",
            "form",
            type=click.Choice(FORMATS),
            default="table",
            show_default=True,
            help="Print a table, CSV or JSON in SI units, or a Markdown table.",
        )(result)
        if sort:
            result = click.option(
                "--sort", metavar="NAME", help="Sort by a column, by its name in CSV; -NAME: descending."
            )(result)
        if columns:
            result = click.option(
                "--columns", "shown_columns", metavar="NAME,...", help="Print only these columns, by names in CSV."
            )(result)
        shown: Callable[P, R] = result
        return shown

    return add


def print_sheet(sheet: Sheet) -> None:
    """Print a table, as wide as the terminal; in a pipe 80 columns, or what ``COLUMNS`` says."""
    console = out()
    rows = min(len(sheet), sheet.most)
    cut = Sheet(sheet.name, [each.of_rows(range(rows)) for each in sheet.columns]).cells()
    if sheet.name:
        console.print(Text(sheet.name, "bold"), soft_wrap=True)
    for line in grid(cut, table_width(), sheet.keys, sheet.breaks):
        console.print(Text.assemble(*line), soft_wrap=True)
    if len(sheet) > rows:
        console.print(f"... {len(sheet) - rows:,} more rows; {sheet.more_in}", style="dim", markup=False)
    if sheet.caption:
        console.print(sheet.caption, style="dim", markup=False)


def table_width() -> int:
    """Return the width for tables."""
    import os
    import sys

    if sys.stdout.isatty():
        return out().width
    columns = os.environ.get("COLUMNS", "")
    return int(columns) if columns.isdigit() and int(columns) else 80


def _csv(sheet: Sheet, *, titled: bool) -> str:
    """Write CSV; with several tables, each after a comment with its name."""
    from celltrain.files import csv_text

    return (f"# {sheet.name}\n" if titled else "") + csv_text(*sheet.data())


def _markdown(sheet: Sheet, *, titled: bool) -> str:
    """Write a table as in GitHub's Markdown, with the texts of the display."""
    cells = sheet.cells()
    lines = [[each.heading for each in cells], ["---:" if each.right else "---" for each in cells]]
    lines += [[each.texts[row] for each in cells] for row in range(len(sheet))]
    table = "".join("| " + " | ".join(map(in_markdown, line)) + " |\n" for line in lines)
    return (f"**{in_markdown(sheet.name)}**\n\n" if titled else "") + table
