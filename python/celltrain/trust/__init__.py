"""How closely our TCP agrees with other implementations, formulas and rules: a table that one command updates.

A :class:`~celltrain.trust.row.Row` of the table is a kind of check, such as "the same lines in ns-2". It gives
:class:`cases <celltrain.trust.case.Case>`: each is one quantity of one line, with its reference and its target.
:mod:`celltrain.trust.registry` lists the rows, :mod:`celltrain.trust.table` writes them.
"""

from celltrain.trust.case import Case, Verdict
from celltrain.trust.registry import ROWS, row
from celltrain.trust.row import Context, NotRun, Row, RowResult

__all__ = ["ROWS", "Case", "Context", "NotRun", "Row", "RowResult", "Verdict", "row"]
