"""Packets and their cells: rates and losses of one in those of the other.

A packet travels as an AAL5 PDU: its octets, a trailer of 8, and padding up to whole cells of 48 octets of payload
(ITU-T I.363.5); a cell has 53 octets. LLC and SNAP, 8 octets more, need no further cell for a packet of 1500 octets.
"""

from __future__ import annotations

import math

CELL_BITS = 424
_PAYLOAD, _TRAILER = 48, 8


def cells_of(octets: int) -> int:
    """Return the cells of an IP packet.

    >>> cells_of(1500), cells_of(1400), cells_of(40)
    (32, 30, 1)
    """
    return -(-(octets + _TRAILER) // _PAYLOAD)


def line_bits(octets: int) -> int:
    """Return the bits on the line of an IP packet.

    >>> line_bits(1500)
    13568
    """
    return cells_of(octets) * CELL_BITS


def line_rate(packets_rate: float, octets: int) -> float:
    """Return the rate of a line in bit/s that carries packets at a rate of their own octets, in bit/s.

    >>> line_rate(12e6, 1500)
    13568000.0
    """
    return packets_rate * line_bits(octets) / (8 * octets)


def packets_rate(rate: float, octets: int) -> float:
    """Return the rate of packets, in bit/s of their own octets, on a line with a rate in bit/s.

    >>> packets_rate(13.568e6, 1500)
    12000000.0
    """
    return rate * (8 * octets) / line_bits(octets)


def cell_loss(packet_loss: float, octets: int) -> float:
    """Return the loss of cells, independent of each other, that loses this fraction of packets: any cell of a packet.

    >>> f"{cell_loss(0.002, 1500):.3g}", cell_loss(1.0, 1500), cell_loss(0.0, 1500)
    ('6.26e-05', 1.0, 0.0)
    """
    return 1.0 if packet_loss >= 1 else -math.expm1(math.log1p(-packet_loss) / cells_of(octets))


def packet_loss(cell_loss: float, octets: int) -> float:
    """Return the fraction of packets lost where this fraction of cells is.

    >>> f"{packet_loss(6.2562e-05, 1500):.3f}"
    '0.002'
    """
    return 1.0 if cell_loss >= 1 else -math.expm1(math.log1p(-cell_loss) * cells_of(octets))
