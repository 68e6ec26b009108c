"""Sweeps: a scenario at many points, each run many times, on all cores or a cluster, stored as they finish.

>>> from celltrain.sweeps import Design, Sweep
>>> Sweep(scenario, Design(grid={"links.up.rate.every": ["10 ms", "1 s"]})).run("out")  # doctest: +SKIP
"""

from celltrain.extras import importing
from celltrain.holding import Busy

with importing("celltrain.sweeps"):
    from celltrain.sweeps.campaign import Workers
    from celltrain.sweeps.design import Design, Range, Samples
    from celltrain.sweeps.errors import DesignError, InvalidPoints, OtherSweep
    from celltrain.sweeps.metric import Metric, MetricError
    from celltrain.sweeps.replications import Replications, Until
    from celltrain.sweeps.results import SweepResults
    from celltrain.sweeps.sweep import Sweep

__all__ = [
    "Busy",
    "Design",
    "DesignError",
    "InvalidPoints",
    "Metric",
    "MetricError",
    "OtherSweep",
    "Range",
    "Replications",
    "Samples",
    "Sweep",
    "SweepResults",
    "Until",
    "Workers",
]
