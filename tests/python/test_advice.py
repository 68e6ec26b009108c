"""Warnings: probable mistakes in a scenario, and sources that had data to send in a run but delivered nothing."""

from __future__ import annotations

import json
from pathlib import Path

import celltrain
import pytest
from conftest import LINE, REPOSITORY, Command

#: Segments take 192 cells, and the queue holds 100: no segment ever arrives complete.
SILENT = LINE.replace("2000 cells", "100 cells")


def test_a_flow_that_delivers_nothing_is_a_warning() -> None:
    result = celltrain.Scenario.from_toml(SILENT).run()
    assert result.flows["delivered_bytes"].tolist() == [0.0, 0.0]
    codes = [each.code for each in result.warnings]
    assert codes == ["buffer-below-segment"] * 2 + ["nothing-delivered"] * 2
    first, second = result.warnings[2:]
    assert (first.code, first.kind, first.name, second.name) == ("nothing-delivered", "flow", "upload1", "upload2")
    assert (first.since_s, first.lasted_s) == (1.0, 2.0)
    assert "the queue of link line1 holds 100" in first.look_at


def test_a_flow_that_delivers_is_none(line: celltrain.Scenario) -> None:
    assert line.run().warnings == []


def test_a_late_flow_is_not_judged() -> None:
    late = SILENT.replace('start = { uniform = ["0 s", "0.1 s"] }', 'start = "2.5 s"')
    found = celltrain.Scenario.from_toml(late).run().warnings
    assert "nothing-delivered" not in {each.code for each in found}


def test_a_background_that_delivers_nothing_is_a_warning(line: celltrain.Scenario) -> None:
    quiet = {"rate": "1 bit/s", "process": "cbr"}
    loud = {"rate": "100 kbit/s", "process": "cbr"}
    other = {
        "vcs": {"other": {"route": ["a", "s", "b"]}},
        "links": {"line": {"loss": {"process": "bernoulli", "probability": 1}}},
    }
    base = line.with_changes(other | {"backgrounds": {"noise": {"vc": "other", "traffic": loud}}})
    found = base.run().warnings
    assert [(each.kind, each.name) for each in found] == [
        ("flow", "upload1"),
        ("flow", "upload2"),
        ("background", "noise1"),
        ("background", "noise2"),
    ]
    slow = line.with_changes({"vcs": other["vcs"], "backgrounds": {"noise": {"vc": "other", "traffic": quiet}}})
    assert slow.run().warnings == [], "it has no cell to send in this time"


def test_the_command_warns_in_a_line_for_each_group(cli: Command, tmp_path: Path) -> None:
    (tmp_path / "silent.toml").write_text(SILENT)
    done = cli("run", "silent.toml", "--out", "out")
    assert done.returncode == 0, "a warning is no failure"
    small, warning = (line for line in done.stderr.splitlines() if line.startswith("warning:"))
    assert small.startswith("warning: link line1: its buffer of 100 cells cannot hold a full segment of flow upload1")
    assert small.endswith('(and 1 more of its group) [suppress with silence = ["buffer-below-segment"]]')
    assert warning.startswith("warning: flow upload1 delivered nothing from 1 s on, for 2 s; a segment has 192 cells")
    assert warning.endswith('(and 1 more of its group) [suppress with silence = ["nothing-delivered"]]')
    saved = json.loads((tmp_path / "out" / "provenance.json").read_text())["warnings"]
    printed = json.loads(cli("run", "silent.toml", "--json").stdout)["provenance"]["warnings"]
    assert [each["name"] for each in saved] == ["line1", "line2", "upload1", "upload2"]
    assert saved == printed
    assert set(saved[0]) == {"code", "kind", "name", "since_s", "lasted_s", "look_at"}


def test_many_warnings_are_counted(cli: Command, tmp_path: Path) -> None:
    flows = "".join(f'[flows.{name}]\nvc = "vc"\n' for name in "pqrstuvw")
    (tmp_path / "silent.toml").write_text(SILENT.replace("[probes.queue]", f"{flows}[probes.queue]"))
    lines = [line for line in cli("run", "silent.toml").stderr.splitlines() if line.startswith("warning:")]
    assert len(lines) == 6
    assert lines[-1] == "warning: and 10 more; --out DIR and --json have all"


