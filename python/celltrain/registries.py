"""The registries of the core, as the JSON Schema of scenarios has them: keywords and the names that people know."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from celltrain import _native

Table = Mapping[str, Any]


@cache
def _definitions() -> Mapping[str, Table]:
    definitions: Mapping[str, Table] = json.loads(_native.schema())["$defs"]
    return definitions


@cache
def registered_names() -> Mapping[str, str]:
    """Give the names of the algorithms in the registries of the core, by their keywords.

    >>> registered_names()["erica-plus"], registered_names()["cubic"]
    ('ERICA+', 'CUBIC')
    """
    members = (member for each in _definitions().values() for member in each.get("oneOf", ()))
    return dict(found for member in members for found in _named(member))


def tcp_variants() -> tuple[str, ...]:
    """Give the keywords of all variants of TCP.

    >>> "cubic" in tcp_variants()
    True
    """
    members = _definitions()["TcpVariant"]["oneOf"]
    return tuple(keyword for member in members for keyword, _ in _named(member))


def tcp_variant(tcp: Table) -> str:
    """Give the keyword of the variant of a TCP, which stands alone or in a table with its parameters.

    >>> tcp_variant({"variant": "cubic"}), tcp_variant({"variant": {"algorithm": "cubic", "fast_convergence": False}})
    ('cubic', 'cubic')
    """
    variant = tcp["variant"]
    return str(variant if isinstance(variant, str) else variant["algorithm"])


def _named(member: Table) -> Iterator[tuple[str, str]]:
    """Find the keyword and the name of one of several tables, where the schema tells both."""
    for key in member.get("properties", {}).values():
        if "const" in key and "title" in member:
            yield key["const"], member["title"]
