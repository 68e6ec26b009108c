"""Types of the compiled core (``crates/celltrain-py``); ``mypy.stubtest`` checks them against it."""

from typing import Any, final

import numpy as np
import numpy.typing as npt

_Column = npt.NDArray[np.float64] | list[str]
_Columns = dict[str, _Column]

__all__ = [
    "__build__",
    "__version__",
    "ScenarioError",
    "RunError",
    "Interrupted",
    "Cancel",
    "Scenario",
    "Result",
    "Line",
    "overhead",
    "schema",
]

__version__: str

__build__: str
"""The version, and a name of the sources that decide results, as ``0.1.0+5ad1c0de``."""

class ScenarioError(ValueError):
    """A scenario that cannot be run: the message names the key, what was expected, and the line where known."""

    key: str | None
    line: int | None
    column: int | None

class RunError(RuntimeError):
    """A run that was refused or failed: too much memory or time asked for, or a broken invariant of ours."""

class Interrupted(Exception):
    """A run that was cancelled before its end."""

@final
class Cancel:
    """A flag, shared by threads, that stops the runs which look at it."""

    def __init__(self) -> None: ...
    def cancel(self) -> None: ...
    def cancelled(self) -> bool: ...

@final
class Scenario:
    """A scenario that was checked and is ready to run; immutable."""

    @staticmethod
    def from_toml(text: str, origin: str) -> Scenario: ...
    @staticmethod
    def from_json(text: str, origin: str) -> Scenario: ...
    def to_json(self) -> str: ...
    @property
    def hash(self) -> str: ...
    @property
    def cells_estimate(self) -> float: ...
    def routes(self) -> list[tuple[str, list[tuple[str, str]], float, float]]: ...
    def run(self, seed: int, cancel: Cancel | None = None) -> Result: ...
    def run_captured(self, seed: int, path: str, limit: int, cancel: Cancel | None = None) -> tuple[Result, bool]: ...
    def delivery_trace(self, link: str, seed: int, duration_ms: int) -> str: ...

@final
class Result:
    """What one run measured."""

    @property
    def seed(self) -> int: ...
    @property
    def measured_s(self) -> float: ...
    @property
    def digest(self) -> str: ...
    @property
    def cell_hops(self) -> int: ...
    @property
    def events(self) -> int: ...
    @property
    def tables(self) -> dict[str, _Columns]: ...
    @property
    def traces(self) -> dict[str, _Columns]: ...
    @property
    def units(self) -> dict[str, dict[str, str]]: ...

@final
class Line:
    """A line that carries real packets between two TUN devices."""

    def __new__(
        cls,
        scenario: Scenario,
        seed: int = 1,
        vc: str | None = None,
        *,
        grid_forward_s: float = 0.0,
        grid_backward_s: float = 0.0,
        spin_s: float = 0.0,
        keeps_rows: bool = False,
        pcap: str | None = None,
        pcap_limit: int = ...,
    ) -> Line: ...
    @property
    def ends(self) -> tuple[str, str]: ...
    @property
    def vc(self) -> str: ...
    @property
    def encapsulation(self) -> str: ...
    @property
    def mtu(self) -> int: ...
    @property
    def lines(self) -> tuple[list[tuple[str, bool]], list[tuple[str, bool]]]: ...
    def carry(self, first: int, last: int) -> bool: ...
    def stop(self) -> None: ...
    def look(self) -> dict[str, Any]: ...
    def take_rows(self) -> dict[str, Any]: ...
    def result(self) -> Result | None: ...

def schema() -> str: ...

def overhead(lengths: list[int]) -> list[tuple[str, str | None, int, int, int, int, int]]:
    """Give, for each encapsulation and IP length, name, tc-cake keyword, tc overhead, MTU, length, payload, cells."""
