"""``celltrain shell``."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import rich_click as click
from click.exceptions import Exit

from celltrain._native import nearest
from celltrain.cli.console import BadInput, err, readable_errors
from celltrain.cli.line_watch import rate, watch
from celltrain.extras import need
from celltrain.line_names import line_names, named_line

if TYPE_CHECKING:
    from celltrain.live import LiveLine, Settings, Summary
    from celltrain.live.summary import Way
    from celltrain.scenario import Scenario

_INTERRUPTED = 130
#: How long a server may take to listen, in s.
_LISTENING_S = 10.0


@click.command("shell")
@click.argument("arguments", nargs=-1, metavar="[SCENARIO] [-- COMMAND...]")
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Seed of all random numbers.")
@click.option("--set", "changes", metavar="KEY=VALUE", multiple=True, help="Change a value of the scenario.")
@click.option("--vc", help="The VC that carries the packets, if there are several.")
@click.option("--client", metavar="NODE", help="The client's end of the VC; default: where its route starts.")
@click.option("--uplink", type=click.Path(path_type=Path), help="Mahimahi trace for the line from the client.")
@click.option("--downlink", type=click.Path(path_type=Path), help="Mahimahi trace for the line to the client.")
@click.option(
    "--server",
    "servers",
    metavar="COMMAND",
    multiple=True,
    help="Run this at the server's end, too; the rest begins when it listens.",
)
@click.option("--congestion", default="cubic", show_default=True, help="Congestion control of both kernels.")
@click.option("--mtu", type=click.IntRange(68, 65535), help="Default: the most that the VC carries, up to 1500.")
@click.option("--initcwnd", type=click.IntRange(min=1), help="Initial window of a connection, in segments.")
@click.option("--sysctl", "sysctls", metavar="KEY=VALUE", multiple=True, help="A further setting of both kernels.")
@click.option(
    "--ack-grid", metavar="TIME", help="The client's packets leave only at multiples of this time, such as '10 ms'."
)
@click.option(
    "--realtime", is_flag=True, help="Improve timing: SCHED_FIFO, locked memory, busy-waiting for short times."
)
@click.option(
    "--live",
    is_flag=True,
    help="Show the state of the line every second; without COMMAND, instead of opening a shell.",
)
@click.option("--log", type=click.Path(path_type=Path), help="Write a record into this folder (Parquet).")
@click.option("--pcap", is_flag=True, help="Also write line.pcapng there: packets, and AAL5 PDUs and cells, or frames.")
@click.option(
    "--pcap-layer",
    "layer",
    type=click.Choice(["ip", "pdus", "cells", "frames"]),
    help="Only this layer, a file for each end (ip) or link (pdus, cells, frames): line-client.pcapng, ...",
)
@click.option("--at", "end", type=click.Choice(["client", "server"]), help="Inside a line: open a shell at this end.")
def command(arguments: tuple[str, ...], end: str | None, **options: Any) -> None:  # noqa: ANN401
    """Open a shell, or run COMMAND, connected only by the line of SCENARIO; the far end is called `server`.

    The line carries the packets of the real kernel through the models of the simulator. It needs Linux, and
    root or user namespaces with /dev/net/tun.
    """
    words = list(arguments)
    if end:
        join(end, words)
    scenario = Path(words.pop(0)) if words and (words[0].endswith(".toml") or named_line(words[0])) else None
    if scenario is None and not (options["uplink"] and options["downlink"]):
        hint = nearest(words[0], [*line_names()]) if words else ""
        raise click.UsageError(
            "expected a scenario first, a file whose name ends in .toml or a name that `celltrain lines` lists"
            f"{hint}; without one, both --uplink and --downlink make a line"
        )
    if options["layer"] and not options["pcap"]:
        raise click.UsageError("--pcap-layer chooses what --pcap writes; give --pcap, too")
    if options["pcap"] and not options["log"]:
        raise click.UsageError("--pcap needs a folder for line.pcapng: --log DIR")
    need("emulation", *(["sweeps"] if options["log"] else []), by="celltrain shell")
    from celltrain.live import Refused, require_linux

    with readable_errors():
        try:
            require_linux()
            network = chosen_network(scenario, options)
            with opened(network, options) as line:
                code = use(line, words, options)
        except (Refused, ValueError) as error:
            raise BadInput(str(error)) from error
    show(line.summary)
    if options["layer"]:
        split_capture(options["log"], options["layer"], line)
    raise Exit(code)


def join(end: str, words: Sequence[str]) -> NoReturn:
    """Become a shell, or a command, at an end of the line that this process is in."""
    from celltrain.live.hosts import VARIABLE
    from celltrain.live.prompt import shell_at

    handle = os.environ.get(VARIABLE)
    if not handle:
        raise BadInput(f"--at works inside a line, where {VARIABLE} is set; open one: celltrain shell SCENARIO.toml")
    own, variables = shell_at(end, os.environ)
    command = list(words) or own
    os.environ.update({} if words else variables)
    parent = str(os.getppid())
    place = [handle, end, parent, "0"]
    os.execv(sys.executable, [sys.executable, "-m", "celltrain.live.enter", *place, "--", *command])


def chosen_network(scenario: Path | None, options: dict[str, Any]) -> Scenario:
    """Read the scenario, and change it according to the options."""
    from celltrain.cli.settings import with_settings
    from celltrain.live.traces import plain, with_traces
    from celltrain.scenario import load

    network = with_settings(plain() if scenario is None else load(scenario), options["changes"])
    return with_traces(network, options["uplink"], options["downlink"], vc=options["vc"], client=options["client"])


@contextmanager
def opened(network: Scenario, options: dict[str, Any]) -> Iterator[LiveLine]:
    """Open the line that the options define, and describe it."""
    from celltrain.live import open_line
    from celltrain.quantity import seconds

    chosen: dict[str, Any] = {name: options[name] for name in ("seed", "vc", "client", "realtime", "log", "pcap")}
    with open_line(
        network, settings=settings(network, options), ack_grid_s=seconds(options["ack_grid"] or "0 s"), **chosen
    ) as line:
        introduce(line)
        yield line


def settings(network: Scenario, options: dict[str, Any]) -> Settings:
    """Return the settings of the kernels."""
    from celltrain import _native
    from celltrain.live import Settings

    longest = _native.Line(network.native, 1, options["vc"]).mtu
    pairs = [text.partition("=") for text in options["sysctls"]]
    if wrong := next((text for text in options["sysctls"] if "=" not in text), None):
        raise BadInput(f"--sysctl {wrong!r}: expected KEY=VALUE, such as net.ipv4.tcp_sack=0")
    return Settings(
        congestion=options["congestion"],
        mtu=options["mtu"] or min(1500, longest),
        initcwnd=options["initcwnd"],
        sysctls={key: value for key, _, value in pairs},
    )


def introduce(line: LiveLine) -> None:
    """Describe the line."""
    console = err()
    native, report = line.first_look(), line.hosts.report
    way = "network namespaces of root" if report["way"] == "root" else "a user namespace"
    console.print(f"line of {line.scenario.origin}, in {way}, kernel {report['kernel']}", markup=False, style="bold")
    for end in ("client", "server"):
        console.print(f"  {end} {report['hosts'][end]['address']}, at node {line.nodes[end]}", markup=False)
    from celltrain.live.directions import directions
    from celltrain.live.traces import PACKET_SHARE

    for way, name in directions(client_is_first=line.client_is_first).items():
        state = native[way]
        if "rate_bps" in state and line.has_opportunities(way):
            packets = rate(state["rate_bps"] * PACKET_SHARE)
            console.print(f"  {name:<6} {packets} on average in packets of 1500 octets, by a trace", markup=False)
        elif "rate_bps" in state:
            console.print(f"  {name:<6} {rate(state['rate_bps'])} now", markup=False)
    told = line.settings
    console.print(f"  TCP {told.congestion}, MTU {told.mtu}; the far end is called server", markup=False)
    if line.realtime_problem:
        console.print(f"  --realtime: {line.realtime_problem}", markup=False, style="yellow")


def use(line: LiveLine, words: list[str], options: dict[str, Any]) -> int:
    """Run the commands on the line; return the exit code."""
    from celltrain.live.prompt import shell_at

    servers = [served(line, text) for text in options["servers"]]
    stop = threading.Event()
    in_place = not words and sys.stderr.isatty()
    watcher = threading.Thread(target=watch, args=(line, stop), kwargs={"in_place": in_place})
    if options["live"]:
        watcher.start()
    try:
        if options["live"] and not words:
            handle = line.hosts.environment()["CELLTRAIN_LINE"]
            err().print(
                f"from elsewhere: CELLTRAIN_LINE={handle} celltrain shell --at client; Ctrl-C ends", markup=False
            )
            return wait_for_interrupt()
        if words:
            return run(line, words)
        return run(line, *shell_at("client", os.environ))
    finally:
        stop.set()
        if options["live"]:
            watcher.join()
        for server in servers:
            server.terminate()
        for server in servers:
            server.wait()


def served(line: LiveLine, text: str) -> subprocess.Popen[Any]:
    """Start a server, and wait until it listens."""
    server, listens = line.serve(["/bin/sh", "-c", text], longest_s=_LISTENING_S)
    if not listens:
        code = server.poll()
        why = f"ended with {code}" if code else f"listens nowhere after {_LISTENING_S:.0f} s"
        err().print(f"--server {text!r} {why}; going on without it", markup=False, style="yellow")
    return server


def split_capture(folder: Path, layer: str, line: LiveLine) -> None:
    """Keep one layer of the capture, in a file for each end or link."""
    from celltrain.live.layers import split

    names = {node: end for end, node in line.nodes.items()}
    for path in split(folder / "line.pcapng", layer, names if layer == "ip" else None):
        err().print(f"wrote {path}", markup=False, style="dim")


def run(line: LiveLine, words: list[str], environment: dict[str, str] | None = None) -> int:
    """Run a command at the client's end. Ctrl-C goes to the command; the line ends with it."""
    interrupted = False

    def note(_number: int, _frame: object) -> None:
        nonlocal interrupted
        interrupted = True

    before = signal.signal(signal.SIGINT, note)
    try:
        process = line.popen("client", words, env=environment)
        code = wait(process)
    finally:
        signal.signal(signal.SIGINT, before)
    if code == -signal.SIGINT or (interrupted and code != 0):
        return _INTERRUPTED
    return code if code >= 0 else 128 - code


