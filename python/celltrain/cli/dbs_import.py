"""``celltrain dbs import``."""

from __future__ import annotations

from pathlib import Path

import rich_click as click

from celltrain.cli.console import BadInput, echo, err, readable_errors
from celltrain.extras import need


class Address(click.ParamType[tuple[str, str]]):
    """The address of a host."""

    name = "address"

    def convert(
        self, value: str | tuple[str, str], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        """Read HOST=ADDRESS."""
        import ipaddress

        if isinstance(value, tuple):
            return value
        host, _, address = value.partition("=")
        try:
            return host, str(ipaddress.ip_address(address))
        except ValueError:
            self.fail(f"expected HOST=ADDRESS such as server=192.0.2.1, found {value!r}", param, ctx)


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--address",
    "addresses",
    type=Address(),
    multiple=True,
    metavar="HOST=ADDRESS",
    help="The address at which a host of the file sends and receives data. Loopback: its daemon is on this machine.",
)
@click.option(
    "--out", "target", type=click.Path(path_type=Path), help="Write the plan into this file instead of stdout."
)
def command(file: Path, addresses: tuple[tuple[str, str], ...], target: Path | None) -> None:
    """Convert FILE, a command file of the original DBS, into a plan.

    What a plan cannot say is an error with its line; settings without effect here are notes on stderr, and comments in
    the plan.
    """
    need("dbs", by="celltrain dbs import")
    from celltrain.dbs.original import CommandError, convert
    from celltrain.dbs.plan import Plan
    from celltrain.files import atomic_write, read_text

    with readable_errors():
        try:
            converted = convert(read_text(file), dict(addresses))
        except CommandError as error:
            raise BadInput(f"{file}:{error.line}: {error}") from error
        except ValueError as error:
            raise BadInput(str(error)) from error
        toml = converted.to_toml()
        # What only the checks of plans refuse names the key of the plan.
        Plan.from_toml(toml, f"{file}, as a plan")
        for note in converted.notes:
            err().print(f"note: {file}: {note}", markup=False, soft_wrap=True)
        if target is None:
            echo(toml)
        else:
            atomic_write(target, toml)
            err().print(f"wrote {target}", markup=False)
