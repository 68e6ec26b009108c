"""Formulas of theory and of the standards that predict a result."""

from __future__ import annotations

from celltrain.trust import cubic_curve, padhye, queue_formulas
from celltrain.trust.case import Case
from celltrain.trust.row import Context, Row, method


def cases(context: Context) -> list[Case]:
    """Compare runs with all formulas."""
    parts = (padhye.cases, cubic_curve.cases, queue_formulas.md1, queue_formulas.pie)
    return [case for part in parts for case in part(context)]


ROW = Row(
    "formulas",
    "the rate under random losses (Padhye; Ott), CUBIC's W(t), the queue of M/D/1, and PIE's delay",
    "Padhye within 5 % for p <= 0.3 %, Ott within 3 % for p <= 0.1 %, W(t) within 1 %, M/D/1 within 1 %, PIE at 15 ms "
    "+-0.5 ms with 16 flows",
    method("formulas"),
    cases,
)
