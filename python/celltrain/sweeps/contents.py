"""The folder of a sweep, read back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import compute as pc

from celltrain.files import NotText, read_text, sha256
from celltrain.refused import Refused
from celltrain.stored import Damaged
from celltrain.stored.objects import member, read_toml
from celltrain.stored.tables import read_parquet
from celltrain.sweeps import checks, collect
from celltrain.sweeps.metric import Metric, MetricError
from celltrain.sweeps.points import keys_of
from celltrain.sweeps.record import Record
from celltrain.sweeps.store import Store
from celltrain.sweeps.streams import table_of

#: The file with the warnings of the points.
WARNINGS = "warnings.json"


class SweepFolder:
    """The contents of the folder of a sweep. They are read on access, and nothing is written.

    Parameters
    ----------
    folder
        The folder of the sweep; see *The folder of a sweep* in the reference. The sweep may still be running.

    Raises
    ------
    FileNotFoundError
        There is no sweep in the folder.
    Refused
        It was written by a later version of celltrain, or ``sweep.toml`` is damaged.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self._store = Store(self.folder)
        asked = self.folder / "sweep.toml"
        if not asked.is_file():
            raise FileNotFoundError(2, "no sweep in this folder (there is no sweep.toml)", str(self.folder))
        #: The definition of the sweep, as in ``sweep.toml``.
        self.plan: dict[str, Any] = read_toml(asked)
        if member(asked, self.plan, "form", int) != collect.FORM:
            raise Refused(f"{asked}: expected form = {collect.FORM}; a newer celltrain reads later forms")
        for name, kind in (("celltrain", str), ("replications", int), ("first_seed", int)):
            member(asked, self.plan, name, kind)

    @cached_property
    def scenario(self) -> dict[str, Any]:
        """The base scenario, with every default written out."""
        path = self.folder / "scenario.json"
        try:
            text = read_text(path)
        except NotText as error:
            raise Damaged(path, error.what) from error
        if sha256(text) != self.plan.get("scenario_hash"):
            raise Damaged(path, "not the scenario whose checksum is in sweep.toml")
        return dict(json.loads(text))

    @cached_property
    def points(self) -> pa.Table:
        """A row for each point: ``point``, ``scenario_hash``, ``error``, ``scenario``, and each swept key."""
        return read_parquet(self.folder / "points.parquet")

    @property
    def keys(self) -> list[str]:
        """Names of the swept keys."""
        return keys_of(self.points)

    def scenario_of(self, point: int) -> dict[str, Any] | None:
        """Return the whole scenario of a point; None if it cannot be run."""
        text = self.points["scenario"][point].as_py()
        return None if text is None else dict(json.loads(self._store.traces.whole(text)))

    @cached_property
    def _collected(self) -> collect.Collected | None:
        """Index and tables from the records, if those on disk are out of date."""
        return None if collect.written(self._store) else collect.collect(self._store)

    @cached_property
    def index(self) -> pa.Table:
        """A row for each run of the sweep."""
        return self._collected.index if self._collected else read_parquet(self.folder / "index.parquet")

    @cached_property
    def tables(self) -> list[str]:
        """Names of the tables of all runs."""
        if self._collected:
            return sorted(self._collected.tables)
        return sorted(path.stem for path in (self.folder / "tables").glob("*.parquet"))

    def table(self, name: str, columns: Sequence[str] | None = None) -> pa.Table:
        """Return a table of all runs, with the columns ``point`` and ``seed`` first.

        Raises
        ------
        KeyError
            There is no such table.
        """
        if name not in self.tables:
            raise KeyError(f"no table {name!r}; there are {', '.join(self.tables) or 'none: no run is done'}")
        if self._collected:
            table = self._collected.tables[name]
            return table.select(list(columns)) if columns else table
        return read_parquet(self.folder / "tables" / f"{name}.parquet", columns)

    def traces(self, point: int, seed: int) -> dict[str, pa.Table]:
        """Return the time series of a run by the name of their probe.

        Raises
        ------
        KeyError
            The run is not done.
        """
        for row in self.index.select(["point", "seed", "status", "record"]).to_pylist():
            if (row["point"], row["seed"], row["status"]) == (point, seed, "done"):
                return self._traces(row["record"])
        raise KeyError(f"no finished run of point {point} with seed {seed}")

    def trace(self, probe: str) -> pa.Table:
        """Return the time series of a probe for all runs, with the columns ``point`` and ``seed`` first.

        Raises
        ------
        KeyError
            There is no such probe.
        """
        found: list[tuple[int, int, pa.RecordBatch]] = []
        probes: set[str] = set()
        for row in self.index.filter(pc.field("status") == "done").select(["point", "seed", "record"]).to_pylist():
            traces = self._traces(row["record"])
            probes |= set(traces)
            if probe in traces:
                found.append((row["point"], row["seed"], traces[probe].to_batches()[0]))
        if not found:
            known = ", ".join(sorted({*self.tables, *probes}))
            raise KeyError(f"no table or probe {probe!r}; there are index, {known}")
        return collect.joined(found)

    def _traces(self, record: str) -> dict[str, pa.Table]:
        traces = Record.decode(self._store.records / record).traces
        return {name: table_of(stream) for name, stream in traces.items()}

    def with_keys(self, table: pa.Table) -> pa.Table:
        """Add the values of the swept keys to a table, after ``point`` and ``seed``."""
        for place, name in enumerate(self.keys, start=2):
            table = table.add_column(place, name, self.points[name].take(table["point"]))
        return table

    def unit(self, metric: str | Metric) -> str:
        """Return the unit of a metric: SI, ``1`` for ratios and counts."""
        metric = metric if isinstance(metric, Metric) else Metric.parse(metric)
        unit: bytes = self.table(metric.table).schema.field(metric.column).metadata[b"unit"]
        return unit.decode()

    def values(self, metric: str | Metric) -> dict[tuple[int, int], float]:
        """Return a metric of each finished run, by point and seed; NaN if a run has no value.

        Raises
        ------
        MetricError
            The text is not a metric, or the tables lack it.
        """
        metric = metric if isinstance(metric, Metric) else Metric.parse(metric)
        if metric.table not in self.tables:
            raise MetricError(
                f"{metric.text!r}: there is no table {metric.table!r}; there are {', '.join(self.tables) or 'none'}"
            )
        return metric.by_run(self.table(metric.table))

    @property
    def cross_checks(self) -> dict[str, Any] | None:
        """The cross-checks, as in ``cross_checks.json``; None if the sweep has not finished."""
        try:
            data = json.loads((self.folder / checks.FILE).read_text("utf-8"))
        except (OSError, ValueError):
            return None
        return data if isinstance(data, dict) else None

    @property
    def warnings(self) -> list[dict[str, Any]]:
        """Warnings about the scenarios of the points, each code once, as in ``warnings.json``."""
        try:
            data = json.loads((self.folder / WARNINGS).read_text("utf-8"))
        except (OSError, ValueError):
            return []
        return data if isinstance(data, list) else []

    @property
    def damaged(self) -> dict[Path, str]:
        """What is wrong with each damaged record. Their runs count as missing."""
        self._store.listing()
        return {self._store.records / name: what for name, what in sorted(self._store.damaged.items())}

    def counts(self) -> Mapping[str, int]:
        """Count the runs by status."""
        found = self.index["status"].value_counts().to_pylist()
        return {"done": 0, "failed": 0, "missing": 0} | {row["values"]: row["counts"] for row in found}

    def _repr_html_(self) -> str:
        from celltrain import notebook

        columns = {name: [str(value) for value in self.points[name].to_pylist()] for name in ("point", *self.keys)}
        counts = ", ".join(f"{count} {status}" for status, count in self.counts().items() if count)
        return f"<p><code>{escape(repr(self))}</code>: {counts}</p>" + notebook.table_html(columns, {})

    def __repr__(self) -> str:
        """Return its folder and size."""
        return f"<{type(self).__name__} {self.folder}: {len(self.points)} points, {len(self.index)} runs>"
