"""Selection of live experiments by name."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from celltrain.papers import catalog
from celltrain.papers.kinds.points import Points
from celltrain.papers.live.study import Study, has_study, read_study
from celltrain.papers.reading import PaperError


def studies() -> list[Study]:
    """Return the live experiments of all papers that have some and whose files are valid."""
    found = []
    for name in catalog.names():
        with suppress(PaperError):
            paper = catalog.paper(name)
            if has_study(paper):
                found.append(read_study(paper))
    return found


def chosen(selections: Iterable[str]) -> list[tuple[Study, list[Points]]]:
    """Return the experiments that ``PAPER`` or ``PAPER/EXPERIMENT`` selects, each once, by study.

    Raises
    ------
    KeyError
        A name is unknown, or the paper has no live experiments; the message lists the available ones.
    PaperError
        The files of a selected study are invalid.
    """
    found: dict[str, tuple[Study, list[Points]]] = {}
    for selection in selections:
        paper, wanted = catalog.located(selection)
        name = paper.name
        if not has_study(paper):
            having = ", ".join(study.paper.name for study in studies())
            raise KeyError(f"{name} has no live experiments; there are those of {having}")
        study, experiments = found.setdefault(name, (read_study(paper), []))
        if wanted and wanted not in study.experiments:
            near = catalog.nearest(wanted, study.experiments)
            raise KeyError(f"no live experiment {wanted!r} in {name}{near}")
        for experiment in [study.experiments[wanted]] if wanted else study.experiments.values():
            if experiment not in experiments:
                experiments.append(experiment)
    return list(found.values())


def is_live(selection: str) -> bool:
    """Return whether this names a live experiment."""
    name, _, wanted = selection.partition("/")
    return any(study.paper.name == name and wanted in study.experiments for study in studies())
