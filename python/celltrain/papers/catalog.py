"""The papers that celltrain ships, and how a user names their experiments."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from pathlib import Path

from celltrain.papers.experiment import Experiment, Paper, read_paper

_FOLDER = Path(__file__).parent


def names() -> list[str]:
    """Name the papers.

    >>> "adsl-abr" in names()
    True
    """
    return sorted(path.parent.name.replace("_", "-") for path in _FOLDER.glob("*/experiments.toml"))


def paper(name: str) -> Paper:
    """Read a paper.

    Raises
    ------
    KeyError
        There is none of this name; the message has the nearest.
    """
    if name not in names():
        raise KeyError(f"no paper {name!r}{nearest(name, names())}")
    return read_paper(name, _FOLDER / name.replace("-", "_"))


def chosen(selections: Iterable[str]) -> Iterator[tuple[Paper, Experiment]]:
    """Give the experiments that ``PAPER`` or ``PAPER/EXPERIMENT`` stands for, each once.

    Raises
    ------
    KeyError
        A name is not known; the message has the nearest.
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


def nearest(name: str, known: Iterable[str]) -> str:
    """Say what was probably meant.

    >>> nearest("fig4", ["fig04", "fig05"])
    "; did you mean 'fig04'?"
    """
    known = list(known)
    close = difflib.get_close_matches(name, known, 1)
    return f"; did you mean {close[0]!r}?" if close else f"; there are {', '.join(known)}"
