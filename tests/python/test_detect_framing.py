"""The framing of a line, found from round trips."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from celltrain import _native
from celltrain.cli import main
from celltrain.framing import Sample, detect
from celltrain.framing.pings import captured
from conftest import Command
from live_lines import LINE, need_hosts

SIZES = range(96, 96 + 5 * 48)
#: The overhead that tc takes for each encapsulation, modulo the 48 octets of a cell.
OFFSETS = {name: overhead % 48 for name, _, overhead, *_ in _native.overhead([40]) if overhead is not None}
#: Seconds of a cell at 1 Mbit/s and at 8 Mbit/s.
CELL_UP, CELL_DOWN = 424e-6, 53e-6


def trips(delay: dict[int, float], repeats: int, noise_s: float, seed: int = 1) -> list[Sample]:
    """Return round trips with exponential noise, and every fifth one behind a packet of 1500 octets."""
    chance = np.random.default_rng(seed)
    return [
        Sample(size, base + chance.exponential(noise_s) + (chance.random() < 0.2) * chance.uniform(0, 0.0136))
        for size, base in delay.items()
        for _ in range(repeats)
    ]


@pytest.mark.parametrize("name", OFFSETS)
def test_every_encapsulation_is_found_from_noisy_round_trips(name: str) -> None:
    cells = {row[4]: row[6] for row in _native.overhead(list(SIZES)) if row[0] == name}
    found = detect(trips({size: 0.01 + n * (CELL_UP + CELL_DOWN) for size, n in cells.items()}, 8, 200e-6))
    assert found.is_atm
    assert found.offset == OFFSETS[name]
    assert name in found.encapsulations
    assert found.confidence > 0.8
    assert found.cell_time_s == pytest.approx(CELL_UP + CELL_DOWN, rel=0.1)


@pytest.mark.parametrize("seed", range(8))
def test_a_smooth_line_has_no_cells(seed: int) -> None:
    slope = 8 / 1e6 + 8 / 8e6
    found = detect(trips({size: 0.01 + size * slope for size in SIZES}, 8, 200e-6, seed))
    assert found.is_atm is False
    assert (found.offset, found.encapsulations) == (None, ())
    assert found.confidence > 0.95


@pytest.mark.parametrize("seed", range(8))
def test_noise_alone_is_neither_cells_nor_their_absence(seed: int) -> None:
    assert detect(trips(dict.fromkeys(SIZES, 0.01), 8, 1e-3, seed)).is_atm is None


@pytest.mark.parametrize("seed", range(8))
def test_cells_that_noise_hides_are_not_called_absent(seed: int) -> None:
    hidden = {size: 0.01 + np.ceil((size + 16) / 48) * CELL_DOWN for size in SIZES}
    assert detect(trips(hidden, 3, 3e-3, seed)).is_atm is None


def test_coarse_sizes_give_several_offsets() -> None:
    delay = {size: 0.01 + float(np.ceil((size + 16) / 48)) * CELL_UP for size in range(96, 400, 6)}
    found = detect(trips(delay, 8, 20e-6))
    assert found.is_atm
    assert found.offset in range(16 - 5, 16 + 6)


def test_too_few_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 24 sizes over 96 octets"):
        detect([Sample(size, 0.01) for size in (100, 500, 1500)])


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with what pings over a line with PPPoE found, and the capture of its client."""
    need_hosts()
    folder = tmp_path_factory.mktemp("detect")
    (folder / "line.toml").write_text(LINE.replace('"vc-mux"', '"pppoe-llc"'))
    pings = f"{sys.executable} -m celltrain overhead --detect server --pings 3 --json > {folder}/found.json"
    with pytest.raises(SystemExit) as ended:
        main(
            ["shell", f"{folder}/line.toml", "--log", f"{folder}/log", "--pcap", "--pcap-layer", "ip",
             "--", "sh", "-c", pings]
        )  # fmt: skip
    assert ended.value.code == 0
    return folder


def test_the_framing_of_a_real_line_is_found_by_pings(recorded: Path) -> None:
    found = json.loads((recorded / "found.json").read_text())
    assert (found["is_atm"], found["offset"]) == (True, 40)
    assert found["encapsulations"] == ["pppoe-llc"]
    assert found["cell_time_s"] == pytest.approx(CELL_UP + CELL_DOWN, rel=0.1)


def test_a_capture_of_the_sending_end_shows_the_same(recorded: Path) -> None:
    found = detect(captured(recorded / "log" / "line-client.pcapng"))
    assert (found.is_atm, found.offset) == (True, 40)


def test_what_is_no_capture_is_named(cli: Command, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no capture at all, but long enough")
    done = cli("overhead", "--detect", "notes.txt")
    assert done.returncode == 2
    assert "notes.txt: expected a capture, pcap or pcapng" in done.stderr


def test_a_host_that_is_not_known_is_named(cli: Command) -> None:
    done = cli("overhead", "--detect", "nowhere.invalid")
    assert done.returncode == 2
    assert "nowhere.invalid: no host or file of this name" in done.stderr
