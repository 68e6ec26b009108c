"""Completion of values, as the shells ask for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import REPOSITORY

#: A line up to its end, and a value that completes its last word.
LINES = [
    ("celltrain run examples/adsl.toml --set links.up.control.thr", "links.up.control.threshold="),
    ("celltrain run examples/adsl.toml --set vcs.data.encapsulation=pppoe-l", "vcs.data.encapsulation=pppoe-llc"),
    ("celltrain run examples/adsl.toml --set flows.upload.tcp.variant=cub", "flows.upload.tcp.variant=cubic"),
    ("celltrain run examples/adsl.toml --set links.up.rate.process=mah", "links.up.rate.process=mahimahi"),
    ("celltrain overhead --encapsulation bridged-v", "bridged-vc-mux"),
    ("celltrain reproduce adsl-abr/fig0", "adsl-abr/fig04"),
    ("celltrain reproduce adsl-f", "adsl-field"),
    ("celltrain reproduce adsl-abr/fig16 --set links.up.buf", "links.up.buffer="),
    ("celltrain reproduce adsl-abr/fig16 --point contr", "control="),
    ("celltrain reproduce adsl-abr/fig16 --point control=g", "control=gfc"),
    ("celltrain trace examples/adsl.toml u", "up"),
    ("celltrain convert line.csv --to net", "netem-trace"),
    ("celltrain shell examples/adsl.toml --vc da", "data1"),
    ("celltrain init cell", "cellular"),
    ("celltrain examples recorded/c", "recorded/cubic-bbr"),
    ("celltrain sweep examples/adsl.toml --metric flows.rtt_m", "flows.rtt_mean_s"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with the examples, and the command ``celltrain``."""
    (tmp_path / "examples").symlink_to(REPOSITORY / "examples")
    program = tmp_path / "bin" / "celltrain"
    program.parent.mkdir()
    program.write_text(
        f"#!{sys.executable}\nimport sys\nsys.argv[0] = 'celltrain'\nfrom celltrain.cli import main\nmain()\n"
    )
    program.chmod(0o755)
    return tmp_path


def asked(folder: Path, shell: str, script: str, line: str) -> str:
    """Run a script in a shell that has read the completion of celltrain; ``$LINE`` is the line."""
    if not shutil.which(shell):
        pytest.skip(f"NO TEST OF COMPLETION: {shell} is missing (apt-get install {shell})")
    environment = os.environ | {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "LINE": line, "HOME": str(folder)}
    source = subprocess.run(
        ["celltrain", "completion", shell], env=environment, capture_output=True, text=True, check=True
    ).stdout
    (folder / "completion").write_text(source)
    done = subprocess.run(
        [shell, "-c", script], cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


BASH = r"""
source ./completion
COMP_LINE=$LINE COMP_POINT=${#LINE}
# As readline splits it.
read -ra words <<< "${LINE//=/ = }"
COMP_WORDS=("${words[@]}") COMP_CWORD=$((${#words[@]} - 1))
_celltrain_completion celltrain 2>/dev/null
printf '%s\n' "${COMPREPLY[@]}"
"""


@pytest.mark.parametrize(("line", "wanted"), LINES)
def test_bash_completes_values(folder: Path, line: str, wanted: str) -> None:
    # Bash replaces only what follows the equals sign.
    last = wanted if wanted.endswith("=") else wanted.rpartition("=")[2]
    assert last in asked(folder, "bash", BASH, line).splitlines()


@pytest.mark.parametrize(("line", "wanted"), LINES)
def test_fish_completes_values(folder: Path, line: str, wanted: str) -> None:
    found = asked(folder, "fish", "source ./completion; complete -C $LINE", line)
    assert wanted in [each.split("\t")[0] for each in found.splitlines()]


def test_fish_shows_descriptions_with_commas(folder: Path) -> None:
    found = asked(folder, "fish", "source ./completion; complete -C $LINE", "celltrain reproduce abr-vbr/tab01")
    assert "abr-vbr/tab01\tBuffers of the sources, without VBR" in found.splitlines()


#: The function of click calls `compadd` and `_describe`, which only work within a widget: these replace them.
ZSH = r"""
compdef() { : }
compadd() { shift $(($# > 1 ? $# - 1 : 0)); print -rl -- "${(@P)1:-$1}" }
_describe() { print -rl -- "${(@P)3}" }
_path_files() { : }
source ./completion
words=(${(z)LINE}) CURRENT=${#words}
_celltrain_completion
"""


@pytest.mark.parametrize(("line", "wanted"), LINES)
def test_zsh_completes_values(folder: Path, line: str, wanted: str) -> None:
    found = asked(folder, "zsh", ZSH, line)
    assert any(each == wanted or each.startswith(f"{wanted}:") for each in found.splitlines()), found
