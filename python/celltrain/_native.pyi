"""Types of the compiled core (``crates/celltrain-py``); ``mypy.stubtest`` checks them against it."""

from collections.abc import Callable, Sequence
from typing import Any, final

import numpy as np
import numpy.typing as npt

_Column = npt.NDArray[np.int64] | npt.NDArray[np.float64] | list[str]
_Columns = dict[str, _Column]

__all__ = [
    "__build__",
    "__version__",
    "ScenarioError",
    "RunError",
    "LimitPassed",
    "Interrupted",
    "amount",
    "quantity",
    "located",
    "nearest",
    "Cancel",
    "Progress",
    "Scenario",
    "Result",
    "Line",
    "TcpSegment",
    "TcpSender",
    "TcpReceiver",
    "TcpEnd",
    "overhead",
    "shrunken",
    "schema",
    "mistakes",
    "columns_of_results",
    "names_of_algorithms",
    "DbsPlan",
    "DbsLimits",
    "DbsListener",
    "DbsController",
    "dbs_schema",
    "columns_of_measurements",
    "dbs_new_key",
    "dbs_public_key",
    "dbs_serve_stdio",
]

__version__: str

__build__: str
"""The version, and a name of the sources that determine results, such as ``0.1.0+5ad1c0de``."""

class ScenarioError(ValueError):
    """A scenario that cannot be run: the message names the key, what was expected, and the line where known."""

    key: str | None
    line: int | None
    column: int | None

class RunError(RuntimeError):
    """A run that was refused or failed: too much memory or time asked for, or a broken invariant of ours."""

class LimitPassed(RunError):
    """A run that needed more than its `[limits]` allow and was stopped: `limit` is the key (None: the system has no memory), `allowed` its value, `at_s` the simulated time, and `partial` the result of the run up to that time, or None if the measured interval had not begun."""  # noqa: E501

    limit: str | None
    allowed: float
    at_s: float
    partial: Result | None

class Interrupted(Exception):
    """A run that was cancelled before its end."""

def amount(text: str, unit: str) -> float:
    """Read a quantity such as ``10 ms`` as a number of ``unit``: s, bit/s, cells, bytes or m."""

def quantity(text: str) -> tuple[float, str] | None:
    """Read a quantity of any kind; return amount and unit as in `amount`, or None if the text is not a quantity."""

def located(text: str, origin: str, path: Sequence[str], message: str) -> str:
    """Describe a problem at a key of a TOML text, after file, line and column of the deepest existing key."""

def nearest(name: str, known: Sequence[str]) -> str:
    """Return ``; did you mean "NAME"?`` if one of the known names is close, otherwise the list of known names."""

@final
class Cancel:
    """A flag, shared by threads, that stops the runs that check it."""

    def __init__(self) -> None: ...
    def cancel(self) -> None: ...
    def cancelled(self) -> bool: ...

@final
class Progress:
    """How far a run is; shared by threads."""

    def __init__(self) -> None: ...
    def done(self) -> float: ...

