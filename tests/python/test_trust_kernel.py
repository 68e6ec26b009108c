"""Rows against the kernel: the lines, comparisons in the table, and what is not run without kernels."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
from celltrain.live import Refused
from celltrain.live.parity.both_ways import chosen_vcs
from celltrain.live.parity.kept import identity, runs_kept
from celltrain.live.parity.runs import Recorded, Run
from celltrain.scenario import Scenario
from celltrain.trust import Case, Context, Verdict, kernel, row
from celltrain.trust import shares as shares_row
from celltrain.trust.kernel import judged
from celltrain.trust.kernel_lines import LINES, VARIANTS, KernelLine
from celltrain.trust.shares import AGAINST, ALIKE, Pair, against_kernel
from parity_runs import CLEAN, FLOW, run, side


def runs(*goodputs: tuple[float, float]) -> list[Run | Recorded]:
    """Make up runs of one flow from the goodput of both sides in each."""
    return [run(number, side(ours), side(theirs)) for number, (ours, theirs) in enumerate(goodputs, 1)]


def goodput(cases: list[Case]) -> Case:
    (found,) = [case for case in cases if case.quantity == "goodput"]
    return found


def test_there_are_thirty_lines_each_another_one() -> None:
    assert len(LINES) == 30
    assert len({line.name for line in LINES}) == 30
    assert {line.buffer for line in LINES} == {0.5, 1, 4}
    assert {line.loss for line in LINES} == {0, 0.001, 0.01}
    assert sum(line.low_bps > 0 for line in LINES) == 6
    assert min(line.packets.packets for line in LINES) >= 2
    # The first few are of several kinds.
    assert len({(line.rate_bps, line.delay_s, line.buffer, line.loss, line.low_bps) for line in LINES[:3]}) == 3


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.name)
def test_each_line_is_a_scenario_for_each_variant(line: KernelLine) -> None:
    for variant in VARIANTS:
        scenario = line.scenario(variant)
        written = json.loads(scenario.to_json())
        assert written["flows"]["f1"]["tcp"]["handshake"] is True
        assert ("loss" in written["links"]["line"]) == (line.loss > 0)


def test_the_row_is_not_run_unless_real_time_is_asked_for() -> None:
    result = row("kernel").carry_out(Context(quick=True))
    assert result.verdict is Verdict.NOT_RUN
    assert "--kernel-lines N, up to 30" in result.why_not


def test_lines_that_were_left_out_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    good = runs((1.00e6, 1e6), (1.001e6, 1e6), (1.002e6, 1e6))
    monkeypatch.setattr(kernel, "runs", lambda *_, **__: good)
    result = row("kernel").carry_out(Context(kernel_lines=2))
    assert {case.name for case in result.binding} == {
        f"{variant}, {line.name}" for line in LINES[:2] for variant in VARIANTS
    }
    left_out = [case for case in result.cases if case.verdict is Verdict.NOT_RUN]
    assert [case.name for case in left_out] == [f"all variants, {line.name}" for line in LINES[2:]]
    assert result.reference.startswith("Linux ")


def test_without_hosts_the_row_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise Refused("no /dev/net/tun")

    monkeypatch.setattr("celltrain.live.parity.kept.runs_kept", refuse)
    result = row("kernel").carry_out(Context(kernel_lines=1))
    assert result.verdict is Verdict.NOT_RUN
    assert "no /dev/net/tun" in result.why_not
    monkeypatch.setattr(shares_row, "ALIKE", ())
    shares = row("shares").carry_out(Context(kernel_lines=1))
    assert shares.verdict is Verdict.NOT_RUN
    assert all("no /dev/net/tun" in case.note and case.value is not None for case in shares.cases)


def test_a_verdict_follows_from_the_interval_of_the_runs() -> None:
    agrees = goodput(judged("a", runs((1.00e6, 1e6), (1.001e6, 1e6), (1.002e6, 1e6))))
    differs = goodput(judged("a", runs((1.10e6, 1e6), (1.101e6, 1e6), (1.102e6, 1e6))))
    across = goodput(judged("a", runs((0.9e6, 1e6), (1.0e6, 1e6), (1.1e6, 1e6))))
    assert (agrees.verdict, agrees.binds, agrees.target) == (Verdict.AGREES, True, "within 3 %")
    assert (differs.verdict, differs.binds) == (Verdict.DIFFERS, True)
    assert differs.difference == pytest.approx(0.101)
    assert not across.binds
    assert "not shown" in across.note


def test_too_few_valid_runs_are_not_run_with_the_reasons() -> None:
    invalid = run(1, side(), side(), reasons=("degraded: late",))
    (case,) = judged("a", [invalid])
    assert case.verdict is Verdict.NOT_RUN
    assert case.note == "0 of 1 runs are valid: degraded"


def test_pairs_of_one_variant_have_half_each_and_others_need_kernels() -> None:
    result = row("shares").carry_out(Context(quick=True))
    assert [case.name for case in result.binding] == [ALIKE[0].name]
    assert result.verdict is Verdict.AGREES
    others = [case for case in result.cases if not case.binds]
    assert [case.name for case in others] == [pair.name for pair in AGAINST]
    assert all(case.verdict is Verdict.NOT_RUN and math.isnan(case.miss) for case in others)


def test_a_share_is_held_against_that_of_the_kernel_over_the_valid_runs() -> None:
    pair = Pair("bbr", "cubic", 1.0)
    assert against_kernel(pair, []).verdict is Verdict.NOT_RUN
    flows = tuple(replace(FLOW, name=name) for name in ("f1", "f2"))
    ours = replace(run(1, side(), side()).simulated, sides={"f1": side(3e6), "f2": side(1e6)})
    theirs = replace(CLEAN, sides={"f1": side(3e6), "f2": side(2e6)})
    valid = replace(run(1, side(), side()), flows=flows, simulated=ours, kernel=theirs, ways={})
    invalid = replace(valid, reasons=("degraded: late",))
    case = against_kernel(pair, [valid, invalid])
    assert (case.value, case.reference, case.verdict) == (0.75, 0.6, Verdict.DIFFERS)
    assert case.note.startswith("1 of 2 runs are valid")


def test_both_connections_of_a_pair_share_one_vc() -> None:
    pair = Pair("bbr", "cubic", 1.0)
    data = pair.scenario(40.0, 10.0).data
    assert {flow["vc"] for flow in data["flows"].values()} == {"vc1"}
    assert data["flows"]["f1"]["tcp"]["variant"] == "bbr"


def keep(folder: Path, scenario: Scenario, goodput: float, **changes: object) -> None:
    """Write what the kernel of this machine did in a run, as if it had run, but for ``changes``."""
    chosen, _ = chosen_vcs(scenario, 1, None)
    told = identity(scenario, [settings for _, settings in chosen.values()]) | changes
    place = folder / "runs" / "vc1" / "1"
    place.mkdir(parents=True)
    (folder / "kept.json").write_text(json.dumps(told))
    flow = {"goodput": goodput, "smoothed RTT": 0.05, "cwnd": 1e4, "retransmitted": 3.0}
    queues = ("links.line.queue_cells", "vcs.vc1.forward.host_queue_cells")
    values = {"f1": flow} | {name: {"queue": 30.0} for name in queues}
    sides = {name: {key: {"kernel": value} for key, value in of.items()} for name, of in values.items()}
    (place / "run.json").write_text(json.dumps({"seed": 1, "loss": 0.0, "reasons": [], "values": sides}))


def short(variant: str) -> Scenario:
    return LINES[0].scenario(variant).with_changes({"measure": {"warm_up": "1 s", "duration": "2 s"}})


def test_a_run_that_is_kept_is_compared_with_a_simulation_and_not_run_again(tmp_path: Path) -> None:
    keep(tmp_path, short("cubic"), 1.5e6)
    (found,) = runs_kept(short("cubic"), tmp_path, repeats=1)
    assert isinstance(found, Recorded)
    values = {name[1]: (ours, theirs) for name, ours, theirs in found.values() if name[0] == "f1"}
    simulated = float(short("cubic").run(1).flows["throughput_bps"].sum())
    ours, theirs = values["goodput"]
    assert (ours, theirs) == pytest.approx((simulated, 1.5e6))
    assert (found.is_valid, found.packet_cells) == (True, 32)


def test_a_change_of_our_tcp_keeps_the_runs_of_the_kernel(tmp_path: Path) -> None:
    keep(tmp_path, short("cubic"), 1.5e6)
    changed = short("cubic").with_changes({"flows": {"f1": {"tcp": {"hystart": "off"}}}})
    assert isinstance(runs_kept(changed, tmp_path, repeats=1)[0], Recorded)


def test_runs_of_another_line_or_kernel_are_not_taken_for_these(tmp_path: Path) -> None:
    keep(tmp_path / "kernel", short("cubic"), 1.5e6, kernel="5.0.0")
    with pytest.raises(ValueError, match="keeps runs of another kernel; give another folder"):
        runs_kept(short("cubic"), tmp_path / "kernel", repeats=1)
    keep(tmp_path / "line", short("cubic"), 1.5e6)
    with pytest.raises(ValueError, match="keeps runs of another line and settings"):
        runs_kept(LINES[1].scenario("bbr"), tmp_path / "line", repeats=1)
