"""Columns of tables: the registries, ``celltrain columns``, and ``--columns``."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from celltrain.cli.chosen import chosen, tables_of
from celltrain.cli.columns import MEASURED, tables
from celltrain.cli.console import BadInput
from celltrain.columns import TABLES
from celltrain.dbs import columns as measured
from celltrain.scenario import Scenario
from conftest import LINE, Command

#: The end of the name of a column with this unit.
ENDS = {"s": "_s", "bit/s": "_bps", "bytes": "_bytes"}


@pytest.mark.parametrize("table", measured.COLUMNS)
def test_columns_of_measurements_say_unit_and_meaning_once(table: str) -> None:
    columns = measured.COLUMNS[table].values()
    assert len({column.heading for column in columns}) == len(columns)
    for column in columns:
        assert column.meaning
        assert (column.unit == "") == (column.kind == "text")
        stem = column.name.removesuffix("_ci95")
        assert all((column.unit == unit) == stem.endswith(end) for unit, end in ENDS.items()), column.name


FRAMES = """
measure.duration = "1 s"
hosts = { a = {}, b = {} }
links.l = { between = ["a", "b"], delay = "1 ms", rate = "1 Mbit/s", frames = "ethernet", buffer = "9 packets" }
vcs.v.route = ["a", "b"]
flows.f = { vc = "v", tcp = "linux" }
"""


def test_the_tables_of_a_run_are_those_of_the_registry(line: Scenario) -> None:
    canonical = json.loads(line.to_json())
    vcs, link, flow = list(canonical["vcs"]), next(iter(canonical["links"])), next(iter(canonical["flows"]))
    errors = {"process": "bernoulli", "probability": 0.01}
    more = line.with_changes(
        {
            "measure": {"parts": 2, "cell_delays": {"vcs": vcs}},
            "links": {link: {"errors": errors}},
            "flows": {flow: {"application": {"kind": "telnet"}}},
            "admission": {"on_refusal": "run"},
            "vcs": {
                vcs[0]: {
                    "shape": [{"at": canonical["vcs"][vcs[0]]["route"][1], "pcr": "9 Mbit/s", "buffer": "99 cells"}]
                }
            },
        }
    )
    framed = Scenario.from_toml(FRAMES, "frames.toml")
    expected_of_more = [table for table in TABLES if table != "frames"]
    for scenario, expected in ((line, TABLES[:5]), (more, expected_of_more), (framed, [*TABLES[:5], "frames"])):
        result = scenario.run(1)
        assert {name: list(table) for name, table in result.tables.items()} == dict(tables_of(scenario))
        assert list(result.tables)[: len(expected)] == list(expected)


def test_events_of_a_probe_come_before_what_it_records(line: Scenario) -> None:
    scenario = line.with_changes(
        {"probes": {"timers": {"events_of": "upload1", "record": ["flows.upload1.cwnd_bytes"]}}}
    )
    table = scenario.run(1).traces["timers"]
    assert list(table) == tables_of(scenario)["timers"]
    assert list(table)[-1] == "flows.upload1.cwnd_bytes"


KNOWN = {"flows": ["flow", "rtt_mean_s"], "links": ["link", "queue_max_cells"]}


def test_columns_are_chosen_by_table_in_the_order_given() -> None:
    assert chosen(["links.queue_max_cells, flows", "links.link,flows.flow"], KNOWN) == {
        "links": ["queue_max_cells", "link"],
        "flows": ["flow", "rtt_mean_s"],
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("flows.rtt_meen_s", "flows has no column 'rtt_meen_s'; did you mean \"rtt_mean_s\"?"),
        ("link.queue_max_cells", "there is no table 'link'; did you mean \"links\"?"),
        ("link", "there is no table 'link'; expected TABLE.COLUMN, such as links.link"),
        ("rtt_mean_s", "expected TABLE.COLUMN, such as flows.rtt_mean_s"),
        ("lnks", "there is no table 'lnks'; did you mean \"links\"?"),
        ("", "there is no table ''"),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest(text: str, message: str) -> None:
    with pytest.raises(BadInput) as refused:
        chosen([text], KNOWN)
    assert message in str(refused.value)


def test_a_run_prints_the_columns_that_were_asked_for(cli: Command, line_file: Path) -> None:
    done = cli("run", line_file, "--columns", "links.to,links.cells_lost,flows.rtt_mean_s")
    assert (done.returncode, done.stderr) == (0, "")
    heads = [line.split() for line in done.stdout.splitlines() if "─" not in line and line.strip()]
    assert [heads[0], heads[1]] == [["links"], ["to", "lost", "[cells]"]]
    assert ["mean", "RTT", "[ms]"] in heads
    plain = json.loads(cli("run", line_file, "--json", "--columns", "flows.flow,queue").stdout)
    assert plain["tables"]["flows"] == [{"flow": "upload1"}, {"flow": "upload2"}]
    assert list(plain["tables"]["queue"][0]) == ["time_s", "links.line1.queue_cells", "flows.upload1.cwnd_bytes"]
    assert list(plain["tables"]) == ["flows", "queue"]


def test_an_unknown_column_is_refused_before_the_run(cli: Command, tmp_path: Path) -> None:
    (tmp_path / "long.toml").write_text(LINE.replace('duration = "3 s"', 'duration = "1000000 s"').split("[probes")[0])
    done = cli("run", "long.toml", "--columns", "flows.timeout")
    assert (done.returncode, done.stdout) == (2, "")
    assert "flows has no column 'timeout'; did you mean \"timeouts\"?" in " ".join(done.stderr.split())
    done = cli("sweep", "long.toml", "--metric", "sum(flows.timeout)")
    assert (done.returncode, done.stdout) == (2, "")
    assert "flows has no numbers 'timeout'; did you mean \"timeouts\"?" in " ".join(done.stderr.split())


def test_columns_are_listed_with_unit_type_and_meaning(cli: Command) -> None:
    done = cli("columns", "links.NAME", "dbs.hosts", "--json")
    listed = json.loads(done.stdout)
    assert list(listed) == ["links.NAME", "dbs.hosts"]
    assert listed["dbs.hosts"][8] == {
        "name": "clock_offset_s",
        "unit": "s",
        "kind": "number",
        "heading": "clock offset",
        "meaning": "its clock minus the controller's",
    }
    assert set(json.loads(cli("columns", "--json").stdout)) == set(tables())
    assert f"{MEASURED}summary" in cli("columns").stdout
    refused = cli("columns", "dbs.host")
    assert (refused.returncode, 'did you mean "dbs.hosts"?' in refused.stderr) == (2, True)


def test_an_export_has_the_columns_that_were_asked_for(cli: Command, line_file: Path, tmp_path: Path) -> None:
    cli("sweep", line_file, "--set", "links.line.buffer=200 cells,400 cells", "--replications", "1", "--out", "out")
    export = ("results", "out", "--table", "links", "--export", "links.csv", "--columns")
    assert cli(*export, "cells_lost,link").returncode == 0
    with (tmp_path / "links.csv").open(newline="") as file:
        assert next(csv.reader(file)) == ["point", "seed", "links.line.buffer", "cells_lost", "link"]
    refused = cli(*export, "cells_loss")
    assert (refused.returncode, 'did you mean "cells_lost"?' in " ".join(refused.stderr.split())) == (2, True)
