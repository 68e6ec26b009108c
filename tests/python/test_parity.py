"""The verdicts of comparisons with the kernel, on made-up runs."""

from __future__ import annotations

import math
import struct
from dataclasses import asdict, replace
from itertools import pairwise

import numpy as np
import pytest
from celltrain import drawing
from celltrain.cli.parity import difference, sheet, sheet_of_runs
from celltrain.cli.printing import How
from celltrain.live import bulk
from celltrain.live.parity import Comparison, Verdict, targets
from celltrain.live.parity.comparison import compare
from celltrain.live.parity.flows import check
from celltrain.live.parity.kernel import limits
from celltrain.live.parity.plot import figure
from celltrain.live.parity.sides import Limits, Series
from celltrain.live.parity.validity import degraded, limited, reasons
from celltrain.live.parity.verdict import Pair, Row, judge, worst_first
from celltrain.live.summary import MAX_LATENESS_S
from celltrain.live.tcp_info import TcpInfo
from parity_runs import CLEAN, FLOW, HOST, NO_WAY, QUEUE, SUMMARY, WRITTEN, run, side

NAME = ("vc", "upload", "goodput", "bit/s")


def judged(*pairs: tuple[float, float], target: targets.Target = targets.GOODPUT, resolution: float = 0.0) -> Row:
    return judge(NAME, [Pair(*pair) for pair in pairs], target, resolution=resolution)


def test_an_interval_within_the_target_agrees_and_one_outside_of_it_differs() -> None:
    # Differences of 1, 1.5 and 2 % of 100: 1.5 +- 1.24 by Student's t of two degrees of freedom.
    row = judged((101.0, 100.0), (101.5, 100.0), (102.0, 100.0))
    assert (row.difference, row.difference_ci95) == pytest.approx((0.015, 0.0124), abs=1e-4)
    assert row.verdict is Verdict.AGREES
    assert judged((110.0, 100.0), (110.5, 100.0), (111.0, 100.0)).verdict is Verdict.DIFFERS
    assert judged((90.0, 100.0), (90.5, 100.0), (91.0, 100.0)).verdict is Verdict.DIFFERS


def test_an_interval_across_the_bound_shows_nothing() -> None:
    assert judged((97.0, 100.0), (100.0, 100.0), (104.0, 100.0)).verdict is Verdict.NOT_SHOWN


def test_two_valid_runs_never_agree_however_equal_they_are() -> None:
    assert judged((100.0, 100.0), (100.0, 100.0)).verdict is Verdict.NOT_SHOWN
    pairs = [Pair(100.0, 100.0), Pair(100.0, 100.0), Pair(100.0, 100.0, is_valid=False)]
    row = judge(NAME, pairs, targets.GOODPUT)
    assert (row.verdict, row.valid, row.runs) == (Verdict.NOT_SHOWN, 2, 3)


def test_runs_that_are_not_valid_are_left_out_of_means() -> None:
    row = judge(NAME, [*[Pair(100.0, 101.0)] * 3, Pair(100.0, 20.0, is_valid=False)], targets.GOODPUT)
    assert (row.kernel, row.kernel_ci95, row.valid, row.runs) == (101.0, 0.0, 3, 4)
    assert row.verdict is Verdict.AGREES


def test_both_sides_of_a_repeat_are_compared_with_each_other() -> None:
    # Variation between seeds that both sides share is not part of the difference.
    row = judged((100.0, 100.0), (200.0, 200.0), (300.0, 300.0))
    assert math.isfinite(row.simulated_ci95)
    assert row.simulated_ci95 > 100
    assert (row.difference_ci95, row.verdict) == (0.0, Verdict.AGREES)


def test_retransmissions_agree_within_a_factor_either_way() -> None:
    for simulated, verdict in ((14, "agrees"), (7, "agrees"), (16, "differs"), (6, "differs"), (0, "differs")):
        row = judged(*[(simulated, 10)] * 3, target=targets.RETRANSMITTED)
        assert row.verdict.value == verdict, simulated


