"""Traces in separate files."""

from __future__ import annotations

import os
from pathlib import Path

import celltrain
import pytest
from celltrain import scenario as module
from conftest import LINE, Command

UNIFORM = 'rate = { process = "uniform", low = "1 Mbit/s", high = "2 Mbit/s", every = "100 ms" }'
#: Two opportunities of 32 cells in each 10 ms.
TRACE = "5\n10\n"


def written(folder: Path, rate: str) -> Path:
    """Write the small scenario with another rate."""
    assert UNIFORM in LINE
    path = folder / "line.toml"
    path.write_text(LINE.replace(UNIFORM, f"rate = {{ {rate} }}"))
    return path


def with_file(folder: Path, name: str) -> Path:
    """Write it with a trace in a file."""
    return written(folder, f'process = "mahimahi", file = "{name}"')


def test_a_file_and_its_text_are_the_same_scenario(tmp_path: Path) -> None:
    (tmp_path / "traces").mkdir()
    (tmp_path / "traces" / "line.trace").write_text(TRACE)
    loaded = celltrain.load(with_file(tmp_path, "traces/line.trace"))
    assert loaded.data["links"]["line"]["rate"] == {"process": "mahimahi", "trace": TRACE}
    inline = celltrain.load(written(tmp_path, 'process = "mahimahi", trace = "5\\n10\\n"'))
    assert loaded.hash == inline.hash
    assert loaded.run().tables["links"]["mean_rate_bps"][-1] == pytest.approx(2 * 32 * 424 / 10e-3)


def test_traffic_is_replayed_from_a_file_at_any_depth(tmp_path: Path) -> None:
    (tmp_path / "arrivals").write_text("0.1\n0.2 3\n")
    path = written(tmp_path, 'process = "list", rates = [{ at = "0 s", rate = "2 Mbit/s" }]')
    udp = 'udp = { packet = "1500 bytes", traffic = { process = "replay", file = "arrivals", repeat = "1 s" } }'
    path.write_text(path.read_text().replace("[flows.upload]", f"[flows.upload]\n{udp}"))
    results = celltrain.load(path).run()
    # Eight packets in the two measured seconds, of 1472 octets without headers.
    assert list(results.flows["delivered_bytes"]) == [8 * 1472.0] * 2


@pytest.mark.parametrize("name", ["../secret.trace", "a/../../secret.trace", "/etc/hostname", "link.trace"])
def test_a_path_out_of_the_folder_is_refused(cli: Command, tmp_path: Path, name: str) -> None:
    (tmp_path / "secret.trace").write_text(TRACE)
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "link.trace").symlink_to(tmp_path / "secret.trace")
    path = with_file(folder, name)
    with pytest.raises(celltrain.ScenarioError, match="outside the scenario's folder") as refused:
        celltrain.load(path)
    assert refused.value.key == "links.line.rate.file"
    done = cli("run", path)
    assert (done.returncode, done.stdout) == (2, "")
    message = " ".join(done.stderr.split())
    assert f'links.line.rate.file: "{name}"' in message
    assert "Traceback" not in message


def test_a_link_within_the_folder_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real.trace").write_text(TRACE)
    (tmp_path / "link.trace").symlink_to("real.trace")
    assert celltrain.load(with_file(tmp_path, "link.trace")).data["links"]["line"]["rate"]["trace"] == TRACE


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("absent.trace", r'line\.toml: links\.line\.rate\.file: "absent\.trace": No such file'),
        (".", "no ordinary file"),
        ("pipe", "no ordinary file"),
        ("line.toml/x", "Not a directory"),
        ("loop", "links.line.rate.file"),
        ("a\\u0000b", "null"),
        ("octets", "not a text file in UTF-8"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "octets").write_bytes(b"\xff\xff")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(celltrain.ScenarioError, match=message):
        celltrain.load(with_file(tmp_path, name))


def test_a_trace_that_is_too_long_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert module.LONGEST_TRACE == 64 << 20
    monkeypatch.setattr(module, "LONGEST_TRACE", 1 << 20)
    (tmp_path / "line.trace").write_text("5\n" * (1 << 19))
    path = with_file(tmp_path, "line.trace")
    celltrain.load(path)
    with (tmp_path / "line.trace").open("a") as file:
        file.write("6")
    with pytest.raises(celltrain.ScenarioError, match=r'"line\.trace": larger than 1 MiB'):
        celltrain.load(path)


@pytest.mark.parametrize(
    ("rate", "message"),
    [
        ('process = "mahimahi", file = "line.trace", trace = "5"', "either `file` or `trace`"),
        ('process = "mahimahi", file = 3', 'links.line.rate.file: "3": expected the path'),
        ('process = "uniform", file = "line.trace"', "file"),
        ('process = "mahimahi", file = "bad.trace"', "line 1: .*whole number of milliseconds"),
    ],
)
def test_a_file_in_the_wrong_place_or_form_is_refused(tmp_path: Path, rate: str, message: str) -> None:
    (tmp_path / "line.trace").write_text(TRACE)
    (tmp_path / "bad.trace").write_text("0.5\n")
    with pytest.raises(celltrain.ScenarioError, match=message):
        celltrain.load(written(tmp_path, rate))
