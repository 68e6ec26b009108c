"""Records: the results of one run, as the octets of a Parquet file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pyarrow as pa
from pyarrow import parquet

from celltrain import _native
from celltrain.results import Result
from celltrain.stored import Damaged
from celltrain.stored.seals import check_parquet, seal_parquet
from celltrain.sweeps.store import name_of
from celltrain.sweeps.streams import stream_of, table_of
from celltrain.table import Table

#: Version of the record format; a reader refuses later ones.
FORM = 1

Status = Literal["done", "failed"]

#: Tables are in the first row group, traces in later ones, so that tables can be read without traces.
SCHEMA = pa.schema([("table", pa.string()), ("stream", pa.large_binary())])
_FACTS = b"celltrain.record"
_CURE = "remove the file, and run the same again"
#: A short run takes milliseconds, so its file must be cheap to write.
_PARQUET = {"compression": "lz4", "use_dictionary": False, "write_statistics": False, "store_schema": False}


@dataclass(frozen=True)
class Record:
    """One run: its scenario, its outcome, and its tables as Arrow IPC streams by name."""

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
    def of(cls, result: _native.Result, scenario_hash: str, wall_s: float) -> Record:
        """Record the result of the compiled core."""
        units = result.units
        tables, traces = (
            {name: stream_of(columns, units[name]) for name, columns in each.items()}
            for each in (result.tables, result.traces)
        )
        return cls(
            scenario_hash,
            result.seed,
            _native.__build__,
            "done",
            wall_s=wall_s,
            measured_s=result.measured_s,
            cell_hops=result.cell_hops,
            digest=result.digest,
            tables=tables,
            traces=traces,
        )

    @classmethod
    def failure(cls, scenario_hash: str, seed: int, error: str, wall_s: float | None = None) -> Record:
        """Record a run that failed."""
        return cls(scenario_hash, seed, _native.__build__, "failed", error=error, wall_s=wall_s)

    @classmethod
    def decode(cls, source: bytes | Path, *, traces: bool = True) -> Record:
        """Read a record from its octets or its file, optionally without traces.

        Raises
        ------
        OSError
            The file cannot be read.
        Damaged
            It is damaged, not a record, or of a later format; the message names the file.
        """
        path = Path("record") if isinstance(source, bytes) else source
        wrong = None if isinstance(source, bytes) else check_parquet(source, source.name)
        if wrong:
            raise Damaged(path, wrong, _CURE)
        try:
            return cls._decoded(source, traces=traces)
        except (ValueError, KeyError, TypeError, pa.ArrowException) as error:
            raise Damaged(path, f"not a record: {error}", _CURE) from error

    @classmethod
    def _decoded(cls, source: bytes | Path, *, traces: bool) -> Record:
        with parquet.ParquetFile(pa.BufferReader(source) if isinstance(source, bytes) else source) as file:
            footer = file.metadata
            facts = json.loads((footer.metadata or {}).get(_FACTS, b'{"form": 0}'))
            form = facts.pop("form")
            if form != FORM:
                found = f"form {form}; a newer celltrain reads it" if form else "another kind of Parquet file"
                raise ValueError(f"expected a record of form {FORM}, found {found}")
            first = footer.row_group(0).num_rows if footer.num_row_groups else 0
            groups = file.read_row_groups(range(footer.num_row_groups)[: None if traces else 1], use_threads=False)
        streams = list(zip(*groups.to_pydict().values(), strict=True))
        return cls(**facts, tables=dict(streams[:first]), traces=dict(streams[first:]))

    def result(self, scenario: str) -> Result:
        """Return the result of a finished run.

        Parameters
        ----------
        scenario
            The canonical scenario, which the record identifies by its hash.
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
        """Return the octets of the record, with the checksum for the name of its file."""
        facts = {name: value for name, value in vars(self).items() if name not in ("tables", "traces")}
        streams = {**self.tables, **self.traces}
        rows = pa.table([list(streams), list(streams.values())], schema=SCHEMA)
        target = pa.BufferOutputStream()
        with parquet.ParquetWriter(target, SCHEMA, **_PARQUET) as writer:
            writer.write_table(rows, max(1, len(self.tables)))
            writer.add_key_value_metadata({_FACTS: json.dumps({"form": FORM, **facts})})
        name = name_of(key(self.scenario_hash, self.seed, self.version), failed=self.status == "failed")
        return seal_parquet(target.getvalue().to_pybytes(), name)


def key(scenario_hash: str, seed: int, version: str) -> str:
    """Return the key of a record, made from scenario, seed and version."""
    return hashlib.sha256(f"{scenario_hash} {seed} {version}".encode()).hexdigest()[:40]


def _table(stream: bytes) -> Table:
    columns = table_of(stream)
    values = {
        each.name: columns[each.name].to_pylist() if each.type == pa.string() else columns[each.name].to_numpy()
        for each in columns.schema
    }
    return Table(values, {each.name: each.metadata[b"unit"].decode() for each in columns.schema})
