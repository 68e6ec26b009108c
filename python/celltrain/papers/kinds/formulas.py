"""``kind = "formulas"``: columns that are computed from those of the axes; nothing is run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from celltrain import _native
from celltrain.papers.head import Head
from celltrain.papers.kinds.experiment import Computed, Point, Row


def _aal5(form: str, octets: int) -> tuple[int, int]:
    """Return the octets of AAL5 payload, and the cells, of an IP packet in an encapsulation."""
    return {name: (payload, cells) for name, *_, payload, cells in _native.overhead([octets])}[form]


#: Functions for formulas: the AAL5 payload and the cells of an IP packet in an encapsulation.
FUNCTIONS = {
    "aal5_payload": lambda form, octets: _aal5(form, octets)[0],
    "aal5_cells": lambda form, octets: _aal5(form, octets)[1],
}


@dataclass(frozen=True, kw_only=True)
class Formulas(Computed):
    """Columns that are computed.

    Attributes
    ----------
    formulas : dict of str to str
        Columns in order, each computed from those of the axes and earlier ones.
    columns : tuple of str
        The columns of the table.
    """

    formulas: Mapping[str, str]
    columns: tuple[str, ...]

    def column_names(self, head: Head) -> list[str]:
        """Name the columns that are listed."""
        return list(self.columns)

    def known_columns(self, head: Head) -> set[str]:
        """Name the axes, and the columns that have a formula."""
        return {*self.axis_columns, *self.formulas}

    def rows_of(self, origin: str, point: Point) -> tuple[str, list[Row]]:
        """Compute one row."""
        from celltrain.papers.metrics import with_formulas

        return "", [with_formulas(point.axes, self.formulas, "formulas", FUNCTIONS)]
