"""Curves: the path of a cable, and the parallel paths of VCs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import hypot

from celltrain.topology.layout import Point

#: Number of straight pieces that approximate a Bezier curve for a parallel path.
PIECES = 12


def bezier(points: Sequence[Point]) -> str:
    """Return the SVG path along cubic Bezier curves.

    >>> bezier([(0, 0), (1, 0), (2, 0), (3, 0)])
    'M0,0 C1,0 2,0 3,0'
    """
    start, *controls = (f"{x:g},{y:g}" for x, y in points)
    return f"M{start} C{' '.join(controls)}"


def beside(points: Sequence[Point], distance: float) -> str:
    """Return the SVG path at a distance to the right of cubic Bezier curves.

    >>> beside([(0, 0), (1, 0), (2, 0), (3, 0)], 2).split()[0]
    'M0,2'
    """
    moved = []
    for (x, y), (dx, dy) in _samples(points):
        length = hypot(dx, dy) or 1
        moved.append(f"{x - dy / length * distance:.4g},{y + dx / length * distance:.4g}")
    return f"M{' '.join(moved)}"


def _samples(points: Sequence[Point]) -> Iterator[tuple[Point, Point]]:
    """Yield points on the curves, each with its direction."""
    for first in range(0, len(points) - 1, 3):
        a, b, c, d = points[first : first + 4]
        for piece in range(0 if first == 0 else 1, PIECES + 1):
            t = piece / PIECES
            yield _point(a, b, c, d, t), _direction(a, b, c, d, t)


def _point(a: Point, b: Point, c: Point, d: Point, t: float) -> Point:
    s = 1 - t
    weights = (s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t)
    x, y = (sum(w * p[axis] for w, p in zip(weights, (a, b, c, d), strict=True)) for axis in (0, 1))
    return x, y


def _direction(a: Point, b: Point, c: Point, d: Point, t: float) -> Point:
    s = 1 - t
    weights = (s * s, 2 * s * t, t * t)
    steps = ((a, b), (b, c), (c, d))
    x, y = (sum(w * (q[axis] - p[axis]) for w, (p, q) in zip(weights, steps, strict=True)) for axis in (0, 1))
    return (x, y) if x or y else (d[0] - a[0], d[1] - a[1])
