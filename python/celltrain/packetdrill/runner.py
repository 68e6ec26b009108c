"""Runs a script in virtual time: feeds the TCP under test and compares the segments that it sends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from celltrain.files import read_text
from celltrain.packetdrill import tcp_info
from celltrain.packetdrill.calls import Failed, Sockets
from celltrain.packetdrill.compare import Clock, difference, joined
from celltrain.packetdrill.endpoint import Seen
from celltrain.packetdrill.reading import Unreadable, parse
from celltrain.packetdrill.script import Call, Code, Command, Direction, Event, NotSupported, Packet, Script, When
from celltrain.packetdrill.settings import Settings
from celltrain.packetdrill.sysctl import Commands

_PS_PER_S = 1_000_000_000_000
#: Default tolerances of times, as in packetdrill: absolute (us), and in percent of the time since the previous
#: event.
TOLERANCE_US, TOLERANCE_PERCENT = 4000, 12.5
#: How long ``*`` waits for a segment, in s.
_PATIENCE_S = 300.0
#: Maximum duration of a script, in s: repeating timers would run forever.
_LONGEST_S = 86_400.0
_KNOWN_OPTIONS = {
    "define": "",
    "tolerance_usecs": "",
    "tolerance_percent": "",
    "mtu": "",
    "tcp_ts_tick_usecs": "",
    "mss": "long segments of the peer arrive as one",
    "ip_version": "addresses are not modelled",
    "local_ip": "addresses are not modelled",
    "remote_ip": "addresses are not modelled",
    "gateway_ip": "addresses are not modelled",
    "netmask_ip": "addresses are not modelled",
    "bind_port": "addresses are not modelled",
    "connect_port": "addresses are not modelled",
}


class Result(StrEnum):
    """The result of a script."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_SUPPORTED = "not supported"


@dataclass(frozen=True)
class Outcome:
    """The outcome of a script.

    Attributes
    ----------
    script : str
        Name of the script.
    result : Result
        Whether all expectations were met.
    line : int
        Line of the event that failed or is not supported; 0 if the script passed.
    message : str
        What was expected and seen, or what is not supported; empty if the script passed.
    notes : tuple of str
        Settings without an effect, and why.
    """

    script: str
    result: Result
    line: int = 0
    message: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Options:
    """Options for running scripts.

    Attributes
    ----------
    preset : str
        The TCP under test: a preset of the scenario language.
    defines : mapping
        Words in scripts that stand for numbers or texts.
    """

    preset: str = "linux"
    defines: Mapping[str, str] = field(default_factory=dict)


def run_file(path: Path, options: Options | None = None) -> Outcome:
    """Run the script in a file; a file that cannot be read is not supported."""
    try:
        text = read_text(path)
    except (OSError, ValueError) as error:
        return Outcome(str(path), Result.NOT_SUPPORTED, 0, f"the file cannot be read: {error}")
    return run_text(text, str(path), path.parent, options)


def run_text(text: str, name: str, folder: Path, options: Options | None = None) -> Outcome:
    """Run a script; paths of files in its commands are relative to ``folder``.

    Raises
    ------
    ScenarioError
        There is no such preset.
    """
    options = options or Options()
    try:
        script = parse(text, options.defines)
    except Unreadable as error:
        return Outcome(name, Result.NOT_SUPPORTED, error.line, str(error))
    # Outside the handling of script errors: an unknown preset is an error of the caller.
    Settings.of_preset(options.preset)
    line, commands = 0, None
    try:
        commands = Commands(Settings.of_preset(options.preset, int(script.options.get("mtu", "1500"))), [])
        run = _Run(script, commands, folder)
        run.check_options()
        for event in script.events:
            line = event.line
            run.carry_out(event)
        run.finish()
    except Failed as error:
        result, line, message = Result.FAILED, error.line or line, str(error)
    except NotSupported as error:
        result, message = Result.NOT_SUPPORTED, str(error)
    except (ValueError, OverflowError) as error:
        # Numbers too large for segments and scenarios, and unterminated quotes.
        result, message = Result.NOT_SUPPORTED, f"a value here: {error}"
    else:
        result, line, message = Result.PASSED, 0, ""
    return Outcome(name, result, line, message, tuple(commands.notes) if commands is not None else ())


