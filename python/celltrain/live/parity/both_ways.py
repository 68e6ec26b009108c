"""Runs of a scenario both ways, VC by VC, with repeats."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from celltrain import _native
from celltrain.live.hosts import Settings, require_linux
from celltrain.live.parity import targets
from celltrain.live.parity.comparison import Comparison, compare
from celltrain.live.parity.flows import Flow, check, flows_by_vc, settings_for
from celltrain.live.parity.kernel import measure
from celltrain.live.parity.record import save_comparison, save_run
from celltrain.live.parity.runs import Run
from celltrain.live.parity.simulated import simulate
from celltrain.live.parity.validity import reasons
from celltrain.quantity import seconds
from celltrain.scenario import Scenario, load

_DIRECTIONS = ("forward", "backward")


def parity(
    scenario: Scenario | str | Path,
    *,
    seed: int = 1,
    vc: str | None = None,
    realtime: bool = False,
    repeats: int = targets.FEWEST_RUNS,
    folder: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> Comparison:
    """Compare simulated TCP with the kernel's TCP on each VC of a scenario.

    The kernels take over the flows of one VC at a time, in real time; those of other VCs are simulated on both sides.
    The kernels' applications behave like the simulated ones: they send greedily or files with think times, write and
    read at the given rates, and begin at the given times. Random values are drawn separately on each side.

    Parameters
    ----------
    scenario
        The network and its flows, or its file.
    seed
        Seed of the first repeat on both sides; each further repeat uses the next seed.
    vc
        The only VC to compare; default: each VC with flows.
    realtime
        Give the line and the programs at its ends priority over ordinary programs.
    repeats
        Runs of each VC. With fewer than :data:`celltrain.live.parity.targets.FEWEST_RUNS` valid ones nothing is shown.
    folder
        Folder for every run and the comparison.
    progress
        Called with a description of each run as it starts.

    Raises
    ------
    Refused
        The system does not allow the hosts of a line; the message says what to change.
    ValueError
        No VC can be compared, or the given one cannot: it has no TCP flow, or one that a kernel cannot reproduce.
    """
    require_linux()
    network = scenario if isinstance(scenario, Scenario) else load(scenario)
    if repeats < 1:
        raise ValueError(f"repeats: expected 1 or more, found {repeats}")
    chosen, left_out = chosen_vcs(network, seed, vc)
    target = Path(folder) if folder is not None else None
    runs: list[Run] = []
    total = repeats * len(chosen)
    for number in range(1, repeats + 1):
        for name, (flows, settings) in chosen.items():
            if progress is not None:
                progress(f"run {len(runs) + 1} of {total}: VC {name}, seed {seed + number - 1}")
            run = run_both(network, name, number, seed + number - 1, flows, settings, realtime=realtime)
            runs.append(run)
            if target is not None:
                save_run(target, run)
    comparison = Comparison(compare(runs), runs, left_out, _provenance(network, realtime=realtime))
    if target is not None:
        save_comparison(target, comparison)
    return comparison


def chosen_vcs(
    network: Scenario, seed: int, vc: str | None
) -> tuple[dict[str, tuple[list[Flow], Settings]], dict[str, str]]:
    """Find the VCs that can be compared, and why others cannot."""
    found = flows_by_vc(network, seed)
    # The line knows the names of the VCs.
    names = list(found) if vc is None else [_native.Line(network.native, seed, vc).vc]
    chosen: dict[str, tuple[list[Flow], Settings]] = {}
    left_out: dict[str, str] = {}
    for name in names:
        flows = found.get(name, [])
        try:
            check(name, flows)
            chosen[name] = (flows, settings_for(flows, _native.Line(network.native, seed, name).mtu))
        except ValueError as error:
            left_out[name] = str(error)
    if not chosen:
        raise ValueError(
            "; ".join(left_out.values()) or "no VC has a flow to compare; give one: [flows.upload] vc = ..."
        )
    return chosen, left_out


def times_of(network: Scenario) -> tuple[float, float]:
    """Return the end of the warm-up and of the run, in s."""
    written = json.loads(network.to_json())["measure"]
    return seconds(written["warm_up"]), seconds(written["duration"])


def run_both(
    network: Scenario,
    vc: str,
    number: int,
    seed: int,
    flows: list[Flow],
    settings: Settings,
    *,
    realtime: bool,
    spins: bool = True,
) -> Run:
    """Run one VC both ways."""
    times = times_of(network)
    line = _native.Line(network.native, seed, vc)
    simulated, result = simulate(network, seed, flows, line.sampled)
    kernel = measure(network, vc, seed, flows, settings, times, realtime=realtime, spins=spins)
    return Run(
        vc=vc,
        number=number,
        seed=seed,
        times=times,
        mtu=settings.mtu,
        flows=tuple(flows),
        simulated=simulated,
        result=result,
        kernel=kernel,
        ways=ways_of(line, flows),
        reasons=reasons(flows, kernel, simulated.window_limited),
    )


def ways_of(line: _native.Line, flows: Sequence[Flow]) -> dict[str, tuple[str, ...]]:
    """Return the queues of each direction that has data: those of its lines and of its host."""
    found = {}
    for way, lines in zip(_DIRECTIONS, line.lines, strict=True):
        if any(flow.direction == way for flow in flows):
            links = [f"links.{name}{'.back' * is_back}.queue_cells" for name, is_back in lines]
            found[way] = (*links, f"vcs.{line.vc}.{way}.host_queue_cells")
    return found


def _provenance(network: Scenario, *, realtime: bool) -> dict[str, Any]:
    used = {
        "goodput": targets.GOODPUT,
        "goodput with losses": targets.GOODPUT_WITH_LOSS,
        "queue": targets.QUEUE,
        "cwnd": targets.CWND,
        "retransmitted": targets.RETRANSMITTED,
    }
    return {
        "celltrain": _native.__version__,
        "scenario_hash": network.hash,
        "scenario": json.loads(network.to_json()),
        "realtime": realtime,
        "targets": {name: {"target": each.words, "reason": each.reason} for name, each in used.items()},
    }
