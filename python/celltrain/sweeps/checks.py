"""Cross-checks in campaigns: each structure once, beside its first run, wherever that is carried out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from celltrain import _native, crosschecks
from celltrain.crosschecks import Facts, Found

#: The file of a sweep that tells of its checks.
FILE = "cross_checks.json"


class Checks:
    """What is known of the structures of a campaign.

    The process that has the campaign asks for checks, one for each structure, and keeps what they found; workers have
    no cache.
    """

    def __init__(self) -> None:
        self._off = crosschecks.is_off()
        #: For each structure that is being checked, the run beside which that is done.
        self._asked: dict[str, str] = {}
        self._known: dict[str, Facts] = {}
        #: All structures of the campaign, in the order in which they came.
        self._structures: dict[str, None] = {}

    def note(self, structure: str) -> None:
        """Note that a run has this structure."""
        self._structures.setdefault(structure)

    def wanted(self, structure: str, run: str) -> bool:
        """Tell whether a check goes with the run that is about to be given away, and note it."""
        if self._off or structure in self._asked or self._facts(structure):
            return False
        self._asked[structure] = run
        return True

    def given_back(self, structure: str, run: str) -> None:
        """Note that a run was not come to; the check goes with the next one of its structure."""
        if self._asked.get(structure) == run:
            del self._asked[structure]

    def ended(self, structure: str, run: str, found: Found | None, origin: str) -> None:
        """Note that a run has ended; if it was to have a check and has none, the next one of its structure gets it.

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
        """Give what is known of the campaign's structures, or of some of them, as plain data."""
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
    """Say in a line how many structures were cross-checked.

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
