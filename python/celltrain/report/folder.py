"""Detects the kind of results in a folder, and reports all of them."""

from __future__ import annotations

from pathlib import Path

from celltrain import _native
from celltrain.columns import TABLES
from celltrain.refused import Refused
from celltrain.report import measurements, records, reproductions, runs, sweeps
from celltrain.report.document import Chapter, Report
from celltrain.report.source import ReportError

#: What reading raises where a file has the right form and an unexpected content.
_WRONG = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)


def read(folder: Path, every: str | None = None) -> Report:
    """Read all results in a folder.

    ``every`` is the length of the intervals of measurements; by default, those recorded.

    Raises
    ------
    OSError
        The folder or a file in it cannot be read.
    ReportError
        It contains no results, or a file is broken.
    """
    if not folder.is_dir():
        raise ReportError(f"{folder}: {'not a folder' if folder.exists() else 'no such folder'}")
    try:
        chapters = _chapters(folder, every)
    except Refused:
        raise
    except _WRONG as error:
        raise ReportError(f"{folder}: not what celltrain writes: {type(error).__name__}: {error}") from error
    if not chapters:
        if records.is_unfinished(folder):
            raise records.unfinished(folder)
        raise ReportError(
            _unsealed(folder)
            or f"{folder}: no results in it: expected the folder that was given to --out of "
            "`celltrain run`, `celltrain sweep`, `celltrain reproduce` or `celltrain dbs run`, "
            "or to --log of `celltrain shell`"
        )
    title = chapters[0].title if len(chapters) == 1 else f"Results in {folder.resolve().name}"
    return Report(title, _native.__version__, chapters)


def _unsealed(folder: Path) -> str | None:
    """Say that tables lack the file that is written last; None if there is no table of a run or an experiment."""
    # `celltrain reproduce` draws each table, so a plot beside a table tells it from other CSV files.
    found = sorted({*folder.glob("*.csv"), *folder.glob("*/*.csv")})
    drawn = (path for path in found if path.with_suffix(".svg").is_file())
    if any((folder / f"{name}.csv").is_file() for name in TABLES):
        lacks = runs.PROVENANCE
    elif table := next(drawn, None):
        lacks = f"{table.relative_to(folder).with_suffix('')}.{runs.PROVENANCE}"
    else:
        return None
    return (
        f"{folder}: tables without {lacks}, which celltrain writes last: "
        "the writing was interrupted, or this file was removed; run the same command again"
    )


def _chapters(folder: Path, every: str | None) -> list[Chapter]:
    chapters: list[Chapter] = []
    if measurements.is_measurement(folder):
        chapters.append(measurements.read(folder, every))
    elif records.is_record(folder):
        chapters.append(records.read(folder))
    elif runs.is_run(folder):
        chapters.append(runs.read(folder))
    if sweeps.is_sweep(folder):
        chapters.append(sweeps.read(folder))
    return chapters + reproductions.read(folder)
