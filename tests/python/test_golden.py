"""The golden tables match the simulation, and obey rules derived by hand."""

from __future__ import annotations

import difflib
import itertools
import math

import golden
import pytest
from golden import ABR_BPS, CELLS, FOLDER, LINE_BPS, LOSSES, PAYLOAD_BPS, ROUND_TRIP_S, SEGMENT, WINDOW, Values

#: Variants whose window doubles each round trip in slow start, and is halved, or to 0.7, by a loss. Others take part in
#: the rules that hold for every TCP.
BY_LOSSES = (
    "4.3bsd-reno",
    "4.3bsd-tahoe",
    "4.3bsd-tahoe-no-fast-retransmit",
    "4.4bsd",
    "4.4bsd-lite2",
    "linux-1999",
    "newreno",
    "sack",
    "cubic",
)
#: Variants that recover from several losses in a window without a time-out, once in congestion avoidance.
MODERN = ("newreno", "sack")
#: Packets that fit into the queue of the table of windows, and packets that fill the path without it.
QUEUED, IN_FLIGHT = 16, ROUND_TRIP_S * LINE_BPS / (424 * CELLS)


@pytest.fixture(scope="module")
def throughputs() -> Values:
    return golden.throughputs()


@pytest.fixture(scope="module")
def windows() -> Values:
    return golden.windows()


@pytest.fixture(scope="module")
def rates() -> tuple[Values, Values]:
    return golden.allowed_rates(1), golden.allowed_rates(2)


def compare(file: str, found: str) -> None:
    """Fail with a diff if a file differs from what was found."""
    path = FOLDER / file
    kept = path.read_text(encoding="utf-8") if path.exists() else ""
    if found != kept:
        lines = difflib.unified_diff(kept.splitlines(), found.splitlines(), "kept", "found", n=1, lineterm="")
        told = [f"{file} is not what is simulated; if that is meant, renew it with `make golden`:", *lines]
        pytest.fail("\n".join(told), pytrace=False)


def test_throughputs_are_the_golden_ones(throughputs: Values) -> None:
    compare("tcp-throughput.txt", golden.throughput_text(throughputs))


def test_windows_are_the_golden_ones(windows: Values) -> None:
    compare("tcp-cwnd.txt", golden.window_text(windows))


def test_allowed_rates_are_the_golden_ones(rates: tuple[Values, Values]) -> None:
    compare("abr-acr.txt", golden.rate_text(*rates))


def test_without_losses_the_line_is_full(throughputs: Values) -> None:
    for variant, of in throughputs.items():
        # In 100 s a segment more or less is 117 bit/s.
        assert of["0"] < PAYLOAD_BPS + 120, variant
        if variant in BY_LOSSES:
            assert of["0"] > PAYLOAD_BPS - 120, variant
    # BBR leaves the line idle for 200 ms of 10 s to measure the round trip.
    assert 0.97 * PAYLOAD_BPS < throughputs["bbr"]["0"] < 0.99 * PAYLOAD_BPS


def test_throughput_falls_with_losses(throughputs: Values) -> None:
    for variant, of in throughputs.items():
        # A model of the path ignores a few losses.
        slack = 1.0 if variant in BY_LOSSES else 1.01
        for before, after in itertools.pairwise(of.values()):
            assert after < slack * before, variant


def test_a_window_halved_at_each_loss_obeys_the_square_root_law(throughputs: Values) -> None:
    # Mathis et al. 1997: at most sqrt(3/2) / sqrt(p) segments per round trip, if each is acknowledged. CUBIC is no
    # faster at such small windows (RFC 9438, 4.3), and time-outs only slow a variant down. A tenth is left to chance.
    for loss in LOSSES[2:]:
        packets = 1 - (1 - loss) ** CELLS
        round_trip_s = ROUND_TRIP_S + 424 * CELLS / LINE_BPS
        bound = math.sqrt(1.5 / packets) * 8 * SEGMENT / round_trip_s
        for variant in BY_LOSSES:
            assert throughputs[variant][f"{loss:g}"] < 1.1 * bound, (variant, loss)


