"""Recorded quantities as small bars in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from celltrain.table import Table

#: Minimum and maximum width of the bars, and the maximum number of lines.
_NARROWEST, _WIDEST, _MOST = 16, 40, 12


def of_traces(traces: Mapping[str, Table], width: int) -> list[str]:
    """Draw each quantity of all probes: its name, bars over time, its range and unit.

    Nothing is drawn without recorded numbers, or where stdout cannot show the bars.
    """
    if not (sys.stdout.encoding or "").lower().startswith("utf"):
        return []
    found = [(probe, *each) for probe, table in traces.items() for each in _quantities(table)]
    if not found:
        return []
    longest = max(len(name) for _, name, _, _ in found[:_MOST])
    ranges = max(len(text) for _, _, _, text in found[:_MOST])
    room = max(_NARROWEST, min(_WIDEST, width - longest - ranges - 4))
    lines, last = [], ""
    for probe, name, column, text in islice(found, _MOST):
        if probe != last:
            lines.append(_title(probe, traces[probe]))
            last = probe
        lines.append(f"{name:<{longest}}  {_bars(traces[probe], column, room)}  {text}".rstrip())
    if len(found) > _MOST:
        lines.append(f"... {len(found) - _MOST} more; --plot FILE.svg draws them, --out DIR writes all")
    return lines


def _quantities(table: Table) -> Iterator[tuple[str, str, str]]:
    """Yield the name for display, the column, and the range with its unit."""
    import numpy as np

    from celltrain.figures import scale, significant

    for column in table:
        values = table[column]
        if column == "time_s" or isinstance(values, list) or not np.isfinite(values).any():
            continue
        unit = table.units[column]
        factor, shown = scale(values, unit, column)
        low, high = (significant(float(of(values) * factor)) for of in (np.nanmin, np.nanmax))
        yield column, column, (f"{low} to {high}" if low != high else f"always {low}") + (f" {shown}" if shown else "")


def _title(probe: str, table: Table) -> str:
    from celltrain.figures import significant

    times = table["time_s"]
    return f"{probe}, {significant(float(times[0]))} to {significant(float(times[-1]))} s"


def _bars(table: Table, column: str, width: int) -> str:
    import numpy as np

    from celltrain.sparkline import sparkline

    times = np.asarray(table["time_s"], dtype=np.float64)
    start, end = float(times[0]), float(times[-1])
    values = np.asarray(table[column], dtype=np.float64)
    return sparkline(times - start, values, end - start, holds=True, width=width) if end > start else ""
