"""Quantities in Python are read only by the parser of scenarios."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from celltrain import Scenario, _native
from celltrain.live.parity.flows import bulk_for, flows_by_vc
from celltrain.quantity import with_unit
from conftest import Command
from networks import both_ways, row

REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "scenario.md"
#: Rows of the table of values, by the base unit of their kind.
KINDS = {"time": "s", "rate": "bit/s", "cells": "cells", "octets": "bytes", "distance": "m"}
#: A line with a connection, of which the canonical form writes both sizes in KiB.
LINE = row(
    "home office",
    both_ways("line", delay="1 ms", rate="1 Mbit/s", buffer="100 cells"),
    measure={"duration": "1 s"},
    flows={"upload": {"vc": "vc", "tcp": {"window": "64 KiB", "mss": "1024 bytes"}}},
)


@pytest.mark.parametrize(("kind", "unit"), KINDS.items())
def test_the_units_of_the_reference_are_those_that_are_read(kind: str, unit: str) -> None:
    (row,) = re.findall(rf"^\| {kind} \|.*\| ([^|]*) \|$", REFERENCE.read_text(encoding="utf-8"), re.MULTILINE)
    named = re.findall(r"`([^`]+)`", row)
    assert unit in named
    amounts = {name: with_unit(f"1 {name}") for name in named}
    assert {each[1] for each in amounts.values() if each} == {unit}
    assert None not in amounts.values()
    # The message about an unknown unit lists all known ones.
    with pytest.raises(ValueError, match="its unit is unknown; expected one of ") as error:
        _native.amount("1 furlong", unit)
    assert set(re.findall(r'"([^"]+)"', str(error.value).partition("one of ")[2])) == set(named)


@pytest.mark.parametrize(
    ("text", "unit", "message"),
    [
        ("10 MB", "s", r'expected a time such as .*, found "10 MB": its unit is unknown; expected one of "s", "ms"'),
        ("10 mbit/s", "bit/s", r'expected a rate such as .*, found "10 mbit/s": .*; did you mean "Mbit/s"\?'),
        ("64", "bytes", "it has no unit"),
        ("-1 s", "s", "it is negative"),
        ("0.5 m", "m", "it is not a whole number of the smallest unit"),
        ("1 s", "parsec", r"expected a unit of s, bit/s, cells, packets, bytes, m, found parsec"),
    ],
)
def test_a_bad_quantity_is_named_with_what_was_expected(text: str, unit: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _native.amount(text, unit)


@pytest.mark.parametrize("text", ["", "erica", "10", "10 parsecs", "1.5 cells", "s", "1e3 s"])
def test_what_is_no_quantity_is_none_of_any_kind(text: str) -> None:
    assert with_unit(text) is None


def test_kernels_get_the_sizes_of_the_scenario_whatever_unit_the_canonical_form_writes() -> None:
    (flow,) = flows_by_vc(Scenario(LINE), 1)["vc"]
    assert (flow.tcp["window"], flow.tcp["mss"]) == ("64 KiB", "1 KiB")
    bulk = bulk_for(flow, "10.0.0.1", 5001, (0.0, 1.0), 1)
    assert (bulk.window, bulk.mss) == (65_536, 1_024)


def test_an_option_that_is_no_rate_is_refused_with_the_nearest_unit(cli: Command) -> None:
    done = cli("dbs", "daemon", "--stdio", "--max-rate", "100mbit/s")
    assert done.returncode == 2
    assert 'did you mean "Mbit/s"?' in " ".join(done.stderr.replace("│", " ").split())
