"""The registries of the core: keywords and display names."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from celltrain import _native

Table = Mapping[str, Any]


@cache
def registered_names() -> Mapping[str, str]:
    """Return the display names of all registered algorithms by keyword.

    >>> registered_names()["erica-plus"], registered_names()["cubic"]
    ('ERICA+', 'CUBIC')
    """
    return dict(_native.names_of_algorithms())


def tcp_variants() -> tuple[str, ...]:
    """Return the keywords of all TCP variants.

    >>> "cubic" in tcp_variants()
    True
    """
    members = json.loads(_native.schema())["$defs"]["TcpVariant"]["oneOf"]
    keys = (key for member in members if "title" in member for key in member["properties"].values())
    return tuple(key["const"] for key in keys if "const" in key)


def tcp_variant(tcp: Table) -> str:
    """Return the keyword of a TCP's variant, written alone or in a table with its parameters.

    >>> tcp_variant({"variant": "cubic"}), tcp_variant({"variant": {"algorithm": "cubic", "fast_convergence": False}})
    ('cubic', 'cubic')
    """
    variant = tcp["variant"]
    return str(variant if isinstance(variant, str) else variant["algorithm"])
