"""Queues against formulas: random cells (M/D/1), and the delay target of PIE."""

from __future__ import annotations

import statistics

from celltrain.data import Data
from celltrain.results import Result
from celltrain.scenario import Scenario
from celltrain.trust.case import Case, absolute, relative
from celltrain.trust.lines import CELL_BITS, Connection, PacketLine
from celltrain.trust.row import Context

#: The line of M/D/1: 100,000 cells/s.
_RATE_BPS = 42.4e6
_LOADS = (0.5, 0.8, 0.9)
_CELLS_S, _QUICK_CELLS_S = 200.0, 20.0
_FLOWS = 16
_PIE_LINE = PacketLine(40e6, 0.02, 100_000)
_PIE_VARIANTS = ("newreno", "sack", "cubic")
_PIE_TARGET_S, _PIE_ALLOWED_S = 0.015, 0.0005
_PIE_S, _QUICK_PIE_S = 60.0, 20.0
_SEEDS = (1, 2, 3)


def mean_cells(load: float) -> float:
    """Return the mean cells in an M/D/1 queue, including the one in transmission (Pollaczek and Khinchin).

    >>> mean_cells(0.5)
    0.75
    """
    return load + load * load / (2 * (1 - load))


def md1(context: Context) -> list[Case]:
    """Run Poisson arrivals of cells."""
    loads = _LOADS[:1] if context.quick else _LOADS
    seeds = _SEEDS[:1] if context.quick else _SEEDS
    seconds = _QUICK_CELLS_S if context.quick else _CELLS_S
    runs = context.run([_poisson(load, seconds) for load in loads], seeds)
    return [
        relative(f"M/D/1: load {load:g}", "mean queue", "cells", _queue(results), mean_cells(load), 0.01)
        for load, results in zip(loads, runs, strict=True)
    ]


def _poisson(load: float, seconds: float) -> Scenario:
    warm_up_s = 5.0
    data: Data = {
        "measure": {"duration": f"{seconds + warm_up_s:g} s", "warm_up": f"{warm_up_s:g} s"},
        "hosts": {"a": {}, "b": {}},
        "switches": {"s": {}},
        "links": {
            "in": {"between": ["a", "s"], "delay": "0 s"},
            "line": {
                "between": ["s", "b"],
                "delay": "1 ms",
                "rate": f"{_RATE_BPS:.0f} bit/s",
                "buffer": "1000000 cells",
            },
        },
        "vcs": {"vc": {"route": ["a", "s", "b"]}},
        "backgrounds": {
            "cells": {"vc": "vc", "traffic": {"process": "poisson", "rate": f"{load * _RATE_BPS:.0f} bit/s"}}
        },
    }
    return Scenario(data, "trust")


def pie(context: Context) -> list[Case]:
    """Run greedy connections through PIE."""
    settings = [(variant, ack) for variant in _PIE_VARIANTS for ack in ("each", "delayed")]
    if context.quick:
        settings = settings[:1]
    seeds = _SEEDS[:1] if context.quick else _SEEDS
    seconds, warm_up_s = (_QUICK_PIE_S if context.quick else _PIE_S), 10.0
    timer = {"timer": "rfc6298", "min": "200 ms", "floor": "variance"}
    managed = {"discard": {"policy": "ppd"}, "queue_management": {"algorithm": "pie"}}
    scenarios = [
        _PIE_LINE.scenario(
            [Connection({"variant": variant, "ack": ack, "rto": timer}, start_s=0.05 * i) for i in range(_FLOWS)],
            seconds + warm_up_s,
            warm_up_s,
            line=managed,
        )
        for variant, ack in settings
    ]
    found = []
    for (variant, ack), results in zip(settings, context.run(scenarios, seeds), strict=True):
        delay_s = _queue(results) * CELL_BITS / _PIE_LINE.rate_bps
        name = f"PIE: {_FLOWS} flows, {variant}, ack = {ack}"
        found.append(absolute(name, "mean delay", "s", delay_s, _PIE_TARGET_S, _PIE_ALLOWED_S))
    return found


def _queue(results: list[Result]) -> float:
    """Return the mean queue of the line over the runs."""
    return statistics.fmean(
        float(row["queue_mean_cells"])
        for result in results
        for row in result.links.rows()
        if row["link"] == "line" and row["from"] == "s"
    )
