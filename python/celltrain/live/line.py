"""An open line: two hosts, and the thread that carries packets between them."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from celltrain import _native
from celltrain.files import output_folder
from celltrain.holding import held
from celltrain.live import system
from celltrain.live.capture import PCAP_LIMIT
from celltrain.live.hosts import CLIENT, SERVER, Hosts, Settings, require_linux
from celltrain.live.listening import await_listener
from celltrain.live.log import Log
from celltrain.live.summary import Opened, Stopped, Summary
from celltrain.live.traces import has_opportunities
from celltrain.scenario import Scenario, load

#: Priority of the line's thread with ``realtime``, that of programs just below it, and the last part of each wait,
#: which the line spends busy-waiting.
_PRIORITY = 50
_HOST_PRIORITY = 40
_SPIN_S = 200e-6


class LiveLine:
    """A line that carries packets; created by :func:`open_line`."""

    def __init__(
        self,
        scenario: Scenario,
        native: _native.Line,
        settings: Settings,
        *,
        client: str | None,
        realtime: bool,
        log: Path | None,
        is_held: bool = False,
    ) -> None:
        self.scenario, self.settings = scenario, settings
        self._native = native
        first, last = native.ends
        if client not in (None, first, last):
            raise ValueError(f"there is no end {client!r} of VC {native.vc}; its ends are {first} and {last}")
        #: Whether the client is where the VC's forward direction starts.
        self.client_is_first = client != last
        #: The node of the network at each end.
        self.nodes = dict(zip((CLIENT, SERVER), (first, last) if self.client_is_first else (last, first), strict=True))
        self.hosts = Hosts(settings)
        self._realtime = realtime
        self.realtime_problem: str | None = None
        try:
            self._log = Log(log) if log else None
        except BaseException:
            self.hosts.close()
            raise
        self._is_cut = False
        #: CPU time of the line's thread, once it is closed.
        self.cpu_s = 0.0
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._carry, name="celltrain-line")
        self._summary: Summary | None = None
        self._start_at = 0.0
        self._may_start = threading.Event()
        #: How much later than requested by :meth:`start` the line began, in s.
        self.late_start_s = 0.0
        if not is_held:
            self._may_start.set()
        self._thread.start()

    def _carry(self) -> None:
        if self._realtime:
            self._keep_time()
        devices = [self.hosts.devices[end] for end in (CLIENT, SERVER)]
        first, last = devices if self.client_is_first else reversed(devices)
        self._may_start.wait()
        if self._start_at:
            time.sleep(max(0.0, self._start_at - time.monotonic()))
            self.late_start_s = time.monotonic() - self._start_at
        try:
            self._is_cut = self._native.carry(first, last)
        except BaseException as error:
            self._failure = error
        self.cpu_s = time.thread_time()

    def _keep_time(self) -> None:
        """Take priority over all ordinary threads; return what is refused."""
        try:
            system.go_before_others(_PRIORITY)
            system.lock_memory()
        except OSError as error:
            self.realtime_problem = f"refused ({error.strerror}); it needs root, or limits for rtprio and memlock"

    def command(self, end: str, command: Sequence[str]) -> list[str]:
        """Return the command line that runs a command at an end of the line."""
        return self.hosts.command(end, command)

    def prompt_command(self, end: str, command: Sequence[str]) -> list[str]:
        """Return the command line that runs a command at an end of a ``realtime`` line before all ordinary programs.

        The hosts of a measurement have nothing else to do. Only for commands that wait most of their time.
        """
        return self.hosts.command(end, command, priority=_HOST_PRIORITY if self._realtime else 0)

    def popen(
        self,
        end: str,
        command: Sequence[str],
        *,
        is_prompt: bool = False,
        **options: Any,  # noqa: ANN401
    ) -> subprocess.Popen[Any]:
        """Start a command at ``"client"`` or ``"server"``; options as for :class:`subprocess.Popen`.

        With ``is_prompt`` it has the priority of :meth:`prompt_command`.
        """
        environment = self.hosts.environment() | dict(options.pop("env", None) or {})
        entered = self.prompt_command(end, command) if is_prompt else self.command(end, command)
        return subprocess.Popen(entered, env=environment, **options)

    def serve(
        self,
        command: Sequence[str],
        *,
        longest_s: float = 10.0,
        **options: Any,  # noqa: ANN401
    ) -> tuple[subprocess.Popen[Any], bool]:
        """Start a command at the server, and wait until a socket listens there.

        Returns
        -------
        tuple of subprocess.Popen and bool
            The program, and whether it listens: false if it failed, or after ``longest_s``.
        """
        before = self.hosts.waiting_sockets()
        server = self.popen(SERVER, command, **options)
        return server, await_listener(server, self.hosts.process, before, longest_s)

    def run(self, end: str, command: Sequence[str], **options: Any) -> subprocess.CompletedProcess[Any]:  # noqa: ANN401
        """Run a command at an end of the line; options as for :func:`subprocess.run`."""
        environment = self.hosts.environment() | dict(options.pop("env", None) or {})
        check = options.pop("check", False)
        return subprocess.run(self.command(end, command), env=environment, check=check, **options)

    def start(self, at: float) -> None:
        """Start a line that was opened held at this instant of :func:`time.monotonic`, its time zero."""
        self._start_at = at
        self._may_start.set()

    def take_samples(self) -> dict[str, Any]:
        """Return the queues sampled since the last call, as columns; ``time_s`` counts from the line's time zero."""
        return dict(self._native.take_samples())

    def look(self) -> dict[str, Any]:
        """Return the current state of the line, at most 100 ms old."""
        return dict(self._native.look())

    def has_opportunities(self, direction: str) -> bool:
        """Return whether ``"forward"`` or ``"backward"`` packets wait for the delivery opportunities of a trace."""
        return has_opportunities(self.scenario, self._native, direction)

    def first_look(self) -> dict[str, Any]:
        """Return the result of :meth:`look` once there is one, or the line has failed."""
        while "rate_bps" not in (look := self.look())["forward"] and self.is_up:
            time.sleep(0.01)
        return look

    def turn_log(self) -> None:
        """Write new records to the log, if there is one; call about twice a second."""
        if self._log:
            self._log.add(self._native.take_rows(), self.look(), client_is_first=self.client_is_first)

    @property
    def thread_id(self) -> int:
        """The kernel's number of the line's thread, for example for :func:`os.sched_setaffinity`."""
        return self._thread.native_id or 0

    @property
    def is_up(self) -> bool:
        """Whether the line carries packets."""
        return self._thread.is_alive()

    @property
    def summary(self) -> Summary:
        """The summary of the line from start to end; available once it is closed."""
        if self._summary is None:
            raise RuntimeError("a line has a summary once it is closed")
        return self._summary

    def close(self) -> None:
        """End all programs on the hosts, and the line."""
        if self._summary is not None:
            return
        dropped = self.hosts.dropped() if self.is_up else {}
        self._native.stop()
        self._may_start.set()
        self._thread.join()
        self.hosts.close()
        self.turn_log()
        opened = Opened(self.scenario, self.settings, self.client_is_first)
        stopped = Stopped(self.hosts.report, dropped, self.cpu_s, self.realtime_problem, self._is_cut)
        self._summary = Summary.of(self._native, opened, stopped)
        if self._log:
            self._log.close(self._summary)
        if self._failure is not None:
            raise self._failure


