"""``celltrain overhead``: encapsulations in cells, octets and options for tc."""

from __future__ import annotations

import json

import pytest
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
        assert row["line_octets"] == 53 * row["cells"]
        assert row["efficiency"] == pytest.approx(octets / row["line_octets"])


def test_the_table_shows_each_encapsulation_once_and_marks_what_is_too_long(cli: Command) -> None:
    text = cli("overhead", "40", "1500").stdout
    assert text.count("pppoe-llcsnap") == 1
    assert "1500 > MTU 1492" in text
    assert "37.7%" in text


def test_a_keyword_of_tc_chooses_an_encapsulation(cli: Command) -> None:
    rows = json.loads(cli("overhead", "1492", "--encapsulation", "pppoe-llcsnap", "--json").stdout)
    assert [(row["encapsulation"], row["tc_overhead"]) for row in rows] == [("pppoe-llc", 40)]


def test_an_unknown_name_and_a_bad_length_are_refused(cli: Command) -> None:
    failed = cli("overhead", "40", "--encapsulation", "pppoe-lc")
    assert failed.returncode == 2
    assert 'no encapsulation "pppoe-lc" in AAL5' in failed.stderr
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