def test_without_any_retransmission_on_both_sides_they_agree() -> None:
    row = judged(*[(0, 0)] * 3, target=targets.RETRANSMITTED)
    assert (row.difference, row.verdict) == (0.0, Verdict.AGREES)


def test_retransmissions_where_the_kernel_has_none_differ_if_every_run_has_them() -> None:
    row = judged(*[(5, 0)] * 3, target=targets.RETRANSMITTED)
    assert (row.difference, row.verdict) == (math.inf, Verdict.DIFFERS)
    assert difference(row) == "kernel has 0"
    assert judged((1, 0), (0, 0), (0, 0), target=targets.RETRANSMITTED).verdict is Verdict.NOT_SHOWN


def test_a_difference_below_the_resolution_is_none() -> None:
    short = [(20.0, 5.0)] * 3
    assert judged(*short, target=targets.QUEUE).verdict is Verdict.DIFFERS
    assert judged(*short, target=targets.QUEUE, resolution=32).verdict is Verdict.AGREES


def test_what_is_no_number_shows_nothing() -> None:
    row = judged(*[(math.nan, 1.0)] * 3)
    assert (row.verdict, row.valid) == (Verdict.NOT_SHOWN, 0)
    assert difference(row) == "-"


def test_the_worst_difference_by_its_target_comes_first() -> None:
    rows = [
        judge(("vc", "a", "smoothed RTT", "s"), [Pair(9.0, 1.0)] * 3, None),
        judge(("vc", "b", "goodput", "bit/s"), [Pair(102.0, 100.0)] * 3, targets.GOODPUT),
        judge(("vc", "c", "retransmitted", "1"), [Pair(1.0, 0.0)] * 3, targets.RETRANSMITTED),
        judge(("vc", "d", "cwnd", "bytes"), [Pair(105.0, 100.0)] * 3, targets.CWND),
        judge(("vc", "e", "cwnd", "bytes"), [Pair(math.nan, 100.0)] * 3, targets.CWND),
    ]
    assert [row.subject for row in worst_first(rows)] == ["c", "b", "d", "a", "e"]


def test_goodput_has_the_target_of_its_line() -> None:
    lossless = compare([run(n, side(1.05e6), side(1e6)) for n in (1, 2, 3)])
    lossy = compare([run(n, side(1.05e6), side(1e6), loss=10) for n in (1, 2, 3)])
    very = compare([run(n, side(1.05e6), side(1e6), loss=50) for n in (1, 2, 3)])
    verdicts = [next(r.verdict for r in rows if r.quantity == "goodput") for rows in (lossless, lossy, very)]
    assert verdicts == [Verdict.DIFFERS, Verdict.AGREES, Verdict.NO_TARGET]


def test_each_direction_shows_its_longest_queue() -> None:
    rows = compare([run(n, side(), side(), queues=(200.0, 400.0)) for n in (1, 2, 3)])
    queues = [row for row in rows if row.quantity == "queue"]
    assert [row.subject for row in queues] == [QUEUE]
    assert HOST not in {row.subject for row in rows}
    assert (queues[0].difference, queues[0].verdict) == (-0.5, Verdict.DIFFERS)
    assert rows[0] is queues[0]


def test_a_smoothed_rtt_is_compared_with_a_smoothed_rtt_and_has_no_target() -> None:
    (row,) = (row for row in compare([run(n, side(), side()) for n in (1, 2, 3)]) if row.quantity == "smoothed RTT")
    assert (row.simulated, row.kernel) == pytest.approx((0.05, 0.05))
    assert row.verdict is Verdict.NO_TARGET


def test_a_kernel_does_not_type() -> None:
    user = replace(FLOW, written=WRITTEN | {"application": {"kind": "telnet"}})
    with pytest.raises(ValueError, match=r"flows\.upload is that of a user who types on VC vc"):
        check("vc", [user])


