"""``celltrain dbs``: measurements between real hosts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click
from click.exceptions import Exit

from celltrain.cli import chosen, dbs_import, printing
from celltrain.cli.console import BadInput, err, folder_for_output, out, readable_errors
from celltrain.cli.dbs_summary import show
from celltrain.extras import need

if TYPE_CHECKING:
    from celltrain._native import DbsLimits
    from celltrain.cli.printing import How


class Rate(click.ParamType[int]):
    """A rate such as '100 Mbit/s'."""

    name = "rate"

    def convert(self, value: str | int, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read it in bit/s."""
        from celltrain.quantity import bits_per_second

        if isinstance(value, int):
            return value
        try:
            return int(bits_per_second(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)


class Ports(click.ParamType[tuple[int, int]]):
    """A range of ports."""

    name = "ports"

    def convert(
        self, value: str | tuple[int, int], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """Read LOW-HIGH."""
        if isinstance(value, tuple):
            return value
        low, _, high = value.partition("-")
        if low.isascii() and low.isdigit() and high.isascii() and high.isdigit():
            ports = int(low), int(high)
            if 1 <= ports[0] <= ports[1] <= 65_535:
                return ports
        self.fail(f"expected LOW-HIGH such as 5201-5300, found {value!r}", param, ctx)


class Interval(click.ParamType[str]):
    """The length of an interval, such as '100 ms'."""

    name = "time"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check it."""
        from celltrain.dbs.rates import nanoseconds

        try:
            nanoseconds(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)
        return value


@click.group("dbs")
def command() -> None:
    """Measure between real hosts: TCP and UDP flows of a plan, with many hosts and connections at once."""


@command.command("daemon")
@click.option(
    "--stdio", is_flag=True, help="Serve one controller over standard input and output, as when started by ssh."
)
@click.option(
    "--listen", metavar="ADDRESS:PORT", help="Wait for controllers over TLS at this address, such as 127.0.0.1:7117."
)
@click.option("--key", type=click.Path(path_type=Path), help="With --listen: this daemon's private key.")
@click.option(
    "--authorized",
    type=click.Path(path_type=Path),
    help="With --listen: a file with the controllers' public keys, one per line.",
)
@click.option("--address", default="127.0.0.1", show_default=True, help="Send and receive data at this address.")
@click.option("--peer", "peers", multiple=True, metavar="NETWORK", help="Exchange data only with these addresses.")
@click.option("--ports", type=Ports(), help="Listen for data only at these ports, LOW-HIGH.")
@click.option("--max-duration", type=click.FloatRange(min=0.001), default=3600, show_default=True, help="In s.")
@click.option("--max-rate", type=Rate(), help="Limit of the sum of all rates; every flow must then have a rate.")
@click.option("--max-connections", type=click.IntRange(1, 10_000), default=256, show_default=True)
@click.option("--max-memory", type=click.IntRange(1, 1 << 20), default=256, show_default=True, help="In MiB.")
def daemon(
    *,
    stdio: bool,
    listen: str | None,
    key: Path | None,
    authorized: Path | None,
    address: str,
    peers: tuple[str, ...],
    ports: tuple[int, int] | None,
    max_duration: float,
    max_rate: int | None,
    max_connections: int,
    max_memory: int,
) -> None:
    """Carry out the plan of a controller on this host, within limits.

    A daemon only sends and receives test data: it runs no command and touches no file.
    """
    from celltrain import _native
    from celltrain.dbs.native import require_linux

    if stdio == (listen is not None):
        raise BadInput("expected either --stdio, as `celltrain dbs run` starts it, or --listen ADDRESS:PORT")
    with readable_errors():
        require_linux()
        try:
            limits = _native.DbsLimits(
                address=address,
                peers=peers,
                ports=ports,
                duration_s=max_duration,
                rate_bps=max_rate,
                connections=max_connections,
                memory_bytes=max_memory << 20,
            )
        except ValueError as error:
            raise BadInput(str(error)) from error
        if listen is None:
            serve_stdio(limits)
        else:
            serve_tls(limits, listen, key, authorized)


def serve_stdio(limits: DbsLimits) -> None:
    """Serve one controller until Ctrl-C or the end of the input."""
    from celltrain import _native
    from celltrain.threads import interruptible

    refused = interruptible(lambda cancel: _native.dbs_serve_stdio(limits, cancel))
    if refused:
        raise BadInput(f"the session was refused: {refused}")


def serve_tls(limits: DbsLimits, listen: str, key: Path | None, authorized: Path | None) -> None:
    """Serve controllers until Ctrl-C."""
    from celltrain import _native
    from celltrain.dbs import keys
    from celltrain.files import read_text
    from celltrain.threads import interruptible

    if authorized is None:
        raise BadInput(
            "--listen needs --authorized FILE: the public keys of controllers, as `celltrain dbs key` prints"
        )
    try:
        private = keys.read_or_make(key or keys.default_key())
        listener = _native.DbsListener(listen, private, read_text(authorized))
    except ValueError as error:
        raise BadInput(str(error)) from error
    console = err()
    console.print(f"listening at {listener.address}, public key {_native.dbs_public_key(private)}", soft_wrap=True)

    def tell(line: str) -> None:
        console.print(line, markup=False, soft_wrap=True)

    interruptible(lambda cancel: listener.serve(limits, cancel, tell))


@command.command("run")
@click.argument("plan", type=click.Path(path_type=Path))
@click.option(
    "--out",
    "folder",
    type=click.Path(path_type=Path),
    help="Write every table as CSV and Parquet, and the provenance, into this folder.",
)
@chosen.option
@click.option("--key", type=click.Path(path_type=Path), help="Private key for hosts that are reached by TLS.")
@click.option("--ssh-config", type=click.Path(path_type=Path, exists=True), help="Configuration file for ssh.")
@printing.options(columns=False)
def run(
    how: How,
    *,
    plan: Path,
    folder: Path | None,
    columns: tuple[str, ...],
    key: Path | None,
    ssh_config: Path | None,
) -> None:
    """Carry out PLAN and print what was measured. Exits with 1 if part of it is missing."""
    need("dbs", by="celltrain dbs run")
    from celltrain.dbs import keys
    from celltrain.dbs import load as load_plan
    from celltrain.dbs import run as carry_out
    from celltrain.dbs.columns import COLUMNS
    from celltrain.dbs.reach import Reach
    from celltrain.dbs.result import COMPACT
    from celltrain.files import json_text

    tables = {table: list(known) for table, known in COLUMNS.items()}
    printed = chosen.chosen(columns, tables) if columns else None
    with readable_errors():
        measurement = load_plan(plan)
        needs_key = any("tls" in host for host in measurement.data["hosts"].values())
        target = folder_for_output(folder) if folder else None
        try:
            private = keys.read(key or keys.default_key()) if needs_key else None
            reach = Reach(ssh_config=ssh_config)
            with repetitions_shown() as shown:
                result = carry_out(measurement, reach=reach, key=private, out=target, progress=shown)
        except ValueError as error:
            raise BadInput(str(error)) from error
    if target:
        err().print(f"wrote {2 * len(result.tables) + 1 - len(COMPACT)} files to {target}", markup=False)
    if how.as_json:
        click.echo(json_text(chosen.of_json(result.to_json(printed), printed)), nl=False)
    else:
        show(result, how, printed)
    if result.provenance["interrupted"]:
        raise KeyboardInterrupt
    if not result.is_complete:
        raise Exit(1)


@contextmanager
def repetitions_shown() -> Iterator[Callable[[int, int], None]]:
    """Show finished repetitions on stderr: a bar with the time on a terminal, otherwise a line for each."""
    console = err()
    if not console.is_terminal:
        yield (
            lambda done, of: console.print(f"repetition {done} of {of} done", style="dim") if done and of > 1 else None
        )
        return
    from rich import progress

    columns = (
        progress.TextColumn("measuring"),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TextColumn("repetitions,"),
        progress.TimeElapsedColumn(),
    )
    with progress.Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)


@command.command("view")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option(
    "--repetition", type=click.IntRange(1), default=1, show_default=True, help="The repetition to draw in the terminal."
)
@click.option(
    "--every",
    type=Interval(),
    help="Throughput over intervals of this length, such as 100ms, from the log of each write and read.",
)
@click.option(
    "--out",
    "file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The page to write, instead of report.html in DIR.",
)
@printing.options(columns=False)
def view(how: How, folder: Path, repetition: int, every: str | None, file: Path | None) -> None:
    """Draw the results of `celltrain dbs run --out` in DIR: in the terminal, and as one HTML page with every figure."""
    need("dbs", "reports", by="celltrain dbs view")
    from celltrain.cli import report
    from celltrain.dbs import read
    from celltrain.dbs.rates import NoLogError
    from celltrain.dbs.view import draw
    from celltrain.files import json_text

    target = file or folder / "report.html"
    with readable_errors():
        try:
            result = read(folder)
        except ValueError as error:
            raise BadInput(str(error)) from error
        repetitions = result.provenance["repetitions"]
        if repetition > repetitions:
            raise BadInput(f"--repetition {repetition}: {folder} has {repetitions}")
        if how.as_json:
            click.echo(json_text(result.to_json()), nl=False)
        else:
            show(result, how)
        try:
            drawn = list(draw(result, repetition, every))
        except NoLogError as error:
            raise BadInput(f"--every {every}: {folder}: {error}") from error
        except ValueError as error:
            raise BadInput(f"--every {every}: {error}") from error
        if how.format == "table":
            for line in drawn:
                out().print(line, markup=False, soft_wrap=True)
        _, octets = report.write(folder, target, every)
    err().print(f"wrote {target} ({report.size(octets)})", markup=False)


@command.command("key")
@click.option("--key", type=click.Path(path_type=Path), help="File of the private key; created if it does not exist.")
def key_command(key: Path | None) -> None:
    """Print this user's public key, for the --authorized file of daemons and the `key` of plans."""
    from celltrain import _native
    from celltrain.dbs import keys
    from celltrain.dbs.native import require_linux

    with readable_errors():
        require_linux()
        try:
            private = keys.read_or_make(key or keys.default_key())
        except ValueError as error:
            raise BadInput(str(error)) from error
    click.echo(_native.dbs_public_key(private))


@command.command("schema")
def schema() -> None:
    """Print the JSON Schema of a plan."""
    from celltrain import _native
    from celltrain.dbs.native import require_linux

    with readable_errors():
        require_linux()
    click.echo(_native.dbs_schema())


command.add_command(dbs_import.command)
