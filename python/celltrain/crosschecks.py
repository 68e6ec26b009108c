"""Cross-checks of the two engines, once for each structure of a scenario and each build."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from celltrain import _native
from celltrain.checked import CheckedScenario
from celltrain.files import atomic_write
from celltrain.refused import EnginesDiffer

#: The engines that are compared: the default one, and the one that moves each cell by itself.
ENGINES = ("trains", "cells")
#: A check takes about this part of the processor time of its run ...
PART = 0.03
#: ... or this long if that is more, in s.
FLOOR_S = 0.02
#: Time for a check after a failed run, in s.
AFTER_FAILURE_S = 5.0
#: Members of each group in a check of a network that is too large for the available time.
MEMBERS = 4
#: Variables that set the place of the cache: our own, and that of the XDG specification.
_PLACES = ("CELLTRAIN_CACHE", "XDG_CACHE_HOME")
#: Values of ``CELLTRAIN_CROSS_CHECK`` that switch checks off.
_OFF = ("off", "0", "no", "false")
#: Why a result of the cell engine has no cross-check.
PLAIN = "made by the plain engine itself"
SWITCHED_OFF = "switched off"
STOPPED = "the run was stopped at a limit"
TOO_SHORT = "the time for it was too short"
STORED = "a stored run; the folder says which structures were"


@dataclass(frozen=True)
class Facts:
    """A comparison without a difference.

    Attributes
    ----------
    structure : str
        SHA-256 of the structure of the scenario.
    scenario_hash : str
        Hash of the scenario that both engines ran.
    seed : int
        Seed of both runs.
    simulated_s : float
        Simulated time of both runs, from the start.
    whole : bool
        Whether that is the whole run.
    members : int or None
        Maximum number of members of its groups, if the groups of the scenario were cut because the network is large.
    """

    structure: str
    scenario_hash: str
    seed: int
    simulated_s: float
    whole: bool
    members: int | None = None


@dataclass(frozen=True)
class CrossCheck:
    """The cross-check of a result.

    Attributes
    ----------
    state : str
        ``cross-checked``: this run was checked for ``simulated_s`` from its start. ``structure cross-checked``: another
        run of the same structure was checked, or this one with smaller groups. ``not cross-checked``: see ``why``.
    facts : Facts or None
        What was compared.
    why : str or None
        Why nothing was compared.
    """

    state: str
    facts: Facts | None = None
    why: str | None = None

    @classmethod
    def none(cls, why: str) -> CrossCheck:
        """Return a result that says that nothing was compared."""
        return cls("not cross-checked", why=why)

    @classmethod
    def of(cls, facts: Facts, scenario_hash: str, seed: int) -> CrossCheck:
        """Return the cross-check for the result of a run."""
        own = (facts.scenario_hash, facts.seed) == (scenario_hash, seed) and not facts.members
        return cls("cross-checked" if own else "structure cross-checked", facts)

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        data: dict[str, Any] = {"state": self.state, "build": _native.__build__}
        if self.facts is None:
            return data | {"why": self.why}
        return data | {"engines": list(ENGINES), **vars(self.facts)}

    def __str__(self) -> str:
        """Return it as one line of text."""
        if self.facts is None:
            return f"{self.state}: {self.why}"
        over = "all of it" if self.facts.whole else f"its first {self.facts.simulated_s:.3g} s"
        if self.state != "cross-checked":
            groups = f", with {self.facts.members} members of each group" if self.facts.members else ""
            over = f"{self.facts.simulated_s:.3g} s of such a run{groups}"
        return f"{self.state}: both engines agree over {over}"


def is_off() -> bool:
    """Return whether the environment switches checks off."""
    return os.environ.get("CELLTRAIN_CROSS_CHECK", "").strip().lower() in _OFF


class _Known:
    """The knowledge of this process, in addition to the cache on disk."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        #: By where the cache is, and by structure.
        self.facts: dict[tuple[str | None, ...], Facts] = {}
        self.busy: dict[str, threading.Lock] = {}


_known = _Known()


def folder() -> Path | None:
    """Return the folder with the checks of this build; None if there is no place for it."""
    try:
        given, shared = map(os.environ.get, _PLACES)
        # A relative path is ignored, as the specification requires.
        base = Path(shared) if shared and Path(shared).is_absolute() else Path.home() / ".cache"
        root = Path(given) if given else base / "celltrain"
    except RuntimeError:  # The home folder is unknown.
        return None
    return root / "cross-checks" / _native.__build__


