"""Conversion of command files into plans."""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from celltrain.dbs.original.reading import CommandError, Group, Setting, connections

_OF_CONNECTION = ("file", "protocol", "start_time", "end_time", "connection_mode", "send_times")
_OF_END = (
    "hostname",
    "hostname_cmd",
    "port",
    "so_debug",
    "tcp_trace",
    "no_delay",
    "recv_buff",
    "send_buff",
    "mem_align",
)
#: Numbers of an entry of a pattern: octets of a message, octets of a write or read, interval and wait in s.
_ENTRY = 4
#: Names of flows and hosts in plans.
_NAME = re.compile(r"[A-Za-z0-9._-]{1,64}")


@dataclass(frozen=True)
class Converted:
    """A converted command file.

    Attributes
    ----------
    plan : dict
        The plan, as plain data.
    notes : list of str
        What the plan cannot say, each with its line.
    """

    plan: dict[str, Any]
    notes: list[str]

    def to_toml(self) -> str:
        """Return the plan as TOML; notes are comments at its top."""
        lines = [f"# {note}" for note in self.notes] + ([""] if self.notes else [])
        lines.append("[hosts]")
        lines += [f"{_key(name)} = {_value(host)}" for name, host in self.plan["hosts"].items()]
        for name, flow in self.plan["flows"].items():
            lines += ["", f"[flows.{_key(name)}]"]
            lines += [f"{key} = {_value(value)}" for key, value in flow.items()]
        return "\n".join(lines) + "\n"


@dataclass
class _Conversion:
    addresses: Mapping[str, str]
    hosts: dict[str, dict[str, str]] = field(default_factory=dict)
    #: Names for control connections, by name of host.
    controls: dict[str, str] = field(default_factory=dict)
    flows: dict[str, dict[str, Any]] = field(default_factory=dict)
    #: Lines and what they say.
    notes: list[tuple[int, str]] = field(default_factory=list)

    def note(self, setting: Setting, message: str) -> None:
        self.notes.append((setting.line, message))

    def add(self, connection: Group) -> None:
        """Add the flow of a connection, and its hosts."""
        connection.check(_OF_CONNECTION, ("sender", "receiver"))
        sender, receiver = connection.group("sender"), connection.group("receiver")
        for end in (sender, receiver):
            end.check(_OF_END, ("pattern",))
        name = self._name(connection)
        protocol = _choice(connection.setting("protocol"), ("TCP", "UDP"))
        flow: dict[str, Any] = {"from": self._host(sender), "to": self._host(receiver)}
        if flow["from"] == flow["to"]:
            raise CommandError(
                f"{flow['to']!r} sends to itself: give the receiver another name for this machine, with its address",
                receiver.setting("hostname").line,
            )
        flow["protocol"] = protocol.lower()
        flow |= _times(connection)
        flow |= _pattern(sender, connection.settings.get("send_times"))
        flow |= self._read(receiver, protocol)
        flow |= self._sockets(sender, receiver, protocol)
        if port := _port(receiver):
            flow["port"] = port
        self._without_counterpart(connection, sender, receiver)
        self.flows[name] = flow

    def _name(self, connection: Group) -> str:
        file = connection.setting("file")
        if not _NAME.fullmatch(file.text):
            raise CommandError(
                f"`file` becomes the name of the flow: expected up to 64 letters, digits, '.', '_' and '-', "
                f"found {file.text!r}",
                file.line,
            )
        if file.text in self.flows:
            raise CommandError(f"two connections have `file` {file.text!r}: each flow has a name of its own", file.line)
        return file.text

    def _host(self, end: Group) -> str:
        setting = end.setting("hostname")
        name = setting.text
        if not _NAME.fullmatch(name):
            raise CommandError(f"expected the name or IPv4 address of a host, found {name!r}", setting.line)
        text = self.addresses.get(name, "127.0.0.1" if name == "localhost" else name)
        try:
            address = ipaddress.ip_address(text)
        except ValueError:
            raise CommandError(
                f"plans need the address of {name!r}, at which it sends and receives data: give it with "
                f"--address {name}=ADDRESS",
                setting.line,
            ) from None
        control = end.settings.get("hostname_cmd")
        if control is not None and self.controls.setdefault(name, control.text) != control.text:
            raise CommandError(f"{name!r} has had `hostname_cmd` {self.controls[name]!r} before", control.line)
        host = self.hosts.setdefault(name, {"address": str(address)})
        if not address.is_loopback:
            host["ssh"] = self.controls.get(name, name)
        return name

    def _read(self, receiver: Group, protocol: str) -> dict[str, Any]:
        if not any(group.name == "pattern" for group in receiver.groups):
            return {}
        entries = _entries(receiver.group("pattern"))
        reads = [_count(entry[1], "octets of a read") for entry in entries]
        for entry in entries:
            for pause in entry[2:]:
                if _seconds(pause):
                    raise CommandError("receivers of plans do not pause between reads: expected 0.0", pause.line)
        if protocol == "UDP":
            # A read takes a datagram, however long.
            return {}
        if len(set(reads)) > 1:
            self.note(entries[0][1], f"all reads have {max(reads)} octets, the largest of the pattern")
        return {"read": f"{max(reads)} bytes"}

    def _sockets(self, sender: Group, receiver: Group, protocol: str) -> dict[str, Any]:
        socket: dict[str, Any] = {}
        for key, end, name in (("send_buff", sender, "send_buffer"), ("recv_buff", receiver, "receive_buffer")):
            if octets := _optional_count(end, key):
                socket[name] = f"{octets} bytes"
        for key, end in (("recv_buff", sender), ("send_buff", receiver)):
            name = "receive_buffer" if key == "recv_buff" else "send_buffer"
            octets = _optional_count(end, key)
            if octets and socket.get(name) != f"{octets} bytes":
                self.note(end.settings[key], f"`{key}` of the {end.name}: both ends have the same {name}")
        if protocol == "TCP" and _is_on(sender, "no_delay"):
            socket["nagle"] = False
        return {"socket": socket} if socket else {}

    def _without_counterpart(self, connection: Group, sender: Group, receiver: Group) -> None:
        if _port(sender):
            self.note(sender.settings["port"], "`port` of the sender: it uses any free one")
        if _is_on(receiver, "no_delay") and not _is_on(sender, "no_delay"):
            self.note(receiver.settings["no_delay"], "`no_delay` of the receiver, which sends no data")
        for end in (sender, receiver):
            _optional_count(end, "mem_align")
            _is_on(end, "tcp_trace")
            if _is_on(end, "so_debug"):
                self.note(end.settings["so_debug"], "`so_debug`: Linux records nothing for it; see the table tcp_info")
        mode = connection.settings.get("connection_mode")
        if mode and _choice(mode, ("BEFORE", "AFTER")) == "AFTER":
            self.note(mode, "`connection_mode` AFTER: connections are opened before the common start")


