"""What a compiled module says of itself: its format and its processor, from the first octets."""

from __future__ import annotations

import struct

_MACH_O_64 = 0xFEED_FACF


def container_and_machine(octets: bytes) -> tuple[str, int]:
    """Return the format of a compiled module (``elf``, ``mach-o`` or ``pe``) and the number of its processor.

    Raises
    ------
    ValueError
        It is none of these, or has not 64 bits.

    >>> container_and_machine(b"MZ" + bytes(58) + (64).to_bytes(4, "little") + b"PE" + bytes(2) + bytes([0x64, 0x86]))
    ('pe', 34404)
    """
    if octets[:4] == b"\x7fELF" and octets[4:6] == b"\x02\x01":
        return "elf", struct.unpack_from("<H", octets, 18)[0]
    if len(octets) >= 8 and struct.unpack_from("<I", octets)[0] == _MACH_O_64:
        return "mach-o", struct.unpack_from("<I", octets, 4)[0]
    if octets[:2] == b"MZ" and len(octets) >= 64:
        place = struct.unpack_from("<I", octets, 60)[0]
        if octets[place : place + 4] == b"PE\0\0" and len(octets) >= place + 6:
            return "pe", struct.unpack_from("<H", octets, place + 4)[0]
    raise ValueError("no ELF, Mach-O or PE file of 64 bits")
