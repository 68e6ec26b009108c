"""The behaviour of one flow on one side: simulated, or between two kernels."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]

#: Time between two samples of windows, round trips and queues, on both sides.
SAMPLE_EVERY_S = 0.01


@dataclass(frozen=True)
class Series:
    """Values that hold until the next instant; instants in s from the start of the run, ascending."""

    times_s: Numbers
    values: Numbers

    def on(self, grid: Numbers) -> Numbers:
        """Return the value at each instant of a grid; NaN before the first.

        >>> Series(np.array([1.0, 2.0]), np.array([5.0, 7.0])).on(np.array([0.5, 1.5, 2.0])).tolist()
        [nan, 5.0, 7.0]
        """
        places = np.searchsorted(self.times_s, grid, side="right") - 1
        if not len(self.values):
            return np.full(len(grid), math.nan)
        return np.where(places < 0, math.nan, self.values[np.maximum(places, 0)])

    def mean(self, start_s: float, end_s: float) -> float:
        """Average over time, independent of the instants of the samples; NaN without samples.

        >>> Series(np.array([0.0, 0.5]), np.array([1.0, 3.0])).mean(0.0, 1.0)
        2.0
        """
        known = self.on(np.arange(start_s, end_s - SAMPLE_EVERY_S / 2, SAMPLE_EVERY_S))
        known = known[~np.isnan(known)]
        return float(known.mean()) if known.size else math.nan


NOTHING = Series(np.array([]), np.array([]))


@dataclass(frozen=True)
class Side:
    """A flow over the measured time.

    Octets delivered per second; segments with data sent, and retransmissions; completed files and their mean time, if
    it sends files; as time series the sender's smoothed RTT, and the smaller of congestion window and receiver's
    window, which limits its data in flight.
    """

    goodput_bps: float
    segments: int
    retransmitted: int
    srtt_s: Series = NOTHING
    cwnd_bytes: Series = NOTHING
    transfers: int = 0
    transfer_mean_s: float = math.nan


@dataclass(frozen=True)
class Limits:
    """What limited a kernel's sender, in parts of the measured time.

    No data in flight; limited by the application, by the receiver's window, by the send buffer; how long the programs
    at both ends waited for a core; whether both had priority over ordinary programs.
    """

    idle: float = 0.0
    application: float = 0.0
    window: float = 0.0
    buffer: float = 0.0
    waited: float = 0.0
    is_prompt: bool = False


@dataclass(frozen=True)
class Simulated:
    """One simulated run: a side of each flow, the queues by the name of their probe, and their tables."""

    sides: dict[str, Side]
    queues: dict[str, Series]
    #: For each flow, the fraction of the measured time in which the receiver's window limits it.
    window_limited: dict[str, float] = field(default_factory=dict)
