"""Cross-checks in campaigns: each structure once, with its first run, on any worker."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from celltrain import _native, crosschecks
from celltrain.crosschecks import Facts, Found

#: The file of a sweep with its cross-checks.
FILE = "cross_checks.json"


class Checks:
    """The state of cross-checks of a campaign's structures.

    The process of the campaign requests checks, one for each structure, and stores their results; workers have no
    cache.
    """

    def __init__(self) -> None:
        self._off = crosschecks.is_off()
        #: For each structure being checked, the run with the check.
        self._asked: dict[str, str] = {}
        self._known: dict[str, Facts] = {}
        #: All structures of the campaign, in order of appearance.
        self._structures: dict[str, None] = {}

    def note(self, structure: str) -> None:
        """Note that a run has this structure."""
        self._structures.setdefault(structure)

    def wanted(self, structure: str, run: str) -> bool:
        """Return whether the run to be submitted needs a check, and record it."""
        if self._off or structure in self._asked or self._facts(structure):
            return False
        self._asked[structure] = run
        return True

    def given_back(self, structure: str, run: str) -> None:
        """Note that a run was not started; the check goes with the next run of its structure."""
        if self._asked.get(structure) == run:
            del self._asked[structure]

    def ended(self, structure: str, run: str, found: Found | None, origin: str) -> None:
        """Note that a run has ended; if its check is missing, the next run of its structure gets it.

        Raises
        ------
        EnginesDiffer
            The engines differ.
        """
        self.given_back(structure, run)
        if found is None:
            return
        self._known[structure] = found.agreed(origin)
        crosschecks.remember(self._known[structure])

    def _facts(self, structure: str) -> Facts | None:
        if structure not in self._known:
            facts = crosschecks.recall(structure)
            if facts:
                self._known[structure] = facts
        return self._known.get(structure)

    def to_json(self, structures: Iterable[str] | None = None) -> dict[str, Any]:
        """Return the state of the campaign's structures, or of some of them, as plain data."""
        chosen = list(self._structures) if structures is None else list(dict.fromkeys(structures))
        facts = [] if self._off else [found for each in chosen if (found := self._facts(each))]
        data: dict[str, Any] = {
            "build": _native.__build__,
            "engines": list(crosschecks.ENGINES),
            "structures": len(chosen),
            "structures_cross_checked": len(facts),
            "checks": [vars(each) for each in facts],
        }
        return data | ({"why": crosschecks.SWITCHED_OFF} if self._off else {})


def in_words(checks: Mapping[str, Any]) -> str:
    """Describe in one line how many structures were cross-checked.

    >>> in_words({"structures": 1, "structures_cross_checked": 1})
    'its structure was cross-checked'
    >>> in_words({"structures": 3, "structures_cross_checked": 2})
    '2 of 3 structures were cross-checked'
    >>> in_words({"structures": 3, "structures_cross_checked": 0, "why": "switched off"})
    '0 of 3 structures were cross-checked: switched off'
    """
    done, total = checks["structures_cross_checked"], checks["structures"]
    if done == total == 1:
        return "its structure was cross-checked"
    why = f": {checks['why']}" if "why" in checks else ""
    return f"{done} of {total} structures were cross-checked{why}"