@final
class Scenario:
    """A checked scenario, ready to run; immutable."""

    @staticmethod
    def from_toml(text: str, origin: str) -> Scenario: ...
    @staticmethod
    def from_json(text: str, origin: str) -> Scenario: ...
    def to_json(self) -> str: ...
    @property
    def hash(self) -> str: ...
    @property
    def structure(self) -> str: ...
    @property
    def cells_estimate(self) -> float: ...
    def bounds(self) -> list[tuple[str, float]]: ...
    def routes(self) -> list[tuple[str, list[tuple[str, str]], float, float]]: ...
    def plan(self) -> list[tuple[str, str | None, str, str]]: ...
    def run(
        self,
        seed: int,
        cancel: Cancel | None = None,
        cell_by_cell: bool = False,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> Result: ...
    def verify(self, seed: int, cancel: Cancel | None = None) -> tuple[Result | None, int, dict[str, Any] | None]: ...
    def cross_check(
        self, seed: int, budget_s: float, cancel: Cancel | None = None
    ) -> tuple[int, bool, dict[str, Any] | None]: ...
    def advice(self) -> list[tuple[str, str, str, str]]: ...
    def silences(
        self,
        delivered_bytes: npt.NDArray[np.float64],
        segments_sent: npt.NDArray[np.float64],
        longest_idle_s: npt.NDArray[np.float64],
        cells_sent: npt.NDArray[np.float64],
        cells_delivered: npt.NDArray[np.float64],
        cells_lost: npt.NDArray[np.float64],
    ) -> list[tuple[str, str, str, float | None, float, str]]: ...
    def run_captured(self, seed: int, path: str, limit: int, cancel: Cancel | None = None) -> tuple[Result, bool]: ...
    def delivery_trace(self, link: str, seed: int, duration_ms: int) -> str: ...
    def line_over_time(self, link: str, seed: int, every_ms: int, count: int) -> list[tuple[float, float]]: ...

@final
class Result:
    """The results of one run."""

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
        sample_every_s: float = 0.0,
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
    @property
    def sampled(self) -> list[str]: ...
    def take_samples(self) -> dict[str, Any]: ...
    def result(self) -> Result | None: ...

@final
class TcpSegment:
    """A TCP segment; sequence numbers start at 0 after the SYN, the window is in octets."""

    def __new__(
        cls,
        seq: int = 0,
        len: int = 0,
        ack: int = 0,
        window: int = 0,
        *,
        sack: list[tuple[int, int]] = ...,
        syn: bool = False,
        fin: bool = False,
        rst: bool = False,
        ece: bool = False,
        cwr: bool = False,
        timestamp: tuple[int, int] | None = None,
        window_scale: int | None = None,
        mss: int | None = None,
        ecn_capable: bool = False,
        congestion_experienced: bool = False,
    ) -> TcpSegment: ...
    @property
    def seq(self) -> int: ...
    @property
    def len(self) -> int: ...
    @property
    def ack(self) -> int: ...
    @property
    def window(self) -> int: ...
    @property
    def sack(self) -> list[tuple[int, int]]: ...
    @property
    def syn(self) -> bool: ...
    @property
    def fin(self) -> bool: ...
    @property
    def rst(self) -> bool: ...
    @property
    def ece(self) -> bool: ...
    @property
    def cwr(self) -> bool: ...
    @property
    def timestamp(self) -> tuple[int, int] | None: ...
    @property
    def window_scale(self) -> int | None: ...
    @property
    def mss(self) -> int | None: ...
    @property
    def ecn_capable(self) -> bool: ...
    @property
    def congestion_experienced(self) -> bool: ...

@final
class TcpSender:
    """The end of a connection that sends data; times are in picoseconds.

    Call ``on_timer`` at ``next_timeout_ps`` before a segment of that instant, and drain ``poll_transmit`` after each
    call.
    """

    def __new__(cls, scenario: Scenario, flow: str, seed: int = 1) -> TcpSender: ...
    def connect(self, now_ps: int) -> None: ...
    def write(self, now_ps: int, octets: int | None = None) -> None: ...
    def close(self, now_ps: int) -> None: ...
    def abort(self, now_ps: int) -> None: ...
    def on_segment(self, now_ps: int, segment: TcpSegment) -> None: ...
    def on_timer(self, now_ps: int) -> None: ...
    def poll_transmit(self, now_ps: int) -> TcpSegment | None: ...
    @property
    def next_timeout_ps(self) -> int | None: ...
    @property
    def mss(self) -> int: ...
    @property
    def cwnd(self) -> int: ...
    @property
    def ssthresh(self) -> int: ...
    @property
    def snd_una(self) -> int: ...
    @property
    def snd_max(self) -> int: ...
    @property
    def rto_s(self) -> float: ...
    @property
    def srtt_s(self) -> float | None: ...
    @property
    def state(self) -> str: ...
    @property
    def is_dropped(self) -> bool: ...
    @property
    def phase(self) -> str: ...
    @property
    def counts(self) -> tuple[int, int, int, int]: ...

@final
class TcpReceiver:
    """The end that receives and acknowledges data; with ``manual`` the caller reads and closes."""

    def __new__(cls, scenario: Scenario, flow: str, seed: int = 1, *, manual: bool = False) -> TcpReceiver: ...
    def on_segment(self, now_ps: int, segment: TcpSegment) -> None: ...
    def on_timer(self, now_ps: int) -> None: ...
    def poll_transmit(self, now_ps: int) -> TcpSegment | None: ...
    def read(self, now_ps: int, octets: int) -> int: ...
    @property
    def readable(self) -> int: ...
    @property
    def is_finished(self) -> bool: ...
    @property
    def rcv_nxt(self) -> int: ...
    @property
    def next_timeout_ps(self) -> int | None: ...
    @property
    def state(self) -> str: ...

@final
class TcpEnd:
    """Both directions of one end, which share one stream of segments; its receiver is ``manual``."""

    def __new__(cls, sender: TcpSender, receiver: TcpReceiver) -> TcpEnd: ...
    def on_segment(self, now_ps: int, segment: TcpSegment) -> None: ...
    def on_timer(self, now_ps: int) -> None: ...
    def poll_transmit(self, now_ps: int) -> TcpSegment | None: ...
    @property
    def next_timeout_ps(self) -> int | None: ...

def shrunken(
    scenario: str, seed: int, checked_ps: int | None, budget_s: float, cancel: Cancel | None = None
) -> str: ...

_Fields = list[tuple[str, list[list[str]]]]

def columns_of_results() -> _Fields:
    """What each table of results holds: by table, name, unit, type, heading and meaning of each column."""

def names_of_algorithms() -> list[tuple[str, str, str]]:
    """Give the algorithms of all registries: the registry, the keyword and the display name of each."""

def schema() -> str: ...
def mistakes(
    text: str, origin: str, data: str | None = None, broken: list[str] = ...
) -> list[ScenarioError]:
    """Return all mistakes of a scenario's text, in their order."""

def overhead(lengths: list[int], aal: str = "5") -> list[tuple[str, str | None, int | None, int, int, int, int]]:
    """Give, for each encapsulation and IP length, name, tc-cake keyword, tc overhead, MTU, length, payload, cells."""

@final
class DbsPlan:
    """A checked plan; immutable."""

    @staticmethod
    def from_toml(text: str, origin: str, read: Callable[[str], str]) -> DbsPlan: ...
    @staticmethod
    def from_json(text: str, origin: str, read: Callable[[str], str]) -> DbsPlan: ...
    def to_json(self) -> str: ...
    @property
    def hash(self) -> str: ...
    @property
    def pause_s(self) -> float: ...

@final
class DbsLimits:
    """The limits that the owner of a daemon sets."""

    def __new__(
        cls,
        *,
        address: str,
        peers: Sequence[str],
        ports: tuple[int, int] | None,
        duration_s: float,
        rate_bps: int | None,
        connections: int,
        memory_bytes: int,
    ) -> DbsLimits: ...

@final
class DbsListener:
    """A daemon that listens for controllers over TLS."""

    def __new__(cls, address: str, pkcs8: bytes, controllers: str) -> DbsListener: ...
    @property
    def address(self) -> str: ...
    def serve(self, limits: DbsLimits, cancel: Cancel, tell: Callable[[str], None]) -> None: ...

@final
class DbsController:
    """A controller connected to the daemons of a plan."""

    def __new__(
        cls, plan: DbsPlan, programs: Sequence[Sequence[str] | None], pkcs8: bytes | None, cancel: Cancel
    ) -> DbsController: ...
    def repetition(
        self, number: int, cancel: Cancel
    ) -> tuple[dict[str, _Columns], dict[str, dict[str, str]], bool]: ...
    def pause(self, seconds: float, cancel: Cancel) -> None: ...
    def close(self) -> None: ...

def dbs_schema() -> str: ...
def columns_of_measurements() -> _Fields:
    """What each table of a repetition of `celltrain dbs run` holds, as `columns_of_results`."""

def dbs_new_key() -> bytes: ...
def dbs_public_key(pkcs8: bytes) -> str: ...
def dbs_serve_stdio(limits: DbsLimits, cancel: Cancel) -> str | None: ...
