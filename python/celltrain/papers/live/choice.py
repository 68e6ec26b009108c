"""How a user names live experiments."""

from __future__ import annotations

from collections.abc import Iterable

from celltrain.papers import catalog
from celltrain.papers.experiment import Experiment
from celltrain.papers.live.study import Study, has_study, read_study


def studies() -> list[Study]:
    """Give the live experiments of all papers that have some."""
    papers = map(catalog.paper, catalog.names())
    return [read_study(paper) for paper in papers if has_study(paper)]


def chosen(selections: Iterable[str]) -> list[tuple[Study, list[Experiment]]]:
    """Give the experiments that ``PAPER`` or ``PAPER/EXPERIMENT`` stands for, each once, by study.

    Raises
    ------
    KeyError
        A name is not known, or the paper has no live experiments; the message says what there is.
    """
    found: dict[str, tuple[Study, list[Experiment]]] = {}
    for selection in selections:
        name, _, wanted = selection.partition("/")
        paper = catalog.paper(name)
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
    """Tell whether this names a live experiment."""
    name, _, wanted = selection.partition("/")
    return any(study.paper.name == name and wanted in study.experiments for study in studies())
