"""Records: what one run measured, as the octets of a Parquet file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Literal

import pyarrow as pa
from pyarrow import ipc, parquet

from celltrain import _native
from celltrain.refused import Refused
from celltrain.results import Result, Table

#: The form of a record; a reader refuses those of a later form.
FORM = 1

Status = Literal["done", "failed"]

#: Tables are in the first group of rows, traces in the second, so that the one are read without the other.
SCHEMA = pa.schema([("table", pa.string()), ("stream", pa.large_binary())])
_FACTS = b"celltrain.record"
#: Options that are not given are looked up in the environment, for each table.
_WRITE, _READ = ipc.IpcWriteOptions(), ipc.IpcReadOptions()


@dataclass(frozen=True)
class Record:
    """One run: what was run, what became of it, and its tables as Arrow IPC streams by name."""

    scenario_hash: str
    seed: int
    version: str
    status: Status
    error: str | None = None
    wall_s: float | None = None
    measured_s: float | None = None
    cell_hops: int | None = None
    digest: str | None = None
    tables: Mapping[str, bytes] = field(default_factory=dict)
    traces: Mapping[str, bytes] = field(default_factory=dict)

    @classmethod
    def of(cls, result: Result, scenario_hash: str, wall_s: float) -> Record:
        """Record a result."""
        return cls(
            scenario_hash,
            result.seed,
            _native.__build__,
            "done",
            wall_s=wall_s,
            measured_s=result.measured_s,
            cell_hops=result.cell_hops,
            digest=result.digest,
            tables={name: _stream(table) for name, table in result.tables.items() if name not in result.traces},
            traces={name: _stream(table) for name, table in result.traces.items()},
        )

    @classmethod
    def failure(cls, scenario_hash: str, seed: int, error: str, wall_s: float | None = None) -> Record:
        """Record a run that failed."""
        return cls(scenario_hash, seed, _native.__build__, "failed", error=error, wall_s=wall_s)

    @classmethod
    def decode(cls, source: bytes | Path, *, traces: bool = True) -> Record:
        """Read a record from its octets or its file; its traces may be left there.

        Raises
        ------
        OSError
            The file cannot be read.
        Refused
            It is damaged, no record, or one of a later form; the message names the file.
        """
        try:
            return cls._decoded(source, traces=traces)
        except ValueError as error:
            name = "a record" if isinstance(source, bytes) else f"{source}, a record"
            raise Refused(f"{name} that cannot be read: {error}; remove the file, and run the same again") from error

    @classmethod
    def _decoded(cls, source: bytes | Path, *, traces: bool) -> Record:
        with parquet.ParquetFile(pa.BufferReader(source) if isinstance(source, bytes) else source) as file:
            facts = json.loads((file.metadata.metadata or {}).get(_FACTS, b'{"form": 0}'))
            form = facts.pop("form")
            if form != FORM:
                found = f"form {form}; a newer celltrain reads it" if form else "another kind of Parquet file"
                raise ValueError(f"expected a record of form {FORM}, found {found}")
            groups = [file.read_row_group(each, use_threads=False) for each in range(1 + traces)]
        tables = [dict(zip(*group.to_pydict().values(), strict=True)) for group in groups]
        return cls(**facts, tables=tables[0], traces=tables[1] if traces else {})

    def result(self, scenario: str) -> Result:
        """Give the result, of a run that is done.

        Parameters
        ----------
        scenario
            The canonical scenario, which the record names by its hash.
        """
        assert self.measured_s is not None, "it is done"
        assert self.digest is not None, "it is done"
        assert self.cell_hops is not None, "it is done"
        tables, traces = (
            {name: _table(stream) for name, stream in each.items()} for each in (self.tables, self.traces)
        )
        return Result(
            tables,
            traces,
            seed=self.seed,
            measured_s=self.measured_s,
            digest=self.digest,
            cell_hops=self.cell_hops,
            scenario_json=scenario,
            scenario_hash=self.scenario_hash,
        )

    def encode(self) -> bytes:
        """Give the octets of the record: few columns, and little compression, as a short run takes milliseconds."""
        facts = {name: value for name, value in vars(self).items() if name not in ("tables", "traces")}
        options = {"compression": "lz4", "use_dictionary": False, "write_statistics": False, "store_schema": False}
        target = pa.BufferOutputStream()
        with parquet.ParquetWriter(target, SCHEMA, **options) as writer:
            for group in (self.tables, self.traces):
                writer.write_table(pa.table([list(group), list(group.values())], schema=SCHEMA))
            writer.add_key_value_metadata({_FACTS: json.dumps({"form": FORM, **facts})})
        octets: bytes = target.getvalue().to_pybytes()
        return octets


def key(scenario_hash: str, seed: int, version: str) -> str:
    """Name the content of a record: scenario, seed and version."""
    return hashlib.sha256(f"{scenario_hash} {seed} {version}".encode()).hexdigest()[:40]


def table_of(stream: bytes) -> pa.Table:
    """Read a table of a record; a column's unit is in the metadata of its field."""
    with ipc.open_stream(stream, options=_READ) as reader:
        return reader.read_all()


def _table(stream: bytes) -> Table:
    columns = table_of(stream)
    values = {
        each.name: columns[each.name].to_pylist() if each.type == pa.string() else columns[each.name].to_numpy()
        for each in columns.schema
    }
    return Table(values, {each.name: each.metadata[b"unit"].decode() for each in columns.schema})


def _stream(table: Table) -> bytes:
    schema = _schema(
        tuple((name, isinstance(values, list), table.units[name]) for name, values in table.columns.items())
    )
    arrays = [pa.array(values, each.type) for values, each in zip(table.columns.values(), schema, strict=True)]
    target = pa.BufferOutputStream()
    with ipc.new_stream(target, schema, options=_WRITE) as writer:
        writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=schema))
    octets: bytes = target.getvalue().to_pybytes()
    return octets


@lru_cache(maxsize=256)
def _schema(columns: tuple[tuple[str, bool, str], ...]) -> pa.Schema:
    """Make the schema of a table from names, whether they hold text, and units: alike for all runs."""
    return pa.schema(
        [pa.field(name, pa.string() if text else pa.float64(), metadata={"unit": unit}) for name, text, unit in columns]
    )
