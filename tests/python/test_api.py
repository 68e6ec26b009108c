"""The Python interface: load, change, run, results."""

from __future__ import annotations

import json
import math
import re
import threading
import time
from pathlib import Path
from typing import cast

import celltrain
import numpy as np
import pytest
from celltrain import _native
from celltrain.columns import COLUMNS
from conftest import LINE, REPOSITORY


def test_a_file_loads_and_runs(line_file: Path) -> None:
    result = celltrain.load(line_file).run(seed=1)
    assert result.flows["flow"] == ["upload1", "upload2"]
    assert (result.flows["throughput_bps"] > 1e5).all()
    assert result.seed == 1


def test_the_same_seed_gives_the_same_digest_on_one_core_and_on_two(line: celltrain.Scenario) -> None:
    alone = [result.digest for result in line.run_many(range(1, 9), jobs=1)]
    together = [result.digest for result in line.run_many(range(1, 9), jobs=2)]
    assert alone == together
    assert len(set(alone)) == 8


def test_changes_make_another_scenario_and_leave_the_first(line: celltrain.Scenario) -> None:
    faster = line.with_value("links.line.rate.low", "2 Mbit/s")
    assert faster.data["links"]["line"]["rate"]["low"] == "2 Mbit/s"
    assert line.data["links"]["line"]["rate"]["low"] == "1 Mbit/s"
    assert faster.hash != line.hash
    assert faster.run().links["mean_rate_bps"].tolist()[4] == 2e6


def test_a_mistake_names_file_line_and_key() -> None:
    with pytest.raises(celltrain.ScenarioError, match=r"line.toml:\d+:1: links.line.bufer: unknown key") as raised:
        celltrain.Scenario.from_toml(LINE.replace("buffer", "bufer"), "line.toml")
    error = raised.value
    assert isinstance(error, _native.ScenarioError)
    assert error.key == "links.line.bufer"
    assert error.line == 1 + LINE[: LINE.index("buffer")].count("\n")
    assert error.column == 1


def test_a_mistake_in_plain_data_has_no_line(line: celltrain.Scenario) -> None:
    with pytest.raises(celltrain.ScenarioError, match=r"measure.duration: expected a time") as raised:
        line.with_value("measure.duration", "3 sec")
    assert raised.value.line is None


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "noise.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(celltrain.ScenarioError, match="UTF-8"):
        celltrain.load(path)


def test_tables_become_data_frames(line: celltrain.Scenario) -> None:
    flows = line.run().flows
    pandas, polars = flows.to_pandas(), flows.to_polars()
    assert list(pandas.columns) == polars.columns == list(flows)
    assert pandas["throughput_bps"].tolist() == polars["throughput_bps"].to_list() == flows["throughput_bps"].tolist()


def test_every_column_has_a_unit(line: celltrain.Scenario) -> None:
    result = line.run()
    for table in result.tables.values():
        assert list(table.units) == list(table)
    assert result.flows.units["throughput_bps"] == "bit/s"
    assert result.traces["queue"].units["flows.upload1.cwnd_bytes"] == "bytes"


def test_a_column_has_the_type_that_the_registry_says(line: celltrain.Scenario) -> None:
    result = line.run()
    for name in ("flows", "vcs", "links", "link_vcs"):
        table = result.tables[name]
        assert list(table) == list(COLUMNS[name])
        for column, known in COLUMNS[name].items():
            values = table[column]
            if known.kind == "text":
                assert isinstance(values, list)
            else:
                assert values.dtype == (np.int64 if known.kind == "integer" else np.float64), column
            assert table.units[column] == known.unit


def test_a_count_is_an_integer_in_rows_and_in_csv(line: celltrain.Scenario) -> None:
    links = line.run().links
    # The link of the host is a mere delay: it counts arrivals, and has no queue that cells leave.
    bare = next(row for row in links.rows() if math.isnan(float(row["cells_sent"])))
    assert isinstance(bare["cells_offered"], int)
    head, *lines = (line.split(",") for line in links.to_csv().splitlines())
    for column in ("cells_offered", "cells_sent", "queue_max_cells"):
        texts = {line[head.index(column)] for line in lines}
        assert all(text.isdigit() for text in texts - {""}), column