def recall(structure: str) -> Facts | None:
    """Look up the comparison of a structure; a damaged or unreadable cache is treated as empty."""
    key = _key(structure)
    with _known.lock:
        if key in _known.facts:
            return _known.facts[key]
    root = folder()
    if root is None:
        return None
    try:
        data = json.loads((root / f"{structure}.json").read_text("utf-8"))
        facts = Facts(
            structure,
            str(data["scenario_hash"]),
            int(data["seed"]),
            float(data["simulated_s"]),
            data["whole"] is True,
            None if data["members"] is None else int(data["members"]),
        )
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
    if data.get("structure") != structure or not facts.simulated_s > 0:
        return None
    with _known.lock:
        _known.facts[key] = facts
    return facts


def _key(structure: str) -> tuple[str | None, ...]:
    return (*map(os.environ.get, _PLACES), structure)


def remember(facts: Facts) -> None:
    """Store a comparison; a cache that cannot be written is not an error."""
    with _known.lock:
        _known.facts[_key(facts.structure)] = facts
    root = folder()
    if root is None:
        return
    try:
        root.mkdir(parents=True, exist_ok=True)
        atomic_write(root / f"{facts.structure}.json", json.dumps(vars(facts)), flushed=False)
    except OSError:
        pass


def budget(cpu_s: float) -> float:
    """Return the time for the check of a run that took ``cpu_s`` of processor time."""
    return max(FLOOR_S, PART * cpu_s)


@dataclass(frozen=True)
class Found:
    """The outcome of a comparison: the facts, the scenario that was run, and the difference, as plain data."""

    facts: Facts
    scenario: str
    differing: Mapping[str, Any] | None

    def agreed(self, origin: str) -> Facts:
        """Return the facts.

        Raises
        ------
        EnginesDiffer
            The engines differ.
        """
        if self.differing is not None:
            raise EnginesDiffer(self.scenario, origin, self.facts.seed, self.differing, self.facts.simulated_s)
        return self.facts


def compare(native: _native.Scenario, scenario: str, seed: int, cpu_s: float, cancel: _native.Cancel) -> Found | None:
    """Compare both engines after a run that took ``cpu_s`` of processor time; None if that is too short.

    A network that takes too long to build is compared with few members of each group.
    """
    allowed = budget(cpu_s)
    facts = Facts(native.structure, native.hash, seed, 0.0, whole=False)
    simulated_ps, whole, differing = native.cross_check(seed, allowed, cancel)
    if not simulated_ps:
        small = _with_few_members(scenario)
        if small is None:
            return None
        scenario, few = small
        facts = replace(facts, members=MEMBERS)
        simulated_ps, whole, differing = few.cross_check(seed, allowed, cancel)
        if not simulated_ps:
            return None
    return Found(
        replace(facts, simulated_s=simulated_ps / 1e12, whole=whole and not facts.members), scenario, differing
    )


def _with_few_members(scenario: str) -> tuple[str, _native.Scenario] | None:
    """Cut groups to at most :data:`MEMBERS` members; None if the result is not a valid scenario."""
    data = json.loads(scenario)
    groups = [host for host in data["hosts"].values() if (host.get("count") or 0) > MEMBERS]
    if not groups:
        return None
    for host in groups:
        host["count"] = MEMBERS
    text = json.dumps(data)
    try:
        return text, _native.Scenario.from_json(text, "scenario")
    except _native.ScenarioError:
        return None


def after_failure(scenario: CheckedScenario, seed: int, cancel: _native.Cancel) -> None:
    """Compare both engines for a few seconds after a failed run: the cell engine may succeed.

    Raises
    ------
    EnginesDiffer
        The engines differ.
    """
    if not is_off():
        simulated_ps, _, differing = scenario.native.cross_check(seed, AFTER_FAILURE_S, cancel)
        if differing is not None:
            raise EnginesDiffer(scenario.as_written(), scenario.origin, seed, differing, simulated_ps / 1e12)


def beside(scenario: CheckedScenario, seed: int, cpu_s: float, cancel: _native.Cancel) -> CrossCheck:
    """Cross-check a scenario that has just run, unless its structure is already checked.

    Runs of one structure in other threads wait for the first.

    Parameters
    ----------
    scenario
        The scenario that was run.
    seed
        The seed of the run.
    cpu_s
        The processor time of the run, which determines that of the check.
    cancel
        Stops the check.

    Raises
    ------
    EnginesDiffer
        The engines differ.
    """
    if is_off():
        return CrossCheck.none(SWITCHED_OFF)
    structure = scenario.structure
    facts = recall(structure)
    if facts is None:
        with _known.lock:
            busy = _known.busy.setdefault(structure, threading.Lock())
        with busy:
            facts = recall(structure)
            if facts is None:
                found = compare(scenario.native, scenario.as_written(), seed, cpu_s, cancel)
                if found is None:
                    return CrossCheck.none(TOO_SHORT)
                facts = found.agreed(scenario.origin)
                remember(facts)
    return CrossCheck.of(facts, scenario.hash, seed)
