"""The rows of the table."""

from __future__ import annotations

from celltrain.trust import collapse, forced_losses, formulas, kernel, ns2, packetdrill, shares
from celltrain.trust.row import Row

#: All rows, first those that need only this package.
ROWS: tuple[Row, ...] = (
    collapse.ROW,
    formulas.ROW,
    packetdrill.ROW,
    ns2.ROW,
    forced_losses.ROW,
    shares.ROW,
    kernel.ROW,
)


def row(name: str) -> Row:
    """Find a row.

    Raises
    ------
    KeyError
        There is no row with this name.
    """
    return {row.name: row for row in ROWS}[name]
