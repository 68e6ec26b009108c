"""Write the pages of the lessons into docs/lessons: page, pictures, network, questions, from the files that ship.

With ``--check`` nothing is written; it is an error if a page is out of date. With ``--pictures`` the pictures are drawn
again, too: other versions of matplotlib draw them differently, so they are drawn only where that is asked for.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from celltrain.lessons import lessons
from celltrain.lessons.definition import NETWORK, Lesson
from lesson_pictures import draw, markdown

ROOT = Path(__file__).resolve().parent.parent
PAGES = Path("docs/lessons")
NOTE = "<!-- Made by `make reference` from python/celltrain/lessons/{name}; change the files there. -->\n\n"


def page(lesson: Lesson) -> str:
    """Write the page of a lesson."""
    title, rest = lesson.text.split("\n", 1)
    # The pictures follow the commands, whose results they show.
    before, heading, run = rest.partition("## Run it\n")
    commands, fence, after = run.partition("\n```\n")
    network = (lesson.folder / NETWORK).read_text("utf-8")
    return (
        f"{NOTE.format(name=lesson.folder.name)}{title}\n\n"
        f"```sh\ncelltrain lesson start {lesson.number}\n```\n\n"
        f"writes this page, the network and a sheet for the answers into `lesson-{lesson.number}`.\n"
        f"{before}{heading}{commands}{fence}\n{markdown(lesson)}{after.lstrip()}\n"
        f"## The network\n\n```toml\n{network}```\n\n"
        f"## Questions\n\n{lesson.questions()}\n"
        f"Write the answers into `answers.toml`; `celltrain lesson check {lesson.number} answers.toml` checks them.\n"
    )


def main(arguments: Sequence[str]) -> int:
    """Write the pages, or check them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a page is not as it would be")
    parser.add_argument("--pictures", action="store_true", help="also draw the pictures into docs/images")
    options = parser.parse_args(arguments)
    check = options.check
    stale = []
    for lesson in lessons().values():
        if options.pictures:
            draw(lesson)
        target = ROOT / PAGES / f"{lesson.folder.name}.md"
        text = page(lesson)
        if target.exists() and target.read_text("utf-8") == text:
            continue
        stale.append(str(PAGES / target.name))
        if not check:
            target.write_text(text, "utf-8")
    if check and stale:
        sys.stderr.write(f"{', '.join(stale)}: not what the lessons say; write them with `make reference`\n")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
