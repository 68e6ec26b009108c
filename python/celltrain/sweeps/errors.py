"""Errors of sweeps and their designs."""

from celltrain.refused import Refused


class DesignError(Refused):
    """An invalid design; the message says why."""


class InvalidPoints(DesignError):
    """Some points of a design cannot be run; the message names the first ones with their values."""


class OtherSweep(Refused):
    """The folder holds a sweep with results that the new one would drop; the message says which."""


class MismatchError(Refused):
    """Two sweeps that cannot be compared, or a parameter that does not vary; the message says why."""
