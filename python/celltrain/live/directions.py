"""Names of the two directions of a line."""

from __future__ import annotations


def directions(*, client_is_first: bool) -> dict[str, str]:
    """Name the two directions as a user at the client's end does."""
    return dict(zip(("forward", "backward"), ("up", "down") if client_is_first else ("down", "up"), strict=True))
