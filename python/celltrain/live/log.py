"""The record of a line: a folder of Parquet tables and a summary."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from celltrain.files import atomic_write, put_together, remove_unfinished, temporary
from celltrain.live.directions import directions
from celltrain.live.summary import Summary
from celltrain.stored.seals import seal_parquet_file, sealed_json

_PACKETS, _LINE, _SUMMARY = "packets.parquet", "line.parquet", "summary.json"
#: Rows that are collected before they are written to disk.
_AT_ONCE = 50_000


class Log:
    """The files ``packets.parquet``, ``line.parquet`` and ``summary.json`` of a folder.

    ``packets`` has a row for each packet: direction (``up`` from the client, ``down`` to it), octets, the times of
    arrival, of departure by the model and of actual departure, in s since the line was opened (none without departure),
    whether a queue marked it, and its outcome: ``delivered``, ``inside`` (still there when the line closed), or the
    cause of its loss. ``line`` has ten rows a second for each direction: rate of the narrowest line (for delivery
    opportunities, the mean since the previous row), its queue, the rate at which the host may send, cells that wait
    there, cells dropped so far.
    """

    def __init__(self, folder: Path) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self._pa = pa
        # PyArrow imports pandas, where it is installed, with the first array: later, samples would wait for that.
        pa.array([0.0])
        self._folder = folder
        self._packets_schema = pa.schema(
            [
                ("direction", pa.dictionary(pa.int8(), pa.string())),
                ("bytes", pa.uint32()),
                ("came_s", pa.float64()),
                ("due_s", pa.float64()),
                ("left_s", pa.float64()),
                ("is_marked", pa.bool_()),
                ("outcome", pa.string()),
            ]
        )
        numbers = ("rate_bps", "queue_cells", "source_rate_bps", "source_cells", "lost_cells")
        self._states = numbers
        columns = [("time_s", pa.float64()), ("direction", pa.string()), *((name, pa.float64()) for name in numbers)]
        self._line_schema = pa.schema(columns)
        remove_unfinished(folder)
        # A former record stays until this one is whole.
        self._files = {name: temporary(folder / name) for name in (_PACKETS, _LINE, _SUMMARY)}
        self._failure: OSError | None = None
        try:
            self._packets = pq.ParquetWriter(self._files[_PACKETS], self._packets_schema)
            self._line = pq.ParquetWriter(self._files[_LINE], self._line_schema)
        except OSError:
            self._discard()
            raise
        self._waiting: list[Any] = []
        self._rows: list[dict[str, Any]] = []
        self._last_s = -1.0

    def add(self, rows: Mapping[str, Any], look: Mapping[str, Any], *, client_is_first: bool) -> None:
        """Record packets, and the state of the line; if the disk is full, :meth:`close` says so: the line goes on."""
        if self._failure is not None:
            return
        if len(rows["bytes"]):
            self._waiting.append(self._table(rows, client_is_first=client_is_first))
        if sum(map(len, self._waiting)) >= _AT_ONCE:
            self._write_packets()
        if look["time_s"] > self._last_s and "rate_bps" in look["forward"]:
            self._last_s = look["time_s"]
            for way, direction in directions(client_is_first=client_is_first).items():
                state = {name: _number(look[way][name]) for name in self._states}
                self._rows.append({"time_s": look["time_s"], "direction": direction} | state)

    def _table(self, rows: Mapping[str, Any], *, client_is_first: bool) -> Any:  # noqa: ANN401 - pyarrow has no types
        pa = self._pa
        ups = rows["is_forward"] if client_is_first else ~rows["is_forward"]
        names = pa.array(["down", "up"])
        direction = pa.DictionaryArray.from_arrays(pa.array(ups.astype("int8")), names)
        columns = [direction]
        for name in self._packets_schema.names[1:]:
            columns.append(pa.array(rows[name], self._packets_schema.field(name).type, from_pandas=True))
        return pa.Table.from_arrays(columns, schema=self._packets_schema)

    def _write_packets(self) -> None:
        waiting, self._waiting = self._waiting, []
        if waiting:
            try:
                self._packets.write_table(self._pa.concat_tables(waiting))
            except OSError as error:
                self._failure = error

    def close(self, summary: Summary) -> None:
        """Write the rest, and put all files in their places.

        Raises
        ------
        OSError
            The disk is full, or was before; then nothing is left behind, and a former record stays.
        """
        self._write_packets()
        try:
            self._finish(sealed_json(summary.to_json()))
        except BaseException:
            self._discard()
            raise

    def _discard(self) -> None:
        for writer in (getattr(self, "_packets", None), getattr(self, "_line", None)):
            if writer is not None:
                # Otherwise PyArrow writes the rest when it forgets the writer, and prints that it cannot.
                writer.is_open = False
        for path in self._files.values():
            path.unlink(missing_ok=True)

    def _finish(self, summary: str) -> None:
        if self._failure is not None:
            raise self._failure
        self._line.write_table(self._pa.Table.from_pylist(self._rows, schema=self._line_schema))
        self._packets.close()
        self._line.close()
        for name in (_PACKETS, _LINE):
            seal_parquet_file(self._files[name], name)
        atomic_write(self._files[_SUMMARY], summary)
        put_together(self._folder, self._files, seal=_SUMMARY, stale=_SUMMARY)


def _number(value: float) -> float | None:
    """Return a value of a column: none if the line has none, such as the rate of a host that nothing limits."""
    return None if math.isnan(value) else float(value)
