"""The columns of the tables of results, as the core defines them."""

from __future__ import annotations

from dataclasses import dataclass

from celltrain import _native


@dataclass(frozen=True)
class Column:
    """Description of a column.

    Attributes
    ----------
    name : str
        Its name, as in CSV.
    unit : str
        Unit of its values: SI, ``1`` for ratios and counts, empty for names.
    kind : str
        ``text``, ``integer``, ``integer or none``, or ``number``, which may be missing.
    heading : str
        Short heading for display; empty for quantities of probes.
    meaning : str
        What its values mean, in Markdown.
    """

    name: str
    unit: str
    kind: str
    heading: str
    meaning: str


#: All columns by table and name, in order. Quantities of probes are listed under their element, such as ``links.NAME``;
#: ``every row`` and ``events`` are the columns in front of them.
COLUMNS = {
    table: {name: Column(name, *rest) for name, *rest in columns} for table, columns in _native.columns_of_results()
}