def test_a_trace_covers_the_measured_interval(line: celltrain.Scenario) -> None:
    times = line.run().traces["queue"]["time_s"]
    assert np.allclose(times, np.arange(10, 31) / 10)


def test_a_result_says_what_made_it(line: celltrain.Scenario, tmp_path: Path) -> None:
    result = line.run(seed=7)
    files = result.save(tmp_path / "out")
    provenance = json.loads((tmp_path / "out" / "provenance.json").read_text())
    assert {file.name for file in files} == {
        "flows.csv", "fairness.csv", "vcs.csv", "links.csv", "link_vcs.csv", "queue.csv", "provenance.json",
    }  # fmt: skip
    assert provenance["seed"] == 7
    assert provenance["celltrain"] == celltrain.__version__
    again = celltrain.Scenario(provenance["scenario"])
    assert again.hash == provenance["scenario_hash"] == line.hash
    assert again.run(seed=7).digest == provenance["result_digest"]


def test_an_unknown_column_is_named_with_the_known_ones(line: celltrain.Scenario) -> None:
    with pytest.raises(KeyError, match="throughput_bps"):
        line.run().flows["throughput"]


def test_missing_values_are_null_in_json(line: celltrain.Scenario) -> None:
    from celltrain.files import json_text

    result = line.run()
    assert math.isnan(result.links["mean_rate_bps"][0])
    text = json_text(result.to_json())
    assert "NaN" not in text
    assert json.loads(text)["tables"]["links"][0]["mean_rate_bps"] is None


@pytest.mark.alone
def test_a_cancelled_run_stops_within_a_second(line: celltrain.Scenario) -> None:
    long = line.with_value("measure.duration", "100000 s")
    cancel = _native.Cancel()
    threading.Timer(0.3, cancel.cancel).start()
    start = time.perf_counter()
    with pytest.raises(celltrain.Interrupted):
        long.native.run(1, cancel)
    assert time.perf_counter() - start < 1.3


def test_a_run_that_would_cost_too_much_is_refused(line: celltrain.Scenario) -> None:
    with pytest.raises(celltrain.ScenarioError, match="the run could need up to"):
        line.with_changes({"limits": {"cells": 1000.0}})


def test_the_example_of_the_readme_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REPOSITORY)
    blocks = re.findall(r"```python\n(.*?)```", (REPOSITORY / "README.md").read_text(), re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "one"])
def test_a_seed_that_is_no_whole_number_of_64_bits_is_refused(line: celltrain.Scenario, seed: object) -> None:
    with pytest.raises(celltrain.RunError, match="expected a whole number from 0 to"):
        line.run(seed=cast("int", seed))
    with pytest.raises(celltrain.RunError, match="seed "):
        line.run_many([1, cast("int", seed)])
    with pytest.raises(celltrain.RunError, match="seed "):
        line.verify(seed=cast("int", seed))


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        (
            "links.lines.rate",
            "1 Mbit/s",
            'links.lines: links has no "lines"; did you mean "line"? (a new one is incomplete: ',
        ),
        ("flows.upload1.tcp.mss", "500 bytes", 'flows.upload1: flows has no "upload1"; did you mean "upload"?'),
        ("links.line.rate.evry", "1 s", "links.line.rate.evry: unknown key"),
        ("links.line.buffer", "many", "links.line.buffer: expected"),
    ],
)
def test_a_changed_key_that_does_not_exist_is_met_with_the_nearest(
    line: celltrain.Scenario, key: str, value: str, message: str
) -> None:
    with pytest.raises(celltrain.ScenarioError) as refused:
        line.with_value(key, value)
    assert message in str(refused.value)
    assert refused.value.key is not None


def test_a_change_may_add_a_new_entry(line: celltrain.Scenario) -> None:
    probe = {"every": "1 s", "record": ["links.line1.queue_cells"]}
    assert "more" in line.with_value("probes.more", probe).run(seed=1).traces
