"""How far a simulated value may be from the kernel's, and why so far: all targets of a comparison stand here."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """How far a simulated value may be from the kernel's.

    Parameters
    ----------
    words
        What is shown: ``"3 %"``, ``"factor 1.5"``.
    least, most
        The least and the largest ratio of the simulated value to the kernel's.
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
        """Give the distance of a ratio from 1 in units of what is allowed on that side; NaN for NaN.

        >>> within(0.5, "").excess(1.25), factor(1.5, "").excess(1.5), factor(1.5, "").excess(0.0)
        (0.5, 1.0, inf)
        """
        if self.is_factor and not math.isnan(ratio):
            return abs(math.log(ratio)) / math.log(self.most) if 0 < ratio < math.inf else math.inf
        return abs(ratio - 1) / (self.most - 1)


def within(share: float, reason: str) -> Target:
    """Allow this share of the kernel's value either way.

    >>> within(0.03, "").words
    '3 %'
    """
    return Target(f"{100 * share:g} %", 1 - share, 1 + share, reason)


def factor(most: float, reason: str) -> Target:
    """Allow this factor either way."""
    return Target(f"factor {most:g}", 1 / most, most, reason, is_factor=True)


GOODPUT = within(0.03, "a line without losses of its own is full most of the time, whatever the details of TCP")
GOODPUT_WITH_LOSS = within(0.10, "which packets are lost is drawn anew by each side, and each loss halves a window")
QUEUE = within(0.10, "the mean of a sawtooth follows its period and its depth, and both of them the law of the window")
CWND = within(0.10, "as the queue, which holds the part of the window that the line does not")
RETRANSMITTED = factor(1.5, "a burst of losses counts each segment, and its length hangs on the timing of single ACKs")

#: A larger share of packets lost to errors of the line has no target: those above were set for up to 1 %, and what a
#: short run counts scatters.
MOST_LOSS = 0.015
#: Above this share of the measured time, a run limited by its application, or by a program without a core, says
#: nothing about congestion control.
MOST_LIMITED = 0.01
#: A line that begins later than this after its programs has another time than they.
MOST_LATE_START_S = 0.01
#: With fewer runs the interval of the mean is wider than any target, or there is none.
FEWEST_RUNS = 3


def goodput(loss: float) -> Target | None:
    """Choose the target of a line that loses this share of its packets to errors; None beyond all targets.

    >>> goodput(0.0).words, goodput(0.001).words, goodput(0.05)
    ('3 %', '10 %', None)
    """
    if loss > MOST_LOSS:
        return None
    return GOODPUT_WITH_LOSS if loss > 0 else GOODPUT
