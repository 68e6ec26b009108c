"""Cross-checks of the engines: what is compared, when, what is reported, and the effect of a difference."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import celltrain
import pytest
from celltrain import cli as program
from celltrain import crosschecks, scenario
from celltrain.sweeps import Design, Replications, Sweep
from conftest import LINE, Command

#: The core's report of a difference, as if the engines had one in LINE.
DIFFERENCE = {
    "says": "flows, flow upload1: timeouts is 0 in trains, 1 cell by cell",
    "trains": "0",
    "cells": "1",
    "table": "flows",
    "row": 0,
    "names": {"flow": "upload1", "vc": "vc1"},
    "column": "timeouts",
}


class Differing:
    """A checked scenario of the core whose two engines are reported to differ; the rest is unchanged."""

    def __init__(self, native: Any) -> None:  # noqa: ANN401 - stands for a class that cannot be derived from
        self._native = native

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        return getattr(self._native, name)

    def verify(self, *_: object) -> tuple[None, int, dict[str, Any]]:
        """Report a difference in the whole run."""
        return None, 3 * 10**12, DIFFERENCE

    def cross_check(self, *_: object) -> tuple[int, bool, dict[str, Any]]:
        """Report a difference in the first half second."""
        return 5 * 10**11, False, DIFFERENCE


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty cache."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("CELLTRAIN_CACHE", str(folder))
    monkeypatch.setattr(crosschecks, "_known", crosschecks._Known())
    return folder


@pytest.fixture
def compared(cache: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the seeds of the comparisons of this process, with an empty cache."""
    assert not cache.exists()
    seeds: list[int] = []
    compare = crosschecks.compare

    def counting(native: Any, text: str, seed: int, cpu_s: float, cancel: Any) -> Any:  # noqa: ANN401
        seeds.append(seed)
        return compare(native, text, seed, cpu_s, cancel)

    monkeypatch.setattr(crosschecks, "compare", counting)
    return seeds


@pytest.fixture
def main(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str]]:
    """Return the command line in this process, with engines reported to differ: the exit code, and stderr."""
    load = scenario.load
    monkeypatch.chdir(tmp_path)

    def differing(path: str | Path) -> celltrain.Scenario:
        found = load(path)
        found.native = Differing(found.native)  # type: ignore[assignment]
        return found

    def run(*arguments: str) -> tuple[int, str]:
        monkeypatch.setattr(scenario, "load", differing)
        with pytest.raises(SystemExit) as ended:
            program.main(arguments)
        assert isinstance(ended.value.code, int)
        return ended.value.code, capsys.readouterr().err

    return run


def provenance(cli: Command, *arguments: str | Path) -> dict[str, Any]:
    done = cli("run", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)["provenance"]
    return found


def test_the_first_run_of_a_structure_is_checked_and_later_ones_say_so(
    cli: Command, line_file: Path, cache: Path
) -> None:
    first = provenance(cli, line_file)
    found = first["cross_checked"]
    assert found["state"] == "cross-checked"
    assert 0 < found["simulated_s"] <= 3
    assert (found["seed"], found["scenario_hash"]) == (1, first["scenario_hash"])
    assert (found["engines"], found["build"]) == (["trains", "cells"], first["build"])
    (file,) = cache.rglob("*.json")
    assert file.name == f"{found['structure']}.json"

    other = provenance(cli, line_file, "--seed", "2", "--set", "links.line.delay=7 ms")["cross_checked"]
    assert other == found | {"state": "structure cross-checked"}
    another = provenance(cli, line_file, "--set", "links.line.delay=0 ms")["cross_checked"]
    assert (another["state"], another["structure"] != found["structure"]) == ("cross-checked", True)


def test_the_summary_says_in_a_line_what_was_compared(cli: Command, line_file: Path, cache: Path) -> None:
    assert "cross-checked: both engines agree over " in cli("run", line_file).stdout.splitlines()[-1]
    later = cli("run", line_file, "--seed", "2").stdout.splitlines()[-1]
    assert later.startswith("structure cross-checked: both engines agree over ")
    assert later.endswith(" s of such a run")


