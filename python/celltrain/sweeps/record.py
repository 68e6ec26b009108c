"""Records: what one run measured, as the octets of a Parquet file of one row."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import pyarrow as pa
from pyarrow import ipc, parquet

from celltrain import _native
from celltrain.results import Result, Table

#: The form of a record; a reader refuses those of a later form.
FORMAT = "1"

Status = Literal["done", "failed"]

_TABLES = pa.map_(pa.string(), pa.binary())
SCHEMA = pa.schema(
    [
        ("scenario_hash", pa.string()),
        ("seed", pa.uint64()),
        ("version", pa.string()),
        ("status", pa.string()),
        ("error", pa.string()),
        ("wall_s", pa.float64()),
        ("measured_s", pa.float64()),
        ("cell_hops", pa.uint64()),
        ("digest", pa.string()),
        ("tables", _TABLES),
        ("traces", _TABLES),
    ],
    metadata={"celltrain.record": FORMAT},
)
_INSTANT = pa.schema([("time_s", pa.float64())])


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
    def decode(cls, octets: bytes | pa.Buffer) -> Record:
        """Read a record.

        Raises
        ------
        ValueError
            The octets are no record, or one of a later form.
        """
        row = read_rows(pa.BufferReader(octets)).to_pylist()[0]
        return cls(**row | {"tables": dict(row["tables"]), "traces": dict(row["traces"])})

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
        """Give the octets of the record."""
        row = {name: getattr(self, name) for name in SCHEMA.names}
        row |= {name: list(row[name].items()) for name in ("tables", "traces")}
        target = pa.BufferOutputStream()
        # Nearly all octets are in the tables: dictionaries and statistics would cost time and room.
        options = {"compression": "zstd", "use_dictionary": False, "write_statistics": False}
        parquet.write_table(pa.Table.from_pylist([row], schema=SCHEMA), target, **options)
        octets: bytes = target.getvalue().to_pybytes()
        return octets


def key(scenario_hash: str, seed: int, version: str) -> str:
    """Name the content of a record: scenario, seed and version."""
    return hashlib.sha256(f"{scenario_hash} {seed} {version}".encode()).hexdigest()[:40]


def read_rows(source: Any, columns: list[str] | None = None) -> pa.Table:  # noqa: ANN401 - path or Arrow file
    """Read the one row of a record's file.

    Raises
    ------
    ValueError
        The file is no record, or one of a later form.
    """
    with parquet.ParquetFile(source) as file:
        form = (file.schema_arrow.metadata or {}).get(b"celltrain.record", b"").decode()
        if form != FORMAT:
            found = f"form {form}; a newer celltrain reads it" if form else "another kind of Parquet file"
            raise ValueError(f"expected a record of form {FORMAT}, found {found}")
        return file.read(columns=columns, use_threads=False)


def table_of(stream: bytes) -> pa.Table:
    """Read a table of a record; a column's unit is in the metadata of its field."""
    with ipc.open_stream(stream) as reader:
        return reader.read_all()


def _table(stream: bytes) -> Table:
    columns = table_of(stream)
    values = {
        each.name: columns[each.name].to_pylist() if each.type == pa.string() else columns[each.name].to_numpy()
        for each in columns.schema
    }
    return Table(values, {each.name: each.metadata[b"unit"].decode() for each in columns.schema})


def _stream(table: Table) -> bytes:
    fields = [
        pa.field(name, pa.string() if isinstance(values, list) else pa.float64(), metadata={"unit": table.units[name]})
        for name, values in table.columns.items()
    ]
    arrays = [pa.array(values, each.type) for values, each in zip(table.columns.values(), fields, strict=True)]
    batch = pa.record_batch(arrays, schema=pa.schema(fields))
    target = pa.BufferOutputStream()
    with ipc.new_stream(target, batch.schema) as writer:
        writer.write_batch(batch)
    octets: bytes = target.getvalue().to_pybytes()
    return octets
