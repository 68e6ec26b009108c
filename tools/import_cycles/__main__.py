"""List all import cycles; the exit status is 1 if there is one."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from import_cycles.graph import Imports, as_one, circles, told
from import_cycles.python import package_imports
from import_cycles.rust import crate_imports

ROOT = Path(__file__).resolve().parents[2]
#: Folders whose files still import each other, each treated as one file. Entries are only ever removed.
#: The methods of the TCP sender are in one file with the state of their mechanism, which the sender holds.
STILL_TIED = ("crates/celltrain-proto/src/tcp/sender",)


def problems(root: Path, still_tied: Iterable[str] = ()) -> Iterator[str]:
    """Yield the imports of each cycle in the repository ``root``, and each exception that is no longer needed."""
    crates = [crate_imports(source, root) for source in [*sorted(root.glob("crates/*/src")), root / "benches/src"]]
    packages = [package_imports(each.parent, root) for each in sorted(root.glob("*/*/__init__.py"))]
    imports: Imports = {file: targets for graph in crates + packages for file, targets in graph.items()}
    in_circles = {file for circle in circles(imports) for file in circle}
    for folder in still_tied:
        if not any(file.startswith(f"{folder}/") for file in in_circles):
            yield f"the files of {folder} no longer import each other: remove it from STILL_TIED"
    imports = as_one(imports, still_tied)
    for circle in circles(imports):
        yield "\n".join(told(circle, imports))


def main() -> int:
    """Print the problems of this repository; return the exit status."""
    found = list(problems(ROOT, STILL_TIED))
    for problem in found:
        print(problem, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
