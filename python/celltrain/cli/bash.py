"""Completion in bash, which splits words at equals signs."""

from __future__ import annotations

import os

from click.shell_completion import BashComplete, CompletionItem, add_completion_class, split_arg_string

#: Only the part after the last sign of COMP_WORDBREAKS is replaced; a key is followed by its value without a space.
_SOURCE = r"""
%(complete_func)s() {
    local IFS=$'\n' response completion type value
    response=$(env COMP_LINE="${COMP_LINE:0:COMP_POINT}" COMP_BREAKS="$COMP_WORDBREAKS" \
        %(complete_var)s=bash_complete $1)
    for completion in $response; do
        type=${completion%%%%,*} value=${completion#*,}
        case $type in
            dir) COMPREPLY=(); compopt -o dirnames ;;
            file) COMPREPLY=(); compopt -o default ;;
            plain)
                printf -v value '%%q' "$value"
                [[ $value == *= ]] && compopt -o nospace
                COMPREPLY+=("$value") ;;
        esac
    done
    return 0
}

complete -o nosort -F %(complete_func)s %(prog_name)s
"""


class Bash(BashComplete):
    """The completion of click, from the whole line instead of bash's words."""

    source_template = _SOURCE

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the complete words, and the incomplete one."""
        line = os.environ["COMP_LINE"]
        words = split_arg_string(line)[1:]
        self._incomplete = "" if line[-1:].isspace() or not words else words.pop()
        return words, self._incomplete

    def format_completion(self, item: CompletionItem) -> str:
        """Leave out what bash keeps."""
        value = item.value
        if "=" in os.environ.get("COMP_BREAKS", "="):
            value = value[self._incomplete.rfind("=") + 1 :]
        return f"{item.type},{value}"


def add() -> None:
    """Replace click's completion in bash."""
    add_completion_class(Bash)
