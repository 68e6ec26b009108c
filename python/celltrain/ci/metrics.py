"""Thresholds on metrics of runs in virtual time."""

from __future__ import annotations

from celltrain.ci.threshold import Threshold
from celltrain.columns import COLUMNS, TABLES
from celltrain.papers.reading import Mistake, unknown
from celltrain.sweeps.metric import Metric, MetricError


def checked(threshold: Threshold) -> tuple[Metric, str]:
    """Return the metric of a threshold, and its unit.

    Raises
    ------
    Mistake
        It is not a metric of a run, or the limit has another unit.
    """
    try:
        metric = Metric.parse(threshold.what)
    except MetricError as error:
        raise Mistake(str(error)) from error
    if metric.table not in TABLES:
        raise unknown("table", metric.table, TABLES)
    columns = COLUMNS[metric.table]
    if metric.column not in columns:
        raise unknown(f"column of the table {metric.table}", metric.column, columns)
    unit = "1" if metric.join == "jain" else columns[metric.column].unit
    threshold.in_unit(unit)
    return metric, unit
