"""What the gallery keeps of results: the figure of each experiment, and the verdicts on its claims."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict, dataclass
from math import nan
from pathlib import Path
from typing import Any

from celltrain.papers import catalog
from celltrain.papers.agreement import Agreement
from celltrain.papers.claims import Verdict

#: The file with all that is kept besides the figures.
KEPT = "results.json"
_SUFFIX = ".provenance.json"


class UnfitError(Exception):
    """A folder has no results for the gallery."""


@dataclass(frozen=True)
class Judged:
    """The verdict on a claim.

    Attributes
    ----------
    holds : bool or None
        None if it could not be checked.
    compared : str
        The published and the simulated number, with their unit; empty if the claim is not about one number.
    """

    holds: bool | None
    compared: str


@dataclass(frozen=True)
class Kept:
    """What is kept of an experiment.

    Attributes
    ----------
    version : str
        The version of celltrain that made it.
    quick : bool
        Whether it is of a quick run, which has no verdicts.
    agreement : str
        How well simulated values agree with measured ones; empty without measurements.
    verdicts : dict
        By the names of the claims.
    """

    version: str
    quick: bool
    agreement: str
    verdicts: dict[str, Judged]


def read(path: Path) -> dict[str, Kept]:
    """Read what is kept, by PAPER/EXPERIMENT; nothing without the file."""
    if not path.exists():
        return {}
    found = json.loads(path.read_text(encoding="utf-8"))
    return {
        name: Kept(**{**entry, "verdicts": {claim: Judged(**verdict) for claim, verdict in entry["verdicts"].items()}})
        for name, entry in found.items()
    }


def write(path: Path, kept: dict[str, Kept]) -> None:
    """Write what is kept."""
    path.parent.mkdir(parents=True, exist_ok=True)
    plain = {name: asdict(entry) for name, entry in sorted(kept.items())}
    path.write_text(json.dumps(plain, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def collect(folder: Path, kept: dict[str, Kept], target: Path) -> dict[str, Kept]:
    """Take the results of a folder, and copy their figures below `target`; return what is kept then.

    Raises
    ------
    UnfitError
        There are no results, those of another study, or those of a study whose values were changed.
    """
    paths = sorted({*folder.glob(f"*{_SUFFIX}"), *folder.glob(f"*/*{_SUFFIX}")})
    if not paths:
        raise UnfitError(f"{folder}: no results; make them with `celltrain reproduce --all --out {folder}`")
    found = dict(kept)
    for path in paths:
        provenance = json.loads(path.read_text(encoding="utf-8"))
        paper, experiment = provenance["paper"], provenance["experiment"]
        name = f"{paper}/{experiment}"
        if paper not in catalog.names() or experiment not in catalog.paper(paper).experiments:
            raise UnfitError(f"{path}: no experiment {name}; the gallery shows the studies that ship with celltrain")
        extent = provenance["extent"]
        if extent["name"] not in ("study", "quick"):
            raise UnfitError(f"{path}: {extent['says']}; the gallery shows full and quick runs only")
        if extent["quick"] and name in found and not found[name].quick:
            continue
        found[name] = taken(path, provenance)
        (target / paper).mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path.with_name(f"{experiment}.svg"), target / paper / f"{experiment}.svg")
    return found


def taken(path: Path, provenance: dict[str, Any]) -> Kept:
    """Return what is kept of the experiment of a provenance."""
    verdicts = {}
    claims = path.with_name(path.name.replace(_SUFFIX, ".claims.json"))
    for entry in json.loads(claims.read_text(encoding="utf-8")) if claims.exists() else ():
        fields = {key: value for key, value in entry.items() if key in Verdict.__dataclass_fields__}
        verdict = Verdict(**{**fields, "values": tuple(entry["values"])})
        verdicts[verdict.id] = Judged(verdict.holds, verdict.compared)
    agreed = agreement(provenance["agreement"])
    return Kept(provenance["celltrain"], provenance["extent"]["quick"], agreed, verdicts)


def agreement(found: dict[str, Any] | None) -> str:
    """Say how well simulated values agree with measured ones.

    >>> agreement({"points": 2, "mean_deviation": 0.1, "rms_deviation": 0.1, "rank_correlation": None})
    '2 points were measured: root-mean-square deviation 10.0%, mean 10.0%; rank correlation (Spearman) nan'
    """
    if not found:
        return ""
    # JSON has no NaN: a correlation of fewer than three points is null there.
    numbers: dict[str, Any] = {key: nan if value is None else value for key, value in found.items()}
    return str(Agreement(**numbers))