def test_files_have_rows_of_their_own_and_no_window() -> None:
    files = replace(FLOW, written=WRITTEN | {"application": {"kind": "files"}})
    sends = replace(side(), transfers=7, transfer_mean_s=0.4)
    quantities = {row.quantity for row in compare([run(1, sends, sends, flow=files)]) if row.subject == "upload"}
    assert quantities == {"goodput", "retransmitted", "files", "time of a file"}


def test_a_comparison_counts_its_verdicts_and_its_valid_runs() -> None:
    runs = [run(n, side(), side()) for n in (1, 2, 3)] + [run(4, side(), side(9e5), reasons=("degraded: late",))]
    comparison = Comparison(compare(runs), runs, {}, {})
    assert (comparison.valid, len(comparison.runs)) == (3, 4)
    assert comparison.verdicts() == {"differs": 0, "not shown": 0, "agrees": 4}
    told = comparison.to_json()
    assert told["runs"][3]["reasons"] == ["degraded: late"]
    assert told["runs"][3]["values"]["upload"]["goodput"] == {"simulated": 1e6, "kernel": 9e5}
    assert {row["verdict"] for row in told["rows"]} == {"agrees", "no target"}


def test_the_tables_of_a_comparison_fit_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    runs = [run(n, side(), side()) for n in (1, 2, 3)] + [run(4, side(), side(9e5), reasons=("degraded: late",))]
    comparison = Comparison(compare(runs), runs, {}, {})
    How().show(sheet(comparison), sheet_of_runs(comparison))
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    # The verdict stands beside the values, the target may continue below.
    assert lines[3].split("  ")[0] == "upload"
    assert ("goodput" in lines[3], lines[3].endswith("agrees"), "3 %" in lines[3]) == (True, True, False)
    assert lines[-1].split() == ["vc", "4", "upload", "1", "0.9", "no"]


def test_the_figure_has_a_panel_for_each_window_and_queue_with_both_sides() -> None:
    runs = [run(1, side(), side(), reasons=("degraded: late",)), run(2, side(), side())]
    comparison = Comparison(compare(runs), runs, {}, {})
    drawn = figure(comparison, "vc")
    assert [axes.get_ylabel() for axes in drawn.axes] == ["cwnd, upload [bytes]", "queue, up [cells]"]
    assert [line.get_label() for line in drawn.axes[1].get_lines()] == ["kernel", "simulated"]
    assert drawn.axes[0].get_title(loc="left") == "VC vc, run 2"
    assert drawing.image(drawn, "svg").lstrip().startswith(b"<?xml")
    with pytest.raises(ValueError, match="VC other was not compared; compared were vc"):
        figure(comparison, "other")


def test_a_clean_run_is_valid() -> None:
    clean = replace(CLEAN, limits={"upload": Limits(application=0.01, window=0.005)})
    assert reasons([FLOW], clean, {}) == ()


def test_a_run_that_its_application_limits_above_one_percent_is_not_valid() -> None:
    for shares in (Limits(application=0.011), Limits(idle=0.011)):
        (reason,) = reasons([FLOW], replace(CLEAN, limits={"upload": shares}), {})
        assert reason == "upload was limited by the application 1.1 % of the time"


def test_a_flow_that_the_scenario_paces_may_be_limited_by_its_application() -> None:
    paced = replace(FLOW, written=WRITTEN | {"sockets": {"write_rate": "1 Mbit/s"}})
    assert reasons([paced], replace(CLEAN, limits={"upload": Limits(application=0.9, idle=0.5)}), {}) == ()


def test_only_waits_for_a_core_that_are_long_for_their_number_count(monkeypatch: pytest.MonkeyPatch) -> None:
    assert bulk.SHORT_WAIT_S == MAX_LATENESS_S
    # 100 waits of 30 us; then one of 20 ms, of which all but 200 us count.
    looks = iter([(1.0, 0), (1.003, 100), (1.023, 101)])
    monkeypatch.setattr(bulk, "_waited", lambda: next(looks))
    cores = bulk._Cores()
    for _ in range(3):
        cores.look()
    assert cores.told()["waited_s"] == pytest.approx(0.0198)


