"""Runs that needed more than their limits allow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from celltrain import _native
from celltrain.refused import Stopped

if TYPE_CHECKING:
    from celltrain.checked import CheckedScenario
    from celltrain.results import Result


class LimitPassed(_native.RunError):
    """A run that needed more than its limits allow, and was stopped.

    Attributes
    ----------
    stopped : Stopped
        The limit, and the simulated time.
    result : Result or None
        What it had measured by then, marked by ``result.stopped``; None if the measured interval had not begun.
    """

    def __init__(self, message: str, stopped: Stopped, result: Result | None) -> None:
        super().__init__(message)
        self.stopped = stopped
        self.result = result


def limit_passed(error: _native.LimitPassed, scenario: CheckedScenario) -> LimitPassed:
    """Take over what the compiled core says about a run of a scenario that passed a limit."""
    from celltrain.crosschecks import STOPPED, CrossCheck
    from celltrain.results import Result

    stopped = Stopped(error.limit, error.allowed, error.at_s)
    check = CrossCheck.none(STOPPED)
    result = None if error.partial is None else Result.of(error.partial, scenario, check, stopped)
    return LimitPassed(str(error), stopped, result)
