"""In which order the nodes of a drawing follow each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from celltrain.topology.model import Cable


def along_cables(nodes: Sequence[str], cables: Iterable[Cable]) -> list[str]:
    """Order nodes so that each stands behind those from which cables lead to it.

    Of the nodes that may come next, those at the end of the newest cables are taken, leaves before others, so that
    few cables are open at a time. Where cables lead in a circle, the first node by ``nodes`` opens it.
    """
    after: dict[str, list[str]] = {name: [] for name in nodes}
    missing = dict.fromkeys(nodes, 0)
    for cable in cables:
        first, second = cable.ends
        after[first].append(second)
        missing[second] += 1
    sources = [name for name in reversed(nodes) if not missing[name]]
    rest = list(reversed(nodes))
    ready: list[str] = []
    placed: dict[str, None] = {}
    while len(placed) < len(nodes):
        name = (ready or sources or rest).pop()
        if name in placed:
            continue
        placed[name] = None
        opened = []
        for other in after[name]:
            missing[other] -= 1
            if not missing[other]:
                opened.append(other)
        opened.reverse()
        opened.sort(key=lambda other: not after[other])
        ready.extend(opened)
    return list(placed)
