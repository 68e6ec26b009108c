"""Short headings of swept keys and of metrics."""

from __future__ import annotations

from collections.abc import Sequence

from celltrain.columns import COLUMNS
from celltrain.sweeps.metric import Metric


def short_keys(keys: Sequence[str]) -> dict[str, str]:
    """Return the ends of keys that tell them apart, of two parts or more.

    >>> short_keys(["links.up.rate.every", "links.up.buffer", "links.down.buffer"])
    {'links.up.rate.every': 'rate.every', 'links.up.buffer': 'up.buffer', 'links.down.buffer': 'down.buffer'}
    """
    short = {}
    for key in keys:
        parts = key.split(".")
        ends = [".".join(parts[-count:]) for count in range(2, len(parts) + 1)]
        others = [other for other in keys if other != key]
        alone = (end for end in ends if not any(f".{other}".endswith(f".{end}") for other in others))
        short[key] = next(alone, key)
    return short


def headings_of(metrics: Sequence[Metric]) -> dict[str, str]:
    """Return a short heading for each metric: the rows if it names some, how they are combined, the column."""
    found = {}
    for metric in metrics:
        column = COLUMNS.get(metric.table, {}).get(metric.column)
        join = metric.text.partition("(")[0] if "(" in metric.text else ""
        rows = " ".join([*([metric.name] if metric.name != "*" else []), *(value for _, value in metric.others)])
        words = (column.heading if column else metric.column, rows)
        found[metric.text] = " ".join(filter(None, (join, *words)))
    several = [text for text, heading in found.items() if list(found.values()).count(heading) > 1]
    return found | {text: text for text in several}
