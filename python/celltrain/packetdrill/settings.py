"""The options of the TCP under test: a preset, and what scripts set by sysctl or on a socket."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from celltrain.data import Data
from celltrain.packetdrill.script import NotSupported
from celltrain.scenario import Scenario

#: The only flow of the scenario that provides the TCP.
FLOW = "f"
#: The segment size of a peer that names none, in octets (RFC 9293 3.7.1).
DEFAULT_MSS = 536
_TIMESTAMPS = 12

#: Congestion control by Linux's names: the keys with and without selective acknowledgments.
_CONTROLS: Mapping[str, tuple[Data, Data | None]] = {
    "reno": ({"variant": "sack"}, {"variant": "newreno"}),
    "cubic": ({"variant": "cubic"}, {"variant": "cubic", "sack": False}),
    "bbr": ({"variant": "bbr"}, None),
}


@dataclass(frozen=True)
class Proposal:
    """The proposal of an end in its SYN, or the options that both ends agreed on.

    ``window_scale`` is the shift of our window; None without scaling. ``mss`` is in octets, timestamps not subtracted.
    """

    mss: int
    sack: bool
    timestamps: bool
    window_scale: int | None
    ecn: bool


@dataclass(frozen=True)
class Settings:
    """Settings of a TCP that can still be changed.

    Attributes
    ----------
    preset : str
        A preset of the scenario language.
    control : str
        Congestion control by Linux's name; empty: the variant of the preset.
    proposal : Proposal
        The proposal of its SYN. ``ecn`` is its own proposal.
    ecn_passive : bool
        Whether it accepts a peer's ECN.
    keys : mapping
        Further keys of ``[flows.NAME.tcp]``.
    """

    preset: str
    control: str
    proposal: Proposal
    ecn_passive: bool = False
    keys: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of_preset(cls, preset: str, mtu: int = 1500) -> Settings:
        """Return the settings of a preset, with segments that fill ``mtu`` octets.

        Raises
        ------
        ScenarioError
            There is no such preset.
        """
        tcp = _written({"preset": preset, "mss": f"{mtu - 40} bytes"})
        variant = tcp["variant"]
        is_selective = tcp.get("sack", True) and any(keys["variant"] == variant for keys, _ in _CONTROLS.values())
        proposal = Proposal(mtu - 40, is_selective, tcp["timestamps"], tcp.get("window_scale"), tcp["ecn"])
        names = {keys["variant"]: name for name, both in _CONTROLS.items() for keys in both if keys is not None}
        control = names.get(variant, "")
        return cls(preset, control, proposal, tcp["ecn"])

    def propose(self, **changes: Any) -> Settings:  # noqa: ANN401
        """Return the same settings with another proposal."""
        return replace(self, proposal=replace(self.proposal, **changes))

    def with_control(self, name: str) -> Settings:
        """Choose congestion control.

        Raises
        ------
        NotSupported
            There is none with this name.
        """
        if name not in _CONTROLS:
            raise NotSupported(f"congestion control {name}")
        return replace(self, control=name)

    def with_keys(self, **keys: Any) -> Settings:  # noqa: ANN401
        """Set keys of ``[flows.NAME.tcp]``."""
        return replace(self, keys={**self.keys, **keys})

    def scenario(self, agreed: Proposal) -> Scenario:
        """Make a scenario whose flow :data:`FLOW` has this TCP with the agreed options.

        Raises
        ------
        NotSupported
            The core has no such TCP.
        """
        tcp: Data = {
            "preset": self.preset,
            "mss": f"{agreed.mss} bytes",
            "handshake": True,
            "timestamps": agreed.timestamps,
            "ecn": agreed.ecn,
            **self.keys,
        }
        if agreed.window_scale is not None:
            tcp["window_scale"] = agreed.window_scale
        data = _network(tcp)
        tcp.update(self._variant(agreed))
        if agreed.window_scale is None and _tcp_of(Scenario(data)).get("window_scale") is not None:
            # A key cannot remove a setting of a preset: start from the preset's keys without it.
            tcp = {key: value for key, value in _tcp_of(Scenario(data)).items() if value is not None}
            tcp = {**tcp, "preset": "plain"}
            tcp.pop("window_scale")
            data = _network(tcp)
        return Scenario(data, "packetdrill")

    def _variant(self, agreed: Proposal) -> Data:
        if self.control == "":
            return {}
        keys = _CONTROLS[self.control][0 if agreed.sack else 1]
        if keys is None:
            raise NotSupported(f"{self.control.upper()} without selective acknowledgments")
        return keys


def agree(own: Proposal, peer: Proposal, *, ecn: bool) -> Proposal:
    """Return the options that both our proposal and that of the peer allow."""
    scales = own.window_scale is not None and peer.window_scale is not None
    timestamps = own.timestamps and peer.timestamps
    return Proposal(
        max(min(own.mss, peer.mss), 1 + (_TIMESTAMPS if timestamps else 0)),
        own.sack and peer.sack,
        timestamps,
        own.window_scale if scales else None,
        ecn,
    )


def _network(tcp: Data) -> Data:
    return {
        "measure": {"duration": "1 s"},
        "hosts": {"a": {}, "b": {}},
        "links": {"l": {"between": ["a", "b"], "delay": "1 ms", "rate": "10 Mbit/s", "buffer": "1000 cells"}},
        "vcs": {"vc": {"route": ["a", "b"]}},
        "flows": {FLOW: {"vc": "vc", "tcp": tcp}},
    }


def _tcp_of(scenario: Scenario) -> Data:
    tcp: Data = json.loads(scenario.native.to_json())["flows"][FLOW]["tcp"]
    return tcp


def _written(tcp: Data) -> Data:
    return _tcp_of(Scenario(_network(tcp)))
