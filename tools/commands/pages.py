"""Pages of the documentation about commands, in Markdown."""

from __future__ import annotations

import re

from commands.described import Described

NOTE = "<!-- Made by `make commands` from the command line; change the help in python/celltrain/cli. -->\n\n"

#: The guides to a command, by the rest of its path.
GUIDES = {
    "init": ("../../tutorial/first-scenario.md",),
    "lesson": ("../../lessons/index.md", "../../how-to/teach-a-class.md"),
    "run": ("../../tutorial/first-scenario.md", "../../how-to/draw-figures.md", "../results.md"),
    "sweep": ("../../how-to/sweep.md", "../../how-to/factorial-design.md"),
    "results": ("../../how-to/sweep.md", "../../how-to/draw-figures.md"),
    "effects": ("../../how-to/factorial-design.md",),
    "reproduce": ("../../studies/index.md", "../../how-to/own-study.md", "../../how-to/live-study.md"),
    "report": ("../../how-to/report.md",),
    "shell": ("../../how-to/open-a-line.md", "../../how-to/bring-your-own-trace.md"),
    "parity": ("../../how-to/compare-with-the-kernel.md",),
    "trust": ("../trust.md",),
    "packetdrill": ("../../how-to/packetdrill.md",),
    "trace": ("../../how-to/bring-your-own-trace.md",),
    "convert": ("../../how-to/bring-your-own-trace.md",),
    "dbs": ("../../how-to/measure-two-hosts.md", "../plan.md", "../../explanation/dbs-security.md"),
    "validate": ("../scenario.md",),
    "show": ("../../how-to/draw-a-network.md",),
    "overhead": ("../overhead.md",),
    "columns": ("../results.md",),
    "schema": ("../scenario.md",),
}
#: A paragraph that ends with a command: its words, and the command.
_EXAMPLE = re.compile(r"((?:[A-Z][\w ]*: )?)(celltrain [^`]+)")
_SPECIAL = re.compile(r"([\\*_\[\]<>#])")


def index(whole: Described) -> str:
    """Write the page that lists all commands."""
    rows = "".join(f"[`{each.path}`]({each.name}.md)\n: {marked(each.does)}.\n\n" for each in whole.commands)
    order = "\n".join(each.name for each in whole.commands)
    return (
        f"{NOTE}# Commands\n\n{marked(' '.join(whole.about))}\n\n"
        "`celltrain run --help` shows these words in a terminal, and `man celltrain-run` after an installation.\n\n"
        f"{rows}Exit codes: 0 done, 1 a check failed, or a run of a sweep or a study, 2 bad input, 3 stopped at a "
        "limit of the scenario, 130 interrupted.\n\n"
        f"```{{toctree}}\n:hidden:\n\n{order}\n```\n"
    )


def page(command: Described) -> str:
    """Write the page of a command, with the commands below it."""
    parts = [part(each, level=1 if each is command else 2) for each in command.all()]
    links = "".join(f"- [](<{guide}>)\n" for guide in GUIDES.get(command.name, ()))
    return NOTE + "\n".join(parts) + (f"\n## Read more\n\n{links}" if links else "")


def part(command: Described, *, level: int) -> str:
    """Describe one command below a heading of a level."""
    usage = f"```text\n{command.path} {command.usage}\n```\n"
    about = "\n".join(paragraph(each) for each in command.about)
    options = "".join(f"`{each.names}`\n: {marked(each.says)}\n\n" for each in command.options)
    return f"{'#' * level} {command.path}\n\n{about}\n{usage}" + (f"\n{options}".rstrip("\n") + "\n" if options else "")


def paragraph(text: str) -> str:
    r"""Write a paragraph of a help; a command at its end becomes a block.

    >>> paragraph("For example: celltrain run my.toml")
    'For example:\n\n```sh\ncelltrain run my.toml\n```\n'
    >>> paragraph("Values [of it].")
    'Values \\[of it\\].\n'
    """
    if example := _EXAMPLE.fullmatch(text):
        return f"{example[1].strip()}\n\n```sh\n{example[2]}\n```\n"
    return f"{marked(text)}\n"


def marked(text: str) -> str:
    r"""Escape what Markdown would take as markup, except code.

    >>> marked("a*b, `c*d` and [default: 1]")
    'a\\*b, `c*d` and \\[default: 1\\]'
    """
    pieces = text.split("`")
    plain = (_SPECIAL.sub(r"\\\1", piece) if number % 2 == 0 else piece for number, piece in enumerate(pieces))
    return "`".join(plain)
