"""Man pages of commands.

click-man does the same for most applications. It is not used here because it finds no commands that are imported when
they are used, cuts the line by which ``apropos`` finds a page to 45 characters, and lets text that begins with a full
stop be read as a request of roff.
"""

from __future__ import annotations

import re

from commands.described import Described

CODES = (
    ("0", "Done."),
    ("1", "A check failed."),
    ("2", "Bad input."),
    ("130", "Interrupted."),
)
_CODE = re.compile(r"`([^`]*)`")


def manual(command: Described) -> str:
    """Write the man page of a command.

    It has neither date nor version, so that it changes only with the command.
    """
    title = f'.TH "{command.manual.upper()}" "1" "" "celltrain" "celltrain manual"\n'
    parts = [
        title,
        f".SH NAME\n{plain(command.manual)} \\- {plain(command.does)}\n",
        f".SH SYNOPSIS\n.B {plain(command.path)}\n{text(command.usage)}",
        ".SH DESCRIPTION\n" + ".PP\n".join(text(each) for each in command.about),
    ]
    if command.options:
        parts.append(".SH OPTIONS\n" + "".join(item(each.names, each.says) for each in command.options))
    if command.commands:
        each_one = (item(each.path, f"{each.does}. See {each.manual}(1).") for each in command.commands)
        parts.append(".SH COMMANDS\n" + "".join(each_one))
    parts.append(".SH EXIT STATUS\n" + "".join(item(code, says) for code, says in CODES))
    if " " in command.path:
        above = command.path.rpartition(" ")[0].replace(" ", "-")
        parts.append(f".SH SEE ALSO\n.BR {plain(above)} (1)\n")
    return "".join(parts)


def item(head: str, body: str) -> str:
    """Write an entry of a list."""
    return f".TP\n\\fB{plain(head)}\\fR\n{text(body)}"


def text(words: str) -> str:
    """Write a paragraph; code becomes bold."""
    return _CODE.sub(lambda code: f"\\fB{code[1]}\\fR", plain(words)) + "\n" if words else "\\&\n"


def plain(words: str) -> str:
    r"""Escape what roff would take as a request or a special character.

    >>> print(plain(".toml and --out, \\n"))
    \&.toml and \-\-out, \en
    """
    escaped = words.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped
