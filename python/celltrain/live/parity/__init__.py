"""One scenario with simulated TCP, and with the kernel's TCP through the line.

>>> from celltrain.live.parity import parity
>>> comparison = parity("examples/adsl.toml", repeats=5, folder="out/parity")  # doctest: +SKIP
>>> [(row.subject, row.quantity, row.verdict.value) for row in comparison.rows]  # doctest: +SKIP
"""

from celltrain.live.parity.both_ways import parity
from celltrain.live.parity.comparison import Comparison
from celltrain.live.parity.flows import nearest
from celltrain.live.parity.runs import Run
from celltrain.live.parity.verdict import Row, Verdict

__all__ = ["Comparison", "Row", "Run", "Verdict", "nearest", "parity"]
