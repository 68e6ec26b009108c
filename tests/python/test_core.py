"""The core works without any extra, and says which one a command lacks before it does any work."""

from __future__ import annotations

import json
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from celltrain import extras
from celltrain.cli import COMMANDS, app
from conftest import REPOSITORY
from shelves import interpreter, shelf

#: Runs a command line with the core alone.
Celltrain = Callable[..., "subprocess.CompletedProcess[str]"]

MAIN = "from celltrain.cli import main; main(sys.argv[1:])"
SHORT = ("--set", "measure.duration=2 s", "--set", "measure.warm_up=1 s")


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return a command of Python with what `pip install celltrain` installs, and nothing else."""
    return interpreter(shelf(tmp_path_factory.mktemp("core") / "shelf"))


@pytest.fixture
def celltrain(core: list[str], tmp_path: Path) -> Celltrain:
    def run(*arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        command = [*core, MAIN, *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr
        return done

    return run


def test_the_shelf_has_no_extra(core: list[str]) -> None:
    program = "from celltrain import extras; print([name for name in extras.EXTRAS if not extras.missing(name)])"
    told = subprocess.run([*core, program], capture_output=True, text=True, check=True).stdout
    assert told == "[]\n"


def test_a_scenario_is_written_checked_run_and_printed(celltrain: Celltrain, tmp_path: Path) -> None:
    celltrain("init", "two-hosts", "net.toml")
    celltrain("validate", "net.toml")
    assert "Mbit/s" in celltrain("run", "net.toml", *SHORT).stdout
    for form in ("csv", "json", "md"):
        assert "throughput" in celltrain("run", "net.toml", *SHORT, "--format", form).stdout
    assert celltrain("run", "net.toml", *SHORT, "--columns", "flows.throughput_bps").stdout
    celltrain("run", "net.toml", *SHORT, "--out", "run")
    assert {"flows.csv", "links.csv", "provenance.json"} <= {path.name for path in (tmp_path / "run").iterdir()}
    celltrain("run", "net.toml", *SHORT, "--pcap", "run.pcapng")
    assert (tmp_path / "run.pcapng").stat().st_size > 1000


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("examples",), "adsl"),
        (("examples", "adsl"), "[measure]"),
        (("lesson", "list"), "Cells and padding"),
        (("lesson", "key", "1"), "accepted"),
        (("reproduce", "--list"), "adsl-abr"),
        (("lesson", "start", "1"), "lesson-1"),
        (("overhead", "1500"), "1500"),
        (("columns", "flows"), "throughput_bps"),
        (("schema",), '"$schema"'),
        (("completion", "bash"), "celltrain"),
        (("show", str(REPOSITORY / "examples/adsl.toml")), "up"),
        (("show", str(REPOSITORY / "examples/adsl.toml"), "--json"), '"nodes"'),
        (("trace", str(REPOSITORY / "examples/adsl.toml"), "up", "--duration", "1 s"), ""),
        (("ci", "init"), "celltrain-ci.toml"),
        (("dbs", "schema"), '"$schema"'),
    ],
)
def test_what_needs_no_extra_works_without_one(celltrain: Celltrain, arguments: tuple[str, ...], said: str) -> None:
    assert said in celltrain(*arguments).stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("sweep", "n.toml", "--set", "a=1,2"), "celltrain sweep needs pyarrow and scipy, which are not installed; "),
        (("results", "."), "celltrain[sweeps]"),
        (("effects", "."), "celltrain[sweeps]"),
        (("reproduce", "adsl-abr/fig04"), "celltrain reproduce needs matplotlib, pyarrow and scipy"),
        (("reproduce", "adsl-abr/fig04"), "pip install 'celltrain[plots,sweeps]'"),
        (("report", "."), "celltrain[reports]"),
        (("packetdrill", "a.pkt"), "celltrain packetdrill needs lark, which is not installed; it comes with: "),
        (("trust",), "celltrain[packetdrill,sweeps]"),
        (("shell", "n.toml", "--", "true"), "celltrain[emulation]"),
        (("shell", "n.toml", "--log", "log", "--", "true"), "celltrain[emulation,sweeps]"),
        (("parity", "n.toml"), "celltrain[emulation,sweeps]"),
        (("ci", "s.toml"), "celltrain[reports]"),
        (("dbs", "run", "p.toml"), "celltrain[dbs]"),
        (("dbs", "view", "."), "celltrain[dbs,reports]"),
        (("dbs", "import", "f.cmd"), "celltrain[dbs]"),
        (("run", "n.toml", "--plot", "a.svg"), "--plot needs matplotlib"),
        (("run", "n.toml", "--plot", "a.svg"), "celltrain[plots]"),
        (("show", "n.toml", "-o", "a.svg"), "celltrain[drawing]"),
    ],
)
def test_a_command_names_the_extra_that_it_lacks(
    celltrain: Celltrain,
    tmp_path: Path,
    line_file: Path,
    arguments: tuple[str, ...],
    words: str,
) -> None:
    (tmp_path / "n.toml").write_text(line_file.read_text())
    (tmp_path / "f.cmd").touch()
    message = celltrain(*arguments, code=2).stderr
    assert message.startswith("error: ")
    assert words in " ".join(message.split())
    # It said so before it ran anything.
    assert {path.name for path in tmp_path.iterdir()} <= {"n.toml", "f.cmd", line_file.name}


def test_a_notebook_shows_tables_without_matplotlib_and_graphviz(core: list[str], line_file: Path) -> None:
    program = f"""
