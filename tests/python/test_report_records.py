"""`celltrain report` of what `celltrain shell --log` wrote: drawing, totals, traces, and errors."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from celltrain import Scenario
from celltrain.refused import Refused
from celltrain.report import folder as results
from celltrain.report.page import render
from celltrain.stored.seals import sealed_json
from celltrain.stored.tables import write_parquet
from conftest import Command
from live_lines import LINE, need_hosts

#: A packet of 1500 octets leaves every 100 ms upstream; the third of four is lost.
PACKET_BITS = 12_000


def way(packets: int, lost: int) -> dict[str, object]:
    delays = {"count": packets - lost, "mean": 0.02, "p50": 0.02, "p95": 0.03, "p99": 0.03, "max": 0.04}
    return {
        "packets": packets,
        "packets_delivered": packets - lost,
        "packets_lost": lost,
        "packets_lost_to": {"queue-full": lost, "policer": 0},
        "packets_inside": 0,
        "packets_marked": 0,
        "queueing_s": delays,
        "delay_s": delays,
        "utilization": 0.5,
    }


def a_record(folder: Path, outcome: str = "outcome") -> Path:
    """Write a record of 1 s by hand, as `celltrain shell --log` does."""
    folder.mkdir()
    packets = {
        "direction": pa.array(["up"] * 4).dictionary_encode(),
        "bytes": pa.array([1500] * 4, pa.uint32()),
        "came_s": [0.05, 0.15, 0.25, 0.35],
        "due_s": [0.15, 0.24, None, 0.45],
        "left_s": [0.15, 0.24, None, 0.45],
        "is_marked": [False] * 4,
        outcome: ["delivered", "delivered", "queue-full", "delivered"],
    }
    write_parquet(folder / "packets.parquet", pa.table(packets))
    states = [
        {
            "time_s": time,
            "direction": direction,
            "rate_bps": 1e6,
            "queue_cells": 40.0 if direction == "up" else 0.0,
            "source_rate_bps": None,
            "source_cells": 0.0,
            "lost_cells": 0.0,
        }
        for time in (0.0, 0.5)
        for direction in ("up", "down")
    ]
    write_parquet(folder / "line.parquet", pa.Table.from_pylist(states))
    summary = {
        "duration_s": 1.0,
        "up": way(4, 1),
        "down": way(0, 0),
        "lateness": {"p50": 2e-5, "p95": 3e-4, "max": 1e-3},
        "stalls": 0,
        "degraded": True,
        "realtime_problem": None,
        "kernels": {"kernel": "6.1", "hosts": {}},
        "provenance": {"vc": "vc", "scenario": json.loads(Scenario.from_toml(LINE, "line.toml").to_json())},
        "tables": {"links": [{"link": "up", "from": "home", "to": "office", "mean_rate_bps": None}], "flows": []},
    }
    (folder / "summary.json").write_text(sealed_json(summary))
    return folder


def test_a_record_is_reported_with_drawing_totals_and_traces(tmp_path: Path) -> None:
    (chapter,) = results.read(a_record(tmp_path / "log")).chapters
    assert chapter.drawing.startswith("data:image/svg+xml")
    packets, traces, *_ = chapter.sections
    assert packets.grids[0].rows[0][:5] == ("up, from the client", "4", "3", "1", "0")
    assert [len(grid.columns) for grid in packets.grids[:2]] == [7, 7]
    assert packets.grids[2].rows == [("up, from the client", "1", "to full queues")]
    assert "degraded" in packets.notes[0]
    (figure,) = traces.figures
    # Nothing was lost by cells, and the host could send without limit: there is nothing to draw of either.
    labels = [panel.label.partition(" [")[0] for panel in figure.panels]
    assert labels == ["line rate", "queue", "throughput", "delay"]
    rows = {row[0]: row for row in traces.grids[0].rows}
    assert rows["up.delay_s"][1:3] == ("ms", "3")
    assert rows["up.delay_s"][3:] == ("90", "96.667", "100")
    # A packet leaves in three of nine whole intervals of 100 ms.
    assert rows["up.throughput_bps"][2:] == ("9", "0", "40", f"{PACKET_BITS / 100:g}")


def test_a_record_of_an_older_version_has_no_drawing(tmp_path: Path) -> None:
    folder = a_record(tmp_path / "log")
    path = folder / "summary.json"
    summary = json.loads(path.read_text())
    del summary["provenance"]["scenario"]
    path.write_text(sealed_json(summary))
    report = results.read(folder)
    assert report.chapters[0].drawing == ""
    assert "Over time" in render(report)


def test_a_record_with_the_former_name_of_its_outcomes_is_reported_alike(tmp_path: Path) -> None:
    former, present = (results.read(a_record(tmp_path / name, name)).chapters[0] for name in ("fate", "outcome"))
    assert former.sections[1].grids[0].rows == present.sections[1].grids[0].rows


def _killed(folder: Path) -> None:
    (folder / "summary.json").unlink()


def _cut(folder: Path) -> None:
    (folder / "packets.parquet").write_bytes(b"PAR1")


def _without_a_direction(folder: Path) -> None:
    (folder / "summary.json").write_text('{"provenance": {}}')


def _without_totals(folder: Path) -> None:
    summary = json.loads((folder / "summary.json").read_text())
    del summary["up"]["packets_lost"]
    (folder / "summary.json").write_text(sealed_json(summary))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (_killed, "no summary.json: the line is still open, or was killed"),
        (_cut, r"packets\.parquet: cut short: only 4 octets; restore it from a copy"),
        (_without_a_direction, r"summary\.json: up: expected dict, found nothing"),
        (_without_totals, "log: not a record as celltrain shell writes it: 'packets_lost'"),
    ],
)
def test_a_broken_record_is_one_clear_message(tmp_path: Path, damage: Callable[[Path], None], message: str) -> None:
    folder = a_record(tmp_path / "log")
    damage(folder)
    with pytest.raises(Refused, match=message):
        results.read(folder)


@pytest.mark.alone
def test_the_record_of_a_real_line_is_reported(cli: Command, tmp_path: Path) -> None:
    need_hosts()
    (tmp_path / "line.toml").write_text(LINE)
    send = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(bytes(1472), ('server', 5000))"
    opened = cli("shell", "line.toml", "--log", "log", "--", sys.executable, "-c", send)
    assert opened.returncode == 0, opened.stderr
    assert cli("report", "log").returncode == 0
    page = (tmp_path / "log" / "report.html").read_text()
    assert "Real packets crossed the models of VC vc" in page
    assert "data:image/svg+xml" in page
