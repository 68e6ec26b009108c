"""Mahimahi packet-delivery traces as the lines of a network."""

from __future__ import annotations

from pathlib import Path

from celltrain import _native
from celltrain.data import Data
from celltrain.files import read_octets
from celltrain.scenario import LONGEST_TRACE, Scenario

#: The part of a line's rate that is IP packets of 1500 octets: each takes 32 cells.
PACKET_SHARE = 1500 * 8 / (32 * 424)
#: The network for traces without a scenario: an unlimited queue, as in `mm-link` by default.
_PLAIN: Data = {
    "measure": {"duration": "1 s"},
    "hosts": {"client": {}, "server": {}},
    "links": {
        "up": {"from": "client", "to": "server", "delay": "0 s", "buffer": "1000000 cells", "rate": "1 Gbit/s"},
        "down": {"from": "server", "to": "client", "delay": "0 s", "buffer": "1000000 cells", "rate": "1 Gbit/s"},
    },
    "vcs": {"line": {"route": ["client", "server"], "encapsulation": "vc-mux"}},
}


def plain() -> Scenario:
    """Return a network of two hosts whose lines have placeholder rates."""
    return Scenario(_PLAIN, "two hosts")


def with_traces(
    scenario: Scenario,
    up: Path | None,
    down: Path | None,
    *,
    vc: str | None = None,
    client: str | None = None,
) -> Scenario:
    """Replace the rates of the lines between client and server by traces.

    Parameters
    ----------
    scenario
        The network.
    up, down
        Files of traces, from the client and to it.
    vc, client
        As for :func:`celltrain.live.open_line`.

    Raises
    ------
    ValueError
        There is no single line in that direction whose rate could be replaced, or the VC does not exist.
    """
    line = _native.Line(scenario.native, 1, vc)
    forward, backward = line.lines
    if client is not None and client == line.ends[1]:
        forward, backward = backward, forward
    changes: Data = {}
    for name, file, lines in (("up", up, forward), ("down", down, backward)):
        if file is None:
            continue
        links = scenario.data["links"]
        one_way = [link for link, is_back in lines if not is_back and link in links and "from" in links[link]]
        if len(lines) != 1 or not one_way:
            shown = ", ".join(f"links.{link}" for link, _ in lines) or "none"
            raise ValueError(
                f"the trace {name} {file} must replace the rate of a single one-way line, not of a group; "
                f"lines on this path: {shown}"
            )
        changes[one_way[0]] = {"rate": {"process": "mahimahi", "trace": _text(file)}}
    return scenario.with_changes({"links": changes})


def has_opportunities(scenario: Scenario, line: _native.Line, direction: str) -> bool:
    """Return whether a direction, ``"forward"`` or ``"backward"``, crosses delivery opportunities of a trace."""
    crossed = dict(zip(("forward", "backward"), line.lines, strict=True))[direction]
    rates = [scenario.data["links"].get(link, {}).get("rate") for link, _ in crossed]
    return any(isinstance(rate, dict) and rate["process"] == "mahimahi" and "bin" not in rate for rate in rates)


def _text(file: Path) -> str:
    try:
        return read_octets(file, LONGEST_TRACE, "the longest trace").decode("ascii")
    except UnicodeDecodeError:
        raise ValueError(f"{file}: not a packet-delivery trace, which is lines of milliseconds") from None
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from error