import celltrain
network = celltrain.load({str(line_file)!r})
result = network.run()
assert "<table>" in result.flows._repr_html_()
assert "<table>" in result._repr_html_()
assert "celltrain[drawing]" in network._repr_html_()
for draw in (lambda: result.flows.plot("flow", "rtt_mean_s"), result.flows.to_pandas):
    try:
        draw()
    except ModuleNotFoundError as error:
        print(error)
try:
    import celltrain.sweeps
except ModuleNotFoundError as error:
    print(error)
"""
    told = subprocess.run([*core, program], capture_output=True, text=True, check=True).stdout.splitlines()
    assert told == [
        "Table.plot() needs matplotlib, which is not installed; it comes with: pip install 'celltrain[plots]'",
        "Table.to_pandas() needs pandas, which is not installed; it comes with: pip install 'celltrain[pandas]'",
        "celltrain.sweeps: pyarrow is not installed; it comes with: pip install 'celltrain[sweeps]'",
    ]


def test_the_doctor_lists_the_extras_with_what_installs_them(celltrain: Celltrain) -> None:
    findings = {each["name"]: each for each in json.loads(celltrain("doctor", "--json").stdout)}
    for name in extras.EXTRAS:
        assert not findings[f"[{name}]"]["works"]
        assert findings[f"[{name}]"]["advice"] == f"pip install 'celltrain[{name}]'"
    assert "without pyarrow, scipy" in findings["[sweeps]"]["found"]
    assert findings["simulator"]["works"]


def test_the_extras_are_those_of_the_package() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    declared = {
        name: [text.partition(">=")[0] for text in needed]
        for name, needed in project["optional-dependencies"].items()
        if name not in ("all", "dev", "docs")
    }
    assert declared == {name: [*extra.modules] for name, extra in extras.EXTRAS.items()}
    assert project["optional-dependencies"]["all"] == [f"celltrain[{','.join(sorted(declared))}]"]


def test_the_lines_of_the_help_page_are_those_of_the_commands() -> None:
    for name, line in COMMANDS.items():
        command = app.get_command(app.make_context("celltrain", [], resilient_parsing=True), name)
        assert command is not None
        assert " ".join((command.help or "").partition("\n\n")[0].split()) == line
