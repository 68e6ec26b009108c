"""Units of the columns of studies, from their names."""

from __future__ import annotations


def unit(column: str) -> str:
    """Return the unit of a column of numbers from its name.

    >>> unit("throughput_bps_ci95"), unit("t_up_s"), unit("max_queue_cells"), unit("utilization")
    ('bit/s', 's', 'cells', '1')
    """
    stem = column.removesuffix("_ci95")
    suffixes = {"_bps": "bit/s", "_bits": "bits", "_s": "s", "_cells": "cells", "_bytes": "bytes"}
    for suffix, name in suffixes.items():
        if stem.endswith(suffix):
            return name
    return "1"
