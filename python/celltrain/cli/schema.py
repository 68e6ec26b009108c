"""``celltrain schema``."""

from __future__ import annotations

import rich_click as click


@click.command("schema")
def command() -> None:
    """Print the JSON Schema of a scenario.

    Editors complete and check scenario files with it: save it, and start a file with the line
    "#:schema PATH".
    """
    from celltrain import _native

    click.echo(_native.schema())
