"""The built documentation, read as a browser's user gets it: text outside code, links, places to link to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

#: Elements without an end.
_EMPTY = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
#: What these contain is no prose.
_CODE = {"pre", "code", "script", "style", "svg", "math"}
#: Elements that hold a paragraph.
_BLOCKS = {"p", "li", "dd", "dt", "td", "th", "h1", "h2", "h3", "h4"}
#: Markup of Markdown that was not understood: a rule of a table, a row, a link, a fence, strong text, a directive; and
#: an option whose two hyphens became a dash.
_MARKUP = re.compile(
    r"\|\s*:?-{3}|^\s*\|.*\|\s*$|\]\([^)\s]*\)|```|\*\*\w[^*]*\*\*|:::|^\{\w+\}|(?<!\S)\u2013[a-z]", re.MULTILINE
)


class Page(HTMLParser):
    """A page of the site.

    Attributes
    ----------
    links : list of str
        The targets of links, pictures, scripts and style sheets.
    ids : set of str
        The places that links may lead to.
    prose : list of str
        The text of each paragraph of the article, without code.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.prose: list[str] = [""]
        self._open: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what an element refers to, and where a paragraph begins."""
        given = dict(attrs)
        self.links += [value for key in ("href", "src") if (value := given.get(key))]
        self.ids |= {value for key in ("id", "name") if (value := given.get(key))}
        if tag in _BLOCKS:
            self.prose.append("")
        if tag not in _EMPTY:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close an element, and those within it that have no end of their own."""
        if tag in self._open:
            while self._open.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        """Add text to the paragraph."""
        if "article" in self._open and not _CODE & set(self._open):
            self.prose[-1] += data

    def unrendered(self) -> Iterator[str]:
        """Yield paragraphs with markup that was not understood."""
        for paragraph in self.prose:
            if _MARKUP.search(paragraph):
                yield f"{self.path.name}: {' '.join(paragraph.split())[:100]}"

    def dead(self, pages: dict[Path, Page]) -> Iterator[str]:
        """Yield links within the site that lead nowhere."""
        for link in self.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (self.path.parent / unquote(parts.path)).resolve() if parts.path else self.path.resolve()
            if not target.exists():
                yield f"{self.path.name}: {link}: there is no such file"
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids:
                yield f"{self.path.name}: {link}: the page has no such place"


def read(site: Path) -> dict[Path, Page]:
    """Read all pages of a site, by path."""
    return {path.resolve(): Page(path) for path in sorted(site.rglob("*.html")) if "_static" not in path.parts}
