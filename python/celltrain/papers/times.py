"""How long experiments take: processor time as ``tools/study_times.py`` measured it."""

from __future__ import annotations

import json
from importlib.resources import files

#: The file, beside this one: seconds of processor time by study and experiment.
FILE = "times.json"


def recorded() -> dict[str, float]:
    """Return the processor time of each experiment that was measured, in s, by its full name (``adsl-abr/fig04``)."""
    times: dict[str, float] = json.loads(files("celltrain.papers").joinpath(FILE).read_text(encoding="utf-8"))
    return times


def about(seconds: float | None) -> str:
    """Write a time as roughly as it is known: another machine takes half of it, or twice.

    >>> about(0.7), about(31.4), about(95), about(1234), about(None)
    ('1 s', '30 s', '2 min', '21 min', '')
    """
    if seconds is None:
        return ""
    if seconds >= 90:
        return f"{seconds / 60:.0f} min"
    return f"{max(1, round(seconds)) if seconds < 10 else 5 * round(seconds / 5)} s"
