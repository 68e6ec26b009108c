"""What the simulators say about a workload, in the same terms, and whether they agree."""

from __future__ import annotations

from dataclasses import dataclass

import celltrain

from .program import Line

#: How far two simulators may differ, as a part: cells or goodput, and delay or queue.
THROUGHPUT_WITHIN = 0.01
WAITING_WITHIN = 0.03

#: A segment in cells, and the time that its cells take to come, as a part of the time that they take to leave: lines of
#: 1 Gbit/s and of 150 Mbit/s.
SEGMENT_CELLS = 192
ARRIVAL_PART = 0.15

#: Of the three lines of the chain together.
PROPAGATION_S = 300e-6


@dataclass(frozen=True)
class Outcome:
    """Throughput and waiting, each with its unit: cells/s and us of delay (W1), bit/s and cells in the queue (W2)."""

    throughput: float
    waiting: float | None

    def beside(self, other: Outcome) -> Deviation:
        """Return its deviation from another."""
        waiting = None
        if self.waiting is not None and other.waiting is not None:
            waiting = _deviation(self.waiting, other.waiting)
        return Deviation(_deviation(self.throughput, other.throughput), waiting)


@dataclass(frozen=True)
class Deviation:
    """How far an outcome lies from another, as a part of that, with its sign."""

    throughput: float
    waiting: float | None

    @property
    def within_bounds(self) -> bool:
        """Whether it is as small as it must be."""
        return abs(self.throughput) <= THROUGHPUT_WITHIN and abs(self.waiting or 0.0) <= WAITING_WITHIN

    def __str__(self) -> str:
        """Write it in percent.

        >>> str(Deviation(0.001, -0.0301)), str(Deviation(0.02, None))
        ('+0.10 %, -3.01 %', '+2.00 %, -')
        """
        return f"{100 * self.throughput:+.2f} %, " + ("-" if self.waiting is None else f"{100 * self.waiting:+.2f} %")


def _deviation(value: float, reference: float) -> float:
    return (value - reference) / abs(reference) if reference else float(value != reference)


def of_peer(on: str, line: Line) -> Outcome:
    """Read the outcome from a peer's line."""
    if on == "w1":
        return _of_chain(line["received"], line["simulated_s"], line.get("mean_delay_us"))
    waiting = line.get("waiting_packets")
    return Outcome(line["goodput_bps"], None if waiting is None else queue_cells(waiting))


def _of_chain(received: float, simulated_s: float, delay_us: float | None) -> Outcome:
    """Count cells from when the first can be there: in short runs those on their way at the end matter."""
    return Outcome(received / (simulated_s - 1e-6 * (delay_us or 0.0)), delay_us)


def queue_cells(waiting_packets: float) -> float:
    """Return the length in cells of a queue of whole packets on a busy line.

    A packet-level queue does not hold the packet in transmission, of which half is left on average, and takes a
    packet when its last bit arrives; by then a queue of cells has taken its cells one by one.
    """
    return SEGMENT_CELLS * waiting_packets + SEGMENT_CELLS / 2 * (1 + ARRIVAL_PART)


def of_celltrain(on: str, result: celltrain.Result) -> Outcome:
    """Read the outcome from the tables of a run."""
    if on == "w2":
        throughput = sum(result.flows["throughput_bps"])
        return Outcome(throughput, _link(result, "trunk", "queue_mean_cells"))
    # Little's law: the mean time in a queue, transmission included, is its mean length over the rate through it.
    delays = (
        _link(result, hop, "queue_mean_cells") / (_link(result, hop, "cells_sent") / result.measured_s)
        for hop in ("hop1", "hop2", "hop3")
    )
    delay_us = 1e6 * (PROPAGATION_S + sum(delays))
    return _of_chain(float(sum(result.vcs["cells_delivered"])), result.measured_s, delay_us)


def _link(result: celltrain.Result, name: str, column: str) -> float:
    """Read a column of a link; where a link goes both ways, of the first way."""
    return next(float(row[column]) for row in result.links.rows() if row["link"] == name)
