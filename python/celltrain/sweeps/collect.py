"""From records to the index and the tables of a sweep, which contain only the runs of the sweep."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from celltrain.stored import Damaged
from celltrain.stored.objects import read_toml
from celltrain.stored.tables import check, read_metadata, read_parquet, write_parquet
from celltrain.sweeps.metric import Metric, MetricError
from celltrain.sweeps.points import keys_of
from celltrain.sweeps.record import Record, key
from celltrain.sweeps.replications import Replications
from celltrain.sweeps.store import Store, key_of
from celltrain.sweeps.streams import batch_of

#: Version of the folder's format; a reader refuses later ones.
FORM = 1

#: Maximum octets of tables kept in memory until a sweep ends.
_RECENT_BYTES = 128 << 20
_STATE = "celltrain.state"
_MEASURED = {"error": pa.string(), "wall_s": pa.float64(), "measured_s": pa.float64(), "digest": pa.string()}
_INDEX = pa.schema(
    [
        ("point", pa.int64()),
        ("seed", pa.uint64()),
        ("status", pa.string()),
        *_MEASURED.items(),
        ("record", pa.string()),
    ]
)


@dataclass(frozen=True)
class Asked:
    """A run of a sweep, its state, and the file of its record if there is one."""

    point: int
    seed: int
    status: str
    path: Path | None = None
    error: str | None = None


@dataclass(frozen=True)
class Collected:
    """The index and the tables of a sweep."""

    index: pa.Table
    tables: Mapping[str, pa.Table]


class Recent:
    """Records of recent runs, without traces, so that they need not be read again.

    They are kept up to a limit of memory; the others are on disk.
    """

    def __init__(self) -> None:
        self._records: dict[str, Record] = {}
        self._free = _RECENT_BYTES

    def keep(self, key: str, record: Record) -> None:
        """Keep a record, if there is room."""
        self._free -= sum(map(len, record.tables.values()))
        if self._free >= 0:
            self._records[key] = replace(record, traces={})

    def read(self, path: Path) -> Record:
        """Return the record of a file, without traces."""
        return self._records.get(key_of(path)) or Record.decode(path, traces=False)


def collect(store: Store, recent: Recent | None = None) -> Collected:
    """Read the runs of the folder's sweep.

    Raises
    ------
    OSError
        A file is missing or cannot be read.
    Damaged
        The definition of the sweep is damaged, or a record became so just now; the message names the file.
    """
    points = read_parquet(store.folder / "points.parquet")
    recent = recent or Recent()
    asked = _asked(store, points, recent)
    index: list[dict[str, Any]] = []
    parts: dict[str, _Parts] = {}
    for each in asked:
        row: dict[str, Any] = {"point": each.point, "seed": each.seed, "status": each.status, "error": each.error}
        if each.path:
            record = recent.read(each.path)
            row |= {name: getattr(record, name) for name in _MEASURED} | {"record": each.path.name}
            for name, stream in record.tables.items():
                parts.setdefault(name, _Parts()).add(batch_of(stream), each.point, each.seed)
        index.append(row)
    table = pa.Table.from_pylist(index, schema=_INDEX)
    for name in keys_of(points):
        table = table.append_column(name, points[name].take(table["point"]).combine_chunks())
    return Collected(table, {name: each.joined() for name, each in parts.items()})


class _Parts:
    """One table of all runs, under construction."""

    def __init__(self) -> None:
        self._batches: list[pa.RecordBatch] = []
        self._runs: list[tuple[int, int]] = []

    def add(self, batch: pa.RecordBatch, point: int, seed: int) -> None:
        """Add the table of a run."""
        self._batches.append(batch)
        self._runs.append((point, seed))

    def joined(self) -> pa.Table:
        """Return the tables, one after the other, with the columns ``point`` and ``seed`` first."""
        # Runs of one scenario have the same schema; combining different ones takes longer.
        alike = (pa.Table.from_batches(list(each)) for _, each in groupby(self._batches, lambda batch: batch.schema))
        table = pa.concat_tables(alike, promote_options="default").combine_chunks()
        lengths = [len(batch) for batch in self._batches]
        points, seeds = zip(*self._runs, strict=True)
        table = table.add_column(0, "seed", pa.array(np.repeat(np.array(seeds, dtype=np.uint64), lengths)))
        return table.add_column(0, "point", pa.array(np.repeat(np.array(points, dtype=np.int64), lengths)))


def joined(runs: Iterable[tuple[int, int, pa.RecordBatch]]) -> pa.Table:
    """Combine the tables of some runs, given as point, seed and table."""
    parts = _Parts()
    for point, seed, batch in runs:
        parts.add(batch, point, seed)
    return parts.joined()


def write(store: Store, recent: Recent | None = None) -> None:
    """Write ``index.parquet`` and ``tables/``; the caller holds the lock.

    Raises
    ------
    OSError
        A file cannot be written; the records are safe, and the files can be recreated.
    """
    state = _state(store)
    collected = collect(store, recent)
    folder = store.folder / "tables"
    folder.mkdir(exist_ok=True)
    for former in folder.glob("*.parquet"):
        if former.stem not in collected.tables:
            former.unlink()
    for name, table in collected.tables.items():
        write_parquet(folder / f"{name}.parquet", table)
    # The index comes last, since it marks the tables as complete.
    write_parquet(store.folder / "index.parquet", collected.index.replace_schema_metadata({_STATE: state}))


def written(store: Store) -> bool:
    """Return whether index and tables on disk are undamaged, and match the records and the sweep."""
    path = store.folder / "index.parquet"
    if not path.is_file():
        return False
    try:
        for table in (store.folder / "tables").glob("*.parquet"):
            check(table, table.name)
        return read_metadata(path).get(_STATE.encode()) == _state(store).encode()
    except Damaged:
        return False


def value_of_run(metric: Metric, record: Record) -> float:
    """Return a metric of one finished run."""
    if metric.table not in record.tables:
        known = ", ".join(record.tables)
        raise MetricError(f"{metric.text!r}: there is no table {metric.table!r}; there are {known}")
    table = joined([(0, record.seed, batch_of(record.tables[metric.table]))])
    return metric.by_run(table)[0, record.seed]


def _state(store: Store) -> str:
    done, failed = store.listing()
    asked = (store.folder / "sweep.toml").read_bytes()
    text = "\n".join([hashlib.sha256(asked).hexdigest(), *sorted(done), "failed", *sorted(failed)])
    return hashlib.sha256(text.encode()).hexdigest()


def _asked(store: Store, points: pa.Table, recent: Recent) -> list[Asked]:
    """Return every run of the sweep, in the order of the index."""
    plan = read_toml(store.folder / "sweep.toml")
    rule = Replications.from_toml(plan)
    done, failed = store.listing()

    def run(point: int, scenario: str, seed: int) -> Asked:
        name = key(scenario, seed, plan["celltrain"])
        if name in done:
            return Asked(point, seed, "done", store.path(name))
        if name in failed:
            return Asked(point, seed, "failed", store.path(name, failed=True))
        return Asked(point, seed, "missing")

    asked = []
    for row in points.select(["point", "scenario_hash", "error"]).to_pylist():
        number, scenario, error = row["point"], row["scenario_hash"], row["error"]
        if scenario is None:
            asked += [Asked(number, seed, "failed", error=error) for seed in rule.seeds({})]
            continue
        values: dict[int, float | None] = {}
        if rule.until:
            runs = [run(number, scenario, seed) for seed in rule.all_seeds]
            values = _values(Metric.parse(rule.until.metric), runs, recent)
        asked += [run(number, scenario, seed) for seed in rule.seeds(values)]
    return asked


def _values(metric: Metric, runs: Sequence[Asked], recent: Recent) -> dict[int, float | None]:
    """Return a metric of the runs of one point that have a record."""
    values: dict[int, float | None] = {}
    for each in runs:
        if each.path:
            values[each.seed] = None if each.status == "failed" else value_of_run(metric, recent.read(each.path))
    return values
