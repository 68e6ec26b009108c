"""The package on systems other than Linux: what works there is imported, and the rest says that it needs Linux.

These tests hide from our modules what other systems lack; the workflow `release` runs wheels on the systems themselves.
"""

import importlib
import subprocess
import sys
import types
from pathlib import Path

import pytest
from celltrain.files import atomic_write
from celltrain.locks import lock

#: Hides modules and parts of the core that only Linux has from our own modules, as they are imported there.
ELSEWHERE = """
import builtins, sys
imported = builtins.__import__
LACKING = {"fcntl", "pyroute2", "termios", "tty", "pty", "resource", "pwd", "grp"}

def elsewhere(name, globals=None, *others, **named):
    asking = (globals or {}).get("__name__", "")
    # Locks choose their module by the system.
    if name in LACKING and asking.startswith("celltrain") and asking != "celltrain.locks":
        raise ModuleNotFoundError(f"{asking} imports {name}, which other systems lack")
    return imported(name, globals, *others, **named)

builtins.__import__ = elsewhere
from celltrain import _native
for name in [name for name in dir(_native) if name == "Line" or name.lower().startswith("dbs")]:
    delattr(_native, name)
del _native.columns_of_measurements
"""
#: Modules that are only ever started, by lines of real packets.
STARTED = ("celltrain.__main__", "celltrain.live.holder", "celltrain.live.enter", "celltrain.live.bulk")

IMPORT_ALL = f"""
import importlib, pkgutil, celltrain
for module in pkgutil.walk_packages(celltrain.__path__, "celltrain."):
    if module.name not in {STARTED!r}:
        importlib.import_module(module.name)
        print(module.name)
"""

COMMAND = """
import celltrain.cli
celltrain.cli.main(sys.argv[1:])
"""
#: The same where the system says another name; other packages have looked at it before.
ON_MACOS = """
import celltrain.cli
from celltrain.cli import COMMANDS, app
for name in COMMANDS:
    app.get_command(None, name)
import sysconfig
sysconfig.get_config_vars()
sys.platform = "darwin"
celltrain.cli.main(sys.argv[1:])
"""


def elsewhere(program: str, *arguments: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", ELSEWHERE + program, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=100, check=False)


def test_all_modules_are_imported_without_what_only_linux_has(tmp_path: Path) -> None:
    done = elsewhere(IMPORT_ALL, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert {"celltrain.live.system", "celltrain.sweeps.store", "celltrain.cli.shell"} <= set(done.stdout.split())


def test_a_scenario_is_run_swept_and_shown_elsewhere(tmp_path: Path, line_file: Path) -> None:
    for arguments in (
        ("run", str(line_file), "--out", "run", "--pcap", "run.pcapng"),
        ("sweep", str(line_file), "--set", "links.line.delay=5 ms,20 ms", "--jobs", "1", "--out", "sweep"),
        ("report", "run"),
        ("report", "sweep"),
    ):
        done = elsewhere(COMMAND, *arguments, folder=tmp_path)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "run" / "report.html").stat().st_size > 10_000


@pytest.mark.parametrize(
    "arguments",
    [
        ("shell", "line.toml", "--", "true"),
        ("parity", "line.toml"),
        ("reproduce", "adsl-field/fig16-live", "--live"),
        ("dbs", "run", "plan.toml"),
        ("dbs", "daemon", "--stdio"),
        ("dbs", "schema"),
    ],
    ids=" ".join,
)
def test_what_needs_linux_says_so_elsewhere(arguments: tuple[str, ...], tmp_path: Path, line_file: Path) -> None:
    (tmp_path / "plan.toml").write_text("")
    done = elsewhere(ON_MACOS, *arguments, folder=line_file.parent)
    assert done.returncode == 2
    assert " needs Linux" in done.stderr or " need Linux" in done.stderr, done.stderr
    assert "Traceback" not in done.stderr


def test_a_lock_keeps_out_others_until_its_process_ends(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    script = f"import os, sys; from celltrain.locks import lock; lock(os.open({str(path)!r}, os.O_CREAT | os.O_RDWR))"
    holder = subprocess.Popen(
        [sys.executable, "-c", f"{script}; print('held', flush=True); sys.stdin.read()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    with path.open("r+b") as file:
        with pytest.raises(BlockingIOError):
            lock(file.fileno())
        holder.kill()
        holder.communicate()
        lock(file.fileno())


def test_on_windows_the_first_octet_of_the_file_is_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, int]] = []

    def locking(_: int, mode: int, octets: int) -> None:
        asked.append((mode, octets))
        if len(asked) > 1:
            raise PermissionError(13, "Permission denied")

    windows = types.ModuleType("msvcrt")
    windows.__dict__.update(LK_NBLCK=2, locking=locking)
    monkeypatch.setitem(sys.modules, "msvcrt", windows)
    monkeypatch.setattr(sys, "platform", "win32")
    module = importlib.util.module_from_spec(importlib.util.find_spec("celltrain.locks"))  # type: ignore[arg-type]
    module.__spec__.loader.exec_module(module)  # type: ignore[union-attr]
    with (tmp_path / "lock").open("w+b") as file:
        module.lock(file.fileno())
        with pytest.raises(BlockingIOError):
            module.lock(file.fileno())
    assert asked == [(2, 1), (2, 1)]


def test_files_have_the_octets_that_were_written_whatever_the_system_ends_lines_with(tmp_path: Path) -> None:
    atomic_write(tmp_path / "a", "one\ntwo\r\n")
    assert (tmp_path / "a").read_bytes() == b"one\ntwo\r\n"
