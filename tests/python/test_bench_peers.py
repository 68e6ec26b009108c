"""Other simulators and bare loops on our workloads: real ones if they are installed."""

import os
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from harness import outcomes, peer, peers
from harness.outcomes import Deviation, Outcome
from harness.program import Summary
from harness.targets import Bound

#: If nothing is compiled yet, the runner is compiled with everything that it needs.
pytestmark = pytest.mark.timeout(600)


def test_a_peers_line_of_the_chain_is_read_as_cells_and_delay() -> None:
    # 1000 cells in the 4 ms that are left of 5 ms when the first has arrived: 250,000 cells/s.
    seen = {"received": 1000, "simulated_s": 5e-3, "mean_delay_us": 1000.0}
    outcome = outcomes.of_peer("w1", seen)
    assert outcome.throughput == pytest.approx(250_000.0)
    assert outcome.waiting == 1000.0
    assert outcomes.of_peer("w1", {"received": 10, "simulated_s": 1}) == Outcome(10.0, None)


def test_a_queue_of_packets_is_one_of_cells_with_what_is_left_of_the_packet_in_transmission() -> None:
    # 10 packets of 192 cells wait; 96 cells of the one in transmission are left on average; and while a packet comes,
    # for 0.15 of its transmission time, half of its cells are present.
    assert outcomes.queue_cells(10) == pytest.approx(1920 + 96 + 0.15 * 96)


@pytest.mark.parametrize(
    ("other", "agrees"),
    [
        (Outcome(100.9, 102.9), True),
        (Outcome(99.1, None), True),
        (Outcome(101.1, 100.0), False),
        (Outcome(98.9, None), False),
        (Outcome(99.5, 96.9), False),
        (Outcome(100.0, 103.1), False),
        (Outcome(0.0, 0.0), False),
    ],
)
def test_outcomes_agree_within_1_percent_in_throughput_and_3_in_waiting(other: Outcome, agrees: bool) -> None:  # noqa: FBT001
    assert other.beside(Outcome(100.0, 100.0)).within_bounds is agrees


def test_every_program_of_the_peers_is_in_the_plan() -> None:
    assert {one.source for comparison in peers.plan() for one in comparison.peers} == {
        file.name for file in peer.FOLDER.iterdir() if file.suffix in {".cpp", ".tcl", ".py"}
    }


def test_targets_are_of_peers_that_are_measured() -> None:
    for comparison in peers.plan():
        assert {asked.peer for asked in comparison.asked} <= {one.name for one in comparison.peers}


def compared(*, peer_cost: float, beside: Deviation, figure: str = "speedup") -> peers.Compared:
    """Compare an engine that costs 2 with a peer; another is not installed."""
    asked = tuple(peers.Asked("w1", name, name, "trains", figure, Bound(at_least=10)) for name in ("here", "absent"))
    comparison = replace(peers.plan()[0], asked=asked)
    ours = peers.Row("celltrain, trains", Summary(2.0, 0.0), Outcome(1.0, 1.0), Deviation(0.0, 0.0))
    theirs = peers.Row("here", Summary(peer_cost, 0.1), Outcome(1.0, 1.0), beside)
    return peers.Compared(comparison, {"trains": ours}, [theirs], {"absent": "apt-get install absent"})


def test_a_speedup_is_the_cost_of_the_peer_over_ours_and_a_cost_the_other_way_round() -> None:
    here, absent, *_ = compared(peer_cost=20.0, beside=Deviation(0.0, 0.0)).targets
    assert (here.value, here.met) == (10.0, True)
    assert (absent.value, absent.met, absent.note) == (None, None, "absent is not installed")
    here, *_ = compared(peer_cost=20.0, beside=Deviation(0.0, 0.0), figure="cost").targets
    assert here.value == pytest.approx(0.1)


def test_the_farthest_outcome_is_a_target_in_throughput_and_in_delay() -> None:
    found = compared(peer_cost=20.0, beside=Deviation(-0.005, 0.04))
    *_, throughput, delay = found.targets
    assert [throughput.value, delay.value] == pytest.approx([0.5, 4.0])
    assert (throughput.met, throughput.note, delay.met) == (True, "here", False)
    assert found.differing == ["here on W1"]


