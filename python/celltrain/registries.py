"""The registries of the core: keywords and display names."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from celltrain import _native

Table = Mapping[str, Any]


@cache
def registered_names(registry: str) -> Mapping[str, str]:
    """Return the display names of the algorithms of a registry by keyword.

    ``registry`` is the name of its type in the JSON Schema. Two registries may have the same keyword.

    >>> registered_names("Control")["erica-plus"], registered_names("TcpVariant")["cubic"]
    ('ERICA+', 'CUBIC')
    >>> registered_names("Traffic")["markov"], registered_names("RateProcess")["markov"]
    ('Markov', 'Markov rate')
    """
    return {keyword: name for of, keyword, name in _native.names_of_algorithms() if of == registry}


def tcp_variants() -> tuple[str, ...]:
    """Return the keywords of all TCP variants.

    >>> "cubic" in tcp_variants()
    True
    """
    return tuple(registered_names("TcpVariant"))


def tcp_variant(tcp: Table) -> str:
    """Return the keyword of a TCP's variant, written alone or in a table with its parameters.

    >>> tcp_variant({"variant": "cubic"}), tcp_variant({"variant": {"algorithm": "cubic", "fast_convergence": False}})
    ('cubic', 'cubic')
    """
    variant = tcp["variant"]
    return str(variant if isinstance(variant, str) else variant["algorithm"])
