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


def names() -> list[str]:
    """List the papers.

    >>> "adsl-abr" in names()
    True
    """
    return sorted(path.parent.name.replace("_", "-") for path in FOLDER.glob("*/experiments.toml"))


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


def chosen(selections: Iterable[str]) -> Iterator[tuple[Paper, Experiment]]:
    """Yield the experiments that ``PAPER`` or ``PAPER/EXPERIMENT`` selects, each once.

    Raises
    ------
    KeyError
        A name is unknown; the message suggests the nearest.
    PaperError
        The files of a selected study are invalid.
    """
    seen = set()
    for selection in selections:
        name, _, wanted = selection.partition("/")
        source = paper(name)
        if wanted and wanted not in source.experiments:
            raise KeyError(f"no experiment {wanted!r} in {name}{nearest(wanted, source.experiments)}")
        for experiment in [source.experiments[wanted]] if wanted else source.experiments.values():
            if (name, experiment.id) not in seen:
                seen.add((name, experiment.id))
                yield source, experiment


def read_by_claims(paper: Paper, experiments: Sequence[Experiment]) -> list[Experiment]:
    """Return the other experiments of a paper whose tables are read by claims about the given ones."""
    from celltrain.papers.claims import read_claims

    chosen = {experiment.id for experiment in experiments}
    claims = (claim for claim in read_claims(paper.folder / "claims.toml") if claim.experiment in chosen)
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
