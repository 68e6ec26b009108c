"""Finds the framing of a line from round-trip times of packets of different sizes.

On ATM, a packet of ``s`` octets takes ``ceil((s + o) / 48)`` cells, where ``o`` is its overhead (encapsulation and
AAL5 trailer): round trips grow in steps, one every 48 octets, and the place of the steps gives ``o`` modulo 48.
Elsewhere they grow evenly. Queues only add to a round trip, so the shortest of each size is taken. Both models are
fitted to these by least absolute residuals, which a few late ones do not move, the steps for each of the 48 offsets;
the fits to resampled sizes say how sure the result is. Where neither model is clearly better, round trips vary too
much, or grow too little, to tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from celltrain.framing.sizes import PAYLOAD, sizes

_Floats = NDArray[np.float64]

#: Resamples for the statement of confidence.
_RESAMPLES = 200
#: The fraction of resamples that must prefer a model, and the factor by which its residuals must be the smaller ones.
_SURE, _BETTER = 0.95, 1.25
#: Rounds of reweighting, and the smallest residual that they distinguish from none, in s.
_ROUNDS, _RESOLUTION_S = 12, 1e-7
#: The span of sizes, in steps, and the number of sizes that are needed.
_LEAST_STEPS, _LEAST_SIZES = 2, 24


@dataclass(frozen=True)
class Sample:
    """A round trip: octets of the IP packet, and its time in s."""

    octets: int
    rtt_s: float


@dataclass(frozen=True)
class Detection:
    """The framing that round trips show.

    Attributes
    ----------
    is_atm : bool or None
        Whether they show cells (True) or an even growth (False); None if they do not tell.
    offset : int or None
        The overhead modulo 48, in octets, including the AAL5 trailer.
    confidence : float
        The fraction of resamples with this result: the same offset, an even growth, or neither.
    offsets : tuple of int
        The offsets of 95 % of the resamples, most frequent first.
    encapsulations : tuple of str
        Encapsulations with an overhead of this offset.
    cell_time_s : float or None
        The time of a cell, in both directions together.
    sizes, samples : int
        Number of packet sizes, and of round trips.
    """

    is_atm: bool | None
    offset: int | None
    confidence: float
    offsets: tuple[int, ...]
    encapsulations: tuple[str, ...]
    cell_time_s: float | None
    sizes: int
    samples: int

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def detect(samples: Sequence[Sample], *, seed: int = 1) -> Detection:
    """Find the framing of a line.

    Parameters
    ----------
    samples
        Round trips; at least 24 sizes over at least 96 octets, each size several times. Sizes below 64 octets are left
        out, since Ethernet pads them.
    seed
        Seed of the resampling.

    Raises
    ------
    ValueError
        There are too few sizes; the message says how many are needed.
    """
    by_size: dict[int, list[float]] = {}
    for sample in samples:
        if sample.octets >= 64:
            by_size.setdefault(sample.octets, []).append(sample.rtt_s)
    octets = np.array(sorted(by_size), dtype=float)
    if len(octets) < _LEAST_SIZES or octets[-1] - octets[0] < _LEAST_STEPS * PAYLOAD:
        raise ValueError(
            f"expected round trips of at least {_LEAST_SIZES} sizes over {_LEAST_STEPS * PAYLOAD} octets, from 64 "
            f"octets on, found {len(octets)} sizes"
        )
    trips = [np.array(by_size[int(size)]) for size in octets]
    models = _Models(octets)
    shortest = np.array([trip.min() for trip in trips])
    whole = models.fit(shortest, np.ones_like(shortest))
    chance = np.random.default_rng(seed)
    share_of_size = np.full(len(octets), 1 / len(octets))
    draws = (chance.multinomial(len(octets), share_of_size).astype(float) for _ in range(_RESAMPLES))
    resampled = [models.fit(shortest, weights) for weights in draws]
    stepped = [fit.offset for fit in resampled if fit.is_stepped]
    even = sum(fit.is_even for fit in resampled)
    count = len(octets), sum(map(len, trips))
    if whole.is_even and even >= _SURE * _RESAMPLES:
        return Detection(False, None, even / _RESAMPLES, (), (), None, *count)
    if not whole.is_stepped or len(stepped) < _SURE * _RESAMPLES:
        neither = 1 - (len(stepped) + even) / _RESAMPLES
        return Detection(None, None, neither, (), (), None, *count)
    offset = whole.offset
    found, counts = np.unique(stepped, return_counts=True)
    ranked = sorted(zip(counts.tolist(), found.tolist(), strict=True), reverse=True)
    likely: list[int] = []
    total = 0
    for number, place in ranked:
        if total >= _SURE * len(stepped):
            break
        likely.append(place)
        total += number
    of_offset = [
        size
        for size in sizes([1000])
        if size.tc_overhead is not None and size.cells and size.tc_overhead % PAYLOAD == offset
    ]
    names = tuple(size.encapsulation for size in of_offset)
    return Detection(True, offset, stepped.count(offset) / _RESAMPLES, tuple(likely), names, whole.cell_time_s, *count)


@dataclass(frozen=True)
class _Fit:
    """Both models, fitted to round trips: the best offset, residuals and slope of its steps, and of a smooth line."""

    offset: int
    step_residual_s: float
    cell_time_s: float
    even_residual_s: float
    octet_time_s: float

    @property
    def is_stepped(self) -> bool:
        """Whether steps are the better model by far."""
        return self.cell_time_s > 0 and self.even_residual_s >= _BETTER * max(self.step_residual_s, _RESOLUTION_S)

    @property
    def is_even(self) -> bool:
        """Whether a smooth line is the better model by far."""
        return self.octet_time_s > 0 and self.step_residual_s >= _BETTER * max(self.even_residual_s, _RESOLUTION_S)


class _Models:
    """The fits of straight lines to sizes, and to the cells of each offset."""

    def __init__(self, octets: _Floats) -> None:
        self._octets = octets
        self._cells = np.ceil((octets[None, :] + np.arange(PAYLOAD)[:, None]) / PAYLOAD)

    def fit(self, trips: _Floats, weights: _Floats) -> _Fit:
        """Fit both models."""
        smooth, rises = _residuals(self._octets[None, :], trips, weights)
        steps, slopes = _residuals(self._cells, trips, weights)
        best = int(np.argmin(steps))
        return _Fit(best, float(steps[best]), float(slopes[best]), float(smooth[0]), float(rises[0]))


def _residuals(predictors: _Floats, trips: _Floats, weights: _Floats) -> tuple[_Floats, _Floats]:
    """Return the absolute residuals of a straight line over each row of predictors, and its slope.

    Least absolute residuals by reweighting least squares (Schlossmacher 1973).
    """
    own = np.broadcast_to(weights, predictors.shape)
    for _ in range(_ROUNDS):
        total = own.sum(axis=1, keepdims=True)
        x = predictors - (own * predictors).sum(axis=1, keepdims=True) / total
        y = trips - (own * trips).sum(axis=1, keepdims=True) / total
        spread = (own * x * x).sum(axis=1)
        slopes = np.divide((own * x * y).sum(axis=1), spread, out=np.zeros_like(spread), where=spread > 0)
        left = np.abs(y - slopes[:, None] * x)
        own = weights / np.maximum(left, _RESOLUTION_S)
    return left @ weights, slopes
