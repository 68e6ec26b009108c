"""The error of these tools."""

from __future__ import annotations


class FailedError(Exception):
    """A release cannot be made; the message says why, and what to do."""
