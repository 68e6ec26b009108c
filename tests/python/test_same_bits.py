"""The same seed gives the same bits, whatever surrounds the program."""

import json
import os
import subprocess
import sys

import pytest

#: Surroundings that must make no difference: the hashes of texts, rules for letters and numbers, the clock, threads.
SURROUNDINGS = [
    {"PYTHONHASHSEED": "1", "LC_ALL": "C", "TZ": "Etc/GMT+12"},
    {"PYTHONHASHSEED": "4294967295", "LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8", "TZ": "Pacific/Kiritimati"},
    {"PYTHONHASHSEED": "random", "PYTHONUTF8": "0", "LC_ALL": "de_DE.ISO-8859-1"},
]
PROGRAM = """
import json, celltrain
found = {}
for name in ("adsl", "cell-delays", "policing", "telnet", "token-ring"):
    scenario = celltrain.example(name)
    found[name] = [scenario.hash, scenario.run(seed=5, cross_check=False, threads=THREADS).digest]
print(json.dumps(found))
"""


def digests(threads: int, surroundings: dict[str, str]) -> dict[str, list[str]]:
    program = PROGRAM.replace("THREADS", str(threads))
    done = subprocess.run(
        [sys.executable, "-c", program], env=os.environ | surroundings, capture_output=True, text=True, check=True
    )
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def reference() -> dict[str, list[str]]:
    return digests(1, {"PYTHONHASHSEED": "0"})


@pytest.mark.parametrize("surroundings", SURROUNDINGS, ids=["c", "turkish", "latin-1"])
def test_surroundings_change_no_digest(reference: dict[str, list[str]], surroundings: dict[str, str]) -> None:
    assert digests(1, surroundings) == reference


def test_threads_change_no_digest(reference: dict[str, list[str]]) -> None:
    assert digests(16, {}) == reference
