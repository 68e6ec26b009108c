"""Checksums (SHA-256, FIPS 180-4) inside of files, in places that other readers of the formats ignore.

Parquet finds its footer by a length at its end (Parquet format, *File Format*), so the octets between the last column
and the footer are free: the checksum is there. JSON has it as its last member, TOML as its last comment.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

from celltrain.files import json_text, sha256

#: The member of a JSON object with the checksum of the others.
MEMBER = "sha256"
_MARK = b"celltrain sha256"
_SEAL = len(_MARK) + hashlib.sha256().digest_size
#: The length of a footer, and the letters that end a Parquet file.
_END = 8
_MAGIC = b"PAR1"
_AT_ONCE = 1 << 20
_COMMENT = re.compile(r"# sha256 ([0-9a-f]{64})\n\Z")


def seal_parquet(octets: bytes, name: str) -> bytes:
    """Return a Parquet file with its checksum.

    Parameters
    ----------
    octets
        The file.
    name
        What the file must be called; a file that has taken the place of another is damage, too. Empty for any name.
    """
    data, footer = _halves(octets)
    digest = hashlib.sha256(name.encode() + data + footer).digest()
    return data + _MARK + digest + footer


def seal_parquet_file(path: Path, name: str) -> None:
    """Add its checksum to a Parquet file that was written in parts, for the name that it is going to have.

    Raises
    ------
    OSError
        It cannot be written.
    """
    with path.open("r+b") as file:
        start = _footer_start(file)
        digest = _hash(file, name, start)
        file.seek(start)
        footer = file.read()
        digest.update(footer)
        file.seek(start)
        file.write(_MARK + digest.digest() + footer)


def check_parquet(path: Path, name: str) -> str | None:
    """Return what is wrong with a Parquet file; None if its checksum is right.

    Raises
    ------
    OSError
        It cannot be read.
    """
    with path.open("rb") as file:
        try:
            start = _footer_start(file)
        except ValueError as error:
            return str(error)
        file.seek(max(0, start - _SEAL))
        seal = file.read(min(start, _SEAL))
        if not seal.startswith(_MARK):
            return "no checksum before its footer: damaged, or written by an earlier version"
        digest = _hash(file, name, start - _SEAL)
        file.seek(start)
        digest.update(file.read())
    return None if digest.digest() == seal[len(_MARK) :] else "its checksum differs: damaged, or in another's place"


def _halves(octets: bytes) -> tuple[bytes, bytes]:
    start = len(octets) - _END - int.from_bytes(octets[-_END:-4], "little")
    return octets[:start], octets[start:]


def _footer_start(file: BinaryIO) -> int:
    """Return where the footer of a Parquet file begins."""
    size = file.seek(0, 2)
    if size < len(_MAGIC) + _END:
        raise ValueError("empty" if size == 0 else f"cut short: only {size} octets")
    file.seek(size - _END)
    end = file.read(_END)
    start = size - _END - int.from_bytes(end[:4], "little")
    if end[4:] != _MAGIC or start < len(_MAGIC):
        raise ValueError("no Parquet file, or cut short: it does not end with a footer")
    return start


def _hash(file: BinaryIO, name: str, until: int) -> hashlib._Hash:
    digest = hashlib.sha256(name.encode())
    file.seek(0)
    while until:
        part = file.read(min(_AT_ONCE, until))
        if not part:
            break
        digest.update(part)
        until -= len(part)
    return digest


def sealed_json(value: Mapping[str, Any]) -> str:
    r"""Return an object as JSON, with the checksum of its other members last.

    >>> sealed_json({"a": 1})[:11], opened_json({"a": 1, "sha256": "0"})
    ('{\n  "a": 1,', None)
    """
    rest = _without_checksum(value)
    return json_text({**rest, MEMBER: sha256(json_text(rest))})


def opened_json(value: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return an object without its checksum; None if that is wrong. Objects of earlier versions have none."""
    rest = _without_checksum(value)
    return rest if MEMBER not in value or value[MEMBER] == sha256(json_text(rest)) else None


def _without_checksum(value: Mapping[str, Any]) -> dict[str, Any]:
    return {key: item for key, item in value.items() if key != MEMBER}


def sealed_toml(text: str) -> str:
    r"""Return TOML with its checksum as last line.

    >>> checked_toml(sealed_toml("a = 1\n")), checked_toml(sealed_toml("a = 1\n").replace("1", "2"))
    (True, False)
    """
    return f"{text}# sha256 {sha256(text)}\n"


def checked_toml(text: str) -> bool:
    """Return whether TOML has its checksum. TOML that is cut at the end of a line is TOML, so it needs one."""
    found = _COMMENT.search(text)
    return found is not None and sha256(text[: found.start()]) == found[1]
