"""The results of a measurement: tables and their provenance."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from celltrain import _native
from celltrain.dbs.columns import SUMMARY
from celltrain.files import output_folder, replace_together
from celltrain.results import SCHEMA_VERSION
from celltrain.statistics import mean_and_half_width
from celltrain.stored import Damaged
from celltrain.stored.objects import read_object
from celltrain.stored.seals import sealed_json
from celltrain.table import Table

#: Tables with so many rows that they are written as Parquet only, and not printed as JSON unless they are asked for.
COMPACT = frozenset({"log_entries"})
#: The metrics of the table `summary`: whether connections add up, or are averaged.
METRICS = {"throughput_bps": sum, "rtt_mean_s": None, "loss_ratio": None}

Columns = Mapping[str, Any]


class Measurement:
    """Tables by name, over all repetitions.

    Attributes
    ----------
    tables : dict of str to Table
        ``summary``, ``hosts``, ``flows``, ``intervals``, ``tcp_info``, ``latency``, ``logs``, ``log_entries`` and
        ``missing``. Older measurements have no logs.
    provenance : dict
        How they were made: the whole plan and its hash, version, and the unit of every column.
    """

    def __init__(self, tables: dict[str, Table], provenance: dict[str, Any]) -> None:
        self.tables = tables
        self.provenance = provenance

    @classmethod
    def of(
        cls,
        repetitions: Sequence[tuple[Mapping[str, Columns], Mapping[str, Mapping[str, str]]]],
        plan: Mapping[str, Any],
        plan_hash: str,
        *,
        interrupted: bool,
    ) -> Measurement:
        """Join the repetitions of a plan."""
        tables: dict[str, Table] = {}
        for name in repetitions[0][0]:
            parts = [columns[name] for columns, _ in repetitions]
            tables[name] = Table(_joined(parts), repetitions[0][1][name])
        tables = {"summary": summary(tables["flows"]), **tables}
        provenance = {
            "celltrain": _native.__version__,
            "schema_version": SCHEMA_VERSION,
            "clock": "wall",
            "plan_hash": plan_hash,
            "repetitions": len(repetitions),
            "interrupted": interrupted,
            "plan": plan,
            "units": {name: dict(table.units) for name, table in tables.items()},
        }
        return cls(tables, provenance)

    def __repr__(self) -> str:
        """Identify the measurement, and say whether something is missing."""
        state = "" if self.is_complete else " incomplete"
        known = self.provenance
        flows = len(known["plan"]["flows"])
        return f"<Measurement plan={known['plan_hash'][:12]} flows={flows} repetitions={known['repetitions']}{state}>"

    @property
    def is_complete(self) -> bool:
        """Whether nothing is missing."""
        return len(self.tables["missing"]) == 0 and not self.provenance["interrupted"]

    def to_json(self, tables: Iterable[str] | None = None) -> dict[str, Any]:
        """Return provenance and these tables as plain data, a list of rows for each; by default, not `log_entries`."""
        chosen = tables or (name for name in self.tables if name not in COMPACT)
        rows = {name: list(self.tables[name].rows()) for name in chosen}
        return {"provenance": self.provenance, "tables": rows}

    def _repr_html_(self) -> str:
        from celltrain import notebook

        return notebook.table_html(self.tables["summary"].columns, self.tables["summary"].units, "flows")

    def save(self, folder: str | Path) -> list[Path]:
        """Write tables as CSV and Parquet, and ``provenance.json``; each file is complete or absent.

        The entries of logs are written as Parquet only: CSV would take ten times the room.
        """
        folder = output_folder(Path(folder))
        contents: dict[str, str | bytes] = {}
        for name, table in self.tables.items():
            if name not in COMPACT:
                contents[f"{name}.csv"] = table.to_csv()
            contents[f"{name}.parquet"] = parquet_octets(table, f"{name}.parquet")
        contents["provenance.json"] = sealed_json(self.provenance)
        return replace_together(folder, contents, seal="provenance.json", stale="provenance.json")


def parquet_octets(table: Table, file: str) -> bytes:
    """Write a table as Parquet for this file; units are in the metadata of fields, missing numbers are null."""
    # Imported here, since daemons import this package and must start quickly.
    import pyarrow as pa

    from celltrain.stored import tables

    fields = [
        pa.field(
            name,
            pa.string() if isinstance(values, list) else pa.from_numpy_dtype(values.dtype),
            metadata={"unit": table.units[name]},
        )
        for name, values in table.columns.items()
    ]
    arrays = [
        pa.array(values, field.type, from_pandas=True)
        for values, field in zip(table.columns.values(), fields, strict=True)
    ]
    return tables.parquet_octets(pa.Table.from_arrays(arrays, schema=pa.schema(fields)), file)


def _joined(parts: list[Columns]) -> dict[str, Any]:
    def join(values: list[Any]) -> Any:  # noqa: ANN401 - numbers or names
        if isinstance(values[0], list):
            return [name for names in values for name in names]
        return np.concatenate(values)

    return {name: join([part[name] for part in parts]) for name in parts[0]}


def summary(flows: Table) -> Table:
    """Return means over repetitions and half-widths of their 95 % intervals for each flow between two hosts."""
    by_flow: dict[tuple[str, str, str], dict[float, list[dict[str, Any]]]] = {}
    for row in flows.rows():
        key = (str(row["flow"]), str(row["from"]), str(row["to"]))
        by_flow.setdefault(key, {}).setdefault(float(row["repetition"]), []).append(row)
    columns: dict[str, list[Any]] = {name: [] for name in SUMMARY}
    units = {name: column.unit for name, column in SUMMARY.items()}
    for (flow, source, target), runs in by_flow.items():
        whole = [rows for rows in runs.values() if all(row["state"] == "complete" for row in rows)]
        firsts = next(iter(runs.values()))
        for name, value in zip(columns, (flow, source, target, len(firsts), len(whole)), strict=False):
            columns[name].append(value)
        for metric, add in METRICS.items():
            values = [_of_run([float(row[metric]) for row in rows], add) for rows in whole]
            mean, half_width = mean_and_half_width(values)
            columns[metric].append(mean)
            columns[f"{metric}_ci95"].append(half_width)
    return Table({name: _column(values, units[name]) for name, values in columns.items()}, units)


def _of_run(values: list[float], add: Any) -> float:  # noqa: ANN401 - the sum, or none
    known = [value for value in values if not math.isnan(value)]
    if not known:
        return math.nan
    return float(add(known)) if add else float(np.mean(known))


def _column(values: Iterable[Any], unit: str) -> Any:  # noqa: ANN401 - numbers or names
    return list(values) if unit == "" else np.array(list(values))


def read(folder: str | Path) -> Measurement:
    """Read a measurement that was saved.

    Raises
    ------
    OSError
        A file is missing or cannot be read.
    Damaged
        A file is not what :meth:`Measurement.save` writes.
    """
    folder = Path(folder)
    path = folder / "provenance.json"
    provenance = read_object(path)
    try:
        units: dict[str, dict[str, str]] = provenance["units"]
        tables = {
            name: _table(folder / f"{name}.parquet", columns) for name, columns in units.items() if name.isidentifier()
        }
        missing = {"summary", "hosts", "flows", "intervals", "tcp_info", "latency", "missing"} - set(tables)
    except Damaged:
        raise
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Damaged(path, f"not the output of `celltrain dbs run`: {error}") from error
    if missing:
        raise Damaged(path, f"not the output of `celltrain dbs run`: no table {sorted(missing)[0]}")
    return Measurement(tables, provenance)


def _table(path: Path, units: Mapping[str, str]) -> Table:
    import pyarrow as pa

    from celltrain.stored.tables import read_parquet

    stored = read_parquet(path)
    if stored.column_names != list(units):
        raise Damaged(path, "other columns than provenance.json says")
    columns = {
        name: column.to_pylist() if column.type == pa.string() else column.to_numpy()
        for name, column in zip(units, stored.columns, strict=True)
    }
    return Table(columns, units)
