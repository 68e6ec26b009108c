"""The golden tables: TCP variants and switch algorithms on a small network, as text whose diff can be read.

``python tests/python/golden.py``, or ``make golden``, writes them into ``tests/golden``. ``test_golden.py`` compares
them with what is simulated, and holds rules that were reasoned out by hand. Variants and algorithms are those of the
schema.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from celltrain import _native
from celltrain.data import Data
from celltrain.results import Result
from celltrain.runner import Job, run_jobs
from celltrain.scenario import Scenario
from networks import both_ways, each_way, row

FOLDER = Path(__file__).resolve().parents[1] / "golden"

#: Octets of data in a segment, and its cells: 1460 + 40 of headers + 8 of the AAL5 trailer fill 31.4 payloads of 48.
SEGMENT, CELLS = 1460, 32
#: Rate of the line of the TCP tables, in bit/s, and the delay of a round trip without a queue.
LINE_BPS, ROUND_TRIP_S = 2e6, 0.1
#: Data rate of the line: 8 * 1460 bits in 32 cells of 424 bits.
PAYLOAD_BPS = LINE_BPS * 8 * SEGMENT / (424 * CELLS)
#: The largest window in segments, above the 14.7 that fill the path.
WINDOW = 40

#: Cell loss probabilities, and seeds over which throughputs are averaged.
LOSSES, SEEDS = (0.0, 1e-4, 3e-4, 1e-3, 3e-3), (1, 2)

#: Rate of the line of the ABR table, in bit/s.
ABR_BPS = 10e6
#: Keys of switch algorithms, including those without a default.
CONTROLS: Mapping[str, Data] = {
    "binary": {"threshold": "100 cells"},
    "fair-share": {},
    "erica-plus-smoothed": {
        "t0": "4 ms",
        "a": 1.15,
        "b": 1.05,
        "qdlf": 0.5,
        "x": 0.25,
        "smoothing_interval": "10 ms",
        "averaging_interval": "5 ms",
    },
    "erica": {"interval": "5 ms"},
    "erica-plus": {"interval": "5 ms"},
    "eprca": {"qt": "100 cells", "dqt": "300 cells"},
    "capc": {"interval": "5 ms", "cqt": "100 cells"},
    "capc2": {"interval": "5 ms", "cqt": "100 cells", "vcqt": "300 cells"},
    "phantom": {"interval": "5 ms"},
    "mit": {},
    "mmrca": {"qt": "100 cells", "dqt": "300 cells"},
}

#: Values by row and column name.
Values = Mapping[str, Mapping[str, float]]


def variants() -> list[str]:
    """Name the variants of TCP."""
    return [each["const"] for each in _definition("TcpVariant") if "const" in each]


def algorithms() -> list[str]:
    """Name the switch algorithms."""
    return [each["properties"]["algorithm"]["const"] for each in _definition("Control")]


def _definition(name: str) -> Sequence[Mapping[str, Any]]:
    found: Sequence[Mapping[str, Any]] = json.loads(_native.schema())["$defs"][name]["oneOf"]
    return found


def connection(variant: str, line: Mapping[str, Any], **tables: Mapping[str, Any]) -> Scenario:
    """Make a greedy connection over the line, with no queue for its acknowledgments."""
    delay = f"{ROUND_TRIP_S / 2 * 1e3:g} ms"
    tcp = {
        "preset": "plain",
        "variant": variant,
        "mss": f"{SEGMENT} bytes",
        "window": f"{WINDOW * SEGMENT} bytes",
        "nagle": False,
        "ack": "each",
        "timer_granularity": "100 ms",
    }
    hop = each_way("line", {"rate": f"{LINE_BPS / 1e6:g} Mbit/s", "delay": delay, **line}, "back", {"delay": delay})
    vcs, flows = {"vc": {"encapsulation": "vc-mux"}}, {"f": {"vc": "vc", "tcp": tcp}}
    return Scenario(row("a b", hop, vcs=vcs, flows=flows, **tables), "golden")


def throughputs() -> Values:
    """Measure the throughput of each variant, in bit/s, by cell loss probability."""
    measured: dict[tuple[str, float], list[float]] = {}
    jobs: dict[tuple[str, float, int], tuple[Scenario, int]] = {}
    for variant in variants():
        for loss in LOSSES:
            # A queue that holds the whole window: only the line loses cells.
            line: Data = {"buffer": f"{2 * WINDOW * CELLS} cells"}
            if loss:
                line["loss"] = {"process": "bernoulli", "probability": loss}
            scenario = connection(variant, line, measure={"warm_up": "20 s", "duration": "120 s"})
            jobs |= {(variant, loss, seed): (scenario, seed) for seed in SEEDS}
    for (variant, loss, _), result in _all_runs(jobs):
        measured.setdefault((variant, loss), []).append(float(result.flows["throughput_bps"][0]))
    return {
        variant: {f"{loss:g}": math.fsum(measured[variant, loss]) / len(SEEDS) for loss in LOSSES}
        for variant in variants()
    }


def windows() -> Values:
    """Record cwnd of each variant, in segments, by time in s, from slow start into a queue of 16 packets on."""
    queue = {"buffer": f"{17 * CELLS} cells", "discard": {"policy": "epd", "threshold": f"{15 * CELLS + 1} cells"}}
    probe = {"every": "100 ms", "record": ["flows.f.cwnd_bytes"]}
    jobs = {
        variant: (connection(variant, queue, measure={"duration": "12 s"}, probes={"trace": probe}), 1)
        for variant in variants()
    }
    traces = {variant: result.traces["trace"] for variant, result in _all_runs(jobs)}
    # Every sample up to the first losses, then every fifth.
    chosen = [*range(20), *range(20, 121, 5)]
    return {
        f"{traces[variants()[0]]['time_s'][at]:.1f}": {
            variant: float(traces[variant]["flows.f.cwnd_bytes"][at]) / SEGMENT for variant in variants()
        }
        for at in chosen
    }


def allowed_rates(vc: int) -> Values:
    """Record ACR of the first or second of two greedy VCs, in Mbit/s, by time in ms: one starts at 200 ms."""
    jobs = {algorithm: (_two_vcs(algorithm), 1) for algorithm in algorithms()}
    traces = {algorithm: result.traces["trace"] for algorithm, result in _all_runs(jobs)}
    times = traces[algorithms()[0]]["time_s"]
    return {
        f"{1e3 * time:.0f}": {
            algorithm: float(traces[algorithm][f"vcs.vc{vc}.forward.acr_bps"][at]) / 1e6 for algorithm in algorithms()
        }
        for at, time in enumerate(times)
    }


def _two_vcs(algorithm: str) -> Scenario:
    service = {"service": "abr", "pcr": f"{ABR_BPS / 1e6:g} Mbit/s", "icr": "500 kbit/s", "rif": "1/16"}
    control = {"algorithm": algorithm, **CONTROLS[algorithm]}
    line = {"delay": "1 ms", "rate": f"{ABR_BPS / 1e6:g} Mbit/s", "buffer": "5000 cells", "control": control}
    greedy = {"process": "greedy"}
    data = row(
        "a s t b",
        both_ways("in", delay="100 us"),
        each_way("line", line, "back", {"delay": "1 ms"}),
        both_ways("out", delay="100 us"),
        measure={"duration": "400 ms"},
        hosts={"a": {"count": 2}, "b": {"count": 2}},
        vcs={
            f"vc{i}": {"route": [f"a{i}", "s", "t", f"b{i}"], "forward": service, "backward": service} for i in (1, 2)
        },
        backgrounds={
            "first": {"vc": "vc1", "traffic": greedy},
            "second": {"vc": "vc2", "start": "200 ms", "traffic": greedy},
        },
        probes={"trace": {"every": "20 ms", "record": [f"vcs.vc{i}.forward.acr_bps" for i in (1, 2)]}},
    )
    return Scenario(data, "golden")


def _all_runs(wanted: Mapping[Any, tuple[Scenario, int]]) -> Iterator[tuple[Any, Result]]:
    """Run scenarios with their seeds on all cores; results come as they finish."""
    jobs = {key: Job(scenario, seed, cross_check=False) for key, (scenario, seed) in wanted.items()}
    keys = {id(job): key for key, job in jobs.items()}
    for job, result in run_jobs(jobs.values()):
        yield keys[id(job)], result


def text(title: str, corner: str, values: Values, digits: int) -> str:
    """Write a table: a line for each key, with columns as wide as their names."""
    columns = list(next(iter(values.values())))
    first = max(map(len, (corner, *values)))
    widths = [max(len(name), 7) for name in columns]
    lines = [f"{corner:<{first}}" + "".join(f"  {name:>{width}}" for name, width in zip(columns, widths, strict=True))]
    for name, of in values.items():
        cells = (f"  {of[column]:{width}.{digits}f}" for column, width in zip(columns, widths, strict=True))
        lines.append(f"{name:<{first}}" + "".join(cells))
    return f"# {title}\n" + "".join(f"{line}\n" for line in lines)


def throughput_text(values: Values) -> str:
    """Write the table of throughputs."""
    in_kbps = {variant: {loss: bps / 1e3 for loss, bps in of.items()} for variant, of in values.items()}
    return text("Throughput in kbit/s by TCP variant and probability that a cell is lost", "variant", in_kbps, 1)


def window_text(values: Values) -> str:
    """Write the table of congestion windows."""
    return text("cwnd in segments by time in s and TCP variant", "time_s", values, 1)


def rate_text(first: Values, second: Values) -> str:
    """Write both tables of allowed cell rates."""
    title = "ACR in Mbit/s of the {} VC by time in ms and switch algorithm"
    parts = ((title.format(name), values) for name, values in (("first", first), ("second", second)))
    return "\n".join(text(told, "time_ms", values, 3) for told, values in parts)


#: What makes each file.
TABLES: Mapping[str, Callable[[], str]] = {
    "tcp-throughput.txt": lambda: throughput_text(throughputs()),
    "tcp-cwnd.txt": lambda: window_text(windows()),
    "abr-acr.txt": lambda: rate_text(allowed_rates(1), allowed_rates(2)),
}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for file, made in TABLES.items():
        (FOLDER / file).write_text(made(), encoding="utf-8")
