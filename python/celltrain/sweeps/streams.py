"""Tables as Arrow IPC streams, in a few microseconds each: the part common to runs of a scenario is made once.

A stream is a schema, one batch of rows, and an end (Arrow columnar format, *IPC streaming format*). Each of the first
two is a message: a marker and a length of four octets each, metadata, and a body. The body of a batch is the buffers
of its columns in sequence, each padded to eight octets; a column of numbers is one buffer with its values.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import ipc

from celltrain.table import Values

Numbers = npt.NDArray[np.int64] | npt.NDArray[np.float64]

#: The types of columns; numbers of both types have eight octets.
_TEXT, _COUNT, _NUMBER = pa.string(), pa.int64(), pa.float64()
_END = b"\xff\xff\xff\xff\0\0\0\0"


def stream_of(columns: Mapping[str, Values], units: Mapping[str, str]) -> bytes:
    """Write a table; a column's unit goes into the metadata of its field, and is empty for names."""
    rows = len(next(iter(columns.values())))
    fields = tuple((name, units[name], _kind(own)) for name, own in columns.items())
    names = tuple(tuple(own) for own in columns.values() if isinstance(own, list))
    octets, places = _frame(fields, rows, names)
    parts: list[bytes | Numbers] = list(octets)
    for place, own in zip(places, (own for own in columns.values() if not isinstance(own, list)), strict=True):
        parts[place] = own
    return b"".join(parts)


def batch_of(stream: bytes) -> pa.RecordBatch:
    """Read a table; tables of similar runs share one schema."""
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
    fields: tuple[tuple[str, str, pa.DataType], ...], rows: int, names: tuple[tuple[str, ...], ...]
) -> tuple[list[bytes], list[int]]:
    """Return the octets of a stream in pieces, and the indices of the columns of numbers in them."""
    schema = pa.schema([pa.field(name, kind, metadata={"unit": unit}) for name, unit, kind in fields])
    texts = iter(names)
    is_text = [kind == _TEXT for _, _, kind in fields]
    arrays = [
        pa.array(next(texts) if text else [0] * rows, kind) for text, (_, _, kind) in zip(is_text, fields, strict=True)
    ]
    batch = pa.RecordBatch.from_arrays(arrays, schema=schema).serialize().to_pybytes()
    position = _end_of_head(batch)
    pieces, places = [schema.serialize().to_pybytes(), batch[:position]], []
    for array, text in zip(arrays, is_text, strict=True):
        size = sum(-(-buffer.size // 8) * 8 for buffer in array.buffers() if buffer is not None)
        if not text:
            places.append(len(pieces))
        pieces.append(batch[position : position + size])
        position += size
    assert position == len(batch), "a body is the buffers of its columns"
    return [*pieces, _END], places


def _kind(values: Values) -> pa.DataType:
    return _TEXT if isinstance(values, list) else _COUNT if values.dtype == np.int64 else _NUMBER
