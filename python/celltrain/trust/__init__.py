"""How far our TCP agrees with other implementations, formulas and rules: a table that one command makes anew.

A :class:`~celltrain.trust.row.Row` of the table is a kind of check, such as "the same lines in ns-2". It gives
:class:`cases <celltrain.trust.case.Case>`: one quantity of one line each, beside its reference and its target.
:mod:`celltrain.trust.registry` has the rows, :mod:`celltrain.trust.table` writes them.
"""

from celltrain.trust.case import Case, Verdict
from celltrain.trust.registry import ROWS, row
from celltrain.trust.row import Context, NotRun, Row, RowResult

__all__ = ["ROWS", "Case", "Context", "NotRun", "Row", "RowResult", "Verdict", "row"]
