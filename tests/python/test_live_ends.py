"""The ends of a line: servers that listen, prompts that tell them apart, captures of one end."""

from __future__ import annotations

import os
import pty
import select
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from celltrain.live import open_line
from celltrain.live.layers import split
from celltrain.live.prompt import shell_at
from conftest import Command
from live_lines import LINE, need_hosts

SHELL = [sys.executable, "-m", "celltrain", "shell", "line.toml"]
#: Takes a second before it listens, as a server under load does.
SLOW_SERVER = (
    "import socket, time; time.sleep(1); s = socket.create_server(('', 80)); c, _ = s.accept(); c.sendall(b'hello')"
)
CLIENT = "import socket; print(socket.create_connection(('server', 80), 5).recv(9).decode(), socket.gethostname())"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a line."""
    need_hosts()
    (tmp_path / "line.toml").write_text(LINE)
    return tmp_path


def test_a_command_begins_when_the_server_listens(cli: Command, folder: Path) -> None:
    assert folder.exists()
    server = f'{sys.executable} -c "{SLOW_SERVER}"'
    done = cli("shell", "line.toml", "--server", server, "--", sys.executable, "-c", CLIENT)
    assert (done.returncode, done.stdout.strip()) == (0, "hello client"), done.stderr


def test_a_server_that_fails_is_named_and_not_waited_for(cli: Command, folder: Path) -> None:
    assert folder.exists()
    start = time.monotonic()
    done = cli("shell", "line.toml", "--server", "exit 3", "--", "true")
    assert (done.returncode, time.monotonic() - start < 9) == (0, True)
    assert "--server 'exit 3' ended with 3" in done.stderr


def typed(folder: Path, answers: list[tuple[str, str]], environment: dict[str, str]) -> str:
    """Return what a shell on a line prints on a terminal; each text is typed once what it answers is shown."""
    process, parent = pty.fork()
    if process == 0:
        os.chdir(folder)
        os.execvpe(SHELL[0], SHELL, os.environ | environment)
    shown, seen = "", 0
    end = time.monotonic() + 60
    with suppress(OSError):  # Its terminal is gone once it has ended.
        while time.monotonic() < end:
            if select.select([parent], [], [], 0.2)[0]:
                shown += os.read(parent, 1 << 16).decode(errors="replace")
            if answers and answers[0][0] in shown[seen:]:
                seen = len(shown)
                os.write(parent, answers.pop(0)[1].encode())
    os.close(parent)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0, shown
    return shown


@pytest.mark.parametrize(
    ("shell", "prompts"),
    [
        ("bash", ("[client]", "[server]")),
        ("sh", ("[client]", "[server]")),
        ("zsh", ("client", "server")),
        ("fish", ("[client]", "[server]")),
    ],
)
def test_the_prompt_tells_the_ends_apart(folder: Path, shell: str, prompts: tuple[str, str]) -> None:
    path = shutil.which(shell)
    if path is None:
        pytest.skip(f"NO TEST OF THE PROMPT: {shell} is missing (apt-get install {shell})")
    (folder / ".zshrc").write_text('PS1="%m%# "\n')
    environment = {"SHELL": path, "PS1": "$ ", "TERM": "dumb", "ZDOTDIR": str(folder), "HOME": str(folder)}
    client, server = prompts
    called = "the far end is called server"
    shown = typed(
        folder,
        [
            (called, ""),
            (client, f"{sys.executable} -m celltrain shell --at server\r"),
            (server, "exit\r"),
            (client, "exit\r"),
        ],
        environment,
    )
    assert shown.index(called) < shown.rindex(server)


def test_an_end_is_known_to_every_program(folder: Path) -> None:
    look = "import os, socket; print(os.environ['CELLTRAIN_END'], socket.gethostname())"
    with open_line(folder / "line.toml") as line:
        for end in ("client", "server"):
            done = line.run(end, [sys.executable, "-c", look], capture_output=True, text=True)
            assert done.stdout.split() == [end, end]


def test_an_unknown_shell_gets_a_plain_prompt() -> None:
    assert shell_at("client", {"SHELL": "/bin/dash"})[1]["PS1"] == "[client] $ "


def test_ctrl_c_ends_a_live_view_with_130(folder: Path) -> None:
    with subprocess.Popen([*SHELL, "--live"], cwd=folder, stderr=subprocess.PIPE, start_new_session=True) as process:
        assert process.stderr is not None
        shown = b""
        while b" s  up " not in shown:
            shown += process.stderr.readline()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    assert process.returncode == 130


def test_a_capture_of_one_end_has_no_packet_twice(cli: Command, folder: Path) -> None:
    done = cli("run", "line.toml", "--set", "measure.duration=3 s", "--pcap", "run.pcapng", "--pcap-layer", "ip")
    assert done.returncode == 0, done.stderr
    paths = [folder / f"run-{end}.pcapng" for end in ("home", "office")]
    assert [path for path in folder.glob("*.pcapng") if path not in paths] == []
    if not shutil.which("tshark"):
        pytest.skip("NO TEST OF CAPTURES: tshark is missing (Debian: apt-get install tshark)")
    for path in paths:
        repeated, packets = (
            subprocess.run(["tshark", "-r", path, "-Y", wanted], capture_output=True, text=True, check=True).stdout
            for wanted in ("tcp.analysis.retransmission || tcp.analysis.duplicate_ack", "tcp")
        )
        assert repeated == ""
        assert len(packets.splitlines()) > 100


@pytest.mark.parametrize(("layer", "named"), [("pdus", "AAL5"), ("cells", "cells")])
def test_a_capture_of_one_layer_has_a_file_for_each_link(cli: Command, folder: Path, layer: str, named: str) -> None:
    assert cli("run", "line.toml", "--set", "measure.duration=2 s", "--pcap", "all.pcapng").returncode == 0
    whole = (folder / "all.pcapng").stat().st_size
    paths = split(folder / "all.pcapng", layer)
    assert [path.name for path in paths] == ["all-up.pcapng", "all-down.pcapng"]
    assert 0 < sum(path.stat().st_size for path in paths) < whole
    if shutil.which("capinfos"):
        for path in paths:
            done = subprocess.run(["capinfos", path], capture_output=True, text=True, check=True)
            assert named in done.stdout
