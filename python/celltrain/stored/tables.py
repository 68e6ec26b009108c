"""Parquet and CSV of results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from celltrain.files import atomic_write, sha256
from celltrain.stored.damaged import AGAIN, Damaged
from celltrain.stored.seals import check_parquet, seal_parquet


def read_parquet(path: Path, columns: Sequence[str] | None = None, *, cure: str = AGAIN) -> pa.Table:
    """Read a Parquet file of results, after its checksum.

    Raises
    ------
    OSError
        It cannot be read.
    Damaged
        It is not what was written under this name, or lacks a column.
    """
    check(path, path.name, cure)
    try:
        return parquet.read_table(path, columns=None if columns is None else list(columns))
    except pa.ArrowException as error:
        raise Damaged(path, f"not the Parquet that celltrain writes: {error}", cure) from error


def check(path: Path, name: str, cure: str = AGAIN) -> None:
    """Verify the checksum of a Parquet file that must have this name; the exceptions are those of `read_parquet`."""
    wrong = check_parquet(path, name)
    if wrong:
        raise Damaged(path, wrong, cure)


def read_metadata(path: Path) -> dict[bytes, bytes]:
    """Read the metadata of a Parquet file, after its checksum; the exceptions are those of `read_parquet`."""
    check(path, path.name)
    try:
        return dict(parquet.read_schema(path).metadata or {})
    except pa.ArrowException as error:
        raise Damaged(path, f"not the Parquet that celltrain writes: {error}") from error


def write_parquet(path: Path, table: pa.Table) -> None:
    """Write a table as a Parquet file with its checksum, which is complete or absent.

    Raises
    ------
    OSError
        It cannot be written; then nothing is left behind.
    """
    atomic_write(path, parquet_octets(table, path.name))


def parquet_octets(table: pa.Table, name: str) -> bytes:
    """Return a table as a Parquet file with the checksum for this name."""
    target = pa.BufferOutputStream()
    parquet.write_table(table, target, compression="zstd")
    return seal_parquet(target.getvalue().to_pybytes(), name)


def check_csv(path: Path, provenance: Path, sums: object) -> None:
    """Verify the checksum of a CSV file.

    Parameters
    ----------
    path
        The file.
    provenance
        The file with the checksums.
    sums
        SHA-256 by the name of the file, from the provenance; None in those of earlier versions.

    Raises
    ------
    OSError
        It cannot be read.
    Damaged
        It is not what was written, or the provenance has no checksum for it.
    """
    if sums is None:
        return
    if not isinstance(sums, Mapping) or not isinstance(sums.get(path.name), str):
        raise Damaged(provenance, f"no checksum of {path.name}")
    if sha256(path.read_bytes()) != sums[path.name]:
        raise Damaged(path, f"its checksum differs from that in {provenance.name}: damaged or changed")
