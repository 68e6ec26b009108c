"""Messages of commands about cross-checks and warnings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from click.exceptions import Exit

from celltrain.cli.console import err
from celltrain.refused import EnginesDiffer

if TYPE_CHECKING:
    from celltrain.advice import RunWarning

#: Maximum number of warnings printed; ``--json`` and ``--out`` have all.
_MOST = 5


@contextmanager
def engines_agree(folder: Path | None, name: str) -> Iterator[None]:
    """If the engines differ, print the difference, write a scenario for a report, and exit with 1.

    Parameters
    ----------
    folder
        The folder for the scenario; default: the current folder.
    name
        Name of the scenario; its file is ``NAME.differs.toml``.
    """
    try:
        yield
    except EnginesDiffer as error:
        raise Exit(tell(error, folder, name)) from error


def tell(error: EnginesDiffer, folder: Path | None = None, name: str | None = None) -> int:
    """Print how the engines differ, write a scenario for a report, and return the exit code."""
    show_difference(error)
    console = err()
    try:
        path = error.save(folder or Path(), name)
    except OSError as failure:
        console.print(f"no scenario for a report: {failure}", style="yellow", markup=False)
    else:
        console.print(
            f"wrote {path}; please report it: celltrain run {path} --seed {error.seed} --verify",
            markup=False,
            soft_wrap=True,
        )
    return 1


def show_difference(error: EnginesDiffer) -> None:
    """Print where the engines differ, and both values."""
    found, console = error.difference, err()
    console.print("error:", style="bold red", end=" ")
    console.print("the two engines differ: a defect of celltrain; trust neither result", markup=False)
    lines = [("in trains", found["trains"]), ("cell by cell", found["cells"])]
    if "table" in found:
        row = ", ".join(f"{column} {name}" for column, name in found["names"].items())
        where = f"table {found['table']}, row {found['row'] + 1}" + (f" ({row})" if row else "")
        lines = [("where", where), ("column", found["column"] or "names of rows or columns"), *lines]
    lines.append(("in the first", f"{error.simulated_s:.6g} s of {error.origin}, seed {error.seed}"))
    for word, text in lines:
        console.print(f"  {word:<13}", style="dim", end="")
        console.print(text, markup=False, soft_wrap=True)


def show_warnings(warnings: list[RunWarning], where: str = "", more_in: str = "--out DIR and --json have all") -> None:
    """Print warnings on stderr, one line for each group of members with equal warnings.

    Parameters
    ----------
    warnings
        The warnings.
    where
        Prefix of each line, if there are several scenarios.
    more_in
        Where to find the warnings that are not printed.
    """
    from celltrain.advice import in_short

    groups = list(in_short(warnings).values())
    for group in groups[:_MOST]:
        more = f" (and {len(group) - 1:,} more of its group)" if len(group) > 1 else ""
        _warn(f"{where}{group[0]}{more} {_silenced_by(group[0].code)}")
    left = sum(map(len, groups[_MOST:]))
    if left:
        err().print(f"warning: {where}and {left:,} more; {more_in}", style="yellow", markup=False)


def show_warnings_of_points(warnings: list[dict[str, Any]]) -> None:
    """Print the stored warnings of the points of a sweep, a line for each code."""
    for each in warnings:
        points = each["points"]
        of = f"{points:,} point{'s' if points > 1 else ''}, the first of them: "
        _warn(f"{of}{each['kind']} {each['name']}: {each['look_at']} {_silenced_by(each['code'])}")


def _silenced_by(code: str) -> str:
    """Name the key of the scenario that suppresses warnings with a code."""
    return f'[suppress with silence = ["{code}"]]'


def _warn(text: str) -> None:
    console = err()
    console.print("warning:", style="bold yellow", end=" ")
    console.print(text, style="yellow", markup=False, soft_wrap=True)
