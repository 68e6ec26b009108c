"""Traces of netem-trace, which rattan replays: JSON or TOML, a file for each quantity.

A trace is a table with one key, the name of its type: ``StaticBwConfig``, ``StaticDelayConfig`` and
``StaticLossConfig`` have a value and a duration; ``RepeatedBwPatternConfig``, ... have traces in ``pattern`` and a
``count``, of which 0 means forever; ``TraceBwConfig`` has pairs of a duration and rates that last as long each. Times
and rates are texts such as "1s 500ms" and "12Mbps" (feature ``human``, which rattan has), or ``{"secs", "nanos"}`` and
``{"gbps", "bps"}``. A loss is a list of probabilities: of losing a packet after 0, 1, 2, ... lost ones.
Source: ``src/model`` of stack-rs/netem-trace 0.4.6, ``humantime`` and ``human-bandwidth``, ``config.example.toml`` of
rattan.
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TextIO

from celltrain.files import NotText, read_text
from celltrain.recordings.cells import cell_loss, line_rate, packet_loss, packets_rate
from celltrain.recordings.lines import BadRecording, shown
from celltrain.recordings.numbers import PS, shortest, toml_text
from celltrain.recordings.segments import Notes, Options, Recording, Segment, Stream, Stretch, merged

#: The most steps of a trace, all repetitions included, and the deepest nesting of patterns.
_MOST_STEPS, _DEEPEST = 10_000_000, 50
#: Units of ``humantime``, in s, and of ``human-bandwidth``, in bit/s.
_TIMES = {
    **dict.fromkeys(("nsec", "ns"), 1e-9),
    **dict.fromkeys(("usec", "us", "µs"), 1e-6),
    **dict.fromkeys(("msec", "ms"), 1e-3),
    **dict.fromkeys(("seconds", "second", "secs", "sec", "s"), 1.0),
    **dict.fromkeys(("minutes", "minute", "mins", "min", "m"), 60.0),
    **dict.fromkeys(("hours", "hour", "hrs", "hr", "h"), 3600.0),
    **dict.fromkeys(("days", "day", "d"), 86_400.0),
}
_RATES = {
    f"{prefix}{unit}": 1e3**power
    for power, prefix in enumerate(("", "k", "M", "G", "T"))
    for unit in ("bps", "bit/s", "b/s")
}
_PART = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-zµ/]+)", re.ASCII)
#: Types that draw random numbers, or count packets.
_UNKNOWN = (
    "expected static, repeated and trace types of Bw, Delay and Loss; others draw random numbers or have no times"
)


@dataclass(frozen=True)
class _Kind:
    """A quantity in netem-trace: its name in types, the key of its value, and a link's quantity."""

    name: str
    key: str
    quantity: str


_KINDS = (_Kind("Bw", "bw", "rate"), _Kind("Delay", "delay", "delay"), _Kind("Loss", "loss", "loss"))


def read(paths: Sequence[Path], options: Options, notes: Notes) -> Recording:
    """Read one file for each quantity, in any order."""
    streams: dict[str, Stream] = {}
    for path in paths:
        trace = _Trace(path, options, notes)
        if trace.kind.quantity in streams:
            raise BadRecording(f"{path}: a second file of the {trace.kind.quantity}; expected one")
        streams[trace.kind.quantity] = Stream(trace.stretches(), trace.repeats)
    return merged(streams, notes)


