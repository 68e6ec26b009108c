"""The choice of one point of an experiment by its values on the axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from celltrain.papers.kinds.experiment import Point


def the_point(points: Sequence[Point], wanted: Mapping[str, Any]) -> Point:
    """Find the only point with these values on its axes.

    Raises
    ------
    LookupError
        There is none, or more than one; the message lists values of the axes.
    """
    axes = {column: list(dict.fromkeys(point.axes[column] for point in points)) for column in points[0].axes}
    for column in wanted:
        if column not in axes:
            raise LookupError(f"no axis {column!r}; there are {', '.join(axes) or 'none'}")
    found = [point for point in points if all(point.axes[column] == value for column, value in wanted.items())]
    if len(found) == 1:
        return found[0]
    left = {column: values for column, values in axes.items() if not found or column not in wanted}
    choices = "; ".join(f"{column}: {', '.join(map(str, values))}" for column, values in left.items())
    problem = (
        f"{len(found)} points have these values, give more of" if found else "no point has these values, there are"
    )
    raise LookupError(f"{problem} {choices}")
