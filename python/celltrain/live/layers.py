"""Captures of one layer: a file for each end of a line, or for each link."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

#: How the names of the interfaces of a capture end, by layer.
LAYERS = {"ip": " IP", "pdus": " AAL5", "cells": " cells", "frames": " frames"}

_SECTION, _INTERFACE, _PACKET = 0x0A0D0D0A, 1, 6
_NAME = 2
_LITTLE = 0x1A2B3C4D


def split(capture: Path, layer: str, names: Mapping[str, str] | None = None) -> list[Path]:
    """Write a file for each interface of a layer of a capture, and remove the capture.

    A packet is in the captures of both ends, and its cells and PDU are in those of links: in one file, Wireshark takes
    them for retransmissions.

    Parameters
    ----------
    capture
        A file as ``celltrain run --pcap`` writes it.
    layer
        ``ip``, ``pdus``, ``cells`` or ``frames``.
    names
        Names for the files instead of those of nodes and links.

    Returns
    -------
    list of Path
        The files, in the order of their interfaces; ``line.pcapng`` gives ``line-home.pcapng``.
    """
    files: dict[int, BinaryIO] = {}
    paths: list[Path] = []
    with capture.open("rb") as source:
        section, order, number = b"", "<", 0
        try:
            while len(head := source.read(8)) == 8:
                kind = struct.unpack(f"{order}I", head[:4])[0]
                if kind == _SECTION:
                    head += source.read(4)
                    order = "<" if struct.unpack("<I", head[8:])[0] == _LITTLE else ">"
                length = struct.unpack(f"{order}I", head[4:8])[0]
                block = head + source.read(length - len(head))
                if kind == _SECTION:
                    section = block
                elif kind == _INTERFACE:
                    name = _name(block, order)
                    if name.endswith(LAYERS[layer]):
                        own = name.removesuffix(LAYERS[layer])
                        path = capture.with_name(f"{capture.stem}-{(names or {}).get(own, own)}{capture.suffix}")
                        paths.append(path)
                        files[number] = path.open("wb")
                        files[number].write(section + block)
                    number += 1
                elif kind == _PACKET and (interface := struct.unpack(f"{order}I", block[8:12])[0]) in files:
                    # The only interface of its file has number 0.
                    files[interface].write(block[:8] + bytes(4) + block[12:])
        finally:
            for file in files.values():
                file.close()
    capture.unlink()
    return paths


def _name(block: bytes, order: str) -> str:
    """Return the name of an interface, from its description: type, length, link type, snap length, options, length."""
    place = 16
    while place + 4 <= len(block) - 4:
        code, length = struct.unpack(f"{order}HH", block[place : place + 4])
        if code == _NAME:
            return block[place + 4 : place + 4 + length].decode()
        place += 4 + (length + 3) // 4 * 4
    return ""