def bench_peers(*arguments: str) -> Result:
    """Run the command of `make bench-peers`, reusing the output of `cargo test`."""
    return CliRunner().invoke(peers.main, ["--rounds", "1", "--profile", "dev", *arguments])


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Remove peers from the plan."""

    def leave_out(*names: str) -> None:
        kept = [replace(one, peers=tuple(p for p in one.peers if p.name not in names)) for one in peers.plan()]
        monkeypatch.setattr(peers, "plan", lambda: kept)

    return leave_out


def row(name: str, output: str) -> str:
    (found,) = (text for text in map(str.strip, output.splitlines()) if text.startswith(name))
    return found


def test_the_chain_is_the_same_workload_in_both_engines_in_bare_loops_and_in_simpy(
    without: Callable[..., None],
) -> None:
    without("ns-2", "ns-3")
    done = bench_peers("--only", "w1", "--scale", "0.02")
    assert done.exit_code == 0, done.output
    for engine in ("cells", "trains"):
        assert row(f"celltrain, {engine}", done.output).endswith("none, bit for bit")
    for name in ("bare Lindley loop", "bare event heap", "SimPy"):
        assert re.search(r" [+-]0\.\d\d %, [+-]0\.\d\d %$", row(name, done.output))
    # Unknown results are not omitted.
    assert row("chain: times faster than ns-3", done.output).endswith("ns-3 is not installed  NOT MEASURED")
    assert row("chain: cost over that of the bare Lindley loop", done.output).endswith(("met", "MISSED"))


def test_peers_that_are_missing_are_named_with_what_to_install_and_the_rest_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, without: Callable[..., None]
) -> None:
    # No program `ns`, and a missing header, as if ns-3 were not installed.
    without("SimPy", "bare event heap")
    which = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "ns" else which(name))
    monkeypatch.setattr(peer, "BUILT", tmp_path)
    source = tmp_path / "absent.cpp"
    source.write_text("#include <ns3/absent-module.h>\nint main() {}\n")
    kept = [
        replace(one, peers=tuple(replace(p, source=str(source)) if p.name == "ns-3" else p for p in one.peers))
        for one in peers.plan()
    ]
    monkeypatch.setattr(peers, "plan", lambda: kept)
    done = bench_peers("--only", "w1", "--scale", "0.01")
    assert done.exit_code == 0, done.output
    assert "NOT MEASURED, since they are not installed:" in done.output
    for name, package in (("ns-2", "ns2"), ("ns-3", "libns3-dev")):
        assert re.search(rf"^ +{name} +Debian: apt-get install {package}$", done.output, re.MULTILINE)
        assert re.search(rf"^ *{name} +NOT MEASURED", done.output, re.MULTILINE)
        assert row(f"chain: times faster than {name}", done.output).endswith("NOT MEASURED")
    assert row("bare Lindley loop", done.output)


def test_a_peer_that_simulates_something_else_is_an_error_that_names_it(
    monkeypatch: pytest.MonkeyPatch, without: Callable[..., None]
) -> None:
    without("SimPy", "bare event heap", "ns-2", "ns-3")
    monkeypatch.setattr(outcomes, "of_peer", lambda *_: Outcome(330_000.0, 309.2))  # of 335,548 cells/s
    done = bench_peers("--only", "w1", "--scale", "0.01")
    assert done.exit_code == 1
    assert "OTHER: -1.6" in row("bare Lindley loop", done.output)
    assert "bare Lindley loop on W1" in " ".join(done.output.split())


def the_peer(name: str, on: str) -> tuple[peers.Comparison, peer.Peer, tuple[str, ...]]:
    """Return a peer and its command, or skip with a message what to install."""
    comparison = next(one for one in peers.plan() if one.on == on)
    one = next(each for each in comparison.peers if each.name == name)
    try:
        return comparison, one, one.prepare()
    except peer.Missing as missing:
        pytest.skip(f"{name} is not installed: {missing}")


@pytest.mark.parametrize("on", ["w1", "w2"])
@pytest.mark.parametrize(
    "name",
    [
        "ns-2",
        pytest.param(
            "ns-3",
            marks=pytest.mark.skipif(
                "CELLTRAIN_EVERY_PEER" not in os.environ,
                reason="ns-3's programs compile for a minute: make test-all",
            ),
        ),
    ],
)
def test_another_simulator_comes_to_the_same_throughput_and_waiting(name: str, on: str) -> None:
    comparison, one, command = the_peer(name, on)
    ours = outcomes.of_celltrain(on, comparison.workload.scenario(comparison.seconds).run())
    seen = one.program(command, one.seconds, monitored=True).run()
    deviation = outcomes.of_peer(on, seen).beside(ours)
    assert deviation.waiting is not None
    assert deviation.within_bounds, str(deviation)