class _Trace:
    """A file."""

    def __init__(self, path: Path, options: Options, notes: Notes) -> None:
        self._path, self._options, self._notes = path, options, notes
        name, self._root = self._typed(_loaded(path), "")
        kind = next((kind for kind in _KINDS if kind.name in name), None)
        if kind is None:
            self._refuse(name, "", _UNKNOWN)
        self.kind = kind
        self._name = name
        self.repeats = self._is_pattern(name) and self._root.get("count", 0) == 0
        self._steps = 0
        self._note_meaning()

    def _note_meaning(self) -> None:
        octets = self._options.packet
        if self.kind.name == "Bw":
            self._notes.assume(f"the rate is that of IP packets of {octets} octets; the line's has their cells")
        elif self.kind.name == "Loss":
            self._notes.assume(
                f"a packet of {octets} octets is lost with any of its cells, which are lost independently"
            )

    def stretches(self) -> Iterator[Stretch]:
        """Yield the values of one pass.

        Raises
        ------
        BadRecording
            The file is not a trace; the message says where.
        """
        at = 0
        for value, duration in self._passes(self._name, self._root, self._name, depth=0):
            if duration:
                yield Stretch(at, at + duration, value)
                at += duration
            self._steps += 1
            if self._steps > _MOST_STEPS:
                raise BadRecording(f"{self._path}: more than {_MOST_STEPS} steps, repetitions included; expected fewer")
        if at == 0:
            raise BadRecording(f"{self._path}: no time passes in this trace; expected durations above 0")

    def _passes(self, name: str, table: dict[str, Any], where: str, depth: int) -> Iterator[tuple[float, int]]:
        if depth > _DEEPEST:
            raise BadRecording(f"{self._path}: patterns in patterns, {_DEEPEST} deep; expected fewer")
        if name == f"Static{self.kind.name}Config":
            yield self._value(table.get(self.kind.key), f"{where}.{self.kind.key}"), self._duration(table, where)
        elif name == "TraceBwConfig" and self.kind.name == "Bw":
            yield from self._pairs(table, where)
        elif self._is_pattern(name):
            yield from self._pattern(table, where, depth)
        else:
            self._refuse(name, where, _UNKNOWN)

    def _is_pattern(self, name: str) -> bool:
        return name == f"Repeated{self.kind.name}PatternConfig"

    def _pattern(self, table: dict[str, Any], where: str, depth: int) -> Iterator[tuple[float, int]]:
        pattern, count = table.get("pattern", []), table.get("count", 0)
        if not isinstance(pattern, list):
            self._refuse(pattern, f"{where}.pattern", "expected a list of traces")
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            self._refuse(count, f"{where}.count", "expected a whole number, 0 for ever")
        if count == 0 and depth > 0:
            self._refuse(
                count, f"{where}.count", "expected 1 or more: a pattern in another that never ends hides the rest"
            )
        for _ in range(count or 1):
            before = self._steps
            for index, each in enumerate(pattern):
                name, inner = self._typed(each, f"{where}.pattern[{index}]")
                yield from self._passes(name, inner, f"{where}.pattern[{index}].{name}", depth + 1)
            if self._steps == before:
                return

    def _pairs(self, table: dict[str, Any], where: str) -> Iterator[tuple[float, int]]:
        pairs = table.get("pattern")
        if not isinstance(pairs, list):
            self._refuse(pairs, f"{where}.pattern", "expected a list of pairs of a duration and rates")
        for index, pair in enumerate(pairs):
            place = f"{where}.pattern[{index}]"
            if not (isinstance(pair, list) and len(pair) == 2 and isinstance(pair[1], list)):
                self._refuse(pair, place, 'expected a pair such as ["1ms", ["2Mbps", "4Mbps"]]')
            duration = self._time(pair[0], place)
            for rate in pair[1]:
                yield self._value(rate, place), duration

    def _duration(self, table: dict[str, Any], where: str) -> int:
        if "duration" not in table:
            self._notes.assume("a value without a duration lasts 1 s, as in netem-trace")
            return PS
        return self._time(table["duration"], f"{where}.duration")

    def _value(self, value: object, where: str) -> float:
        if self.kind.name == "Bw":
            return line_rate(self._rate(value, where), self._options.packet)
        if self.kind.name == "Delay":
            return float(self._time(value, where))
        return cell_loss(self._loss(value, where), self._options.packet)

    def _time(self, value: object, where: str) -> int:
        """Return a time in ps."""
        match value:
            case {"secs": int(secs), "nanos": int(nanos)} if secs >= 0 and 0 <= nanos < 10**9:
                return secs * PS + nanos * 1000
            case str() if (seconds := _sum(value, _TIMES)) is not None:
                return round(seconds * PS)
        self._refuse(value, where, 'expected a time such as "1s 500ms" or {"secs": 1, "nanos": 500000000}')

    def _rate(self, value: object, where: str) -> float:
        """Return a rate in bit/s."""
        match value:
            case {"gbps": int(gbps), "bps": int(bps)} if gbps >= 0 and 0 <= bps < 10**9:
                return gbps * 1e9 + bps
            case str() if (rate := _sum(value, _RATES)) is not None:
                return rate
        self._refuse(value, where, 'expected a rate such as "12Mbps" or {"gbps": 0, "bps": 12000000}')

    def _loss(self, value: object, where: str) -> float:
        """Return the mean loss of packets."""
        ok = isinstance(value, list) and all(isinstance(p, int | float) and 0 <= p <= 1 for p in value)
        if not ok or not isinstance(value, list):
            self._refuse(value, where, "expected a list of probabilities, 0 to 1")
        if len(set(value)) > 1:
            self._notes.leave("bursts of losses: the mean of a list of probabilities is taken")
        return mean_loss(value)

    def _typed(self, value: object, where: str) -> tuple[str, dict[str, Any]]:
        match value:
            case dict() if len(value) == 1:
                name, table = next(iter(value.items()))
                if isinstance(table, dict):
                    return str(name), table
        self._refuse(value, where, 'expected a table with one type, such as {"StaticBwConfig": {...}}')

    def _refuse(self, value: object, where: str, expected: str) -> NoReturn:
        found = value if isinstance(value, str) else json.dumps(value, default=str)[:1000]
        raise BadRecording(f"{self._path}: {f'{where}: ' if where else ''}{shown(found)}; {expected}")


def mean_loss(chain: Sequence[float]) -> float:
    """Return the mean loss where a packet is lost with a probability that depends on how many were lost before it.

    The last probability counts for all longer runs of losses. A run of losses begins after 1 / p0 packets on average.

    >>> mean_loss([]), mean_loss([0.25]), f"{mean_loss([0.1, 0.5]):.4f}", mean_loss([0.1, 1.0])
    (0.0, 0.25, '0.1667', 1.0)
    """
    if not chain or chain[0] == 0:
        return 0.0
    if chain[-1] == 1 and all(chain):
        return 1.0
    run, reach = 1.0, 1.0
    for chance in chain[1:-1]:
        reach *= chance
        run += reach
    run += reach * chain[-1] / (1 - chain[-1]) if chain[-1] < 1 else 0.0
    return run / (run + 1 / chain[0])


