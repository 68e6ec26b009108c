"""Errors of designs."""

from celltrain.refused import Refused


class DesignError(Refused):
    """An invalid design; the message says why."""
