"""Two connections on one line: the share of each."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from celltrain.results import Result
from celltrain.scenario import Scenario
from celltrain.trust.case import Case, absolute, not_run
from celltrain.trust.kernel import runs as kernel_runs
from celltrain.trust.kernel import version
from celltrain.trust.kernel_lines import VARIANTS
from celltrain.trust.lines import Connection, PacketLine
from celltrain.trust.row import Context, NotRun, Row, method

if TYPE_CHECKING:
    from celltrain.live.parity.runs import Recorded, Run

#: The line: 8 Mbit/s, a round trip of 40 ms.
RATE_BPS, DELAY_S = 8e6, 0.02
BUFFERS = (1.0, 4.0, 16.0)
ALLOWED = 0.1
#: The second connection starts later, in s.
_LATER_S = 1.0
#: Warm-up and total length of a run, in s per BDP of buffer: round trips and windows grow with the buffer,
#: and so does the time between two losses.
_WARM_UP_S, _SECONDS = 20.0, 120.0
_SEEDS = (1, 2, 3)
#: With kernels, in real time: shorter, so that all buffers take a few minutes.
_LIVE_WARM_UP_S, _LIVE_SECONDS, _REPEATS = 10.0, 40.0, 3


@dataclass(frozen=True)
class Pair:
    """Two variants, and the queue in bandwidth-delay products; the share is that of the first."""

    first: str
    second: str
    buffer: float

    @property
    def name(self) -> str:
        """The pair in words."""
        return f"{self.first} beside {self.second}, {self.buffer:g} BDP"

    def scenario(self, seconds: float, warm_up_s: float) -> Scenario:
        """Make the scenario: both connections on one VC, like two programs on one host."""
        bdp = PacketLine(RATE_BPS, DELAY_S, 1).bandwidth_delay_packets
        line = PacketLine(RATE_BPS, DELAY_S, max(2, round(self.buffer * bdp)))
        connections = [Connection(VARIANTS[self.first]), Connection(VARIANTS[self.second], start_s=_LATER_S)]
        data = line.scenario(connections, seconds, warm_up_s).data
        data["flows"]["f2"]["vc"] = "vc1"
        del data["vcs"]["vc2"]
        return Scenario(data, "trust")


#: Pairs compared with kernels, and pairs of one variant, which should share equally on average.
AGAINST = tuple(Pair("bbr", "cubic", buffer) for buffer in BUFFERS)
ALIKE = tuple(Pair(variant, variant, buffer) for variant in VARIANTS for buffer in BUFFERS)


def share(result: Result) -> float:
    """Return the share of the first connection in the throughput of both."""
    rates = {str(row["flow"]): float(row["throughput_bps"]) for row in result.flows.rows()}
    return rates["f1"] / sum(rates.values())


def cases(context: Context) -> list[Case]:
    """Run both kinds of pairs; those against kernels only if lines between kernels are requested."""
    alike = ALIKE[:1] if context.quick else ALIKE
    seeds = _SEEDS[:1] if context.quick else _SEEDS
    pairs = [*alike, *(() if context.quick else AGAINST)]
    runs = context.run([_simulated(pair) for pair in pairs], seeds)
    shares = {pair: [share(result) for result in results] for pair, results in zip(pairs, runs, strict=True)}
    found = [_alike(pair, shares[pair]) for pair in alike]
    for pair in AGAINST:
        try:
            found.append(_against(pair, context))
        except NotRun as why:
            ours = statistics.fmean(shares[pair]) if pair in shares else None
            found.append(replace(not_run(pair.name, "share", str(why)), value=ours))
    return found


def _against(pair: Pair, context: Context) -> Case:
    if context.kernel_lines == 0 or context.quick:
        raise NotRun("needs kernels at the ends of the line: give --kernel-lines N")
    scenario = pair.scenario(_LIVE_SECONDS, _LIVE_WARM_UP_S)
    return against_kernel(pair, kernel_runs(pair.name, scenario, context, repeats=_REPEATS))


def _simulated(pair: Pair) -> Scenario:
    if pair in AGAINST:
        return pair.scenario(_LIVE_SECONDS, _LIVE_WARM_UP_S)
    return pair.scenario(_SECONDS * pair.buffer, _WARM_UP_S * pair.buffer)


def _alike(pair: Pair, shares: Sequence[float]) -> Case:
    note = f"of {len(shares)} runs, {min(shares):.2f} to {max(shares):.2f}"
    return absolute(pair.name, "share", "1", statistics.fmean(shares), 0.5, ALLOWED, note=note)


def against_kernel(pair: Pair, runs: Sequence[Run | Recorded]) -> Case:
    """Compare the share of the simulated connection with the kernel's, over the valid runs."""
    both = []
    for run in runs:
        if run.is_valid:
            rates = {name[0]: (ours, theirs) for name, ours, theirs in run.values() if name[1] == "goodput"}
            both.append([rates["f1"][side] / (rates["f1"][side] + rates["f2"][side]) for side in (0, 1)])
    if not both:
        return not_run(pair.name, "share", f"none of {len(runs)} runs is valid")
    ours, theirs = (statistics.fmean(column) for column in zip(*both, strict=True))
    note = f"{len(both)} of {len(runs)} runs are valid; {version()}"
    return absolute(pair.name, "share", "1", ours, theirs, ALLOWED, note=note)


ROW = Row(
    "shares",
    "two connections on one line: the share of the first",
    f"BBR beside CUBIC within {ALLOWED:g} of the kernel; two of one variant within {ALLOWED:g} of a half",
    method(
        "shares",
        rate=RATE_BPS / 1e6,
        rtt=2e3 * DELAY_S,
        seconds=_SECONDS - _WARM_UP_S,
        live=_LIVE_SECONDS - _LIVE_WARM_UP_S,
    ),
    cases,
)
