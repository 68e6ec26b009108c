"""Tables as Arrow IPC streams, in a few microseconds each: all that runs of one scenario have alike is made once.

A stream is a schema, one batch of rows, and an end (Arrow columnar format, *IPC streaming format*). Each of the first
two is a message: a mark and a length of four octets each, what describes it, and its body. That of a batch is the
buffers of its columns one after another, each filled up to eight octets; a column of numbers is one buffer, its values.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import ipc

_END = b"\xff\xff\xff\xff\0\0\0\0"


def stream_of(columns: Mapping[str, npt.NDArray[np.float64] | list[str]], units: Mapping[str, str]) -> bytes:
    """Write a table; a column's unit goes into the metadata of its field, and is empty for names."""
    rows = len(next(iter(columns.values())))
    names = tuple(tuple(own) for own in columns.values() if isinstance(own, list))
    octets, places = _frame(tuple(units.items()), rows, names)
    parts: list[bytes | npt.NDArray[np.float64]] = list(octets)
    for place, own in zip(places, (own for own in columns.values() if not isinstance(own, list)), strict=True):
        parts[place] = own
    return b"".join(parts)


def batch_of(stream: bytes) -> pa.RecordBatch:
    """Read a table; those of like runs share one schema."""
    end = _end_of_head(stream)
    return ipc.read_record_batch(pa.py_buffer(stream)[end:], _schema_of(stream[:end]))


def table_of(stream: bytes) -> pa.Table:
    """Read a table."""
    return pa.Table.from_batches([batch_of(stream)])


def _end_of_head(message: bytes) -> int:
    return 8 + int.from_bytes(message[4:8], "little")


@lru_cache(maxsize=256)
def _schema_of(message: bytes) -> pa.Schema:
    return ipc.read_schema(pa.py_buffer(message))


@lru_cache(maxsize=256)
def _frame(
    units: tuple[tuple[str, str], ...], rows: int, names: tuple[tuple[str, ...], ...]
) -> tuple[list[bytes], list[int]]:
    """Give the octets of a stream in pieces, and the places in them where columns of numbers go."""
    schema = pa.schema([pa.field(name, _kind(unit), metadata={"unit": unit}) for name, unit in units])
    texts = iter(names)
    arrays = [pa.array(np.zeros(rows) if unit else next(texts), _kind(unit)) for _, unit in units]
    batch = pa.RecordBatch.from_arrays(arrays, schema=schema).serialize().to_pybytes()
    position = _end_of_head(batch)
    pieces, places = [schema.serialize().to_pybytes(), batch[:position]], []
    for array, (_, unit) in zip(arrays, units, strict=True):
        size = sum(-(-buffer.size // 8) * 8 for buffer in array.buffers() if buffer is not None)
        if unit:
            places.append(len(pieces))
        pieces.append(batch[position : position + size])
        position += size
    assert position == len(batch), "a body is the buffers of its columns"
    return [*pieces, _END], places


def _kind(unit: str) -> pa.DataType:
    return pa.float64() if unit else pa.string()
