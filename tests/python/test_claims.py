"""Claims: what they may use, what they may not, and how they are shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from celltrain.papers import catalog
from celltrain.papers.claims import Claim, judge, read_claims
from celltrain.papers.live.outcome import LiveOutcome

ROWS = [
    {"t_up_s": t, "control": control, "normalized_throughput": t / 10 + (0.5 if control == "local" else 0.0)}
    for t in (0.01, 1, 3)
    for control in ("none", "local")
]
TABLES: dict[str, list[dict[str, Any]]] = {"fig04": ROWS, "fig09": [{"direction": "up", "x": 2.0}]}


def claim(check: str, published: float | None = None) -> Claim:
    return Claim(
        id="p.fig04.c", experiment="fig04", source="Sect. 1", says="it is so", check=check, published=published
    )


@pytest.mark.parametrize(
    ("check", "holds"),
    [
        ('v("normalized_throughput", control="local", t_up_s=1) > 0.5', True),
        ('v("normalized_throughput", control="local", t_up_s=1) > 0.7', False),
        ('all(v("normalized_throughput", control="local", t_up_s=t) > 0.5 for t in (0.01, 1, 3))', True),
        ('max(s("normalized_throughput")) <= 0.8 and min(s("normalized_throughput")) > 0.0009', True),
        ('np.mean(s("normalized_throughput", control="none")) < 0.2', True),
        ('0.1 < v("normalized_throughput", control="none", t_up_s=3) < 0.4', True),
        ('all(abs(a / b - 1) < 1e-9 for a, b in zip(s("t_up_s"), s("t_up_s")))', True),
        ('v("x", direction="up", exp="fig09") == 2', True),
        ('len(s("t_up_s", control="local")) == 3', True),
    ],
)
def test_a_claim_holds_or_fails_by_its_rows(check: str, *, holds: bool) -> None:
    verdict = judge(claim(check), TABLES)
    assert (verdict.holds, verdict.problem) == (holds, "")


@pytest.mark.parametrize(
    "check",
    [
        '__import__("os").system("true")',
        's("t_up_s").__class__',
        "().__class__.__mro__",
        'open("/etc/passwd").read()',
        "9 ** 9 ** 9 ** 9",
        '"x" * 10 ** 9 == ""',
        "[x for x in range(10 ** 9)]",
        'eval("1")',
        "np.load",
        "1",
        's("t_up_s") > 0',
        's("t_up_s").tofile("written")',
        's("t_up_s").dump("written")',
        "np.__dict__",
        'v("normalized_throughput")',
        'v("no_such_column", t_up_s=1)',
        "1 +",
        "",
    ],
)
def test_what_a_claim_may_not_do_is_no_verdict(check: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    verdict = judge(claim(check), TABLES)
    assert list(tmp_path.iterdir()) == []
    assert verdict.holds is None
    assert verdict.problem


def test_a_table_that_was_not_made_leaves_the_claim_open() -> None:
    verdict = judge(claim('v("x", exp="fig11") > 1'), TABLES)
    assert (verdict.holds, verdict.problem) == (None, "needs fig11, which was not run")


def test_what_was_measured_is_shown_beside_what_was_published() -> None:
    verdict = judge(claim('abs(v("normalized_throughput", control="local", t_up_s=1) / 0.5 - 1) < 0.5', 0.5), TABLES)
    assert verdict.value == pytest.approx(0.6)
    assert verdict.measured.endswith("= 0.2")
    assert verdict.compared == "published 0.5, simulated 0.6, +20.0 %"


def test_a_verdict_on_what_kernels_did_does_not_call_it_simulated() -> None:
    live = claim('abs(v("normalized_throughput", control="local", t_up_s=1) / 0.5 - 1) < 0.5', 0.5)
    assert judge(live, TABLES, LiveOutcome.origin).compared == "published 0.5, live 0.6, +20.0 %"


def test_the_values_of_a_loop_are_shown() -> None:
    verdict = judge(claim('all(v("normalized_throughput", control="none", t_up_s=t) < t for t in (1, 3))'), TABLES)
    assert "[0.1, 0.3]" in verdict.measured


def test_every_shipped_check_is_of_allowed_form() -> None:
    for name in catalog.names():
        for each in read_claims(catalog.paper(name).folder):
            problem = judge(each, {}).problem
            assert problem.startswith("needs "), problem


def test_every_shipped_claim_can_be_read() -> None:
    for name in catalog.names():
        paper = catalog.paper(name)
        claims = read_claims(paper.folder)
        assert len({each.id for each in claims}) == len(claims) > 0
        assert all(each.id.startswith(f"{name}.{each.experiment}.") for each in claims)


@pytest.mark.parametrize(
    ("check", "published", "values", "unit"),
    [
        # The number, not the first value that is read: it has another unit, or another factor.
        ('max(s("t_up_s")) > 0 and v("x", direction="up", exp="fig09") == 2', 2.0, (2.0,), "1"),
        ('v("t_up_s", t_up_s=3, control="none") * v("x", exp="fig09") / (8 * 0.75) == 1', 0.75, (0.75,), "1"),
        ('v("t_up_s", t_up_s=3, control="none") > 2 * v("t_up_s", t_up_s=1, control="none")', 2.5, (3.0,), "1"),
        ('all(t / 2 < v("t_up_s", control="none", t_up_s=t) < 4 for t in (1, 3))', 2.0, (1.0, 3.0), "s"),
        ('np.all(s("t_up_s", control="none") > 0)', 2.0, (0.01, 1.0, 3.0), "s"),
        # Nothing that is compared could be this number.
        ('v("x", direction="up", exp="fig09") == 2', 7000.0, (), "1"),
        ('v("x", exp="fig09") < v("t_up_s", t_up_s=3, control="none") < s("t_up_s")[0] + 4', 2.0, (), "1"),
    ],
)
def test_a_published_number_stands_beside_the_quantity_that_is_compared_with_it(
    check: str, published: float, values: tuple[float, ...], unit: str
) -> None:
    verdict = judge(claim(check, published), TABLES)
    assert verdict.problem == ""
    assert verdict.values == pytest.approx(values)
    assert verdict.value == (pytest.approx(values[0]) if len(values) == 1 else None)
    assert verdict.unit == unit