class _Run:
    """A running script."""

    def __init__(self, script: Script, commands: Commands, folder: Path) -> None:
        self.script = script
        self.commands = commands
        self.folder = folder
        self.now_ps = 0
        self.sockets = Sockets(commands)
        self.clock = Clock(float(script.options.get("tcp_ts_tick_usecs", "0")))
        self.names: dict[str, int] = {}
        self.taken = 0
        self.scheduled_ps = 0

    def check_options(self) -> None:
        for name, value in self.script.options.items():
            if name not in _KNOWN_OPTIONS:
                raise NotSupported(f"the option --{name}")
            if why := _KNOWN_OPTIONS[name]:
                self.commands.notes.append(f"--{name}={value}: no effect, {why}")

    def carry_out(self, event: Event) -> None:
        """Advance time to the event, and perform it or wait for it."""
        if event.direction is Direction.OUTBOUND and isinstance(event.action, Packet):
            self._expect(event.when, event.action)
            return
        start_ps = self._due(event.when, event.when.start)
        self._advance(start_ps)
        self.scheduled_ps = start_ps
        match event.action:
            case Packet() as packet:
                self._deliver(packet)
            case Call() as call:
                base_ps = start_ps - _ps(event.when.start or 0) if event.when.is_relative else 0
                end_ps = None if call.end is None else base_ps + _ps(call.end)
                self.sockets.call(call, self.now_ps, end_ps, self._tolerance_ps(0), event.line)
            case Command(text):
                before = self.commands.settings
                self.commands.read(text, self.folder)
                if self.sockets.endpoint is not None and self.commands.settings != before:
                    self.sockets.change(self.commands.settings)
            case Code(text):
                if self.sockets.endpoint is None:
                    raise NotSupported("an assertion without a connection")
                if failed := tcp_info.check(text, self.sockets.endpoint, self.now_ps, self.names):
                    raise Failed(failed)

    def finish(self) -> None:
        """Check that calls that still block return in time."""
        if (end_ps := self.sockets.blocked_until_ps) is not None:
            self._advance(end_ps)
            self.sockets.check_blocked(end_ps + 2 * self._tolerance_ps(0))

    def _due(self, when: When, time_s: float | None) -> int:
        if time_s is None:
            return self.now_ps
        return max(self.now_ps, _ps(time_s) + (self.now_ps if when.is_relative else 0))

    def _tolerance_ps(self, since_ps: int) -> int:
        fixed = float(self.script.options.get("tolerance_usecs", str(TOLERANCE_US))) * 1e6
        percent = float(self.script.options.get("tolerance_percent", str(TOLERANCE_PERCENT)))
        return round(min(max(fixed, percent / 100 * since_ps), _LONGEST_S * _PS_PER_S))

    def _advance(self, until_ps: int) -> None:
        """Run the timers up to and including an instant."""
        while (due := self._next_timer()) is not None and due <= until_ps:
            self.now_ps = max(self.now_ps, due)
            self._act_on_timer()
        self.now_ps = max(self.now_ps, until_ps)

    def _next_timer(self) -> int | None:
        return None if self.sockets.endpoint is None else self.sockets.endpoint.next_timeout_ps

    def _act_on_timer(self) -> None:
        assert self.sockets.endpoint is not None
        self.sockets.endpoint.on_timer(self.now_ps)
        self.sockets.check_blocked(self.now_ps)

    def _deliver(self, packet: Packet) -> None:
        _refuse(packet, ("", "noecn", "ect0", "ce"))
        self.sockets.on_packet(self.now_ps, packet)
        self.sockets.check_blocked(self.now_ps)

    # ---- Segments that our TCP must send ----

    def _expect(self, when: When, packet: Packet) -> None:
        """Wait for a segment, and compare it; a long one may come as several (the kernel merges segments)."""
        _refuse(packet, ("", "noecn", "ect0"))
        earliest = latest = None
        if when.start is not None:
            base = self.now_ps if when.is_relative else 0
            start = base + _ps(when.start)
            tolerance = self._tolerance_ps(max(0, start - self.scheduled_ps))
            earliest, latest = start - tolerance, (base + _ps(when.end) if when.end is not None else start) + tolerance
        seen = self._next_sent(latest, f"expected {packet}")
        while (more := joined(seen.packet, packet)) is not None:
            following = self._next_sent(latest, f"expected {packet}; seen only {seen.packet}")
            if not more(following.packet):
                raise Failed(f"expected {packet}; seen {seen.packet}, then {following.packet}")
            seen = Seen(seen.time_ps, _join(seen.packet, following.packet))
        if found := difference(packet, seen.packet, self.clock, self.sockets.endpoint, seen.time_ps):
            raise Failed(f"expected {packet}; seen {seen.packet} ({found})")
        self._check_time(seen, earliest, latest, packet)
        self.now_ps = max(self.now_ps, seen.time_ps)
        self.scheduled_ps = self.now_ps

    def _check_time(self, seen: Seen, earliest: int | None, latest: int | None, packet: Packet) -> None:
        if earliest is not None and latest is not None and not earliest <= seen.time_ps <= latest:
            wide = "" if latest - earliest == 0 else f" from {_s(earliest)} to {_s(latest)} s"
            raise Failed(f"expected {packet}{wide}; seen at {_s(seen.time_ps)} s")

    def _next_sent(self, latest: int | None, expected: str) -> Seen:
        endpoint = self.sockets.endpoint
        until = self.now_ps + _ps(_PATIENCE_S) if latest is None else latest
        while endpoint is None or len(endpoint.sent) <= self.taken:
            due = self._next_timer()
            if due is None or due > until:
                raise Failed(f"{expected}; nothing was sent until {_s(until)} s")
            self.now_ps = max(self.now_ps, due)
            self._act_on_timer()
            endpoint = self.sockets.endpoint
        seen = endpoint.sent[self.taken]
        self.taken += 1
        return seen


def _refuse(packet: Packet, ip_infos: tuple[str, ...]) -> None:
    """Raise :class:`NotSupported` for features that our TCP neither sends nor understands."""
    if packet.ip_info not in ip_infos:
        raise NotSupported(f"({packet.ip_info}) of an IP header")
    if packet.is_urgent or "U" in packet.flags:
        raise NotSupported("urgent data")
    if packet.options is not None and packet.options.others:
        raise NotSupported(f"the TCP option {packet.options.others[0]}")


def _join(first: Packet, second: Packet) -> Packet:
    flags = "".join(sorted(set(first.flags) | set(second.flags), key="SFEW.".index))
    length = first.length + second.length
    return Packet(flags, first.seq, length, first.ack, first.window, first.options, first.ip_info)


def _ps(time_s: float) -> int:
    if time_s > _LONGEST_S:
        raise NotSupported(f"a time of {time_s:g} s; at most {_LONGEST_S:g} s")
    return round(time_s * 1e6) * 1_000_000


def _s(time_ps: int) -> str:
    return f"{time_ps / _PS_PER_S:.6f}"
