"""Draw the pictures of the ready lines in ``docs/images``, and the list and the sections of their page.

Run it after a change of a line: ``python tools/line_pictures.py``.
"""

from __future__ import annotations

import re
from pathlib import Path

import celltrain
from celltrain.drawing import image
from celltrain.files import atomic_write
from celltrain.line_figure import figure
from celltrain.ready_lines import lines

DOCS = Path(__file__).parent.parent / "docs"
PAGE = DOCS / "reference" / "lines.md"
#: Length of the pictures, in s: four hand-overs of Starlink, and of what changes faster a second or two.
DURATIONS_S = {"lte": 5.0, "5g": 5.0, "docsis-3.1": 6.0, "wifi-6": 6.0}
DURATION_S = 60.0
_BEGIN, _END = "<!-- Made by tools/line_pictures.py -->\n", "<!-- Made by tools/line_pictures.py: end -->\n"
_SECTIONS = re.compile(re.escape(_BEGIN) + ".*?" + re.escape(_END), re.DOTALL)


def section(name: str) -> str:
    """Return the section of a line: what its comments say, and its picture."""
    comment = lines()[name].text.partition("\n\n")[0]
    says, *rest = [line.removeprefix("#").removeprefix(" ") for line in comment.splitlines()]
    title = says.removesuffix(".")
    paragraphs = "\n".join(rest).strip("\n").split("\n\n")
    drawn = "\n\n".join(f"```text\n{part}\n```" if "client ---" in part else _listed(part) for part in paragraphs)
    picture = f"![Rate and delay of {name} over time](../images/line-{name}.svg)"
    return f"## `{name}`\n\n{title}.\n\n{drawn}\n\n{picture}\n"


def _listed(paragraph: str) -> str:
    """Make items of what begins with a source and goes on with an indent."""
    items = re.sub(r"\n {2,}", " ", paragraph).splitlines()
    if not any(item.startswith(("From ", "Measured", "Assumed")) for item in items):
        return " ".join(items)
    return "\n".join(f"- {item}" for item in items)


def main() -> None:
    """Write them."""
    for name in lines():
        drawn = figure(celltrain.load(name), DURATIONS_S.get(name, DURATION_S))
        atomic_write(DOCS / "images" / f"line-{name}.svg", image(drawn, "svg"))
    sections = "\n".join(map(section, lines()))
    page = PAGE.read_text("utf-8")
    atomic_write(PAGE, _SECTIONS.sub(lambda _: _BEGIN + sections + _END, page))


if __name__ == "__main__":
    main()
