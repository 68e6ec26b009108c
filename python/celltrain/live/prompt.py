"""Shells that say at which end of a line they are."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

#: The environment variable with the end at which a program runs.
VARIABLE = "CELLTRAIN_END"

_BASH_START = Path(__file__).with_name("prompt.bash")
_FISH_START = (
    "functions -c fish_prompt _celltrain_prompt; "
    f'function fish_prompt; echo -n "[${VARIABLE}] "; _celltrain_prompt; end'
)


def shell_at(end: str, environment: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """Return the command of the user's shell, and the variables that it needs, so that its prompt names the end.

    A shell that is not known here shows the end by its host name, as most prompts do, or by ``PS1``.

    >>> shell_at("server", {"SHELL": "/bin/sh"})
    (['/bin/sh'], {'CELLTRAIN_END': 'server', 'PS1': '[server] $ '})
    """
    shell = environment.get("SHELL", "/bin/sh")
    own = {VARIABLE: end}
    match Path(shell).name:
        case "bash":
            return [shell, "--rcfile", str(_BASH_START), "-i"], own
        case "fish":
            return [shell, "-C", _FISH_START], own
        case "zsh":
            return [shell], own
    return [shell], own | {"PS1": f"[{end}] $ "}
