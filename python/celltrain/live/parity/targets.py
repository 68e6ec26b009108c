"""How far a simulated value may be from the kernel's, and why: all targets of a comparison."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """How far a simulated value may be from the kernel's.

    Parameters
    ----------
    words
        The displayed text: ``"3 %"``, ``"factor 1.5"``.
    least, most
        The smallest and the largest ratio of the simulated value to the kernel's.
    reason
        Why the target is this one.
    is_factor
        Whether ratios are compared by their logarithms.
    """

    words: str
    least: float
    most: float
    reason: str
    is_factor: bool = False

    def excess(self, ratio: float) -> float:
        """Return the distance of a ratio from 1 in units of the allowed distance on that side; NaN for NaN.

        >>> within(0.5, "").excess(1.25), factor(1.5, "").excess(1.5), factor(1.5, "").excess(0.0)
        (0.5, 1.0, inf)
        """
        if self.is_factor and not math.isnan(ratio):
            return abs(math.log(ratio)) / math.log(self.most) if 0 < ratio < math.inf else math.inf
        return abs(ratio - 1) / (self.most - 1)


def within(share: float, reason: str) -> Target:
    """Allow this share of the kernel's value in both directions.

    >>> within(0.03, "").words
    '3 %'
    """
    return Target(f"{100 * share:g} %", 1 - share, 1 + share, reason)


def factor(most: float, reason: str) -> Target:
    """Allow this factor in both directions."""
    return Target(f"factor {most:g}", 1 / most, most, reason, is_factor=True)


GOODPUT = within(0.03, "a line without losses of its own is full most of the time, whatever the details of TCP")
GOODPUT_WITH_LOSS = within(0.10, "each side draws its own packet losses, and each loss halves a window")
QUEUE = within(0.10, "the mean of a sawtooth follows its period and depth, and both follow the rules of the window")
CWND = within(0.10, "as for the queue, which holds the part of the window that the line does not")
RETRANSMITTED = factor(
    1.5, "each segment of a burst of losses counts, and the length of a burst depends on the timing of single ACKs"
)

#: There is no target for a larger share of packets lost to line errors: those above are for up to 1 %, and counts of
#: short runs vary widely.
MOST_LOSS = 0.015
#: A run limited by its application, or by a program without a core, for more than this share of the measured time says
#: nothing about congestion control.
MOST_LIMITED = 0.01
#: A line that begins later than this after its programs does not share their time.
MOST_LATE_START_S = 0.01
#: With fewer runs the interval of the mean is wider than any target, or does not exist.
FEWEST_RUNS = 3


def goodput(loss: float) -> Target | None:
    """Choose the target for a line that loses this share of its packets to errors; None beyond all targets.

    >>> goodput(0.0).words, goodput(0.001).words, goodput(0.05)
    ('3 %', '10 %', None)
    """
    if loss > MOST_LOSS:
        return None
    return GOODPUT_WITH_LOSS if loss > 0 else GOODPUT
