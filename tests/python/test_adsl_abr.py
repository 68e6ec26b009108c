"""The ADSL study: its tables have the columns of the specification, and its conditions are what they say."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import pytest
from celltrain.papers import catalog
from celltrain.papers.outcome import Outcome
from celltrain.papers.paper import Paper
from conftest import quick_outcomes

POINT = (
    "throughput_bps,throughput_bps_ci95,normalized_throughput,normalized_throughput_ci95,mean_line_rate_bps,"
    "ideal_throughput_bps,utilization,utilization_ci95,cell_loss_ratio,cell_loss_ratio_ci95,max_queue_cells,"
    "max_queue_cells_ci95,mean_queue_cells,mean_queue_cells_ci95,rtt_mean_s,rtt_mean_s_ci95,timeouts,timeouts_ci95,n_runs"
)
#: Columns and number of rows of every table (time series: rows of the measured 10 s of a quick run).
TABLES = {
    "fig04": (f"t_up_s,control,{POINT}", 36),
    "txt01": (f"timer_granularity_s,control,{POINT}", 2),
    "fig05": ("time_s,series,queue_cells,line_rate_bps,lost_cells", 6 * 201),
    "fig06": ("time_s,series,input_rate_bps,line_rate_bps", 6 * 100),
    "fig07": ("time_s,series,vc,acr_bps,acr_updates,line_share_bps", 2 * 1001),
    "fig08": ("time_s,series,vc,cwnd_bytes,rtt_s,queue_cells,line_rate_bps,lost_cells", 2 * 201),
    "fig09": (f"t_down_s,control,{POINT}", 18),
    "fig10": ("time_s,series,acr_bps,queue_cells,line_rate_bps,lost_cells", 2 * 201),
    "fig11": (
        f"control,direction,{POINT},ack_loss_ratio,ack_loss_ratio_ci95,active_vcs_mean,active_vcs_mean_ci95",
        12,
    ),
    "fig12": ("time_s,series,input_rate_bps,line_rate_bps", 2 * 100),
    "fig13": ("time_s,series,queue_cells,line_rate_bps,lost_cells", 2 * 201),
    "fig14": ("time_s,series,vc,rtt_s", 4 * 201),
    "tab01": ("control,utilization,utilization_ci95,mean_line_rate_bps,n_runs", 6),
    "tab02": (f"control,backbone_congestion,{POINT}", 12),
    "fig15": (f"buffer_cells,t_up_s,control,{POINT}", 24),
    "fig16": (f"buffer_cells,control,{POINT}", 36),
    "fig17": (f"buffer_cells,control,{POINT}", 18),
    "fig18": (f"t_down_s,buffer_cells,control,{POINT}", 30),
    "fig19": (f"t_up_s,control,{POINT}", 24),
    "tab03": (
        "t_up_s,control,utilization,utilization_ci95,normalized_throughput,normalized_throughput_ci95,n_runs",
        6,
    ),
    "fig20": (f"control,nrm,direction,{POINT},ack_loss_ratio,ack_loss_ratio_ci95", 10),
    "tab04": (
        "control,cell_type,cell_rate_bps,cell_rate_bps_ci95,downstream_data_cell_rate_bps,"
        "downstream_data_cell_rate_bps_ci95,n_runs",
        6,
    ),
    "fig21": (f"n_vcs,control,direction,{POINT},ack_loss_ratio,ack_loss_ratio_ci95", 40),
    "tab05": (f"n_vcs,t_up_s,control,{POINT}", 24),
    "tab06": (f"control,backbone_congestion,{POINT}", 8),
    "fig22": (f"t_down_s,buffer_cells,control,{POINT}", 18),
    "figA1": (f"t_up_s,rif,rdf,control,{POINT}", 36),
    "figA2": (f"t_up_s,rif,rdf,control,{POINT}", 36),
    "tabA1": ("t_up_s,rif,rdf,utilization,utilization_ci95,n_runs", 36),
    "figA3": (f"threshold_cells,rif,rdf,control,{POINT}", 24),
    "figA4": (f"threshold_cells,rif,rdf,control,{POINT}", 24),
    "figA5": (f"t_down_s,rif,rdf,control,{POINT}", 30),
    "figA6": (f"threshold_cells,rif,rdf,control,{POINT}", 20),
    "figA7": (f"threshold_cells,rif,rdf,control,{POINT}", 20),
}


@pytest.fixture(scope="module")
def paper() -> Paper:
    return catalog.paper("adsl-abr")


@pytest.fixture(scope="module")
def outcomes(paper: Paper) -> dict[str, Outcome]:
    return quick_outcomes(paper)


def test_every_table_has_the_columns_and_rows_of_the_specification(outcomes: dict[str, Outcome]) -> None:
    shapes = {name: (",".join(outcome.columns), len(outcome.rows)) for name, outcome in outcomes.items()}
    assert shapes == TABLES


def test_every_row_has_every_column(outcomes: dict[str, Outcome]) -> None:
    for outcome in outcomes.values():
        for row in outcome.rows:
            assert set(outcome.columns) <= set(row)


def test_conditions_differ_in_which_line_varies(outcomes: dict[str, Outcome]) -> None:
    up, down = outcomes["fig04"].rows, outcomes["fig09"].rows
    assert all(128e3 < row["mean_line_rate_bps"] < 1.024e6 for row in up)
    assert all(1.5e6 < row["mean_line_rate_bps"] < 8e6 for row in down)
    assert {row["mean_line_rate_bps"] for row in outcomes["figA7"].rows} == {4.75e6}


def test_without_background_the_backbone_changes_nothing(outcomes: dict[str, Outcome]) -> None:
    free = {row["control"]: row for row in outcomes["tab02"].rows if row["backbone_congestion"] == 0}
    alone = {row["control"]: row for row in outcomes["fig04"].rows if row["t_up_s"] == 1}
    for control, row in free.items():
        assert row["throughput_bps"] == alone[control]["throughput_bps"]


def test_end_to_end_controls_reach_the_backbone_and_its_connections(paper: Paper) -> None:
    points = paper.points(paper.experiments["tab02"])
    congested = {point.axes["control"]: point.scenario for point in points if point.axes["backbone_congestion"]}
    for control, scenario in congested.items():
        is_abr = control.startswith("e2e")
        assert ("control" in scenario["links"]["backbone"]) == is_abr
        assert (scenario["vcs"]["background"]["forward"]["service"] == "abr") == is_abr
        assert "control" not in scenario["links"]["backbone_return"]


def test_equal_points_of_two_experiments_share_their_runs(outcomes: dict[str, Outcome]) -> None:
    figure = [row["utilization"] for row in outcomes["figA1"].rows]
    assert [row["utilization"] for row in outcomes["tabA1"].rows] == figure


def test_local_controls_send_no_backward_rm_cell_over_the_line(outcomes: dict[str, Outcome]) -> None:
    rates = {(row["control"], row["cell_type"]): row["cell_rate_bps"] for row in outcomes["tab04"].rows}
    assert rates["local-abr-erica-plus-smoothed", "backward-rm"] == 0
    assert rates["e2e-abr-erica-plus-smoothed", "backward-rm"] > 1e4


def test_active_vcs_are_counted_only_where_an_explicit_rate_needs_them(outcomes: dict[str, Outcome]) -> None:
    for row in outcomes["fig11"].rows:
        assert math.isnan(row["active_vcs_mean"]) == (not row["control"].endswith("-er"))


def test_every_experiment_can_be_written_and_read(outcomes: dict[str, Outcome], tmp_path: Path) -> None:
    for name in ("fig08", "fig11", "fig15", "tab04"):
        files = outcomes[name].write(tmp_path)
        assert [file.name for file in files] == [f"{name}.{end}" for end in ("csv", "svg", "png", "provenance.json")]
        with files[0].open(newline="") as file:
            assert len(list(csv.DictReader(file))) == TABLES[name][1]
