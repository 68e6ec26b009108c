"""Cycles in a graph of imports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

#: The imports of each file: the other file, and the imported names.
Imports = dict[str, dict[str, set[str]]]


def circles(imports: Imports) -> list[list[str]]:
    """Return the sets of files that import each other, directly or through others of the set."""
    files = sorted({*imports, *(target for targets in imports.values() for target in targets)})
    index = {file: number for number, file in enumerate(files)}
    pairs = [(index[file], index[target]) for file, targets in imports.items() for target in targets]
    rows, columns = np.array(pairs, dtype=np.int32).reshape(-1, 2).T
    matrix = coo_array((np.ones(len(pairs)), (rows, columns)), shape=(len(files), len(files)))
    count, labels = connected_components(matrix, connection="strong")
    sets: list[list[str]] = [[] for _ in range(count)]
    for file, label in zip(files, labels, strict=True):
        sets[label].append(file)
    return [each for each in sets if len(each) > 1]


def as_one(imports: Imports, folders: Iterable[str]) -> Imports:
    """Return the graph in which each folder is one file."""

    def place(file: str) -> str:
        return next((folder for folder in folders if file.startswith(f"{folder}/")), file)

    merged: Imports = {}
    for file, targets in imports.items():
        own = merged.setdefault(place(file), {})
        for target, names in targets.items():
            if place(target) != place(file):
                own.setdefault(place(target), set()).update(names)
    return merged


def told(circle: list[str], imports: Imports) -> Iterator[str]:
    """Yield lines that describe the imports of a cycle."""
    yield f"{len(circle)} files import each other:"
    for file in circle:
        for target in sorted(imports[file].keys() & set(circle)):
            yield f"  {file} imports {', '.join(sorted(imports[file][target]))} from {target}"
