"""What the core installs, and what a command imports: both decide how long the first minute is."""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
import sys
from pathlib import Path

import pytest
from celltrain.extras import EXTRAS
from conftest import REPOSITORY
from shelves import interpreter, needed, shelf

#: What the core is, with what these packages need.
CORE = {"attrs", "cattrs", "click", "markdown-it-py", "mdurl", "numpy", "pygments", "rich", "rich-click", "tomli-w"}
#: Needed by one of these, depending on the version of Python.
PERHAPS = {"typing-extensions", "colorama"}
#: The most octets that all of it may have without numpy, which has 58 to 59 MB: 80 MB together (decision 34).
MOST_WITHOUT_NUMPY = 21_500_000

#: Ends with the names of the imported modules, as JSON.
COUNTED = """
import json, io
from celltrain.cli import main
real, sys.stdout = sys.stdout, io.StringIO()
try:
    main(sys.argv[1:])
except SystemExit as done:
    assert not done.code, done.code
print(json.dumps([name for name, module in sys.modules.items() if module is not None]), file=real)
"""
#: What no command of the core imports: packages of extras, and what costs time for nothing.
NEVER = {module for extra in EXTRAS.values() for module in extra.modules} | {"pygments", "markdown_it", "cattrs"}
#: What the help page does not need: numpy, the simulator's modules, and those of commands.
NOT_FOR_HELP = NEVER | {"numpy", "concurrent.futures", "celltrain.scenario", "celltrain.results", "celltrain.cli.run"}
#: What a run does not need: other commands, and what checks, draws or compares.
NOT_FOR_A_RUN = NEVER | {
    "asyncio",
    "celltrain.cli.sweep",
    "celltrain.drawing",
    "celltrain.notebook",
    "celltrain.papers",
    "celltrain.sweeps",
    "celltrain.topology",
    "importlib.metadata",
    "multiprocessing",
}


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return a command of Python with everything installed, as a module would be imported if it could be."""
    extras = [name for name in EXTRAS if name not in ("dask", "pandas", "polars", "xarray")]
    return interpreter(shelf(tmp_path_factory.mktemp("full") / "shelf", extras))


def imported(core: list[str], *arguments: str) -> list[str]:
    done = subprocess.run([*core, COUNTED, *arguments], capture_output=True, text=True, check=True, timeout=60)
    names: list[str] = json.loads(done.stdout)
    return names


# A page of help takes 0.13 s of processor time and a run 0.2 s, half of it for numpy. Times depend on the machine; the
# number of modules does not, and grows with what makes them longer.
def test_the_help_page_imports_little(core: list[str]) -> None:
    names = imported(core, "--help")
    assert set(names) & NOT_FOR_HELP == set()
    # What is printed is escaped, and a run that passed a limit has an exit code of its own: modules that need no other.
    own = ("", "._native", ".cli", ".cli.console", ".extras", ".limits", ".printable", ".refused")
    assert {name for name in names if name.startswith("celltrain")} == {f"celltrain{name}" for name in own}
    assert len(names) <= 270, len(names)


def test_a_run_imports_little(core: list[str], line_file: Path) -> None:
    names = imported(core, "run", str(line_file))
    assert set(names) & NOT_FOR_A_RUN == set()
    without_numpy = [name for name in names if not name.startswith("numpy")]
    assert len(without_numpy) <= 275, len(without_numpy)


def test_the_package_itself_imports_next_to_nothing(core: list[str]) -> None:
    program = "import celltrain; print(sorted(name for name in sys.modules if name.startswith(('celltrain', 'numpy'))))"
    told = subprocess.run([*core, program], capture_output=True, text=True, check=True).stdout
    assert told == "['celltrain', 'celltrain._native']\n"


@pytest.mark.skipif(sys.platform != "linux", reason="counts the threads that Linux knows")
@pytest.mark.parametrize("own", [None, "2"])
def test_commands_import_numpy_without_threads_and_leave_no_setting(core: list[str], own: str | None) -> None:
    program = """
import os
from celltrain.cli.numbers import import_numpy
import_numpy()
print("numpy" in sys.modules, len(os.listdir("/proc/self/task")), os.environ.get("OPENBLAS_NUM_THREADS"))
"""
    variables = {} if own is None else {"OPENBLAS_NUM_THREADS": own}
    told = subprocess.run([*core, program], capture_output=True, text=True, check=True, env=variables).stdout.split()
    assert told[2] == str(own)
    if own is None:
        assert told[:2] == ["True", "1"]


def test_the_core_has_few_packages_and_few_megabytes() -> None:
    packages = {each.name.lower().replace("_", "-"): each for each in needed()}
    assert CORE <= packages.keys() <= CORE | PERHAPS
    others = sum(octets(each) for name, each in packages.items() if name != "numpy")
    own = sum(path.stat().st_size for path in (REPOSITORY / "python").rglob("*") if path.is_file() and is_counted(path))
    assert others + own <= MOST_WITHOUT_NUMPY, (others, own)


def octets(distribution: importlib.metadata.Distribution) -> int:
    """Count the octets of a package without bytecode, which Python makes of what it imports."""
    paths = (Path(str(distribution.locate_file(file))) for file in distribution.files or ())
    return sum(path.stat().st_size for path in paths if is_counted(path) and path.exists())


def is_counted(path: Path) -> bool:
    return path.suffix != ".pyc"
