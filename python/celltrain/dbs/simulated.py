"""Plans in the simulator: the flows of a scenario that send according to a plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from celltrain import quantity
from celltrain.data import Data

_N = TypeVar("_N", int, float)

#: Octets of IP and UDP headers.
_UDP_HEADERS = 28
#: Keys that a flow of a plan may have here; the simulator itself measures continuously, with probes.
_KEYS = {"from", "to", "protocol", "start", "duration", "write", "pattern", "socket"}
_SOCKET_KEYS = {"send_buffer", "receive_buffer", "mss", "nagle"}


def flows(plan: Mapping[str, Any]) -> Data:
    """Return the flows of a scenario for those of a plan, each on the VC named ``FROM-TO``.

    Parameters
    ----------
    plan
        The plan, as parsed from TOML. For TCP it defines only the sockets: the rest belongs to the scenario's
        hosts and is merged into the flows.

    Raises
    ------
    ValueError
        The plan requests something that is not simulated; the message names flow and key.

    >>> tcp = {"from": "a", "to": "c", "start": "5 s", "write": "1460 bytes", "socket": {"send_buffer": "9000 bytes"}}
    >>> hosts = {"a": {}, "c": {}}
    >>> flows({"hosts": hosts, "flows": {"x": tcp}})
    {'x': {'vc': 'a-c', 'start': '5 s', 'sockets': {'write': '1460 bytes', 'send_buffer': '9000 bytes'}, 'tcp': {}}}
    >>> udp = {"from": "a", "to": "c", "protocol": "udp", "write": "512 bytes", "pattern": {"every": "20 ms"}}
    >>> flows({"hosts": hosts, "flows": {"x": udp}})["x"]["udp"]["traffic"]
    {'process': 'cbr', 'rate': '216000 bit/s'}
    """
    hosts = list(plan["hosts"])
    return {name: _flow(f"flows.{name}", entry, hosts) for name, entry in plan["flows"].items()}


def _flow(path: str, entry: Mapping[str, Any], hosts: Sequence[str]) -> Data:
    _require_known(path, entry, _KEYS)
    for key in ("from", "to"):
        if entry[key] not in hosts:
            raise ValueError(f"{path}.{key}: expected one of the hosts {', '.join(hosts)}, found {entry[key]}")
    timing = {key: entry[key] for key in ("start", "duration") if key in entry}
    common = {"vc": f"{entry['from']}-{entry['to']}", **timing}
    if entry.get("protocol", "tcp") == "udp":
        return {**common, "udp": _datagrams(path, entry)}
    if "pattern" in entry:
        raise ValueError(f"{path}.pattern: connections are greedy here; found {entry['pattern']}")
    socket = entry.get("socket", {})
    _require_known(f"{path}.socket", socket, _SOCKET_KEYS)
    sockets = {"write": entry.get("write"), "send_buffer": socket.get("send_buffer")}
    tcp = {"window": socket.get("receive_buffer"), "mss": socket.get("mss"), "nagle": socket.get("nagle")}
    return {**common, "sockets": _given(sockets), "tcp": _given(tcp)}


def _datagrams(path: str, entry: Mapping[str, Any]) -> Data:
    """Return evenly spaced datagrams, including IP and UDP headers."""
    pattern = entry.get("pattern", {})
    if set(pattern) != {"every"}:
        raise ValueError(f'{path}.pattern: expected {{ every = "20 ms" }} for datagrams, found {pattern}')
    octets = _read(f"{path}.write", entry.get("write", "1200 bytes"), quantity.octets) + _UDP_HEADERS
    rate = octets * 8 / _read(f"{path}.pattern.every", pattern["every"], quantity.seconds)
    return {"packet": f"{octets} bytes", "traffic": {"process": "cbr", "rate": f"{rate:.10g} bit/s"}}


def _require_known(path: str, table: Mapping[str, Any], known: set[str]) -> None:
    for key in table.keys() - known:
        raise ValueError(f"{path}.{key}: not simulated; known here are {', '.join(sorted(known))}")


def _given(table: Mapping[str, Any]) -> Data:
    return {key: value for key, value in table.items() if value is not None}


def _read(path: str, text: str, read: Callable[[str], _N]) -> _N:
    """Read a quantity; an error names its key."""
    try:
        return read(text)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
