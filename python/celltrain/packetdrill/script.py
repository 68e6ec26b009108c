"""The content of a script: its events in order, each with its line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

#: An argument or a result of a call: a number, a text, words (``O_RDWR|O_NONBLOCK``), a list, or None for ``...``.
Value = int | str | tuple["Value", ...] | frozenset[str] | None


class Direction(StrEnum):
    """The sender of a segment: the peer that the script plays, or the TCP under test."""

    INBOUND = "<"
    OUTBOUND = ">"


@dataclass(frozen=True)
class When:
    """When an event is due, in s; ``start`` is None for ``*``, at any time.

    ``is_relative`` counts from the previous event; with ``end`` any time from ``start`` to ``end`` is correct.
    """

    start: float | None
    end: float | None = None
    is_relative: bool = False


@dataclass(frozen=True)
class Options:
    """TCP options of a segment; absent ones are None. ``sack`` holds start and end of each block."""

    mss: int | None = None
    sack_permitted: bool = False
    window_scale: int | None = None
    timestamp: tuple[int, int] | None = None
    sack: tuple[tuple[int, int], ...] = ()
    others: tuple[str, ...] = ()

    def __str__(self) -> str:
        words = [f"mss {self.mss}"] if self.mss is not None else []
        words += ["sackOK"] if self.sack_permitted else []
        words += [f"TS val {self.timestamp[0]} ecr {self.timestamp[1]}"] if self.timestamp else []
        words += [f"wscale {self.window_scale}"] if self.window_scale is not None else []
        words += ["sack " + " ".join(f"{start}:{end}" for start, end in self.sack)] if self.sack else []
        return f" <{','.join([*words, *self.others])}>" if words or self.others else ""


@dataclass(frozen=True)
class Packet:
    """A TCP segment in the numbering of scripts: a SYN has sequence number 0, data begin with 1.

    ``flags`` has letters of the header (``S F R P E W``) and ``.`` for ACK. ``options`` is None for ``<...>``, where
    any options match; ``window`` is the header field, unscaled, or None if not given.
    """

    flags: str
    seq: int
    length: int
    ack: int | None
    window: int | None
    options: Options | None
    ip_info: str = ""
    is_urgent: bool = False

    def __str__(self) -> str:
        ack = "" if self.ack is None else f" ack {self.ack}"
        window = "" if self.window is None else f" win {self.window}"
        options = " <...>" if self.options is None else str(self.options)
        return f"{self.flags} {self.seq}:{self.seq + self.length}({self.length}){ack}{window}{options}"


@dataclass(frozen=True)
class Call:
    """A system call: its name, arguments, expected result, and errno (empty if it succeeds).

    A blocking call returns at ``end``, in s, counted like the event's time.
    """

    name: str
    arguments: tuple[Value, ...]
    result: Value
    errno: str = ""
    end: float | None = None


@dataclass(frozen=True)
class Command:
    """Shell commands, one per line; they are parsed but never run."""

    text: str


@dataclass(frozen=True)
class Code:
    """Assertions about the connection, as Python."""

    text: str


@dataclass(frozen=True)
class Event:
    """Something that happens or is expected, and when."""

    line: int
    when: When
    action: Packet | Call | Command | Code
    direction: Direction | None = None


@dataclass(frozen=True)
class Script:
    """A whole script.

    Attributes
    ----------
    events : tuple of Event
        In order.
    options : mapping
        Options before the first event, such as ``tolerance_usecs`` to ``"4000"``.
    """

    events: tuple[Event, ...]
    options: Mapping[str, str] = field(default_factory=dict)


class NotSupported(Exception):
    """The script needs a feature that our TCP or this runner lacks; the message names it."""