@contextmanager
def open_line(
    scenario: Scenario | str | Path,
    *,
    seed: int = 1,
    vc: str | None = None,
    client: str | None = None,
    settings: Settings | None = None,
    ack_grid_s: float = 0.0,
    realtime: bool = False,
    spins: bool = True,
    log: str | Path | None = None,
    pcap: bool = False,
    is_held: bool = False,
    sample_every_s: float = 0.0,
) -> Iterator[LiveLine]:
    """Open a line for the duration of a ``with`` block.

    Parameters
    ----------
    scenario
        The network, or its file. The flows of the VC that carries the packets are left out, all others are simulated.
    seed
        Seed of all random numbers.
    vc
        The VC that carries the packets; default: the only one.
    client
        The node of the client's end; default: where the VC's route starts.
    settings
        Settings of the kernels; default: ``Settings`` with the longest packet of the VC's encapsulation, at most
        1500 octets.
    ack_grid_s
        Packets of the client enter the line at the next multiple of this time, like those of a host with such a clock.
    realtime
        Give the line priority over ordinary programs: SCHED_FIFO, locked memory, busy-waiting for the last 200 us.
    spins
        Whether it may wait busily, which takes most of a core. Without it packets leave some 50 us later, and several
        lines can be open at once.
    log
        A folder for a record: every packet, the line ten times a second, the summary.
    pcap
        Also write ``line.pcapng`` there, with all packets and cells.
    is_held
        Carry nothing, and keep the line's time at zero, until :meth:`LiveLine.start`.
    sample_every_s
        Time between two samples of the queues for :meth:`LiveLine.take_samples`; default: no samples.

    Raises
    ------
    Refused
        The system does not allow it; the message says what to change.
    ValueError
        The VC or the end does not exist.
    """
    require_linux()
    network = scenario if isinstance(scenario, Scenario) else load(scenario)
    if pcap and log is None:
        raise ValueError("a capture needs a folder for it: log")
    with _place(log) as folder:
        probe = _native.Line(network.native, seed, vc)
        grid = {"grid_forward_s" if client != probe.ends[1] else "grid_backward_s": ack_grid_s}
        native = _native.Line(
            network.native,
            seed,
            probe.vc,
            **grid,
            spin_s=_SPIN_S if realtime and spins else 0.0,
            keeps_rows=folder is not None,
            pcap=str(folder / "line.pcapng") if pcap and folder else None,
            pcap_limit=PCAP_LIMIT,
            sample_every_s=sample_every_s,
        )
        chosen = settings or Settings(mtu=min(1500, native.mtu))
        if chosen.mtu > native.mtu:
            raise ValueError(f"MTU {chosen.mtu}: {native.encapsulation} carries at most {native.mtu} octets")
        line = LiveLine(network, native, chosen, client=client, realtime=realtime, log=folder, is_held=is_held)
        stop = threading.Event()
        turner = threading.Thread(target=_turn, args=(line, stop), name="celltrain-log")
        turner.start()
        try:
            yield line
        finally:
            stop.set()
            turner.join()
            line.close()


@contextmanager
def _place(log: str | Path | None) -> Iterator[Path | None]:
    """Make the folder for a record, if there is to be one, and keep other processes from writing there."""
    if log is None:
        yield None
        return
    folder = output_folder(Path(log))
    with held(folder):
        yield folder


def _turn(line: LiveLine, stop: threading.Event) -> None:
    while not stop.wait(0.1):
        line.turn_log()