def test_a_scenario_is_warned_of_before_it_runs(cli: Command, tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(SILENT)
    (tmp_path / "good.toml").write_text(LINE)
    done = cli("validate", "small.toml", "good.toml")
    assert done.returncode == 0, "a warning is no error"
    assert [line.partition(";")[0] for line in done.stdout.splitlines()] == ["small.toml: valid", "good.toml: valid"]
    (warning,) = done.stderr.splitlines()
    assert warning.startswith("warning: small.toml: link line1: its buffer of 100 cells cannot hold")
    small, good = json.loads(cli("validate", "--json", "small.toml", "good.toml").stdout)
    assert [each["name"] for each in small["warnings"]] == ["line1", "line2"]
    assert {each["code"] for each in small["warnings"]} == {"buffer-below-segment"}
    assert (small["valid"], good["valid"], good["warnings"]) == (True, True, [])


#: For each code that needs no run: what is replaced in the line, by what, and the number of its warnings.
ADVICE = {
    "old-timers": ("[flows.upload]", '[flows.upload]\ntcp = { variant = "newreno", window = "500 KiB" }', 2),
    "buffer-below-segment": ("2000 cells", "100 cells", 2),
    "window-below-bdp": ("[flows.upload]", '[flows.upload]\ntcp = { window = "1 KiB", mss = "512 bytes" }', 2),
    "vc-unused": ("[flows.upload]", '[vcs.idle]\nroute = ["a1", "s", "b1"]\n[flows.upload]', 1),
}


@pytest.mark.parametrize("code", ADVICE)
def test_each_code_is_told_by_validate_and_by_run_and_suppressed_by_its_name(
    cli: Command, tmp_path: Path, code: str
) -> None:
    old, new, count = ADVICE[code]
    text = LINE.replace(old, new)
    assert text != LINE
    (tmp_path / "told.toml").write_text(text)
    (tmp_path / "silent.toml").write_text(f'silence = ["{code}"]\n{text}')
    (told, silent) = json.loads(cli("validate", "--json", "told.toml", "silent.toml").stdout)
    assert [each["code"] for each in told["warnings"]] == [code] * count
    assert silent["warnings"] == []
    ends = f'[suppress with silence = ["{code}"]]'

    def warnings(name: str) -> list[str]:
        return [line for line in cli("run", name).stderr.splitlines() if line.startswith("warning:")]

    assert [line.endswith(ends) for line in warnings("told.toml")].count(True) == 1
    assert not any(line.endswith(ends) for line in warnings("silent.toml"))


def test_what_a_scenario_silences_is_not_told() -> None:
    codes = ["buffer-below-segment", "nothing-delivered"]
    silenced = celltrain.Scenario.from_toml(f"silence = {json.dumps(codes)}\n{SILENT}")
    assert silenced.warnings == []
    assert silenced.run().warnings == []
    loud = celltrain.Scenario.from_toml(SILENT)
    assert silenced.run().digest == loud.run().digest
    assert [each.code for each in loud.warnings] == ["buffer-below-segment"] * 2
    with pytest.raises(celltrain.ScenarioError, match="silence"):
        celltrain.Scenario.from_toml(f'silence = ["vc-unsed"]\n{LINE}')


def test_a_sweep_tells_of_each_code_once(cli: Command, tmp_path: Path) -> None:
    (tmp_path / "line.toml").write_text(LINE)
    done = cli("sweep", "line.toml", "--set", "links.line.buffer=100 cells,150 cells,2000 cells", "--out", "out")
    (warning,) = (line for line in done.stderr.splitlines() if line.startswith("warning:"))
    assert warning.startswith("warning: 2 points, the first of them: link line1: its buffer of 100 cells")
    (saved,) = json.loads((tmp_path / "out" / "warnings.json").read_text())
    assert (saved["code"], saved["points"], saved["first_point"]) == ("buffer-below-segment", 2, 0)


@pytest.mark.parametrize("example", sorted((REPOSITORY / "examples").glob("*.toml")), ids=lambda path: path.stem)
def test_examples_have_no_warnings(example: Path) -> None:
    assert celltrain.load(example).warnings == []


def test_a_result_from_a_record_warns_too() -> None:
    from celltrain import _native
    from celltrain.sweeps.record import Record
    from celltrain.sweeps.worker import Task, run_tasks

    silent = celltrain.Scenario.from_toml(SILENT)
    (outcome,) = run_tasks([Task(silent.to_json(), silent.hash, 1, _native.__build__)])
    assert Record.decode(outcome.octets).result(silent.to_json()).warnings == silent.run().warnings


def test_both_directions_of_a_connection_have_rows_and_warnings_of_their_own(cli: Command, tmp_path: Path) -> None:
    both = SILENT.replace("[flows.upload]", "[flows.upload]\nback = {}")
    result = celltrain.Scenario.from_toml(both).run()
    assert result.flows["flow"] == ["upload1", "upload1.back", "upload2", "upload2.back"]
    assert result.flows["direction"] == ["forward", "backward"] * 2
    silent = [each for each in result.warnings if each.code == "nothing-delivered"]
    assert [each.name for each in silent] == result.flows["flow"]
    (tmp_path / "both.toml").write_text(both)
    lines = [line for line in cli("run", "both.toml").stderr.splitlines() if "delivered nothing" in line]
    assert [line.split(" delivered")[0] for line in lines] == ["warning: flow upload1", "warning: flow upload1.back"]
    assert "data both ways" in cli("show", "both.toml").stdout
