"""The flows of a scenario that kernels can take over, and the settings of the kernels and their programs."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from celltrain.data import Data
from celltrain.live.bulk import Bulk, Files
from celltrain.live.hosts import Settings
from celltrain.names import stem
from celltrain.quantity import bits_per_second, octets, seconds
from celltrain.registries import tcp_variant
from celltrain.scenario import Scenario

_HEADERS = 40
#: Length of a write or read at a rate, if none is given.
_CALL = "2048 bytes"


def nearest(variant: str) -> str:
    """Return the kernel's congestion control that is nearest to a variant of the simulator.

    >>> nearest("4.3bsd-reno"), nearest("cubic")
    ('reno', 'cubic')
    """
    return variant if variant in ("cubic", "bbr") else "reno"


@dataclass(frozen=True)
class Flow:
    """A flow of a VC: its name, that of the VC, its direction, its complete table, and whether it uses UDP."""

    name: str
    vc: str
    direction: str
    written: Data
    is_udp: bool = False

    @property
    def tcp(self) -> Data:
        """Its TCP options."""
        tcp: Data = self.written["tcp"]
        return tcp

    @property
    def sends_files(self) -> bool:
        """Whether it sends files, with think times between them."""
        return bool(self.written["application"]["kind"] == "files")

    @property
    def is_paced(self) -> bool:
        """Whether its application limits it according to the scenario: files, or a rate of writes."""
        return self.sends_files or self.written["sockets"].get("write_rate") is not None

    @property
    def congestion(self) -> str:
        """The kernel's congestion control for it."""
        return nearest(tcp_variant(self.tcp))

    @property
    def start_s(self) -> float:
        """When it begins to send; the latest time if it is drawn."""
        start = self.written["start"]
        return seconds(start["uniform"][1]) if isinstance(start, dict) else seconds(start)


def flows_by_vc(scenario: Scenario, seed: int) -> dict[str, list[Flow]]:
    """Find the flows of each VC that has any; members of a group are flows of their own."""
    plain: Data = json.loads(scenario.to_json())
    shortest = scenario.with_changes({"measure": {"warm_up": "0 s", "duration": "1 us"}})
    found: dict[str, list[Flow]] = {}
    for row in shortest.run(seed, cross_check=False).flows.rows():
        name, vc = str(row["flow"]), str(row["vc"])
        flow = name.removesuffix(".back")
        written = plain["flows"].get(flow) or plain["flows"][stem(flow)]
        is_udp = row["variant"] == "udp"
        found.setdefault(vc, []).append(Flow(name, vc, str(row["direction"]), written, is_udp))
    return found


def check(vc: str, flows: Sequence[Flow]) -> None:
    """Check that kernels can take over all flows of a VC.

    Raises
    ------
    ValueError
        It has no flow, a flow without TCP, one with data in both directions, or one of a user who types.
    """
    if not flows:
        raise ValueError(f"VC {vc} has no TCP flow to compare; give one: [flows.download] vc = ...")
    for flow in flows:
        if flow.is_udp:
            raise ValueError(
                f"flows.{flow.name} sends UDP on VC {vc}, whose flows the kernels take over, but parity compares "
                "only TCP; give it a VC of its own, so that it is simulated on both sides"
            )
        if flow.written.get("back") is not None:
            raise ValueError(
                f"flows.{flow.name} has data in both directions on VC {vc}, but parity compares connections with data "
                "in one direction; remove `back`"
            )
        if flow.written["application"]["kind"] == "telnet":
            raise ValueError(
                f"flows.{flow.name} is that of a user who types on VC {vc}, whose flows the kernels take over, but "
                "parity compares greedy connections and files; give it a VC of its own, to be simulated on both sides"
            )


def settings_for(flows: Sequence[Flow], mtu: int) -> Settings:
    """Return the settings of the kernels that all flows of a VC need.

    Raises
    ------
    ValueError
        They differ in a setting that applies to a whole host.
    """
    chosen: dict[str, int] = {}
    for key, of in _HOST_WIDE.items():
        values = {int(of(flow.tcp)): flow.name for flow in flows}
        if len(values) > 1:
            first, second, *_ = values.values()
            raise ValueError(
                f"flows.{first} and flows.{second} differ in {key}, which a kernel sets for all connections of a host; "
                "compare them one by one, each on its own VC (--vc)"
            )
        (chosen[key],) = values
    # One setting, too, but no reason not to compare Reno with CUBIC.
    sack = str(int(any(tcp_variant(flow.tcp) in ("sack", "cubic", "bbr") for flow in flows)))
    return Settings(
        congestion=flows[0].congestion,
        mtu=min(mtu, max(octets(flow.tcp["mss"]) for flow in flows) + _HEADERS),
        initcwnd=chosen.pop("initial window"),
        sysctls={f"net.ipv4.tcp_{key}": str(value) for key, value in chosen.items()} | {"net.ipv4.tcp_sack": sack},
    )


def initial_window(tcp: Data) -> int:
    """Return the initial window of a connection, in segments.

    >>> initial_window({"initial_window": "rfc3390", "mss": "1460 bytes"})
    3
    """
    segments = {"one-segment": 1, "two-segments": 2, "rfc6928": 10}
    # RFC 3390: 4380 octets, but at least two and at most four segments.
    return segments.get(tcp["initial_window"]) or min(4, max(2, 4380 // octets(tcp["mss"])))


#: TCP settings that a kernel has for a whole host, from those of flows.
_HOST_WIDE: dict[str, Callable[[Data], int]] = {
    "initial window": initial_window,
    "timestamps": lambda tcp: bool(tcp["timestamps"]),
    "ecn": lambda tcp: bool(tcp["ecn"]),
}


def bulk_for(flow: Flow, address: str, port: int, times: tuple[float, float], seed: int) -> Bulk:
    """Return the settings of the programs at both ends of a flow; ``times``: the end of the warm-up and of the run."""
    numbers = random.Random(f"{seed} {flow.name}")
    tcp, sockets, application = flow.tcp, flow.written["sockets"], flow.written["application"]
    start = flow.written["start"]
    start_s = numbers.uniform(*map(seconds, start["uniform"])) if isinstance(start, dict) else seconds(start)
    files = None
    if flow.sends_files:
        first = application.get("first_think")
        files = Files(
            octets(application["size"]),
            seconds(application["think"]),
            first_think_s=seconds(first) if first is not None else None,
            size_is_fixed=application["sizes"] == "fixed",
            think_is_fixed=application["thinks"] == "fixed",
            seed=numbers.randrange(1 << 32),
        )
    paces: dict[str, Any] = {}
    for verb in ("write", "read"):
        if (pace := sockets.get(f"{verb}_rate")) is not None:
            paces |= {verb: octets(sockets.get(verb) or _CALL), f"{verb}_bps": bits_per_second(pace)}
    buffer = sockets.get("send_buffer")
    return Bulk(
        address,
        port,
        *times,
        congestion=flow.congestion,
        mss=octets(tcp["mss"]),
        window=octets(tcp["window"]),
        send_buffer=octets(buffer) if buffer is not None else None,
        waits=True,
        start_s=start_s,
        files=files,
        **paces,
    )
