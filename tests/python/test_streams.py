"""Tables as Arrow IPC streams: identical to the output of Arrow itself."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest
from celltrain.sweeps.streams import batch_of, stream_of, table_of
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import ipc

UNITS = {"name": "", "t_s": "s", "other": "", "queue_cells": "cells"}
ROWS = st.lists(st.tuples(st.text(), st.floats(allow_nan=True), st.text(max_size=3), st.integers(0, 2**53)))


Columns = dict[str, npt.NDArray[np.int64] | npt.NDArray[np.float64] | list[str]]


def written_by_arrow(columns: Columns) -> bytes:
    """Write a table with Arrow's own writer."""
    kinds = {"name": pa.string(), "t_s": pa.float64(), "other": pa.string(), "queue_cells": pa.int64()}
    schema = pa.schema([pa.field(name, kinds[name], metadata={"unit": unit}) for name, unit in UNITS.items()])
    arrays = [pa.array(columns[name], kinds[name], from_pandas=False) for name in UNITS]
    target = pa.BufferOutputStream()
    with ipc.new_stream(target, schema) as writer:
        writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=schema))
    octets: bytes = target.getvalue().to_pybytes()
    return octets


@given(ROWS)
def test_a_stream_is_what_arrow_writes(rows: list[tuple[str, float, str, int]]) -> None:
    columns: Columns = {
        "name": [row[0] for row in rows],
        "t_s": np.array([row[1] for row in rows], float),
        "other": [row[2] for row in rows],
        "queue_cells": np.array([row[3] for row in rows], np.int64),
    }
    assert stream_of(columns, UNITS) == written_by_arrow(columns)


def test_streams_of_like_runs_differ_in_their_numbers_alone() -> None:
    first, second = (
        stream_of({"name": ["a", "b"], "t_s": np.array([number, math.nan])}, {"name": "", "t_s": "s"})
        for number in (1.0, 2.0)
    )
    assert batch_of(first).schema == batch_of(second).schema
    assert [table_of(each)["t_s"][0].as_py() for each in (first, second)] == [1.0, 2.0]
    assert batch_of(first).schema.field("t_s").metadata == {b"unit": b"s"}


def test_a_damaged_stream_is_refused() -> None:
    stream = stream_of({"t_s": np.arange(9.0)}, {"t_s": "s"})
    with pytest.raises((ValueError, OSError)):
        batch_of(stream[: len(stream) // 2])
