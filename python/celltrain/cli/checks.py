"""What commands say of cross-checks and of warnings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from click.exceptions import Exit

from celltrain.cli.console import err
from celltrain.refused import EnginesDiffer

if TYPE_CHECKING:
    from celltrain.results import Result

#: Most warnings that are printed; ``--json`` and ``--out`` have all.
_MOST = 5


@contextmanager
def engines_agree(folder: Path | None, name: str) -> Iterator[None]:
    """Where the engines differ, say in what, write a scenario for a report, and exit with 1.

    Parameters
    ----------
    folder
        Where the scenario goes; the current folder without it.
    name
        Of the scenario; its file is ``NAME.differs.toml``.
    """
    try:
        yield
    except EnginesDiffer as error:
        raise Exit(tell(error, folder, name)) from error


def tell(error: EnginesDiffer, folder: Path | None = None, name: str | None = None) -> int:
    """Say in what the engines differ, write a scenario for a report, and give the exit code."""
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
    console.print("the two engines differ: a defect of celltrain, trust neither result", markup=False)
    lines = [("in trains", found["trains"]), ("cell by cell", found["cells"])]
    if "table" in found:
        row = ", ".join(f"{column} {name}" for column, name in found["names"].items())
        where = f"table {found['table']}, row {found['row'] + 1}" + (f" ({row})" if row else "")
        lines = [("where", where), ("column", found["column"] or "names of rows or columns"), *lines]
    lines.append(("in the first", f"{error.simulated_s:.6g} s of {error.origin}, seed {error.seed}"))
    for word, text in lines:
        console.print(f"  {word:<13}", style="dim", end="")
        console.print(text, markup=False, soft_wrap=True)


def show_warnings(result: Result) -> None:
    """Print the warnings of a run on stderr, a line for each group of members that say the same."""
    from celltrain.silence import in_short

    console = err()
    groups = list(in_short(result.warnings).values())
    for group in groups[:_MOST]:
        more = f" (and {len(group) - 1:,} more of its group)" if len(group) > 1 else ""
        console.print("warning:", style="bold yellow", end=" ")
        console.print(f"{group[0]}{more}", style="yellow", markup=False, soft_wrap=True)
    left = sum(map(len, groups[_MOST:]))
    if left:
        console.print(f"warning: and {left:,} more; --out DIR and --json have all", style="yellow", markup=False)