def test_verify_compares_all_of_the_run(cli: Command, line_file: Path) -> None:
    assert cli("run", line_file, "--verify").stdout.splitlines()[-1] == (
        "cross-checked: both engines agree over all of it"
    )
    found = provenance(cli, line_file, "--verify", "--seed", "5")["cross_checked"]
    assert (found["state"], found["simulated_s"], found["whole"], found["seed"]) == ("cross-checked", 3.0, True, 5)


def test_verify_gives_the_result_of_the_run(line: celltrain.Scenario) -> None:
    assert line.verify(seed=4).digest == line.run(seed=4).digest


@pytest.mark.parametrize("how", [["--no-cross-check"], ["--cell-by-cell"], ["--pcap", "x.pcapng"]])
def test_a_run_without_a_check_says_so(cli: Command, line_file: Path, cache: Path, how: list[str]) -> None:
    assert cli("run", line_file, *how).stdout.splitlines()[-1].startswith("not cross-checked: ")
    assert not cache.exists()


def test_the_environment_switches_checks_off(
    cli: Command, line_file: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CELLTRAIN_CROSS_CHECK", "off")
    found = provenance(cli, line_file)["cross_checked"]
    assert (found["state"], found["why"]) == ("not cross-checked", "switched off")
    assert "simulated_s" not in found
    done = cli("sweep", line_file, "--set", "links.line.delay=1 ms,2 ms", "--replications", "1", "--out", "out")
    assert "0 of 1 structures were cross-checked: switched off" in done.stderr
    assert not cache.exists()


def test_verify_needs_both_engines(cli: Command, line_file: Path) -> None:
    done = cli("run", line_file, "--verify", "--cell-by-cell")
    assert (done.returncode, "without --cell-by-cell" in done.stderr) == (2, True)


def test_the_check_changes_nothing_in_the_tables(cli: Command, line_file: Path, tmp_path: Path, cache: Path) -> None:
    cli("run", line_file, "--out", "with")
    cli("run", line_file, "--out", "without", "--no-cross-check")
    names = sorted(path.name for path in (tmp_path / "with").glob("*.csv"))
    assert len(names) == 6
    for name in names:
        assert (tmp_path / "with" / name).read_bytes() == (tmp_path / "without" / name).read_bytes()
    digests = [
        json.loads((tmp_path / each / "provenance.json").read_text())["result_digest"] for each in ("with", "without")
    ]
    assert digests[0] == digests[1]


@pytest.mark.parametrize("content", [b"", b"[]", b'{"simulated_s": 1}', b"\xff", b'{"structure": "x"}', b"[" * 100_000])
def test_a_damaged_cache_counts_as_empty(line: celltrain.Scenario, cache: Path, content: bytes) -> None:
    folder = crosschecks.folder()
    assert folder is not None
    assert folder.is_relative_to(cache)
    folder.mkdir(parents=True)
    (folder / f"{line.structure}.json").write_bytes(content)
    assert line.run().cross_checked.state == "cross-checked"
    assert json.loads((folder / f"{line.structure}.json").read_text())["seed"] == 1


def test_a_cache_that_cannot_be_written_fails_no_run(
    cli: Command, line_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("CELLTRAIN_CACHE", str(tmp_path / "file"))
    for _ in range(2):
        done = cli("run", line_file)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.splitlines()[-1].startswith("cross-checked: ")


def test_the_cache_is_where_users_have_theirs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CELLTRAIN_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert str(crosschecks.folder()).startswith(str(tmp_path / "celltrain" / "cross-checks"))
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert str(crosschecks.folder()).startswith(str(tmp_path / "home" / ".cache" / "celltrain"))


def test_a_check_takes_three_hundredths_of_the_run_or_a_fiftieth_of_a_second() -> None:
    assert (crosschecks.budget(0.001), crosschecks.budget(0.4), crosschecks.budget(50.0)) == (0.02, 0.02, 1.5)


def test_a_large_network_is_checked_with_few_members(line: celltrain.Scenario, cache: Path) -> None:
    large = line.with_changes(
        {"hosts": {"a": {"count": 3000}, "b": {"count": 3000}}, "measure": {"duration": "1100 ms"}}
    )
    found = large.run().cross_checked
    assert found.facts is not None
    assert found.facts.members == crosschecks.MEMBERS
    assert not found.facts.whole
    assert found.state == "structure cross-checked", "it was not this scenario that was run"
    assert str(found).endswith(f", with {crosschecks.MEMBERS} members of each group")


def test_runs_of_one_structure_share_one_check(line: celltrain.Scenario, compared: list[int]) -> None:
    states = [result.cross_checked.state for result in line.run_many(range(1, 7), jobs=2)]
    assert len(compared) == 1
    assert states[compared[0] - 1] == "cross-checked"
    assert states.count("structure cross-checked") == 5


def test_a_sweep_checks_each_structure_once(line: celltrain.Scenario, compared: list[int], tmp_path: Path) -> None:
    design = Design({"links.line.delay": ["0 ms", "1 ms", "2 ms", "3 ms"]})
    results = Sweep(line, design, Replications(2)).run(tmp_path / "one", jobs=2)
    assert len(compared) == 2, "a line without delay, and one with"
    checks = results.cross_checks
    assert checks is not None
    assert (checks["structures"], checks["structures_cross_checked"], len(checks["checks"])) == (2, 2, 2)

    again = Sweep(line, design, Replications(3)).run(tmp_path / "two")
    assert len(compared) == 2, "the cache has them"
    assert again.cross_checks == checks
    assert Sweep(line, design, Replications(2)).run(tmp_path / "one").cross_checks == checks, "nothing was run"


def test_workers_of_other_processes_check_what_this_one_asks_for(
    line: celltrain.Scenario, cache: Path, tmp_path: Path
) -> None:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        results = Sweep(line, replications=Replications(4)).run(tmp_path / "out", executor=processes)
    checks = results.cross_checks
    assert checks is not None
    assert checks["structures_cross_checked"] == 1
    assert [file.stem for file in cache.rglob("*.json")] == [line.structure]


def test_a_worker_of_a_cluster_checks_the_structure(cli: Command, line_file: Path, cache: Path, tmp_path: Path) -> None:
    command = [sys.executable, str(Path(__file__).parent / "dask_cluster.py")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as cluster:
        assert cluster.stdout is not None
        address = cluster.stdout.readline().split()[0]
        options = ("--set", "links.line.delay=5 ms,20 ms", "--replications", "4", "--dask", address)
        done = cli("sweep", line_file, *options, "--out", tmp_path / "out")
        cluster.communicate()
    assert done.returncode == 0, done.stderr
    assert "its structure was cross-checked" in done.stderr
    checks = json.loads((tmp_path / "out" / "cross_checks.json").read_text())
    assert (checks["structures"], checks["structures_cross_checked"]) == (1, 1)
    assert cache.exists(), "the process that has the campaign keeps what the worker found"


def test_a_reproduction_says_what_was_checked(cli: Command, tmp_path: Path, cache: Path) -> None:
    done = cli("reproduce", "adsl-abr/fig04", "--quick", "--out", "out")
    assert "6 of 6 structures were cross-checked" in done.stdout
    found = json.loads((tmp_path / "out" / "adsl-abr" / "fig04.provenance.json").read_text())["cross_checks"]
    assert (found["structures"], found["structures_cross_checked"]) == (6, 6)
    assert len(list(cache.rglob("*.json"))) == 6


@pytest.mark.parametrize(("how", "length"), [((), "0.5 s"), (("--verify",), "3 s")])
def test_a_difference_ends_the_command_and_writes_a_scenario(
    main: Callable[..., tuple[int, str]], line_file: Path, tmp_path: Path, how: tuple[str, ...], length: str
) -> None:
    code, said = main("run", "line.toml", *how, "--out", "out")
    assert code == 1
    assert said.startswith("error: the two engines differ: a defect of celltrain; trust neither result\n")
    lines = [line.split() for line in said.splitlines()]
    assert ["column", "timeouts"] in lines
    assert ["in", "trains", "0"] in lines
    assert ["cell", "by", "cell", "1"] in lines
    assert any("table flows, row 1 (flow upload1, vc vc1)" in line for line in said.splitlines())
    assert any(f"{length} of line.toml, seed 1" in line for line in said.splitlines())
    path = tmp_path / "out" / "line.differs.toml"
    assert f"celltrain run out/{path.name} --seed 1 --verify" in said
    assert path.read_text().startswith("# The engines of celltrain ")
    assert [file.name for file in path.parent.iterdir()] == [path.name], "no table of a result that is not trusted"
    # These engines really agree, so nothing can be removed.
    assert celltrain.load(path).hash == celltrain.load(line_file).hash


def test_a_difference_is_not_cached(main: Callable[..., tuple[int, str]], line_file: Path, cache: Path) -> None:
    assert line_file.exists()
    assert [main("run", "line.toml")[0] for _ in range(2)] == [1, 1]
    assert not cache.exists()


def test_a_difference_is_an_error_with_all_that_a_report_needs(line: celltrain.Scenario, cache: Path) -> None:
    line.native = Differing(line.native)  # type: ignore[assignment]
    with pytest.raises(celltrain.EnginesDiffer, match=r"timeouts is 0 in trains, 1 cell by cell; .* seed 9") as raised:
        line.run(seed=9)
    assert isinstance(raised.value, celltrain.RunError)
    assert (raised.value.seed, raised.value.simulated_s, raised.value.difference) == (9, 0.5, DIFFERENCE)
    with pytest.raises(celltrain.EnginesDiffer):
        line.verify(seed=9)


def test_a_run_that_fails_is_compared_with_the_plain_engine(line: celltrain.Scenario, cache: Path) -> None:
    class Failing(Differing):
        """Engines where only the cell engine finishes."""

        def run(self, *_: object) -> None:
            raise celltrain.RunError("simulated time stands still")

    native = line.native
    line.native = Failing(native)  # type: ignore[assignment]
    with pytest.raises(celltrain.EnginesDiffer):
        line.run()
    with pytest.raises(celltrain.RunError, match=r"^simulated time stands still$"):
        line.run(cross_check=False)


def test_a_difference_ends_a_sweep(
    main: Callable[..., tuple[int, str]], line_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def differing(native: Any, text: str, seed: int, *_: object) -> crosschecks.Found:  # noqa: ANN401
        facts = crosschecks.Facts(native.structure, native.hash, seed, 0.5, whole=False)
        return crosschecks.Found(facts, text, DIFFERENCE)

    monkeypatch.setattr(crosschecks, "compare", differing)
    code, said = main("sweep", "line.toml", "--set", "links.line.delay=1 ms", "--replications", "1", "--out", "out")
    assert (code, "the two engines differ" in said) == (1, True)
    assert (tmp_path / "out" / "line.differs.toml").exists()
    assert not list((tmp_path / "out" / "records").iterdir()), "the run beside the check is not kept"
    assert line_file.exists()


def test_a_report_shows_the_check(cli: Command, line_file: Path, tmp_path: Path) -> None:
    cli("run", line_file, "--out", "out", "--verify")
    assert cli("report", "out", "--out", "page.html").returncode == 0
    assert "cross-checked: both engines agree over all of it" in (tmp_path / "page.html").read_text()


def test_the_structure_has_no_names_and_amounts() -> None:
    first = celltrain.Scenario.from_toml(LINE)
    other = celltrain.Scenario.from_toml(LINE.replace("upload", "u").replace("5 ms", "9 ms"))
    assert (first.structure == other.structure, first.hash == other.hash) == (True, False)
    assert first.structure != celltrain.Scenario.from_toml(LINE.replace("5 ms", "0 ms")).structure