def convert(text: str, addresses: Mapping[str, str] | None = None) -> Converted:
    """Convert a command file.

    Parameters
    ----------
    text
        The command file.
    addresses
        Addresses by name of host. Without one, the name must be an address or ``localhost``.

    Raises
    ------
    CommandError
        It is not a command file, or a plan cannot say what it asks for.
    """
    conversion = _Conversion(addresses or {})
    for connection in connections(text):
        conversion.add(connection)
    plan = {"hosts": conversion.hosts, "flows": conversion.flows}
    return Converted(plan, [f"line {line}: {message}" for line, message in sorted(conversion.notes)])


def _times(connection: Group) -> dict[str, str]:
    end = connection.setting("end_time")
    start = connection.settings.get("start_time", Setting("0", end.line))
    begins, ends = _seconds(start), _seconds(end)
    if ends <= begins:
        raise CommandError(f"expected an `end_time` after `start_time` {start.text}, found {end.text!r}", end.line)
    return {"start": _span(begins), "duration": _span(ends - begins)}


def _pattern(sender: Group, times: Setting | None) -> dict[str, Any]:
    """Return the keys of a flow for the pattern of its sender."""
    entries = _entries(sender.group("pattern"))
    messages = []
    for message, write, interval, wait in entries:
        octets = _count(message, "octets of a message")
        size = min(_count(write, "octets of a write"), octets)
        messages.append((octets, size, _seconds(interval), _seconds(wait)))
    sent = {}
    if times is not None:
        sent["bytes"] = f"{_count(times, 'times') * sum(message[0] for message in messages)} bytes"
    first_octets, first_size, *pauses = messages[0]
    if len(messages) == 1 and not any(pauses) and first_octets % first_size == 0:
        return {"write": f"{first_size} bytes", **sent}
    entry = ("message", "write", "interval", "wait")
    written = [
        dict(zip(entry, (f"{octets} bytes", f"{size} bytes", *map(_span, pauses)), strict=True))
        for octets, size, *pauses in messages
    ]
    return {"pattern": {"messages": written}, **sent}


def _entries(pattern: Group) -> list[Sequence[Setting]]:
    numbers = pattern.numbers
    if pattern.settings or pattern.groups or not numbers or len(numbers) % _ENTRY:
        raise CommandError(
            "expected entries of four numbers in `pattern`: octets of a message, octets of a write or read, interval "
            f"and wait in s; found {len(numbers)} numbers",
            pattern.line,
        )
    return [numbers[at : at + _ENTRY] for at in range(0, len(numbers), _ENTRY)]


def _port(end: Group) -> int:
    setting = end.settings.get("port")
    if setting is None:
        return 0
    if not setting.text.isascii() or not setting.text.isdigit() or int(setting.text) > 65_535:
        raise CommandError(f"expected a port, or 0 for any, found {setting.text!r}", setting.line)
    return int(setting.text)


def _optional_count(end: Group, key: str) -> int:
    """Return the octets of a key; 0 leaves the choice to the host, as leaving the key out does."""
    setting = end.settings.get(key)
    if setting is None or setting.text == "0":
        return 0
    return _count(setting, "octets")


def _count(setting: Setting, what: str) -> int:
    if setting.text.isascii() and setting.text.isdigit() and 0 < int(setting.text) <= 1 << 40:
        return int(setting.text)
    raise CommandError(f"expected a whole number of {what}, found {setting.text!r}", setting.line)


def _seconds(setting: Setting) -> float:
    if re.fullmatch(r"(\d+(\.\d*)?|\.\d+)([eE][-+]?\d{1,2})?", setting.text):
        return float(setting.text)
    raise CommandError(f"expected a time in s, found {setting.text!r}", setting.line)


def _is_on(end: Group, key: str) -> bool:
    setting = end.settings.get(key)
    return setting is not None and _choice(setting, ("ON", "OFF")) == "ON"


def _choice(setting: Setting, known: Sequence[str]) -> str:
    if setting.text not in known:
        raise CommandError(f"expected {' or '.join(known)}, found {setting.text!r}", setting.line)
    return setting.text


def _span(seconds: float) -> str:
    """Write a time; the language of plans has no times below a picosecond."""
    return f"{round(seconds, 12):.12f}".rstrip("0").rstrip(".") + " s"


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)


def _value(value: Any) -> str:  # noqa: ANN401 - any value of a plan
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {_value(each)}" for key, each in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return json.dumps(value)
