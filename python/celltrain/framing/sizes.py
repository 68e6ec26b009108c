"""The octets of IP packets on a line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from celltrain import _native

#: Octets of a cell on the line, of its payload, and of the AAL5 trailer.
CELL, PAYLOAD, TRAILER = 53, 48, 8
#: Octets of a PDU in a cell of AAL3/4 (I.363.3), whose header and trailer are as long as the trailer of AAL5.
_AAL34_PAYLOAD = 44
#: The minimum payload of an Ethernet frame (IEEE 802.3, 4.4.2), which shorter packets are padded to.
_ETHERNET_PAYLOAD = 46
#: Header and FCS of an Ethernet frame; preamble, start of frame and gap between frames on the wire.
_ETHERNET, _WIRE = 14 + 4, 8 + 12
#: PPPoE and PPP headers (RFC 2516); start, end and TC-CRC of a frame in PTM-TC (IEEE 802.3, 61.3).
_PPPOE, _PTM = 6 + 2, 1 + 1 + 2


@dataclass(frozen=True)
class Framing:
    """A line without cells: octets added to a packet, and whether each 64 octets take 65."""

    name: str
    tc: str
    tc_overhead: int
    mtu: int
    overhead: int
    pppoe: int = 0
    is_64_65: bool = False

    def size(self, octets: int) -> Size:
        """Return the size of an IP packet."""
        padding = max(0, _ETHERNET_PAYLOAD - octets - self.pppoe)
        frame = octets + padding + self.pppoe + self.overhead
        line = frame + (frame + 63) // 64 if self.is_64_65 else frame
        return Size(self.name, self.tc, self.tc_overhead, self.mtu, octets, None, None, line, padding)


#: Lines without cells. DOCSIS: as a modem's rate limits count, from the Ethernet header to its FCS.
FRAMINGS = (
    Framing("ptm-bridged", "bridged-ptm", 22, 1500, _ETHERNET + _PTM, is_64_65=True),
    Framing("ptm-pppoe", "pppoe-ptm", 30, 1492, _ETHERNET + _PTM, pppoe=_PPPOE, is_64_65=True),
    Framing("docsis", "docsis", 18, 1500, _ETHERNET),
    Framing("ethernet", "ethernet", 38, 1500, _ETHERNET + _WIRE),
)


@dataclass(frozen=True)
class Size:
    """A packet on a line.

    Attributes
    ----------
    encapsulation : str
        Name of the encapsulation or framing.
    tc_keyword : str or None
        The keyword of ``tc-cake``.
    tc_overhead : int or None
        The octets for ``overhead``; none for AAL3/4, which ``tc`` does not know.
    mtu : int
        The largest IP packet.
    ip_octets : int
        The packet.
    aal5_payload_octets, cells : int or None
        Packet and encapsulation, and its cells; none where there are no cells.
    line_octets : int
        Octets on the line.
    padding_octets : int
        Of these, padding: of short Ethernet frames, and of the last cell.
    """

    encapsulation: str
    tc_keyword: str | None
    tc_overhead: int | None
    mtu: int
    ip_octets: int
    aal5_payload_octets: int | None
    cells: int | None
    line_octets: int
    padding_octets: int

    @property
    def efficiency(self) -> float:
        """The fraction of the octets on the line that is IP."""
        return self.ip_octets / self.line_octets

    @property
    def fits_mtu(self) -> bool:
        """Whether the packet is within the MTU."""
        return self.ip_octets <= self.mtu

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {**asdict(self), "efficiency": self.efficiency, "fits_mtu": self.fits_mtu}


def sizes(lengths: Sequence[int], aal: str = "5") -> list[Size]:
    """Return the sizes of packets for each encapsulation on ATM, and for each framing without cells.

    In AAL3/4 (``aal="3/4"``) only those of its encapsulations.

    >>> [(size.encapsulation, size.cells, size.padding_octets) for size in sizes([40])][:2]
    [('vc-mux', 1, 0), ('llc-snap', 2, 40)]
    >>> [(size.encapsulation, size.cells, size.padding_octets) for size in sizes([36], "3/4")]
    [('vc-mux', 1, 0), ('llc-snap', 2, 36)]
    """
    if aal == "3/4":
        return list(_in_aal34(lengths))
    return [*_on_atm(lengths), *(framing.size(octets) for framing in FRAMINGS for octets in lengths)]


def _on_atm(lengths: Sequence[int]) -> Iterable[Size]:
    for name, keyword, overhead, mtu, octets, payload, cells in _native.overhead(list(lengths)):
        assert overhead is not None, "tc knows the cells of AAL5"
        # What the payload has beyond packet and headers is padding of a short Ethernet frame.
        frame = payload - (octets + overhead - TRAILER)
        padding = frame + cells * PAYLOAD - payload - TRAILER
        yield Size(name, keyword, overhead, mtu, octets, payload, cells, cells * CELL, padding)


def _in_aal34(lengths: Sequence[int]) -> Iterable[Size]:
    for name, keyword, overhead, mtu, octets, payload, cells in _native.overhead(list(lengths), "3/4"):
        padding = cells * _AAL34_PAYLOAD - payload - TRAILER
        yield Size(name, keyword, overhead, mtu, octets, payload, cells, cells * CELL, padding)