def test_a_fast_retransmit_and_a_fast_recovery_each_pay(throughputs: Values) -> None:
    for loss in ("0.0001", "0.0003", "0.001"):
        slow, tahoe, modern = (
            throughputs[variant][loss] for variant in ("4.3bsd-tahoe-no-fast-retransmit", "4.3bsd-tahoe", "sack")
        )
        assert slow < tahoe < modern


def test_slow_start_doubles_the_window_each_round_trip(windows: Values) -> None:
    # Sampled before the ACKs of each round trip arrive: the first arrives after 0.1 s and the time to send a segment.
    for count in range(5):
        sample = windows[f"{(count + 1) / 10:.1f}"]
        assert {sample[variant] for variant in BY_LOSSES} == {2.0**count}


def test_windows_swing_between_a_full_queue_and_half_of_it(windows: Values) -> None:
    # One segment too many is lost, and the loss is detected a round trip later, after one or two more.
    full = QUEUED + IN_FLIGHT
    later = [sample for time, sample in windows.items() if float(time) >= 5]
    for variant in MODERN:
        swing = [sample[variant] for sample in later]
        assert full - 2 < max(swing) < full + 2
        assert full / 2 - 1 < min(swing) < full / 2 + 2
    assert 0.7 * full - 1 < min(sample["cubic"] for sample in later) < 0.7 * full + 2
    # Tahoe restarts with one segment.
    assert min(sample["4.3bsd-tahoe"] for sample in later) < 3


def test_no_window_outside_of_recovery_is_above_the_offered_one(windows: Values) -> None:
    # Only fast recovery inflates cwnd beyond it, by duplicate ACKs: at most by the segments in flight.
    for sample in windows.values():
        assert all(1 <= window < 2 * WINDOW for window in sample.values())
        assert all(sample[variant] <= WINDOW for variant in ("sack", "cubic", "bbr", "4.3bsd-tahoe"))


#: The final share of the line of each of this many greedy VCs.
SHARES = {
    "fair-share": lambda vcs: 1 / vcs,
    # The max-min fair share of 95 % of the line.
    "mit": lambda vcs: 0.95 / vcs,
    "capc": lambda vcs: 0.95 / vcs,
    "capc2": lambda vcs: 0.95 / vcs,
    # Five times the rate of an imaginary VC: MACR = 0.95 - 5 MACR * VCs.
    "phantom": lambda vcs: 5 * 0.95 / (1 + 5 * vcs),
}


@pytest.mark.parametrize("algorithm", SHARES)
def test_an_explicit_rate_comes_to_the_share_by_hand(algorithm: str, rates: tuple[Values, Values]) -> None:
    first, second = rates
    line = ABR_BPS / 1e6
    assert first["200"][algorithm] == pytest.approx(SHARES[algorithm](1) * line, rel=0.01)
    for of in (first["400"], second["400"]):
        assert of[algorithm] == pytest.approx(SHARES[algorithm](2) * line, rel=0.01)


def test_erica_is_between_its_target_and_the_overload_that_it_bears(rates: tuple[Values, Values]) -> None:
    # Up to an overload of 1 + delta each VC keeps the largest rate allocated (ATM Forum 96-1172).
    target = 0.95 * ABR_BPS / 2e6
    for of in rates:
        assert target <= of["400"]["erica"] <= 1.1 * target


def test_two_greedy_vcs_share_the_line(rates: tuple[Values, Values]) -> None:
    half = ABR_BPS / 2e6
    for algorithm in golden.algorithms():
        for of in rates:
            settled = [of[str(time)][algorithm] for time in range(300, 401, 20)]
            assert math.fsum(settled) / len(settled) == pytest.approx(half, rel=0.2), algorithm


def test_a_source_rises_by_rif_of_pcr_with_each_rm_cell(rates: tuple[Values, Values]) -> None:
    # RIF 1/16 of PCR 10 Mbit/s from ICR 500 kbit/s, until a switch allows less.
    for algorithm in golden.algorithms():
        for time in ("0", "20", "40", "60"):
            steps = (rates[0][time][algorithm] - 0.5) / 0.625
            assert steps == pytest.approx(round(steps), abs=1e-6), (algorithm, time)


def test_each_switch_algorithm_has_its_keys_here() -> None:
    assert set(golden.CONTROLS) == set(golden.algorithms()), "give it keys in golden.CONTROLS"
