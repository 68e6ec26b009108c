"""Two processes on one folder: one waits for a moment, or is refused and told who writes there."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from celltrain.cli import main
from celltrain.files import replace_together
from celltrain.holding import Busy, held
from celltrain.stored.objects import read_object
from celltrain.stored.tables import check_csv
from conftest import LINE

SUITE = """
[lines.line]
scenario = "line.toml"
[tests.model]
simulate = true
expect = ["flows.throughput_bps > 1 bit/s"]
"""
#: What keeps a folder for as long as it runs.
COMMANDS = {
    "sweep": ("sweep", "line.toml", "--out", "out"),
    "reproduce": ("reproduce", "adsl-abr/fig04", "--quick", "--out", "out"),
    "ci": ("ci", "suite.toml", "--out", "out"),
}
SAVES = """
import sys
from celltrain.scenario import load
result = load("line.toml").run(seed=int(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
for _ in range(40):
    result.save("out")
"""


@pytest.fixture
def holder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[subprocess.Popen[str]]:
    """Yield a process that holds the folder ``out``."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "line.toml").write_text(LINE)
    (tmp_path / "suite.toml").write_text(SUITE)
    (tmp_path / "out").mkdir()
    script = "import pathlib, sys; from celltrain.holding import held\nwith held(pathlib.Path('out')):\n"
    process = subprocess.Popen(
        [sys.executable, "-c", f"{script}    print('held', flush=True); sys.stdin.read()", "an argument\x1b"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


@pytest.mark.parametrize("name", COMMANDS)
def test_a_folder_in_use_is_refused_with_who_uses_it(
    holder: subprocess.Popen[str], capsys: pytest.CaptureFixture[str], name: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(list(COMMANDS[name]))
    printed = capsys.readouterr()
    assert ended.value.code == 2
    said = " ".join(printed.err.split())
    assert "out: another process writes to this folder" in said
    assert f"process {holder.pid} on {os.uname().nodename} since " in said
    assert "an argument" in said
    assert "\x1b" not in printed.err, "a command line is shown escaped"
    assert sorted(path.name for path in Path("out").iterdir() if path.is_file()) == [".lock"], "nothing was written"


def test_the_folder_of_a_killed_process_is_free(holder: subprocess.Popen[str]) -> None:
    with pytest.raises(Busy), held(Path("out")):
        pass
    holder.kill()
    holder.communicate()
    with held(Path("out")):
        pass


def test_a_holder_that_cannot_be_told_of_is_one_nevertheless(tmp_path: Path) -> None:
    with held(tmp_path):
        (tmp_path / ".lock").write_bytes(b"\xff" * 10_000)
        with pytest.raises(Busy, match="another process writes to this folder"), held(tmp_path):
            pass


def test_the_files_of_two_processes_never_mix(holder: subprocess.Popen[str], tmp_path: Path) -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", SAVES, str(seed)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for seed in (1, 2)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        process.communicate(timeout=60)
        assert process.returncode == 0
    provenance = tmp_path / "out" / "provenance.json"
    sums = read_object(provenance)["files"]
    for name in sums:
        check_csv(provenance.with_name(name), provenance, sums)


def test_a_second_writer_waits_until_the_files_of_the_first_are_in_their_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting: list[subprocess.Popen[bytes]] = []
    original: Callable[[Path, Path], Path] = Path.replace

    def replace(path: Path, target: Path) -> Path:
        if not waiting:
            script = "from celltrain.files import replace_together; import pathlib, sys"
            call = "replace_together(pathlib.Path(sys.argv[1]), {'a': 'b', 's': 'b'}, seal='s', stale='s')"
            waiting.append(subprocess.Popen([sys.executable, "-c", f"{script}; {call}", str(tmp_path)]))
            with pytest.raises(subprocess.TimeoutExpired):
                waiting[0].wait(timeout=2)
        return original(path, target)

    monkeypatch.setattr(Path, "replace", replace)
    replace_together(tmp_path, {"a": "a", "s": "a"}, seal="s", stale="s")
    monkeypatch.undo()
    assert waiting[0].wait(timeout=60) == 0
    assert (tmp_path / "a").read_text() == (tmp_path / "s").read_text() == "b"
