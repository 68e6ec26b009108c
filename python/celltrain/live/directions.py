"""Names of the two directions of a line."""

from __future__ import annotations


def directions(*, client_is_first: bool) -> dict[str, str]:
    """Return the names of the two directions as seen from the client's end."""
    return dict(zip(("forward", "backward"), ("up", "down") if client_is_first else ("down", "up"), strict=True))
