"""Renew the gallery from folders that ``celltrain reproduce`` wrote: ``make gallery RESULTS=out/studies``.

A figure of a full reproduction is replaced by a later one; one of a quick run also by a full one, never the other way.
Without a folder only the pages are written again, as after a change of a study's texts. With ``--check`` nothing is
written; it is an error if a page is out of date.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from celltrain.papers import catalog

from gallery.kept import KEPT, Kept, UnfitError, collect, read, write
from gallery.pages import index, page

ROOT = Path(__file__).resolve().parents[2]
PAGES = Path("docs/gallery")


def pages(kept: dict[str, Kept]) -> dict[Path, str]:
    """Return the text of every page by its path from the root of the repository."""
    papers = [catalog.paper(name) for name in catalog.names()]
    return {PAGES / "index.md": index(papers, kept)} | {PAGES / f"{each.name}.md": page(each, kept) for each in papers}


def main(arguments: Sequence[str]) -> int:
    """Write the gallery, or check it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path, help="folders of reproductions, the more important first")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a page is not as it would be")
    chosen = parser.parse_args(arguments)
    target = ROOT / PAGES
    kept = read(target / KEPT)
    try:
        for folder in chosen.folders:
            kept = collect(folder, kept, target)
    except UnfitError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    expected = pages(kept)
    if chosen.check:
        stale = [path for path, text in expected.items() if (ROOT / path).read_text(encoding="utf-8") != text]
        for path in stale:
            sys.stderr.write(f"{path}: not what studies and results say; write it with `make gallery`\n")
        return 1 if stale else 0
    write(target / KEPT, kept)
    for path, text in expected.items():
        (ROOT / path).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
