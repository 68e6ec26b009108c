"""The profile of the release build: its sources, and what happens if it cannot be made."""

import json
import os
import subprocess
import tomllib
from pathlib import Path

import celltrain
import pytest
from conftest import tool

ROOT = Path(__file__).resolve().parents[2]


pgo = tool("pgo")


@pytest.fixture
def no_flags(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the settings with which this test run was started."""
    for name in ("PROFILE", "RUSTFLAGS", pgo.FLAGS):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_flags: None) -> Path:
    """Return a profile for this compiler and other sources; making one would fail."""
    profile = tmp_path / "kept.profdata"
    profile.write_text("a profile")
    pgo.beside(profile).write_text(json.dumps(pgo.origin() | {"sources": "others"}))
    monkeypatch.setattr(pgo, "profdata", missing)
    return profile


def missing() -> Path:
    raise pgo.NoProfileError("llvm-profdata is missing")


@pytest.mark.parametrize("scenario", pgo.SCENARIOS, ids=lambda path: path.stem)
def test_each_scenario_of_the_training_says_what_it_is_and_is_one_of_the_package(scenario: Path) -> None:
    text = scenario.read_text()
    assert text.startswith("# ")
    # The tool, which runs before the package is installed, reads TOML itself.
    read = celltrain.Scenario(tomllib.loads(text)).with_value("measure.duration", "1 ms")
    assert read.run().digest == celltrain.load(scenario).with_value("measure.duration", "1 ms").run().digest


def features(*packages: str) -> set[tuple[str, str]]:
    """Return the crates that Cargo compiles for packages named together, with their features."""
    command = ["cargo", "tree", "--locked", "--edges=normal,build", "--prefix=none", "--format={p}|{f}", *packages]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    rows = (line.removesuffix(" (*)").partition("|") for line in done.stdout.splitlines())
    return {(crate, names) for crate, _, names in rows}


def test_the_runner_has_the_engines_under_the_names_that_they_have_in_the_package() -> None:
    # The profile identifies functions by names that depend on the features of all dependencies of a crate.
    engines = {crate for crate, _ in features("-p", "celltrain-sim")}
    runner = features(*pgo.RUNNER[: pgo.RUNNER.index("--bin")])
    package = features("-p", "celltrain-py", "--features=pyo3/extension-module")
    assert {row for row in runner if row[0] in engines} == {row for row in package if row[0] in engines}


def test_a_missing_tool_is_named_with_what_to_do_and_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], no_flags: None
) -> None:
    (tmp_path / "rustc").write_text('#!/bin/sh\n[ "$1" = -vV ] && echo rustc 1.99.0 || echo /nowhere\n')
    (tmp_path / "rustup").write_text("#!/bin/sh\necho error: no network >&2; exit 1\n")
    for program in tmp_path.iterdir():
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    profile = tmp_path / "profile" / "celltrain.profdata"
    assert pgo.environment(fresh=True, profile=profile) == os.environ
    assert capsys.readouterr().err == (
        "NOT PROFILED, so about 10 % slower: cannot install the component llvm-tools of Rust: error: no network. "
        "After fixing that: make profile && make setup\n"
    )
    assert not profile.parent.exists()


def test_a_failing_training_is_named_and_leaves_the_profile_that_was_there(
    kept: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pgo, "profdata", lambda: Path("/bin/false"))
    monkeypatch.setenv("PATH", "/nowhere/at/all")
    monkeypatch.setattr(pgo, "origin", lambda: {"rustc": "another", "sources": "others"})
    assert pgo.environment(fresh=False, profile=kept) == os.environ
    assert "NOT PROFILED, so about 10 % slower: the instrumented build fails" in capsys.readouterr().err
    assert [kept.read_text(), *sorted(path.name for path in kept.parent.iterdir())] == [
        "a profile",
        "kept.json",
        "kept.profdata",
    ]


def test_a_profile_of_other_sources_is_good_enough_to_install_but_not_to_measure(
    kept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert pgo.environment(fresh=False, profile=kept)[pgo.FLAGS] == f"-Cprofile-use={kept}"
    assert capsys.readouterr().err == ""
    assert pgo.FLAGS not in pgo.environment(fresh=True, profile=kept)
    assert "llvm-profdata is missing" in capsys.readouterr().err


def test_a_profile_of_another_compiler_is_not_used(kept: Path) -> None:
    pgo.beside(kept).write_text(json.dumps(pgo.origin() | {"rustc": "rustc 1.0.0"}))
    assert pgo.FLAGS not in pgo.environment(fresh=False, profile=kept)


@pytest.mark.parametrize("origin", ["", "{", "{}"])
def test_a_profile_of_unknown_origin_is_not_used(kept: Path, origin: str) -> None:
    pgo.beside(kept).write_text(origin)
    assert pgo.FLAGS not in pgo.environment(fresh=False, profile=kept)


@pytest.mark.parametrize(("name", "own"), [("RUSTFLAGS", "-Copt-level=3 -g"), (pgo.FLAGS, "-Copt-level=3\x1f-g")])
def test_flags_of_the_user_stay_in_front(kept: Path, monkeypatch: pytest.MonkeyPatch, name: str, own: str) -> None:
    monkeypatch.setenv(name, own)
    found = pgo.environment(fresh=False, profile=kept)[pgo.FLAGS].split("\x1f")
    assert found == ["-Copt-level=3", "-g", f"-Cprofile-use={kept}"]


def test_an_empty_name_of_a_profile_builds_without_and_without_a_word(
    kept: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PROFILE", "")
    assert pgo.environment(fresh=True, profile=kept) == os.environ
    assert capsys.readouterr().err == ""


def test_without_a_command_a_profile_that_cannot_be_made_is_an_error(
    kept: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pgo, "origin", lambda: {"rustc": "another", "sources": "others"})
    assert pgo.main([]) == 1
    assert capsys.readouterr().err == "error: llvm-profdata is missing\n"


def test_the_command_runs_and_its_exit_code_is_that_of_the_tool(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PROFILE", "")
    assert pgo.main(["--fresh", "sh", "-c", "exit 7"]) == 7
    with pytest.raises(SystemExit, match="2"):
        pgo.main(["/nowhere/at/all"])
    assert "no command '/nowhere/at/all'" in capsys.readouterr().err


def test_a_profile_for_a_target_is_made_by_a_program_of_that_target(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_flags: None
) -> None:
    called: list[list[str]] = []

    def output(*command: str | Path, **_: object) -> str:
        called.append([str(word) for word in command])
        if "merge" in called[-1]:
            Path(called[-1][called[-1].index("--output") + 1]).write_text("a profile")
        return "trains" if "--engines" in called[-1] else ""

    monkeypatch.setattr(pgo, "PROFILE", tmp_path / "celltrain.profdata")
    monkeypatch.setattr(pgo, "profdata", lambda: Path("llvm-profdata"))
    monkeypatch.setattr(pgo, "origin", lambda: {"rustc": "this", "sources": "these"})
    monkeypatch.setattr(pgo, "output", output)
    assert pgo.of_target(None) == pgo.PROFILE
    profile = pgo.of_target("aarch64-apple-darwin")
    assert profile == tmp_path / "aarch64-apple-darwin.profdata"
    environment = pgo.environment(fresh=True, profile=profile, target="aarch64-apple-darwin")
    assert environment[pgo.FLAGS] == f"-Cprofile-use={profile}"
    build, *runs, _ = called
    assert build[build.index("--target") + 1] == "aarch64-apple-darwin"
    assert {Path(run[0]).parts[-3:] for run in runs} == {("aarch64-apple-darwin", "release", "celltrain-benches")}
    assert profile.read_text() == "a profile"
    # The same profile serves the next build.
    called.clear()
    pgo.environment(fresh=True, profile=profile, target="aarch64-apple-darwin")
    assert called == []
