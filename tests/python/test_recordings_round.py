"""Recordings that go through other formats and back say the same, as far as these formats can."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from celltrain.recordings.cells import cell_loss, cells_of, line_rate, packet_loss, packets_rate
from celltrain.recordings.numbers import MS, PS
from celltrain.recordings.opportunities import rates
from celltrain.recordings.segments import Options
from hypothesis import given
from hypothesis import strategies as st
from recording_files import through

#: Steps: how long each lasts in ms, its rate in opportunities of 1500 octets per 10 ms, its delay in ms, its loss.
STEPS = st.lists(
    st.tuples(
        st.integers(1, 40),
        st.integers(0, 60),
        st.integers(0, 300),
        st.sampled_from([0.0, 0.001, 0.25, 1.0]),
    ),
    min_size=1,
    max_size=12,
).filter(lambda steps: any(step[1] for step in steps))
Step = tuple[int, int, int, float]


def text_of(steps: list[Step], unit_ms: int = 10, octets: int = 1500) -> tuple[str, Options, dict[int, list[float]]]:
    """Return steps as CSV, their end, and what holds from each instant in ps on: rate, delay and loss."""
    rows, at, values = [], 0, {}
    for lasts, opportunities, delay, loss in steps:
        rate = opportunities * cells_of(octets) * 424 * 100.0
        values[at] = [rate, delay * float(MS), cell_loss(loss, 1500)]
        rows.append(f"{at / PS!r},{rate!r},{delay},{values[at][2]!r}\n")
        at += lasts * unit_ms * MS
    return "time_s,rate_bps,delay_ms,loss\n" + "".join(rows), Options(end=at), values


def values_of(text: str) -> dict[int, list[float]]:
    """Return what holds from each instant on, of CSV with columns of these units."""
    header, *rows = text.splitlines()
    assert header == "time_s,rate_bps,delay_ms,loss"
    found = {}
    for row in rows:
        at, rate, delay, loss = map(float, row.split(","))
        found[round(at * PS)] = [rate, delay * MS, loss]
    return found


def joined(values: dict[int, list[float]]) -> dict[int, list[float]]:
    """Return values without instants at which nothing changes."""
    kept: dict[int, list[float]] = {}
    for at, each in values.items():
        if not kept or each != pytest.approx(list(kept.values())[-1], rel=1e-9):
            kept[at] = each
    return kept


@given(STEPS)
def test_csv_keeps_everything(tmp_path_factory: pytest.TempPathFactory, steps: list[Step]) -> None:
    text, options, values = text_of(steps)
    back, _ = through(tmp_path_factory.mktemp("round"), text, options=options)
    assert values_of(back) == joined(values)


@given(STEPS)
def test_netem_trace_keeps_everything_but_fractions_of_bits(
    tmp_path_factory: pytest.TempPathFactory, steps: list[Step]
) -> None:
    text, options, values = text_of(steps)
    back, _ = through(tmp_path_factory.mktemp("round"), text, "netem-trace", options=options)
    same(values_of(back), joined(values))


@given(STEPS)
def test_tc_keeps_everything_but_outages(tmp_path_factory: pytest.TempPathFactory, steps: list[Step]) -> None:
    text, options, values = text_of(steps)
    back, _ = through(tmp_path_factory.mktemp("round"), text, "tc", options=options)
    # A rate of 0 is none to netem: an outage loses all packets, at any rate.
    found = values_of(back)
    first = next(each[0] for each in values.values() if each[0])
    expected, rate = {}, first
    for at, each in values.items():
        rate = each[0] or rate
        expected[at] = [rate, each[1], each[2] if each[0] else 1.0]
    same(found, joined(expected))


def same(found: dict[int, list[float]], expected: dict[int, list[float]]) -> None:
    assert list(found) == list(expected)
    for at, each in expected.items():
        assert found[at] == pytest.approx(each, rel=1e-8, abs=1e-9), at


@given(STEPS)
def test_leo_keeps_the_delays_and_every_opportunity(
    tmp_path_factory: pytest.TempPathFactory, steps: list[Step]
) -> None:
    """Steps are whole times of 10 ms here, and rates whole opportunities in 10 ms."""
    folder = tmp_path_factory.mktemp("round")
    text, options, values = text_of(steps)
    back, (there, _) = through(folder, text, "leo", options=options)
    found = {at: each[:2] for at, each in values_with(back).items()}
    extra = any("one opportunity more" in note for note in there.notes)
    # A trace has an opportunity at its end; where the line does not, it is one more.
    last = max(found)
    if extra:
        found[last][0] -= 1_356_800.0 * 10 * MS / (10 * MS)
    assert without_equals(found) == without_equals({at: each[:2] for at, each in values.items()})


def values_with(text: str) -> dict[int, list[float]]:
    """Return what holds in every 10 ms of CSV without loss; the last row is of 10 ms, as recordings end then."""
    rows = [list(map(float, row.split(","))) for row in text.splitlines()[1:]]
    return {round(at * PS): [rate, delay * MS] for at, rate, delay in rows}


def without_equals(values: dict[int, list[float]]) -> list[tuple[int, list[float]]]:
    kept: list[tuple[int, list[float]]] = []
    for at, each in values.items():
        if not kept or kept[-1][1] != pytest.approx(each):
            kept.append((at, [round(value) for value in each]))
    return kept


@given(st.lists(st.integers(0, 30), min_size=1, max_size=200), st.integers(1, 60))
def test_a_trace_becomes_rates_and_a_trace_again(
    tmp_path_factory: pytest.TempPathFactory, gaps: list[int], interval: int
) -> None:
    """In each interval there are as many opportunities as before, the last interval with its end."""
    at, times = 0, []
    for gap in gaps:
        at += gap
        times.append(at)
    times.append(at + 1)
    folder = tmp_path_factory.mktemp("round")
    (folder / "a").write_text("".join(f"{each}\n" for each in times))
    from celltrain.recordings.convert import convert
    from celltrain.recordings.formats import FORMATS

    options = Options(bin=interval * MS, end=(at + 1) * MS)
    csv, trace = FORMATS["csv"], FORMATS["mahimahi"]
    convert([folder / "a"], trace, [folder / "b"], csv, Options(bin=interval * MS), replace=False)
    convert([folder / "b"], csv, [folder / "c"], trace, options, replace=False)
    again = [int(line) for line in (folder / "c").read_text().split()]
    assert again == sorted(again)
    assert again[-1] == at + 1
    assert counts(again, interval) == counts(times, interval)


def counts(times: list[int], interval: int) -> dict[int, int]:
    found: dict[int, int] = {}
    for at in times:
        index = max(at - 1, 0) // interval
        found[index] = found.get(index, 0) + 1
    return found


@given(
    st.lists(st.integers(0, 500), min_size=1, max_size=50).map(sorted).filter(lambda times: times[-1] > 0),
    st.integers(1, 100),
    st.integers(1, 10),
)
def test_rates_carry_exactly_the_bits_of_a_trace(times: list[int], interval: int, size: int) -> None:
    blocks = [times[start : start + size] for start in range(0, len(times), size)]
    found = list(rates(blocks, interval * MS, 1000))
    assert all(before.stop == after.start for before, after in pairwise(found))
    assert (found[0].start, found[-1].stop) == (0, times[-1] * MS)
    carried = sum(each.value * (each.stop - each.start) / PS for each in found)
    assert carried == pytest.approx(1000 * len(times))
    assert found == list(rates([times], interval * MS, 1000))


@given(st.lists(st.tuples(st.integers(1, 50), st.integers(0, 200)), min_size=3, max_size=8))
def test_cellreplay_keeps_delays_outside_the_millisecond_of_a_step(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, int]]
) -> None:
    folder = tmp_path_factory.mktemp("round")
    text, options, values = text_of([(lasts, 10, delay, 0.0) for lasts, delay in steps], octets=1400)
    back, _ = through(folder, text, "cellreplay", options=options)
    rows = values_with(back)
    for at, each in values.items():
        # The interval before a step has a delay between the two.
        assert rows[max(start for start in rows if start <= at)][1] == each[1]
    assert {round(each[0]) for each in rows.values()} == {12_720_00 * 10}


@given(st.floats(0, 1), st.integers(28, 9000))
def test_losses_of_packets_and_cells_are_inverse(loss: float, octets: int) -> None:
    assert packet_loss(cell_loss(loss, octets), octets) == pytest.approx(loss, rel=1e-6, abs=1e-12)


@given(st.floats(1, 1e12), st.integers(28, 9000))
def test_rates_of_packets_and_lines_are_inverse(rate: float, octets: int) -> None:
    assert packets_rate(line_rate(rate, octets), octets) == pytest.approx(rate)
    assert line_rate(rate, octets) >= rate * 53 / 48


def test_four_formats_in_a_row(tmp_path: Path) -> None:
    """The last one reads what the one before wrote; rate and delay are those of the beginning."""
    text = "time_s,rate_bps,delay_ms\n" + "".join(
        f"{at / 10},{1_356_800 * (5 + at % 3)},{20 + at}\n" for at in range(20)
    )
    back, said = through(tmp_path, text, "tc", "netem-trace", "leo", options=Options(end=2 * PS), files=2)
    assert values_with(back) == {round(at / 10 * PS): [1_356_800.0 * (5 + at % 3), (20 + at) * MS] for at in range(20)}
    assert all(each.notes for each in said[:-1])
