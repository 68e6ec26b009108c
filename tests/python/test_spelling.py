"""The spelling check finds mistakes and words that we avoid or spell differently; it accepts our terms."""

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import REPOSITORY


def spelling(file: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "tools/spelling", *([] if file is None else [str(file)])]
    return subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)


def test_this_repository_passes() -> None:
    if not (REPOSITORY / ".git").exists():
        pytest.skip("what belongs to the repository is known to git only")
    done = spelling()
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.md", "The recieved cells.", "recieved ==> received"),
        ("a.py", '"""Say what was learnt."""', "learnt ==> learned"),
        ("a.rs", "// mend it\n", "mend ==> fix"),
        ("a.toml", 'says = "the acknowledgements"', "acknowledgements ==> acknowledgments"),
    ],
)
def test_a_mistake_fails(tmp_path: Path, name: str, text: str, said: str) -> None:
    (tmp_path / name).write_text(text)
    done = spelling(tmp_path / name)
    assert done.returncode != 0
    assert said in done.stdout


def test_our_terms_pass(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("The behaviour of a neighbour under TBE and ECT, modelled in SimPy.")
    done = spelling(tmp_path / "a.md")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
