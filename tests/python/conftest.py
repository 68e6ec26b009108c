"""Shared parts of the tests: a small scenario, and the command line as a user runs it."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import celltrain
import pyarrow as pa
import pytest
from hypothesis import settings
from pyarrow import parquet

# The first example of a test also imports what it needs; these tests are not about how long an example takes.
settings.register_profile("celltrain", deadline=None)
settings.load_profile("celltrain")

# A background job of a shell ignores Ctrl-C, and so do its programs. The tests send it to programs that must not.
signal.signal(signal.SIGINT, signal.default_int_handler)

REPOSITORY = Path(__file__).parents[2]

#: Files whose tests measure real time, or carry real packets in it: nothing else may run beside them.
ALONE = frozenset(
    {
        "test_adsl_field_live.py",
        "test_ci_live.py",
        "test_dbs.py",
        "test_dbs_delay.py",
        "test_dbs_log.py",
        "test_dbs_trace.py",
        "test_dbs_view.py",
        "test_detect_framing.py",
        "test_guide_pages_live.py",
        "test_live.py",
        "test_live_ends.py",
        "test_live_models.py",
        "test_live_survives.py",
        "test_live_traces.py",
        "test_notebook_live.py",
        "test_parity_live.py",
        "test_report_player.py",
        "test_sweep_survives.py",
        "test_trust_kernel.py",
    }
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests beside which nothing else may run."""
    for item in items:
        if item.path.name in ALONE:
            item.add_marker(pytest.mark.alone)


LINE = """
[measure]
warm_up = "1 s"
duration = "3 s"

[hosts]
a = { count = 2 }
b = { count = 2 }

[switches]
s = {}

[links.in]
between = ["a", "s"]
delay = "0 s"

[links.line]
between = ["s", "b"]
delay = "5 ms"
rate = { process = "uniform", low = "1 Mbit/s", high = "2 Mbit/s", every = "100 ms" }
buffer = "2000 cells"

[vcs.vc]
route = ["a", "s", "b"]

[flows.upload]
vc = "vc"
start = { uniform = ["0 s", "0.1 s"] }

[probes.queue]
every = "100 ms"
record = ["links.line1.queue_cells", "flows.upload1.cwnd_bytes"]
"""

Command = Callable[..., "subprocess.CompletedProcess[str]"]


def tool(name: str) -> ModuleType:
    """Load a program of ``tools``, which is not part of the package."""
    spec = importlib.util.spec_from_file_location(name, REPOSITORY / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look up their module by name.
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the cross-checks of tests separate from those of users."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CELLTRAIN_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.delenv("CELLTRAIN_CROSS_CHECK", raising=False)
        yield


@pytest.fixture
def line() -> celltrain.Scenario:
    """Return two uploads over a line whose rate changes."""
    return celltrain.Scenario.from_toml(LINE, "line.toml")


@pytest.fixture(scope="module")
def scenario() -> celltrain.Scenario:
    """Return the same scenario, for tests that share its results."""
    return celltrain.Scenario.from_toml(LINE, "line.toml")


@pytest.fixture
def line_file(tmp_path: Path) -> Path:
    """Return the same scenario as a file."""
    path = tmp_path / "line.toml"
    path.write_text(LINE)
    return path


@pytest.fixture(scope="session")
def study_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the output of `celltrain reproduce` for some experiments of a study."""
    from report_folders import a_study

    return a_study(tmp_path_factory.mktemp("study"))


@pytest.fixture
def cli(tmp_path: Path) -> Command:
    """Return the installed command, which runs in its own folder."""

    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "celltrain", *map(str, arguments)],
            cwd=tmp_path,
            env=os.environ | {"NO_COLOR": "1"},
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )

    return run


def tables_of(folder: Path) -> dict[str, bytes]:
    """Return the octets of a sweep's tables, and of its index without values that differ between equal runs."""
    index = parquet.read_table(folder / "index.parquet").drop_columns(["wall_s"]).replace_schema_metadata()
    target = pa.BufferOutputStream()
    parquet.write_table(index, target)
    tables = {path.name: path.read_bytes() for path in sorted((folder / "tables").iterdir())}
    return tables | {"index": target.getvalue().to_pybytes()}


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """Return a shell in a folder with the examples, which gives the output of commands that must not fail."""
    (tmp_path / "examples").symlink_to(REPOSITORY / "examples")
    monkeypatch.chdir(tmp_path)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

    def run(script: str) -> str:
        done = subprocess.run(
            ["bash", "-e", "-c", script],
            env=os.environ | {"PATH": path},
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
