"""The table of trust: the result of a comparison, how rows are combined, and rows in their quick form."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest
from celltrain.registries import tcp_variants
from celltrain.trust import ROWS, Context, NotRun, Row, RowResult, Verdict, row
from celltrain.trust.case import Case, absolute, at_least, factor, none_of, relative
from celltrain.trust.collapse import HISTORICAL, modern, settings
from celltrain.trust.cubic_curve import epochs
from celltrain.trust.forced_losses import compare as compare_forced
from celltrain.trust.lines import Connection, PacketLine
from celltrain.trust.ns2 import QUEUES, VARIANTS, Setting
from celltrain.trust.table import to_json, to_markdown, worst_first
from celltrain.trust.wire import Transmission, transmissions
from conftest import Command

QUICK = Context(quick=True)


def verdicts(cases: Iterable[Case]) -> list[bool]:
    return [case.verdict is Verdict.AGREES for case in cases]


def test_a_target_is_met_up_to_its_bound_and_not_beyond() -> None:
    met = (
        relative("", "", "1", 1.02, 1.0, 0.0201),
        absolute("", "", "1", 3, 2, 1),
        factor("", "", "1", 1.5, 1.0, 1.5000001),
        at_least("", "", "1", 0.9, 0.9, 1.0),
        none_of("", "", 0),
    )
    missed = (
        relative("", "", "1", 1.03, 1.0, 0.02),
        absolute("", "", "1", 4, 2, 1),
        factor("", "", "1", 1.0, 1.6, 1.5),
        at_least("", "", "1", 0.89, 0.9, 1.0),
        none_of("", "", 1),
    )
    assert all(verdicts(met))
    assert not any(verdicts(missed))


def test_a_value_that_only_one_side_has_differs() -> None:
    nan = math.nan
    assert verdicts([absolute("", "", "s", nan, nan, 1), absolute("", "", "s", nan, 1.0, 1)]) == [True, False]
    assert verdicts([relative("", "", "1", 0.0, 0.0, 0.1), relative("", "", "1", 2.0, 0.0, 0.1)]) == [True, False]
    assert verdicts([factor("", "", "1", 0.0, 0.0, 2), factor("", "", "1", 0.0, 1.0, 2)]) == [True, False]


def test_cases_that_are_only_shown_do_not_decide_and_rows_have_the_worst_first() -> None:
    bad, good = at_least("bad", "", "1", 0.1, 0.9, 1.0), at_least("good", "", "1", 0.95, 0.9, 1.0)
    shown = RowResult("collapse", (good, bad.shown_only("as in its time")))
    differs = RowResult("ns2", (good, bad))
    assert (shown.verdict, differs.verdict) == (Verdict.AGREES, Verdict.DIFFERS)
    assert [case.name for case in differs.cases] == ["bad", "good"]
    assert [case.name for case in shown.cases] == ["good", "bad"]
    absent = RowResult("packetdrill", (), "there is none")
    assert [each.name for each in worst_first([absent, shown, differs])] == ["ns2", "collapse", "packetdrill"]


def test_a_row_that_cannot_be_carried_out_is_not_run_and_says_why() -> None:
    def cases(_: Context) -> list[Case]:
        raise NotRun("install it")

    result = Row("ns2", "says", "target", "method", cases).carry_out(QUICK)
    assert (result.verdict, result.why_not, result.cases) == (Verdict.NOT_RUN, "install it", ())
    assert to_json([result], quick=True)["rows"][0]["verdict"] == "not run"
    assert "**Not run:** install it." in to_markdown([result], quick=True)


def test_every_variant_has_every_setting_in_the_collapse_guard() -> None:
    names = set(tcp_variants())
    todo = list(settings(quick=False))
    assert {each.variant for each in todo} == names
    assert len(todo) == len(names) * 4 * 2 * 4
    assert set(HISTORICAL) == names - set(modern())
    assert modern()["newreno"] == "rfc"


def test_the_collapse_guard_runs_modern_variants_with_the_recovery_that_users_get() -> None:
    for each in settings(quick=False):
        (flow,) = json.loads(each.line.scenario([each.connection], 1.0).native.to_json())["flows"].values()
        is_modern = each.variant in modern()
        assert flow["tcp"]["prr"] is is_modern, each.name
        assert flow["tcp"]["ack"] == each.ack
        assert each.timer.startswith("ticks") == (flow["tcp"]["rto"]["timer"] == "ticks")


def test_a_packet_takes_as_long_in_ns2_as_its_cells() -> None:
    line = PacketLine(8e6, 0.015, 20)
    assert (line.octets, line.cells) == (1500, 32)
    setting = Setting(VARIANTS[0], line, 0.01, 2)
    assert 8 * line.octets / setting.theirs().rate_bps == pytest.approx(32 * 424 / 8e6, rel=1e-12)
    assert line.goodput_bps == pytest.approx(8e6 * 1460 * 8 / (32 * 424))
    data = setting.ours(1).line.scenario(setting.ours(1).connections, 1.0).data
    assert data["links"]["line"]["discard"]["threshold"] == f"{19 * 32 + 1} cells"
    assert list(data["flows"]) == ["f1", "f2"]


def test_epochs_have_the_plateau_of_fast_convergence() -> None:
    # Losses at 100, 110, 105: the second is above the first, the third below the second.
    windows = [100.0, 70, 70, 90, 110, 77, 77, 90, 105, 73.5, 73.5, 80, 60, 60]
    found = list(epochs([0.1 * i for i in range(len(windows))], windows))
    assert [epoch.w_max for epoch in found] == [110, pytest.approx(105 * 0.85)]
    assert [epoch.samples[0][1] for epoch in found] == [77, 73.5]


@pytest.mark.parametrize("name", ["collapse", "formulas"])
def test_a_row_in_its_quick_form_has_cases_with_values(name: str) -> None:
    result = row(name).carry_out(QUICK)
    assert result.why_not == ""
    assert result.binding
    assert all(case.value is not None and math.isfinite(case.value) for case in result.cases)


def test_the_quick_formulas_hold() -> None:
    assert [case.name for case in row("formulas").carry_out(QUICK).differing] == []


def test_ns2_is_not_run_where_it_is_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    result = row("ns2").carry_out(QUICK)
    assert result.verdict is Verdict.NOT_RUN
    assert "apt-get install ns2" in result.why_not


@pytest.mark.skipif(shutil.which("ns") is None, reason="needs ns-2: apt-get install ns2")
def test_tahoe_and_reno_agree_with_ns2() -> None:
    result = row("ns2").carry_out(QUICK)
    names = {case.name.split(",")[0] for case in result.cases}
    assert names == {variant.name for variant in VARIANTS}
    assert len(QUEUES) == 3
    assert not [case for case in result.differing if case.name.startswith("4.")]


@pytest.mark.skipif(shutil.which("ns") is None, reason="needs ns-2: apt-get install ns2")
def test_one_forced_loss_is_repaired_as_in_ns2() -> None:
    result = row("forced-losses").carry_out(QUICK)
    assert len(result.binding) == len(VARIANTS)
    assert [case.name for case in result.differing] == []
    assert result.reference.startswith("ns-2 ")
    assert f"Compared with {result.reference}." in to_markdown([result], quick=True)


def test_a_forced_loss_is_sent_again_after_three_duplicates() -> None:
    line = PacketLine(8e6, 0.015, 1000)
    options = {"variant": "newreno", "ack": "each", "rto": {"timer": "rfc6298"}}
    sent = transmissions(line, Connection(options, window=20), 1.0, (60,))
    (again,) = [one for one in sent if one.is_again]
    lost = next(one for one in sent if one.number == 60)
    # Its round trip, and three more segments after it.
    packet_s = 32 * 424 / 8e6
    assert again.number == 60
    assert again.time_s - lost.time_s == pytest.approx(0.03 + 4 * packet_s, abs=4 * packet_s)
    assert [one.number for one in sent if not one.is_again] == sorted({one.number for one in sent})


def test_retransmissions_are_compared_in_order() -> None:
    sides = [
        [Transmission(0.1, 1, True), Transmission(0.2, 2, True)],
        [Transmission(0.101, 1, True), Transmission(0.2, 2, True)],
        [Transmission(0.1, 1, True), Transmission(0.2, 3, True)],
        [Transmission(0.1, 1, True)],
    ]
    misses = [compare_forced("", sides[0], other).miss for other in sides]
    assert misses == [0, pytest.approx(0.5), math.inf, math.inf]
    assert "only ours retransmits packet 2" in compare_forced("", sides[0], sides[3]).note


def test_the_row_of_scripts_runs_our_own_and_names_those_that_nobody_fetched() -> None:
    result = row("packetdrill").carry_out(QUICK)
    assert result.verdict is Verdict.AGREES
    (own,) = result.binding
    assert own.name == "our own scripts"
    fetched = next(case for case in result.cases if case.name == "fetched scripts")
    assert fetched.verdict is Verdict.NOT_RUN
    assert "--scripts DIR" in fetched.note
    assert "| fetched scripts |" in to_markdown([result], quick=True)


def test_scripts_that_are_not_supported_do_not_count(tmp_path: Path) -> None:
    (tmp_path / "good.pkt").write_text("0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n")
    (tmp_path / "absent.pkt").write_text("0 socket(..., SOCK_DGRAM, IPPROTO_UDP) = 3\n")
    result = row("packetdrill").carry_out(Context(quick=True, scripts=tmp_path))
    fetched = next(case for case in result.cases if case.name == "fetched scripts")
    assert (fetched.value, fetched.note) == (1.0, "1 of 1; 1 more are not supported")
    (tmp_path / "good.pkt").unlink()
    result = row("packetdrill").carry_out(Context(quick=True, scripts=tmp_path))
    assert next(case for case in result.cases if case.name == "fetched scripts").verdict is Verdict.NOT_RUN


def test_the_command_writes_the_table_and_the_page(cli: Command, tmp_path: Path) -> None:
    done = cli("trust", "--quick", "--row", "formulas", "--out", tmp_path / "out", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told == json.loads((tmp_path / "out" / "trust.json").read_text())
    assert [entry["name"] for entry in told["rows"]] == ["formulas"]
    assert told["quick"] is True
    page = (tmp_path / "out" / "trust.md").read_text()
    assert "| [formulas](#formulas) | agrees |" in page
    assert "Only the quick parts" in page


def test_the_command_names_the_rows_there_are(cli: Command) -> None:
    done = cli("trust", "--row", "nonsense")
    assert done.returncode == 2
    assert ", ".join(each.name for each in ROWS) in " ".join(done.stderr.split())
