"""Mistakes in the files of a study: one error names the place, and the other studies are still available."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from celltrain.cli import main
from celltrain.papers import catalog

Told = tuple[int | str | None, str, str]
Try = Callable[..., Told]

EXPERIMENTS = "experiments.toml"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the command's folder of studies, with two studies, one of which a test can damage."""
    for name in ("adsl_abr", "adsl_field"):
        shutil.copytree(catalog.FOLDER / name, tmp_path / name)
    monkeypatch.setattr(catalog, "FOLDER", tmp_path)
    return tmp_path


@pytest.fixture
def try_out(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Try:
    """Return a function that runs ``celltrain reproduce``: exit code, output, and errors without line breaks."""

    def run(*arguments: str) -> Told:
        with pytest.raises(SystemExit) as ended:
            main(["reproduce", *arguments, "--out", str(tmp_path / "out")])
        told = capsys.readouterr()
        return ended.value.code, told.out, " ".join(told.err.split())

    return run


def spoil(path: Path, old: str, new: str) -> int:
    """Replace a text in a file; return the line of the first occurrence."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    return text[: text.index(old)].count("\n") + 1


MISTAKES = {
    "a key is missing": ('x_scale = "log"\nby = "control"\n', 'x_scale = "log"\n', 'plot: the key "by" is missing'),
    "a key is misspelt": ('says = "Up', 'sayz = "Up', '.sayz: unknown key; did you mean "says"?'),
    "a key of the head is misspelt": ("[losses]", "[loses]", 'loses: unknown key; did you mean "losses"?'),
    "a number is a text": ("least = 8", 'least = "8"', 'replications.least: expected a whole number, found "8"'),
    "a table is a number": (
        'lost_cells = { of = ["links.up.lost_cells"] }',
        "lost_cells = 3",
        "trace.columns.lost_cells: expected a table, found 3",
    ),
    "an array is a number": (
        "values = [0.01, 0.1, 0.5, 1, 3, 10]",
        "values = 3",
        "axis.0.values: expected an array, found 3",
    ),
    "no such kind": ('kind = "trace"', 'kind = "tracee"', 'no kind of experiment "tracee"; did you mean "trace"?'),
    "a key of another kind": ('kind = "trace"\n', "", ".trace: unknown key; expected one of"),
    "no such kind of plot": ('kind = "bar"', 'kind = "bars"', 'no kind of plot "bars"; did you mean "bar"?'),
    "no such metric": (
        'y = "normalized_throughput"',
        'y = "normalised_throughput"',
        'panel.0.y: no column of the table "normalised_throughput"; did you mean "normalized_throughput"?',
    ),
    "no such axis": ('x = "t_up_s"', 'x = "t_ups"', 'plot.x: no column of the table "t_ups"; did you mean "t_up_s"?'),
    "no such column": (
        '  "utilization_ci95"',
        '  "utilisation_ci95"',
        'no column "utilisation_ci95"; did you mean "utilization_ci95"?',
    ),
    "no such overlay": (
        'overlays = ["uploads"]',
        'overlays = ["upload"]',
        'overlays.0: no overlay "upload"; did you mean "uploads"?',
    ),
    "no such overlay for a value": (
        'values = ["no-control", "gfc"',
        'values = ["no-contrl", "gfc"',
        'axis.1.overlays.0: no overlay "no-contrl"; did you mean "no-control"?',
    ),
    "no such direction": (
        'directions = ["up"]',
        'directions = ["upp"]',
        'no direction of data "upp"; did you mean "up"?',
    ),
    "no such loss": (
        '["ack_loss_ratio", ',
        '["ack_loss", ',
        'no loss or counter "ack_loss"; did you mean "ack_loss_ratio"?',
    ),
    "runs that never end": ("step = 4", "step = 0", "replications.step: expected a whole number from 1 up, found 0"),
    "a kind that is a list": ('kind = "trace"', 'kind = ["trace"]', "no kind of experiment"),
    "a member that there is not": ('["vcs.upload{0}', '["vcs.upload{1}', "columns.acr_bps.of.0: expected {0} alone"),
    "a label that is no number": ("{ 1 = 1, 2", "{ a = 1, 2", 'trace.members.a: expected a number, as the column "vc"'),
    "a quantity of nothing": (
        '["links.up.queue_cells"]',
        '["queue_cells"]',
        "of.0: expected a quantity such as links.up",
    ),
    "a value that rows lack": ('"{0} s"', '"{1} s"', 'a row has the values {0} alone, found "{1} s"'),
    "a bad time": ('every = "50 ms"', 'every = "50 mss"', 'trace.every: expected a time such as "70 s"'),
    "a bad quantity": (
        '"links.up.rate.every" = "{0} s"',
        '"links.up.rate.every" = "{0} sec"',
        'axis.0.set.links.up.rate.every: expected a time such as "70 s", "10 ms" or "5 us", found "0.01 sec"',
    ),
    "no such quantity in a trace": (
        'of = ["links.up.rate_bps"]',
        'of = ["links.up.rate_bpz"]',
        'no quantity "rate_bpz" here; did you mean "rate_bps"?',
    ),
    "nothing measured": ('directions = ["up"]\n', "", 'experiment.0: the key "directions" is missing'),
    "no such link of a direction": (
        'up = { link = "up"',
        'up = { link = "upp"',
        'directions.up.link: no link "upp"; did',
    ),
    "no such connections": (
        'flows = "upload"',
        'flows = "uplod"',
        'directions.up.flows: no connection "uplod"; did you',
    ),
    "no connections": (', flows = "upload"', "", 'directions.up: it has no "normalized_throughput", a column of fig04'),
    "no such link of a counter": (
        'active_vcs_mean = "up"',
        'active_vcs_mean = "upp"',
        "counters.active_vcs_mean: no link",
    ),
    "two of one name": ('id = "fig05"', 'id = "fig04"', '.id: a second experiment "fig04"; expected another name'),
    "a bad formula": ("[run_values]", '[run_values]\nx = "1 +"', "run_values.x: expected a formula such as"),
    "a formula of nothing": (
        "[run_values]",
        '[run_values]\nx = "nothing + 1"',
        'run_values.x: "nothing + 1" cannot be computed: unknown name nothing',
    ),
    "no such column of a run": (
        "[sums]",
        '[sums]\nx = { table = "flows", of = "timeoutz" }',
        'sums.x.of: no column of the table flows "timeoutz"; did you mean "timeouts"?',
    ),
    "no such file": ('id = "fig04"', 'id = "fig04"\nbase = "scenaro.toml"', 'no file "scenaro.toml"; did you mean'),
    "no TOML": ('title = "', "title = ", "not valid TOML: Invalid value"),
}
#: Mistakes that show only when a point is run, not in the files.
RUN_ONLY = {
    *("a bad quantity", "no such quantity in a trace", "a formula of nothing", "no such column of a run"),
    *("no such link of a direction", "no such connections", "no connections", "no such link of a counter"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_is_one_error_with_its_place(case: str, folder: Path, try_out: Try) -> None:
    old, new, message = MISTAKES[case]
    path = folder / "adsl_abr" / EXPERIMENTS
    line = spoil(path, old, new)
    code, out, err = try_out("adsl-abr/fig04", "adsl-abr/fig05", "--quick")
    assert (code, out) == (2, "")
    assert message in err
    assert f"error: {path}:" in err
    # If a key is missing, the place is that of its table; inserted keys are one or two lines below.
    found = int(err.partition(f"{path}:")[2].partition(":")[0])
    assert line - 12 <= found <= line + 12
    assert "Traceback" not in err


@pytest.mark.parametrize("case", MISTAKES)
def test_the_list_names_the_other_studies_and_says_what_is_wrong_with_one(
    case: str, folder: Path, try_out: Try
) -> None:
    old, new, message = MISTAKES[case]
    spoil(folder / "adsl_abr" / EXPERIMENTS, old, new)
    code, out, err = try_out("--list")
    assert "adsl-field/fig18 " in out
    assert "adsl-field/fig16-live" in out
    if case in RUN_ONLY:
        assert (code, err) == (0, "")
        assert "adsl-abr/fig04" in out
    else:
        assert code == 1
        assert message in err
        assert "adsl-abr" not in out


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        (
            "overlays.toml",
            "pcr = ",
            "pcrr = ",
            "overlays.toml:10:30: uploads.vcs.upload.forward.pcrr: unknown key; did you",
        ),
        ("scenario.toml", '"8 Mbit/s"', '"8 Mbits"', "scenario.toml:40:1: links.down.rate: expected a rate such as"),
        ("scenario.toml", "[measure", "[[measure", "scenario.toml:11:10: not valid TOML: Expected"),
        ("claims.toml", "says = ", "sayz = ", 'claims.toml:8:1: claim.0.sayz: unknown key; did you mean "says"?'),
    ],
)
def test_a_mistake_in_another_file_has_its_place_too(
    file: str, old: str, new: str, message: str, folder: Path, try_out: Try
) -> None:
    spoil(folder / "adsl_abr" / file, old, new)
    code, out, err = try_out("adsl-abr/fig04", "--replications", "1")
    assert (code, out) == (2, "")
    assert f"error: {folder / 'adsl_abr'}/{message}" in err


def test_what_an_overlay_sets_for_quick_runs_is_found_there(folder: Path, try_out: Try) -> None:
    line = spoil(folder / "adsl_abr" / "overlays.toml", 'warm_up = "2 s"', 'warm_up = "2 sec"')
    code, out, err = try_out("adsl-abr/fig04", "--quick")
    assert (code, out) == (2, "")
    assert f"overlays.toml:{line}:1: quick.measure.warm_up: expected a time such as" in err


def test_the_list_needs_none_of_the_large_libraries() -> None:
    code = """
import sys
from celltrain.cli import main
try:
    main(["reproduce", "--list"])
finally:
    print(*sys.modules, file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert "adsl-abr/fig04" in done.stdout
    assert not {"numpy", "scipy", "matplotlib", "pyarrow"} & set(done.stderr.split())


def test_a_study_that_lacks_a_file_is_told(folder: Path, try_out: Try) -> None:
    (folder / "adsl_abr" / "overlays.toml").unlink()
    code, _, err = try_out("adsl-abr/fig04", "--quick")
    assert code == 2
    assert err.startswith(f"error: {folder}/adsl_abr/experiments.toml:")
    assert ': experiment.0.overlays.0: no overlay "uploads"; there are none' in err


def test_a_mistake_in_live_experiments_leaves_those_of_the_simulator(folder: Path, try_out: Try) -> None:
    line = spoil(folder / "adsl_field" / "live.toml", 'overlay = "live"', 'overlay = "life"')
    code, out, err = try_out("--list")
    assert code == 1
    assert "adsl-field/fig18 " in out
    assert f'live.toml:{line}:1: overlay: no overlay "life"; did you mean "live"?' in err
    assert try_out("adsl-field/fig16-live", "--live")[0] == 2
