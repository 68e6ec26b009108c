"""The columns of the tables of results, as the core defines them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

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


#: Columns by table and name, in their order.
Registry: TypeAlias = Mapping[str, Mapping[str, Column]]


def registry(tables: Iterable[tuple[str, Sequence[Sequence[str]]]]) -> Registry:
    """Make a registry of what the core says of tables: name, unit, type, heading and meaning of each column."""
    return {table: {name: Column(name, *rest) for name, *rest in columns} for table, columns in tables}


#: All columns of runs. Quantities of probes are under what they are of, as ``links.NAME``; ``every row`` and ``events``
#: are the columns in front of them.
COLUMNS: Registry = registry(_native.columns_of_results())
#: The tables of every run; the others of `COLUMNS` are what traces are made of.
TABLES = ("flows", "vcs", "links", "link_vcs", "link_parts")
