"""`make demo`: its steps, what it says, and what it leaves."""

import io
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from conftest import REPOSITORY, tool
from shelves import declared

demo = tool("demo")


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        """Return that it is one."""
        return True


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty environment whose programs note how they are called."""
    programs = tmp_path / ".venv" / "bin"
    programs.mkdir(parents=True)
    for name in ("python", "maturin", "celltrain"):
        (programs / name).write_text(f'#!/bin/sh\necho "{name} $*" >> {tmp_path}/called\n')
        (programs / name).chmod(0o755)
    for name, value in {"VENV": tmp_path / ".venv", "BIN": programs, "LOGS": tmp_path / "logs"}.items():
        monkeypatch.setattr(demo, name, value)
    (tmp_path / ".venv" / "stamps").mkdir()
    for name in ("package", "dev"):
        (tmp_path / ".venv" / "stamps" / name).touch()
    return tmp_path


def called(folder: Path) -> list[str]:
    return (folder / "called").read_text().splitlines()


def test_a_wheel_is_installed_and_nothing_is_compiled(environment: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wheel = environment / "celltrain-0.1.0-cp311-abi3-linux_x86_64.whl"
    wheel.touch()
    assert demo.main(["--wheel", str(wheel), "--out", str(environment / "results")]) == 0
    programs = [line.split()[0] for line in called(environment)]
    assert programs == ["python", "python", "celltrain", "celltrain"]
    assert called(environment)[-2] == f"celltrain reproduce adsl-abr/fig04 --out {environment}/results"
    # The next `make setup` must install for development again.
    assert [path.name for path in (environment / ".venv" / "stamps").iterdir()] == ["demo"]
    out, err = capsys.readouterr()
    assert f"the figure:  {environment}/results/adsl-abr/fig04.svg" in out
    assert f"the page:    {environment}/results/report.html" in out
    assert err.startswith("[1/1] installing the wheel and the packages that it needs\n")


def test_without_a_wheel_the_package_is_compiled_once_without_a_profile(environment: Path) -> None:
    demo.install(demo.Line(io.StringIO(), 3), None)
    built = [line for line in called(environment) if line.startswith("maturin")]
    assert len(built) == 1
    assert "build --profile demo --locked" in built[0]
    fetched = next(line for line in called(environment) if "numpy" in line).split()
    assert {*declared(demo.EXTRAS)} <= {*fetched}
    # A figure and a page are more than the core can do.
    assert not {*declared(["plots", "reports", "sweeps"])} - {*fetched}


def test_an_installation_of_the_same_sources_is_used_again(environment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stamp = environment / ".venv" / "stamps" / "demo"
    assert not demo.is_current(stamp)
    stamp.touch()
    assert demo.is_current(stamp)
    source = REPOSITORY / "Cargo.toml"
    os.utime(stamp, (source.stat().st_mtime - 1,) * 2)
    assert not demo.is_current(stamp)


def test_what_the_demo_installs_in_addition_is_an_extra_of_the_package() -> None:
    extras = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert set(demo.EXTRAS) <= set(extras)


def test_a_step_that_fails_shows_the_end_of_its_log(environment: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (environment / ".venv" / "bin" / "python").write_text("#!/bin/sh\necho no such package >&2\nexit 1\n")
    wheel = environment / "a.whl"
    wheel.touch()
    assert demo.main(["--wheel", str(wheel)]) == 1
    err = capsys.readouterr().err
    assert "error: " in err
    assert f"failed; the end of {environment}/logs/packages.log:\n  no such package\n" in err


def test_a_wheel_that_is_missing_is_named(environment: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        demo.main(["--wheel", "nowhere.whl"])
    assert "WHEEL=nowhere.whl: no such file; `make dist` writes wheels into dist" in capsys.readouterr().err


def test_the_line_says_how_far_the_compiler_is(tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert demo.compiled(log, 101) == ""
    log.write_text("   Compiling libc v0.2.1\n warning: x\n   Compiling celltrain-sim v0.1.0 (/somewhere)\n")
    assert demo.compiled(log, 101) == ": crate 2 of 101, celltrain-sim"


@pytest.mark.parametrize(("stream", "end"), [(io.StringIO, "\n"), (Terminal, "\r")])
def test_a_step_is_one_line_on_a_terminal(stream: Any, end: str, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ANN401
    for name in ("SELDOM_S", "OFTEN_S"):
        monkeypatch.setattr(demo, name, 0.01)
    written = stream()
    seen = demo.threading.Event()

    def detail() -> str:
        seen.set()
        return ": half"

    with demo.Line(written, 2).step("working", detail):
        assert seen.wait(10)
    text = written.getvalue()
    assert text.strip().startswith("[1/2] working")
    assert "[1/2] working: half (0 s)" in text
    assert text.endswith("\n")
    assert ("\r" in text) is (end == "\r")
    assert (text.count("\n") == 1) is (end == "\r")


def test_a_line_on_a_terminal_is_never_wrapped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    written = Terminal()
    with demo.Line(written, 1).step("a step " * 20):
        pass
    assert max(map(len, written.getvalue().split("\r"))) == 40  # 39 and the end of the line


@pytest.mark.parametrize(
    ("variables", "shown"),
    [
        ({}, False),
        ({"DISPLAY": ":0"}, True),
        ({"DISPLAY": ":0", "CI": "true"}, False),
        ({"SSH_CONNECTION": "a"}, False),
    ],
)
def test_a_browser_is_opened_only_where_somebody_sees_it(
    variables: dict[str, str], *, shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert demo.has_screen(variables) is shown
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert not demo.has_screen(variables)


def test_make_calls_it_with_the_wheel() -> None:
    command = ["make", "--dry-run", "demo", "WHEEL=a.whl"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    assert "tools/demo.py --wheel 'a.whl'" in done.stdout
    assert "pgo.py" not in done.stdout
