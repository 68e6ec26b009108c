"""Captures of simulations, for Wireshark."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from celltrain import _native
from celltrain.crosschecks import PLAIN, CrossCheck
from celltrain.limits import limit_passed
from celltrain.results import Result
from celltrain.scenario import Scenario

#: Maximum octets of a capture; the rest is omitted.
PCAP_LIMIT = 2 << 30


def run_captured(scenario: Scenario, seed: int, file: Path) -> tuple[Result, bool]:
    """Run a scenario, and write its packets and cells to a pcapng file; Ctrl-C stops it.

    The file appears under its name when it is complete; there is none of a run that was stopped at a limit.

    Returns
    -------
    tuple of Result and bool
        The results, and whether the capture was cut at 2 GiB.
    """
    cancel = _native.Cancel()
    partial = file.with_name(f".{file.name}.partial")
    wake = threading.Event()
    with ThreadPoolExecutor(1) as thread:
        run = thread.submit(scenario.native.run_captured, seed, str(partial), PCAP_LIMIT, cancel)
        run.add_done_callback(lambda _: wake.set())
        try:
            while not wake.wait(0.2):
                pass
            result, is_cut = run.result()
            partial.replace(file)
        except _native.LimitPassed as error:
            partial.unlink(missing_ok=True)
            raise limit_passed(error, scenario) from None
        except BaseException:
            cancel.cancel()
            run.exception()
            partial.unlink(missing_ok=True)
            raise
    return Result.of(result, scenario, CrossCheck.none(PLAIN)), is_cut
