"""``celltrain completion``."""

from __future__ import annotations

import rich_click as click
from click.shell_completion import get_completion_class


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script of SHELL. It completes commands, options and values: studies, links, VCs, keys.

    For bash: celltrain completion bash > ~/.local/share/bash-completion/completions/celltrain
    """
    from celltrain.cli import COMPLETION, app, bash, fish

    bash.add()
    fish.add()
    completer = get_completion_class(shell)
    if completer is None:
        raise click.ClickException(f"no completion for {shell}")
    click.echo(completer(app, {}, "celltrain", COMPLETION).source())
