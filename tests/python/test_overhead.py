"""``celltrain overhead``: encapsulations in cells, octets and options for tc."""

from __future__ import annotations

import json

import pytest
from celltrain.framing import sizes
from conftest import Command

#: IP octets; then cells of VC-mux, LLC/SNAP, PPPoA VC-mux and LLC, bridged VC-mux and LLC, bridged LLC with FCS, and
#: PPPoE over bridged VC-mux and LLC (RFC 2684, 2364, 2516: payload and overhead, 8 octets of trailer, 48 to a cell).
CELLS = {
    40: (1, 2, 2, 2, 2, 2, 2, 2, 2),
    64: (2, 2, 2, 2, 2, 2, 3, 2, 3),
    552: (12, 12, 12, 12, 12, 13, 13, 13, 13),
    1478: (31, 32, 31, 32, 32, 32, 32, 32, 32),
    1492: (32, 32, 32, 32, 32, 32, 32, 32, 32),
}
NAMES = (
    "vc-mux",
    "llc-snap",
    "pppoa-vc-mux",
    "pppoa-llc",
    "bridged-vc-mux",
    "bridged-llc",
    "bridged-llc-fcs",
    "pppoe-vc-mux",
    "pppoe-llc",
)


@pytest.mark.parametrize("octets", CELLS)
def test_cells_are_those_of_the_rfcs(cli: Command, octets: int) -> None:
    rows = {row["encapsulation"]: row for row in json.loads(cli("overhead", str(octets), "--json").stdout)}
    assert tuple(rows[name]["cells"] for name in NAMES) == CELLS[octets]
    for row in rows.values():
        if row["cells"] is not None:
            assert row["line_octets"] == 53 * row["cells"]
        assert row["efficiency"] == pytest.approx(octets / row["line_octets"])


def test_the_table_shows_each_name_whole_and_marks_what_is_too_long(cli: Command) -> None:
    text = cli("overhead", "40", "1500").stdout
    assert text.count("pppoe-llcsnap") == 1
    assert "> MTU 1492" in text
    assert "37.7%" in text


def test_a_row_has_all_lengths_and_the_table_fits_80_columns(cli: Command) -> None:
    lines = cli("overhead").stdout.splitlines()
    assert max(len(line.rstrip()) for line in lines) <= 80
    (vc_mux,) = (line.split() for line in lines if line.strip().startswith("vc-mux"))
    assert vc_mux == ["vc-mux", "53", "75.5%", "689", "83.6%", "1696", "88.4%"]


#: IP octets of 40 and 1500: octets on the line and padding, worked out by hand. Ethernet frames have at least 46 octets
#: of payload and 18 of header and FCS; PTM adds 4 (S, C, TC-CRC) and an octet for each 64 begun; the wire adds 20.
LINES = {
    "ptm-bridged": [(46 + 18 + 4 + 2, 6), (1500 + 18 + 4 + 24, 0)],
    "ptm-pppoe": [(40 + 8 + 18 + 4 + 2, 0), (1500 + 8 + 18 + 4 + 24, 0)],
    "docsis": [(64, 6), (1518, 0)],
    "ethernet": [(84, 6), (1538, 0)],
    # 2 cells hold 96 octets: 40, 8 of LLC/SNAP, 8 of trailer, and 40 of padding.
    "llc-snap": [(106, 40), (1696, 20)],
    # 2 octets, 14 of header, 40 and 6 of padding (RFC 2684), the trailer: 70 of 96, and 26 more of padding.
    "bridged-vc-mux": [(106, 32), (1696, 12)],
}


@pytest.mark.parametrize("name", LINES)
def test_lines_and_padding_are_those_of_the_standards(name: str) -> None:
    found = [size for size in sizes([40, 1500]) if size.encapsulation == name]
    assert [(size.line_octets, size.padding_octets) for size in found] == LINES[name]


def test_a_keyword_of_tc_chooses_an_encapsulation(cli: Command) -> None:
    rows = json.loads(cli("overhead", "1492", "--encapsulation", "pppoe-llcsnap", "--json").stdout)
    assert [(row["encapsulation"], row["tc_overhead"]) for row in rows] == [("pppoe-llc", 40)]


def test_an_unknown_name_and_a_bad_length_are_refused(cli: Command) -> None:
    failed = cli("overhead", "40", "--encapsulation", "pppoe-lc")
    assert failed.returncode == 2
    assert 'no encapsulation "pppoe-lc"; did you mean "pppoe-llc"?' in failed.stderr
    assert cli("overhead", "0").returncode == 2


#: Cells of AAL3/4 with LLC/SNAP (8) and VC-mux (0): 8 octets around a multiple of 4, 44 in each cell.
AAL34_CELLS = {28: (1, 1), 36: (2, 1), 40: (2, 2), 1500: (35, 35), 9180: (209, 209)}


@pytest.mark.parametrize("octets", AAL34_CELLS)
def test_cells_of_aal34_carry_44_octets(cli: Command, octets: int) -> None:
    rows = {
        row["encapsulation"]: row for row in json.loads(cli("overhead", str(octets), "--aal", "3/4", "--json").stdout)
    }
    assert set(rows) == {"llc-snap", "vc-mux"}
    assert tuple(rows[name]["cells"] for name in ("llc-snap", "vc-mux")) == AAL34_CELLS[octets]
    assert {row["tc_overhead"] for row in rows.values()} == {None}


def test_aal1_has_no_packets(cli: Command) -> None:
    failed = cli("overhead", "40", "--aal", "1")
    assert (failed.returncode, "47 octets in each cell" in failed.stderr) == (2, True)
