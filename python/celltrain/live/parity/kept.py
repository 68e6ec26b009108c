"""Runs between kernels that are kept in a folder, and compared again with simulations by this version.

A run takes real time, and what the kernel did does not depend on the simulator: only its own side is run again.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from celltrain import _native
from celltrain.files import atomic_write, json_text, output_folder
from celltrain.live.hosts import Settings, require_linux
from celltrain.live.parity.both_ways import chosen_vcs, run_both, times_of, ways_of
from celltrain.live.parity.flows import Flow
from celltrain.live.parity.record import FILE, folder_of_run, save_run
from celltrain.live.parity.runs import Recorded, Run, cells_of, values_of
from celltrain.live.parity.simulated import simulate
from celltrain.scenario import Scenario

_IDENTITY = "kept.json"


def runs_kept(scenario: Scenario, folder: Path, *, repeats: int, spins: bool = True) -> list[Run | Recorded]:
    """Return the runs of a scenario with seeds from 1 on; those that the folder lacks are run in real time, and kept.

    Parameters
    ----------
    scenario
        The network and its flows.
    folder
        Where runs are kept, for this scenario alone.
    repeats
        Runs of each VC.
    spins
        Whether a line may wait busily (:func:`celltrain.live.line.open_line`).

    Raises
    ------
    Refused
        A run is missing, and the system does not allow the hosts of a line.
    ValueError
        No VC can be compared, or the folder keeps runs of something else; the message says what to do.
    """
    require_linux()
    chosen, _ = chosen_vcs(scenario, 1, None)
    _check_identity(scenario, [settings for _, settings in chosen.values()], folder)
    runs: list[Run | Recorded] = []
    for number in range(1, repeats + 1):
        for name, (flows, settings) in chosen.items():
            if (folder_of_run(folder, name, number) / FILE).exists():
                runs.append(_again(scenario, name, number, flows, settings, folder))
                continue
            run = run_both(scenario, name, number, number, flows, settings, realtime=True, spins=spins)
            save_run(folder, run)
            runs.append(run)
    return runs


def _check_identity(scenario: Scenario, settings: Sequence[Settings], folder: Path) -> None:
    """Check that the folder is empty, or keeps runs of this line, these programs and this kernel."""
    place, ours = folder / _IDENTITY, identity(scenario, settings)
    if not place.exists():
        atomic_write(output_folder(folder) / _IDENTITY, json_text(ours))
        return
    kept: dict[str, Any] = json.loads(place.read_text("utf-8"))
    differ = [name for name in ours if kept.get(name) != ours[name]]
    if differ:
        raise ValueError(
            f"{folder} keeps runs of another {' and '.join(differ)}; give another folder, or remove this one"
        )


def identity(scenario: Scenario, settings: Sequence[Settings]) -> dict[str, Any]:
    """Return all that determines what kernels do on a line: how simulated TCP behaves is no part of it."""
    network: dict[str, Any] = json.loads(scenario.to_json())
    for flow in network["flows"].values():
        flow.pop("tcp", None)
    # Texts and numbers as JSON has them.
    line: dict[str, Any] = json.loads(json.dumps({"line": network, "settings": [asdict(each) for each in settings]}))
    return line | {"kernel": platform.release()}


def _again(
    scenario: Scenario, vc: str, number: int, flows: Sequence[Flow], settings: Settings, folder: Path
) -> Recorded:
    """Read the kernel's side of a run, and simulate the other with the same seed."""
    told = json.loads((folder_of_run(folder, vc, number) / FILE).read_text("utf-8"))
    line = _native.Line(scenario.native, told["seed"], vc)
    simulated, _ = simulate(scenario, told["seed"], flows, line.sampled)
    ways = ways_of(line, flows)
    ours = values_of(flows, simulated.sides, simulated.queues, ways, times_of(scenario))
    return Recorded(
        vc=vc,
        number=number,
        seed=told["seed"],
        loss=told["loss"],
        packet_cells=cells_of(settings.mtu),
        ways=ways,
        reasons=tuple(told["reasons"]),
        pairs=tuple((name, value, _number(told["values"][name[0]][name[1]]["kernel"])) for name, value in ours.items()),
    )


def _number(value: float | None) -> float:
    return float("nan") if value is None else value
