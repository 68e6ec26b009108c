"""Measurements between real hosts, by daemons under a controller; Linux only.

>>> from celltrain import dbs
>>> plan = dbs.Plan.from_toml('''
... [hosts]
... a = {}
... b = {}
... [flows.download]
... from = "a"
... to = "b"
... duration = "1 s"
... ''')
>>> result = dbs.run(plan)  # doctest: +SKIP
>>> result.tables["flows"]["throughput_bps"]  # doctest: +SKIP
"""

from celltrain.dbs.plan import Plan, load
from celltrain.dbs.rates import throughput
from celltrain.dbs.result import Measurement, read
from celltrain.dbs.runner import run

__all__ = ["Measurement", "Plan", "load", "read", "run", "throughput"]
