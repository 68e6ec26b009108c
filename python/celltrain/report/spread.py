"""Words about intervals of means; single runs have none, and are not called means."""

from __future__ import annotations

#: What tables show in a cell.
IN_TABLES = "mean ± half-width of the 95 % confidence interval"


def caption(has_intervals: bool) -> str:  # noqa: FBT001
    """Say what the points of a figure are."""
    return "Means with 95 % confidence intervals" if has_intervals else "One run of each point"
