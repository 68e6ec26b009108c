"""The folder of ``celltrain reproduce``: results that are not a study's must not replace the study's."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from celltrain.cli import damaged
from celltrain.cli.console import BadInput, folder_for_output, readable_errors

if TYPE_CHECKING:
    from celltrain.papers.kinds import Experiment
    from celltrain.papers.paper import Paper
    from celltrain.papers.reproduce import Options
    from celltrain.sweeps.store import Store


def target_of(folder: Path | None, options: Options, chosen: Sequence[tuple[Paper, Experiment]]) -> Path:
    """Choose and make the folder for results.

    Parameters
    ----------
    folder
        The folder that the user gave; without it, the one for runs of this extent.
    options
        How to run.
    chosen
        The experiments.

    Raises
    ------
    BadInput
        The folder cannot be written to, or it has results of the study that a lesser run would replace.
    """
    for paper, experiment in chosen:
        extent = options.extent(paper)
        target = folder or Path(extent.folder)
        place = target / paper.name / f"{experiment.id}.provenance.json"
        if not extent.is_study and _is_of_study(place):
            raise BadInput(
                f"{target / paper.name} has {experiment.id} of the study itself, which a lesser run must not replace "
                f"({extent.says}); give another --out, such as --out {target}-{extent.name}"
            )
    paper, _ = chosen[0]
    return folder_for_output(folder or Path(options.extent(paper).folder))


@contextmanager
def writing(target: Path) -> Iterator[Store]:
    """Make the store of finished runs in a folder, and keep other processes from writing there."""
    from celltrain.sweeps.store import Store

    store = Store(target)
    with readable_errors(), store.writing():
        damaged.tell(store)
        yield store


def _is_of_study(provenance: Path) -> bool:
    """Whether a file is the provenance of a whole experiment; those of older versions do not say."""
    try:
        found = json.loads(provenance.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    extent = found.get("extent") if isinstance(found, dict) else None
    return extent is None or (isinstance(extent, dict) and extent.get("name") == "study")
