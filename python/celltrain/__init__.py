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

import importlib
from typing import TYPE_CHECKING

from celltrain._native import Interrupted, RunError, ScenarioError, __version__

if TYPE_CHECKING:
    from celltrain.lessons import lesson
    from celltrain.limits import LimitPassed
    from celltrain.refused import EnginesDiffer
    from celltrain.results import Result
    from celltrain.scenario import Scenario, load, mistakes
    from celltrain.shipped import example
    from celltrain.studies import Study, study
    from celltrain.table import Table

__all__ = [
    "EnginesDiffer",
    "Interrupted",
    "LimitPassed",
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

#: The modules of names that are imported when they are used: a command needs few of them, and `--help` none.
_MODULES = {
    "EnginesDiffer": "refused",
    "LimitPassed": "limits",
    "Result": "results",
    "Scenario": "scenario",
    "Study": "studies",
    "Table": "table",
    "example": "shipped",
    "lesson": "lessons",
    "load": "scenario",
    "mistakes": "scenario",
    "study": "studies",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