def _sum(text: str, units: dict[str, float]) -> float | None:
    """Return the sum of numbers with units, such as "1s 500ms"; None if the text is none."""
    total, place = 0.0, 0
    while found := _PART.match(text, place):
        if found[2] not in units:
            return None
        total += float(found[1]) * units[found[2]]
        place = found.end()
    return total if place and not text[place:].strip() and math.isfinite(total) else None


def _loaded(path: Path) -> object:
    """Read the JSON, or the TOML if the file's name ends so, as rattan does.

    Raises
    ------
    BadRecording
        It is neither; the message says where.
    """
    try:
        text = read_text(path)
        return tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    except json.JSONDecodeError as error:
        raise BadRecording(f"{path}:{error.lineno}: column {error.colno}: {error.msg}; expected JSON") from error
    except tomllib.TOMLDecodeError as error:
        raise BadRecording(f"{path}: {error}; expected TOML") from error
    except RecursionError as error:
        raise BadRecording(f"{path}: lists in lists without end; expected a trace of netem-trace") from error
    except NotText as error:
        raise BadRecording(str(error)) from error
    except ValueError as error:
        raise BadRecording(f"{path}: {error}; expected a trace of netem-trace") from error


class _Pattern:
    """A file, written from the segments of one quantity."""

    def __init__(self, file: TextIO, kind: _Kind, *, repeats: bool) -> None:
        self._file, self._kind = file, kind
        self._before: tuple[int, int, str] | None = None
        self._first = True
        self._count = 0 if repeats else 1
        file.write(f'{{"Repeated{kind.name}PatternConfig":{{"pattern":[')

    def feed(self, start: int, stop: int, value: str) -> None:
        """Add a segment."""
        if self._before is not None and self._before[2] == value:
            start = self._before[0]
        else:
            self._flush()
        self._before = start, stop, value

    def close(self) -> None:
        """Write the end."""
        self._flush()
        self._file.write(f'\n],"count":{self._count}}}}}\n')

    def _flush(self) -> None:
        if self._before is None:
            return
        start, stop, value = self._before
        # Both ends are rounded, so that no error adds up.
        duration = _human_time(round(stop / 1000) - round(start / 1000))
        comma = "" if self._first else ","
        self._first = False
        kind = self._kind
        self._file.write(
            f'{comma}\n{{"Static{kind.name}Config":{{"{kind.key}":{value},"duration":{json.dumps(duration)}}}}}'
        )


def _human_time(ns: int) -> str:
    """Write a time for ``humantime``, which reads whole numbers only.

    >>> _human_time(1_500_000_000), _human_time(10_000_001), _human_time(0)
    ('1s 500ms', '10ms 1ns', '0s')
    """
    parts = []
    for unit, size in (("s", 10**9), ("ms", 10**6), ("us", 10**3), ("ns", 1)):
        amount, ns = divmod(ns, size)
        if amount:
            parts.append(f"{amount}{unit}")
    return " ".join(parts) or "0s"


def write(recording: Recording, files: Sequence[TextIO], names: Sequence[str], options: Options, notes: Notes) -> str:
    """Write a file for each quantity, in the order of rate, delay, loss; return where rattan takes them."""
    kinds = [kind for kind in _KINDS if kind.quantity in recording.has]
    patterns = [_Pattern(file, kind, repeats=recording.repeats) for file, kind in zip(files, kinds, strict=True)]
    for segment in recording.segments:
        for kind, pattern in zip(kinds, patterns, strict=True):
            pattern.feed(segment.start, segment.stop, _told(kind, segment, options))
    for pattern in patterns:
        pattern.close()
    if recording.end_note:
        notes.assume(recording.end_note)
    if "rate" in recording.has:
        notes.assume(f"the rate of packets is that of {options.packet} octets, in whole bit/s")
    if "loss" in recording.has:
        notes.assume(f"packets are lost, not cells: those of {options.packet} octets that lose a cell")
    notes.assume("times and rates are texts, as with the feature `human` of netem-trace")
    devices = {"rate": "BwReplay", "delay": "DelayReplay", "loss": "LossReplay"}
    return ", ".join(
        f"{devices[kind.quantity]}: trace = {toml_text(name)}" for kind, name in zip(kinds, names, strict=True)
    )


def _told(kind: _Kind, segment: Segment, options: Options) -> str:
    """Return the value of a segment in JSON."""
    if kind.quantity == "rate":
        return json.dumps(f"{round(packets_rate(segment.rate or 0.0, options.packet))}bps")
    if kind.quantity == "delay":
        return json.dumps(_human_time(round((segment.delay or 0) / 1000)))
    return f"[{shortest(packet_loss(segment.loss or 0.0, options.packet))}]"