def wait(process: subprocess.Popen[Any]) -> int:
    """Wait for a command, whatever signals arrive."""
    while True:
        try:
            return int(process.wait())
        except InterruptedError:
            continue


def wait_for_interrupt() -> int:
    """Wait for Ctrl-C."""
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        err().print("")
    return _INTERRUPTED


def show(summary: Summary) -> None:
    """Print the summary of the line."""
    from rich import box
    from rich.table import Table

    console = err()
    shown = Table(
        box=box.SIMPLE_HEAD,
        title=f"line, {summary.duration_s:.1f} s",
        title_justify="left",
        pad_edge=False,
        collapse_padding=True,
    )
    # Headings on two lines and no column of zeros, to fit into 80 columns.
    marks = any(way.packets_marked for way in (summary.up, summary.down))
    headings = ["way", "packets", "bytes", "delivered", "lost", *["marked"] * marks]
    for index, heading in enumerate([*headings, "queueing\np50", "\np95", "\np99", "in use"]):
        shown.add_column(heading, justify="right" if index else "left", no_wrap=True)
    for name, way in (("up", summary.up), ("down", summary.down)):
        waits = [duration(way.queueing_s[key]) for key in ("p50", "p95", "p99")]
        counts = [way.packets, way.bytes, way.packets_delivered, way.packets_lost, *[way.packets_marked] * marks]
        shown.add_row(name, *map(str, counts), *waits, f"{100 * way.utilization:.1f} %")
    console.print(shown)
    for name, way in (("up", summary.up), ("down", summary.down)):
        for told in outcomes(way):
            console.print(f"{name}: {told}", markup=False)
    late = summary.lateness
    if late["count"]:
        console.print(
            f"packets left {duration(late['p50'])} (median), {duration(late['p95'])} (95 %), "
            f"{duration(late['max'])} (at most) later than the model says",
            markup=False,
        )
    if summary.degraded:
        from celltrain.live.summary import MAX_LATENESS_S

        console.print(
            f"degraded: more than 5 % of the packets left over {MAX_LATENESS_S * 1e6:.0f} us late, or a kernel dropped "
            "some; try --realtime, or fewer other programs",
            style="bold yellow",
            markup=False,
        )
    if summary.capture_is_cut:
        console.print("the capture reached its limit of 2 GiB; the rest is missing", style="yellow", markup=False)


def outcomes(way: Way) -> list[str]:
    """Describe the packets that did not arrive, and lost cells."""
    from celltrain.live.summary import CAUSES

    lost = [f"{way.packets_lost_to[name]} {words}" for name, words in CAUSES.items() if way.packets_lost_to[name]]
    packets = {"still inside": way.packets_inside, "dropped by the kernel, by no model": way.kernel_drops}
    cells = {
        "dropped at queues": way.cells_dropped,
        "lost to errors": way.cells_errored,
        "discarded by a policer": way.cells_policed,
        "dropped at the host": way.cells_dropped_at_host,
    }
    told = [f"packets lost {', '.join(lost)}"] if lost else []
    for kind, counts in (("packets", packets), ("cells", cells)):
        if any(counts.values()):
            told.append(f"{kind} " + ", ".join(f"{words} {count}" for words, count in counts.items() if count))
    return told


def duration(value: float) -> str:
    """Format a time."""
    if value != value:
        return "-"
    return f"{value:.3g} s" if value >= 1 else f"{value * 1e3:.3g} ms"
