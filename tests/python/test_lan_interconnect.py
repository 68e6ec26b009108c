"""The study of LANs connected by ABR and UBR: columns as specified, and correct networks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from celltrain.papers import catalog
from celltrain.papers.outcome import Outcome
from celltrain.papers.paper import Paper
from study_tables import outcomes_of


@pytest.fixture(scope="module")
def paper() -> Paper:
    return catalog.paper("lan-interconnect")


@pytest.fixture(scope="module")
def outcomes() -> Mapping[str, Outcome]:
    return outcomes_of("lan-interconnect")


def test_claims_about_the_networks_hold(outcomes: Mapping[str, Outcome]) -> None:
    tables = {name: outcome.rows for name, outcome in outcomes.items()}
    for name, count in (("eq01", 3), ("tab04", 2), ("tab05", 2)):
        verdicts = outcomes[name].verdicts(tables)
        assert [verdict.holds for verdict in verdicts] == [True] * count


def points(paper: Paper, experiment: str) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    return [(dict(point.axes), point.scenario) for point in paper.points(paper.experiments[experiment])]


def in_ns(text: str) -> float:
    number, unit = text.split()
    return float(number) * {"ns": 1.0, "s": 1e9}[unit]


@pytest.mark.parametrize(
    ("experiment", "background", "load"),
    [
        ("fig08", "noise", "background_utilization"),
        ("fig22", "noise34-", "background_utilization"),
        ("fig25", "noise12-", "background_utilization"),
        ("fig19", "noise", None),
    ],
)
def test_on_and_off_times_make_the_load_and_the_burst_of_the_table(
    paper: Paper, experiment: str, background: str, load: str | None
) -> None:
    for axes, scenario in points(paper, experiment):
        traffic = scenario["backgrounds"][background]["traffic"]
        on, off = in_ns(traffic["on"]), in_ns(traffic["off"])
        wanted = 0.8 if load is None else axes[load]
        # Ten sources of an eighth of the link each.
        assert 1.25 * on / (on + off) == pytest.approx(wanted, rel=1e-6)
        burst = axes.get("mean_burst_cells", 200)
        assert on * 1e-9 * 18.125e6 / 424 == pytest.approx(burst, rel=1e-6)
        assert traffic["peak"] == "18.125 Mbit/s"


def test_figures_of_one_family_share_their_runs(paper: Paper) -> None:
    family = ("fig08", "fig09", "fig10", "fig11", "fig12", "fig13", "fig14a", "fig16", "tab02", "tab03")
    scenarios = {repr(scenario) for name in family for _, scenario in points(paper, name)}
    assert len(scenarios) == 3 * 2 * 3 * 10


def test_the_total_delay_of_fig17_is_fixed(paper: Paper) -> None:
    for axes, scenario in points(paper, "fig17"):
        lans = [float(lan["delay"].removesuffix(" us")) * 1e-6 for lan in scenario["lans"].values()]
        assert 2 * axes["d_net_s"] + 0.9e-3 + sum(lans) == pytest.approx(50e-3)
        assert axes["loop_delay_s"] == pytest.approx(2 * axes["d_net_s"])


def test_only_the_asked_for_streams_have_a_spread(outcomes: Mapping[str, Outcome]) -> None:
    for row in outcomes["fig22"].rows:
        has_spread = row["fairness_spread_bps"] == row["fairness_spread_bps"]
        assert has_spread == (row["flow"] in ("lan1-lan6", "lan2-lan6", "lan3-lan6"))


def test_ubr_loses_nothing_at_a_control_unit_and_rm_cells_take_their_part(outcomes: Mapping[str, Outcome]) -> None:
    assert all(row["ingress_loss_ratio"] == 0 for row in outcomes["fig08"].rows if row["service"] != "abr-er")
    greedy = [row for row in outcomes["fig14b"].rows if row["scenario"] == "lan"]
    # One forward RM cell in 32 cells, and each is answered.
    overheads = [row["rm_overhead_fraction"] for row in greedy if row["background_utilization"] <= 0.5]
    assert overheads == pytest.approx([1 / 16] * 6, rel=0.05)
