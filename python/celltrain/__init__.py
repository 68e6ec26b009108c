"""TCP over lines that segment, shape and vary: a fast cell-level simulator.

>>> import celltrain
>>> scenario = celltrain.Scenario.from_toml('''
... [measure]
... warm_up = "1 s"
... duration = "11 s"
... [hosts]
... a = {}
... b = {}
... [links.line]
... between = ["a", "b"]
... rate = "8 Mbit/s"
... buffer = "2048 cells"
... delay = "5 ms"
... [vcs.vc]
... route = ["a", "b"]
... [flows.download]
... vc = "vc"
... ''')
>>> scenario.run(seed=1).flows["throughput_bps"].round(-6).tolist()
[7000000.0]
"""

from celltrain._native import Interrupted, RunError, ScenarioError, __version__
from celltrain.lessons import lesson
from celltrain.refused import EnginesDiffer
from celltrain.results import Result
from celltrain.scenario import Scenario, load, mistakes
from celltrain.shipped import example
from celltrain.studies import Study, study
from celltrain.table import Table

__all__ = [
    "EnginesDiffer",
    "Interrupted",
    "Result",
    "RunError",
    "Scenario",
    "ScenarioError",
    "Study",
    "Table",
    "__version__",
    "example",
    "lesson",
    "load",
    "mistakes",
    "study",
]