def test_ticks_of_the_kernels_clock_make_no_idle_time() -> None:
    # Samples 10 ms apart, from a kernel that counts in ticks of 4 ms: 8, 8 and 12 ms, and so on.
    seen = bulk._Seen()
    looks = [info(busy=10_000 * n // 4000 * 4000) for n in range(101)]
    for number, (before, now) in enumerate(pairwise(looks)):
        seen.add(0.01 * number, 0.01, before, now)
    received = {"waited_s": 0.02, "is_prompt": True}
    found = limits(received, asdict(seen) | {"waited_s": 0.01, "is_prompt": False}, (1.0, 2.0))
    assert found.idle < 0.005
    assert (found.waited, found.is_prompt) == (0.02, False)


def test_windows_and_buffers_limit_a_valid_run_only_where_the_scenario_has_them_so() -> None:
    shares = Limits(window=0.4, buffer=0.3)
    assert len(limited("upload", shares, window_is_meant=False, buffer_is_meant=False)) == 2
    assert limited("upload", shares, window_is_meant=True, buffer_is_meant=True) == []
    measured = replace(CLEAN, limits={"upload": Limits(window=0.4)})
    assert reasons([FLOW], measured, {"upload": 0.5}) == ()
    assert len(reasons([FLOW], measured, {"upload": 0.0})) == 1


def test_degraded_sees_the_line_the_kernels_and_the_programs() -> None:
    late = replace(SUMMARY, degraded=True, lateness=SUMMARY.lateness | {"p95": 400e-6})
    assert degraded(replace(CLEAN, summary=late)) == ["degraded: 5 % of the packets left 400 us late or more"]
    dropped = replace(SUMMARY, degraded=True, up=replace(NO_WAY, kernel_drops=3))
    assert "dropped 3 packets" in degraded(replace(CLEAN, summary=dropped))[0]
    assert "began 20 ms late" in degraded(replace(CLEAN, late_start_s=0.02))[0]
    waiting = replace(CLEAN, limits={"upload": Limits(waited=0.05)})
    assert reasons([FLOW], waiting, {}) == ("degraded: programs of upload waited for a core 5.0 % of the time",)


def test_means_of_series_are_over_time_and_not_over_samples() -> None:
    # Known from 1 s on; 2 for a second, in one sample, then 6 for another, in many.
    times = np.concatenate([[1.0], np.arange(2.0, 3.0, 0.001)])
    series = Series(times, np.concatenate([[2.0], np.full(1000, 6.0)]))
    assert series.mean(0.0, 3.0) == pytest.approx(4.0)
    assert math.isnan(series.mean(0.0, 0.5))


def info(busy: int = 5_000_000, **words: int) -> TcpInfo:
    """Make a kernel's answer, with the offsets of ``struct tcp_info`` in Linux 4.10 and newer."""
    octets = bytearray(192)
    octets[7] = words.pop("flags", 0)
    offsets = {"mss": 16, "unacked": 24, "lost": 32, "srtt": 68, "cwnd": 80, "unsent": 144}
    for name, value in ({"mss": 1448, "cwnd": 10} | words).items():
        struct.pack_into("=I", octets, offsets[name], value)
    struct.pack_into("=Q", octets, 168, busy)
    return TcpInfo.parse(bytes(octets))


def test_a_sender_with_room_and_nothing_to_send_is_limited_by_its_application() -> None:
    assert info(unacked=3, unsent=0).is_application_limited
    assert not info(unacked=10, unsent=0).is_application_limited
    assert not info(unacked=3, unsent=1448).is_application_limited
    assert not info(unacked=3, unsent=0, lost=2).is_application_limited
    assert info(unacked=10, unsent=5000, flags=1).is_application_limited
    assert (info(srtt=30_000).srtt_us, info().busy_us) == (30_000, 5_000_000)
