"""The columns of the tables of results, as the core defines them."""

from __future__ import annotations

from dataclasses import dataclass

from celltrain import _native


@dataclass(frozen=True)
class Column:
    """What a column holds.

    Attributes
    ----------
    name : str
        Its name, as in CSV.
    unit : str
        Unit of its values: SI, ``1`` for ratios and counts, empty for names.
    kind : str
        ``text``, ``integer``, ``integer or none``, or ``number``, which may be missing.
    heading : str
        The few words above it where people read it; empty for quantities of probes.
    meaning : str
        What its values mean, in Markdown.
    """

    name: str
    unit: str
    kind: str
    heading: str
    meaning: str


#: All columns by table and name, in their order. Quantities of probes are under what they are of, as ``links.NAME``;
#: ``every row`` and ``events`` are the columns in front of them.
COLUMNS = {
    table: {name: Column(name, *rest) for name, *rest in columns} for table, columns in _native.columns_of_results()
}
