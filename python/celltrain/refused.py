"""Errors that a user can cause, beside those of the core."""


class Refused(ValueError):
    """Something asked for cannot be done; the message says what, and what to do."""
