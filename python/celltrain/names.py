"""Names of the members of groups."""

from __future__ import annotations

import re

#: The number of a member: at the end, or before the suffix for the reverse direction of a connection.
_NUMBER = re.compile(r"\d+(?=(\.back)?$)")


def stem(name: str) -> str:
    """Remove the number from the name of a member of a group.

    >>> stem("up12"), stem("up"), stem("up12.back")
    ('up', 'up', 'up.back')
    """
    return _NUMBER.sub("", name)
