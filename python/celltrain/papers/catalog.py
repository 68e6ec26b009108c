"""The papers that ship with celltrain, and the names of their experiments."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from celltrain.papers.kinds import Experiment
from celltrain.papers.paper import Paper, read_paper

#: The folder of the studies, one subfolder each.
FOLDER = Path(__file__).parent
#: The file that makes a folder a study.
_FILE = "experiments.toml"


def names() -> list[str]:
    """List the papers.

    >>> "adsl-abr" in names()
    True
    """
    return sorted(path.parent.name.replace("_", "-") for path in FOLDER.glob(f"*/{_FILE}"))


def paper(name: str) -> Paper:
    """Read a paper.

    Raises
    ------
    KeyError
        There is none with this name; the message suggests the nearest.
    PaperError
        Its files are invalid.
    """
    if name not in names():
        raise KeyError(f"no paper {name!r}{nearest(name, names())}")
    return read_paper(name, FOLDER / name.replace("-", "_"))


def located(selection: str) -> tuple[Paper, str]:
    """Find the study of a selection, and the experiment that it names; an empty name stands for all.

    Studies that ship with celltrain go by their names, others by their folders: ``adsl-abr/fig04`` and
    ``./my-study/fig04``.

    Raises
    ------
    KeyError
        There is no such study; the message suggests the nearest name.
    PaperError
        Its files are invalid.
    """
    name, _, wanted = selection.partition("/")
    if name in names():
        return paper(name), wanted
    path = Path(selection)
    for folder, rest in ((path, ""), (path.parent, path.name)):
        if (folder / _FILE).is_file():
            return read_paper(_own_name(folder), folder), rest
    if path.is_dir() or ("/" in selection and path.parent.is_dir()):
        raise KeyError(f"{selection}: no study: expected a folder with the file {_FILE}")
    return paper(name), wanted


def _own_name(folder: Path) -> str:
    """Name the study of a folder, unlike all that ship with celltrain, so that results are not confused."""
    name = folder.resolve().name
    return f"{name}-own" if name in names() else name


def chosen(selections: Iterable[str]) -> Iterator[tuple[Paper, Experiment]]:
    """Yield the experiments that ``PAPER``, ``PAPER/EXPERIMENT`` or the same with a folder selects, each once.

    Raises
    ------
    KeyError
        A name is unknown; the message suggests the nearest.
    PaperError
        The files of a selected study are invalid.
    """
    seen = set()
    papers: dict[str, Paper] = {}
    for selection in selections:
        found, wanted = located(selection)
        source = papers.setdefault(found.name, found)
        if wanted and wanted not in source.experiments:
            raise KeyError(f"no experiment {wanted!r} in {source.name}{nearest(wanted, source.experiments)}")
        for experiment in [source.experiments[wanted]] if wanted else source.experiments.values():
            if (source.name, experiment.id) not in seen:
                seen.add((source.name, experiment.id))
                yield source, experiment


def read_by_claims(paper: Paper, experiments: Sequence[Experiment]) -> list[Experiment]:
    """Return the other experiments of a paper whose tables are read by claims about the given ones."""
    from celltrain.papers.claims import read_claims

    chosen = {experiment.id for experiment in experiments}
    claims = (claim for claim in read_claims(paper.folder) if claim.experiment in chosen)
    names = {name for claim in claims for name in claim.reads} - chosen
    return [experiment for name, experiment in paper.experiments.items() if name in names]


def nearest(name: str, known: Iterable[str]) -> str:
    """Suggest the name that was probably meant.

    >>> nearest("fig4", ["fig04", "fig05"])
    "; did you mean 'fig04'?"
    >>> nearest("fig4", ["figA4", "fig04"])     # a number may lack its leading zero
    "; did you mean 'fig04'?"
    """
    known = list(known)
    padded = re.sub(r"\d+", lambda number: number[0].zfill(2), name)
    close = [padded] if padded in known else difflib.get_close_matches(name, known, 1)
    return f"; did you mean {close[0]!r}?" if close else f"; there are {', '.join(known)}"
