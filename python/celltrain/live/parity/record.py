"""The folder of a comparison: every run's tables, and the rows with their verdicts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import numpy as np

from celltrain.files import atomic_write, csv_text, json_text, output_folder
from celltrain.live.parity.comparison import Comparison, row_data, run_data
from celltrain.live.parity.runs import Run

#: Columns of ``comparison.csv``, in order.
_ROW = (
    "vc",
    "subject",
    "quantity",
    "unit",
    "simulated",
    "simulated_ci95",
    "kernel",
    "kernel_ci95",
    "difference_percent",
    "difference_percent_ci95",
    "target",
    "verdict",
    "valid",
    "runs",
)


#: The file of a run, written last.
FILE = "run.json"


def folder_of_run(folder: Path, vc: str, number: int) -> Path:
    """Return the folder of a run."""
    return folder / "runs" / vc / f"{number}"


def save_run(folder: Path, run: Run) -> None:
    """Write the files of a run as soon as it is finished, so that later failures cannot lose them.

    ``simulated`` holds the tables of the simulation with its provenance; ``kernel`` the time series of each flow, those
    of the queues, and the line's summary with all settings of both kernels; ``run.json`` the compared values.
    """
    place = folder_of_run(folder, run.vc, run.number)
    run.result.save(place / "simulated")
    kernel = output_folder(place / "kernel")
    for name, side in run.kernel.sides.items():
        times = side.cwnd_bytes.times_s
        columns = {"time_s": times, "srtt_s": side.srtt_s.values, "cwnd_bytes": side.cwnd_bytes.values}
        atomic_write(kernel / f"flows.{name}.csv", _columns(columns))
    queues = run.kernel.queues
    if queues:
        times = next(iter(queues.values())).times_s
        columns = {"time_s": times} | {name: series.values for name, series in queues.items()}
        atomic_write(kernel / "queues.csv", _columns(columns))
    atomic_write(kernel / "flows.csv", csv_text(_FLOW, _flows(run)))
    atomic_write(kernel / "summary.json", json_text(run.kernel.summary.to_json()))
    atomic_write(place / FILE, json_text(run_data(run)))


#: Columns of a kernel's ``flows.csv``, in order.
_FLOW = (
    "flow",
    "vc",
    "direction",
    "congestion",
    "goodput_bps",
    "segments",
    "retransmitted",
    "transfers",
    "transfer_mean_s",
    "idle",
    "application",
    "window",
    "buffer",
    "waited",
    "is_prompt",
)


def _flows(run: Run) -> Iterator[dict[str, object]]:
    for flow in run.flows:
        side = run.kernel.sides[flow.name]
        told = {"flow": flow.name, "vc": run.vc, "direction": flow.direction, "congestion": flow.congestion}
        values = {name: getattr(side, name) for name in _FLOW if hasattr(side, name)}
        yield told | values | asdict(run.kernel.limits[flow.name])


def _columns(columns: dict[str, np.ndarray]) -> str:
    rows = zip(*(values.tolist() for values in columns.values()), strict=True)
    return csv_text(list(columns), (dict(zip(columns, row, strict=True)) for row in rows))


def save_comparison(folder: Path, comparison: Comparison) -> None:
    """Write ``comparison.csv``, ``comparison.json`` and ``runs.csv``."""
    folder = output_folder(folder)
    rows = [row_data(row) for row in comparison.rows]
    atomic_write(folder / "comparison.csv", csv_text(_ROW, rows))
    atomic_write(folder / "comparison.json", json_text(comparison.to_json()))
    columns = ("vc", "run", "seed", "is_valid", "reasons", "lateness_p95_s", "loss")
    runs = [run_data(run) for run in comparison.runs]
    told = [{name: run[name] for name in columns} | {"reasons": "; ".join(run["reasons"])} for run in runs]
    atomic_write(folder / "runs.csv", csv_text(columns, told))


def save_plots(folder: Path, comparison: Comparison) -> list[Path]:
    """Draw a run of each VC, as ``VC.svg`` and ``VC.png``; return the files. Needs matplotlib, comparing does not."""
    from celltrain import drawing
    from celltrain.live.parity.plot import figure

    files = []
    for vc in dict.fromkeys(run.vc for run in comparison.runs):
        drawn = figure(comparison, vc)
        for kind in ("svg", "png"):
            files.append(folder / f"{vc}.{kind}")
            atomic_write(files[-1], drawing.image(drawn, kind))
    return files
