"""The order of the nodes in a drawing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from celltrain.topology.model import Cable

Neighbours = Mapping[str, list[str]]


def along_cables(nodes: Sequence[str], cables: Iterable[Cable]) -> list[str]:
    """Order nodes so that each comes after those from which cables lead to it, and few cables are open at a time.

    Of the nodes that may come next, those at the newest cables are taken, the ends of short branches before others.
    If there is none, a source of the node that has waited the shortest time comes next, which opens a cycle of cables.
    """
    before: dict[str, list[str]] = {name: [] for name in nodes}
    after: dict[str, list[str]] = {name: [] for name in nodes}
    for cable in cables:
        first, second = cable.ends
        before[second].append(first)
        after[first].append(second)
    depths: dict[str, int] = {}
    for name in reversed(_order(nodes, before, after, depths)):
        depths[name] = 1 + max((depths.get(other, 0) for other in after[name]), default=0)
    return _order(nodes, before, after, depths)


def _order(nodes: Sequence[str], before: Neighbours, after: Neighbours, depths: Mapping[str, int]) -> list[str]:
    """Order nodes; of several successors of a node, the one with the smallest depth comes first."""
    missing = {name: len(others) for name, others in before.items()}
    placed: dict[str, None] = {}
    ready: list[str] = []
    waiting = list(reversed(nodes))
    while len(placed) < len(nodes):
        name = ready.pop() if ready else _source(waiting.pop(), before, placed)
        if name in placed:
            continue
        placed[name] = None
        for other in sorted(reversed(after[name]), key=lambda each: -depths.get(each, 0)):
            missing[other] -= 1
            (waiting if missing[other] else ready).append(other)
    return list(placed)


def _source(name: str, before: Neighbours, placed: Mapping[str, None]) -> str:
    """Go back from a waiting node to one that waits for no other, or is part of a cycle."""
    seen = {name}
    while True:
        earlier = next((other for other in before[name] if other not in placed and other not in seen), None)
        if earlier is None:
            return name
        seen.add(earlier)
        name = earlier
