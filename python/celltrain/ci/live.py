"""Cases in real time: a server and a client at the ends of an open line."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from celltrain.ci import quantities
from celltrain.ci.outcome import Outcome, State, judged
from celltrain.ci.suite import Case, Suite, Test
from celltrain.ci.threshold import Check
from celltrain.files import output_folder
from celltrain.live.hosts import ADDRESSES, CLIENT, SERVER, Refused
from celltrain.live.line import LiveLine, open_line
from celltrain.live.listening import await_listener

if TYPE_CHECKING:
    from typing import IO

#: How often waiting looks whether the suite was interrupted, in s.
_LOOK_S = 0.2
#: How long entering the host may take, and how often it is looked whether it is done, in s.
_ENTERING_S, _ENTERING_LOOK_S = 20.0, 0.01
#: The file that tells when the client's command began.
_BEGUN = "client.begun"
#: How long a command may take to end when it is asked to, in s.
_GRACE_S = 2.0
#: The end of a command's output that is shown and searched for JSON, in octets.
_SHOWN = 64 << 10
#: The streams of the commands, which are files of these names.
_STREAMS = ("client.out", "client.err", "server.out", "server.err")


@dataclass(frozen=True)
class Ended:
    """How the client's command ended: its exit code, None if it hung, and its duration in s."""

    exit_code: int | None
    duration_s: float
    #: What is to be said about the server.
    note: str = ""


class _SetUpError(Exception):
    """A case cannot be judged because its set-up is broken."""


class _Interrupted(Exception):
    """The suite was interrupted."""


def run(suite: Suite, case: Case, folder: Path, stop: threading.Event) -> Outcome:
    """Run a case; its commands write their output into a folder of its own below ``folder``.

    ``stop`` ends it early.
    """
    began = time.monotonic()
    own = output_folder(folder / case.key)
    line = suite.lines[case.line]
    message, notes = "", []
    # An earlier run may have left the output of its commands.
    for name in (*_STREAMS, _BEGUN):
        (own / name).unlink(missing_ok=True)
    try:
        with open_line(
            suite.networks[case.line],
            seed=case.seed,
            vc=line.vc or None,
            client=line.client or None,
            settings=suite.settings(case.line),
        ) as opened:
            ended = _commands(opened, suite, case, own, stop)
    except (Refused, ValueError, _SetUpError) as error:
        took_s = time.monotonic() - began
        return Outcome(case, State.ERROR, took_s, message=str(error), output=_output(own))
    except _Interrupted:
        return Outcome(case, State.SKIPPED, time.monotonic() - began, message="interrupted", output=_output(own))
    test, output = suite.tests[case.test], _output(own)
    if opened.summary.degraded:
        notes.append("degraded: packets left late, or a kernel dropped some, as this machine was too busy")
    notes += [ended.note] if ended.note else []
    checks: list[Check] = []
    values: dict[str, float] = {}
    if ended.exit_code is None:
        message = f"the client's command did not end within {test.timeout}"
    else:
        values = quantities.measured(opened.summary, ended.exit_code, ended.duration_s)
        printed = quantities.last_object(output.get("client.out", ""))
        checks = [quantities.judged(each, values, printed) for each in test.thresholds]
        if ended.exit_code and not any(each.what == "exit_code" for each in test.thresholds):
            message = f"the client's command ended with {ended.exit_code}"
    state = judged(case, checks, message)
    return Outcome(case, state, time.monotonic() - began, checks, message, notes, values, output)


def _commands(line: LiveLine, suite: Suite, case: Case, own: Path, stop: threading.Event) -> Ended:
    """Run both commands; return how the client's ended."""
    test = suite.tests[case.test]
    line.first_look()
    with ExitStack() as stack:
        files = {name: stack.enter_context((own / name).open("wb")) for name in _STREAMS}
        environment = _environment(test, case, own)

        def start(end: str, command: str) -> subprocess.Popen[Any]:
            options: dict[str, Any] = {"stdout": files[f"{end}.out"], "stderr": files[f"{end}.err"]}
            before: set[str] = line.hosts.waiting_sockets() if end == SERVER else set()
            started = line.popen(
                end,
                ["/bin/sh", "-c", command],
                env=environment,
                cwd=suite.folder,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                **options,
            )
            stack.callback(_end, started)
            if end == SERVER:
                _await(line, started, before, test, stop)
            return started

        server = start(SERVER, test.server) if test.server else None
        begun = f': >"$CELLTRAIN_CI_OUT/{_BEGUN}"\n'
        ended = _wait(start(CLIENT, begun + test.client), own / _BEGUN, test.timeout_s, stop)
        code = server.poll() if server else None
    note = f"the server's command ended with {code} before the client's" if code else ""
    return replace(ended, note=note)


def _environment(test: Test, case: Case, own: Path) -> dict[str, str]:
    """Return the variables of both commands; ours have names that no test needs to change."""
    told = {
        "CELLTRAIN_CI_SERVER": ADDRESSES[SERVER],
        "CELLTRAIN_CI_CLIENT": ADDRESSES[CLIENT],
        "CELLTRAIN_CI_LINE": case.line,
        "CELLTRAIN_CI_REPEAT": str(case.repeat),
        "CELLTRAIN_CI_SEED": str(case.seed),
        "CELLTRAIN_CI_OUT": str(own.resolve()),
    }
    return dict(test.env) | told


def _await(line: LiveLine, server: subprocess.Popen[Any], before: set[str], test: Test, stop: threading.Event) -> None:
    """Wait until a server listens.

    Raises
    ------
    _SetUpError
        It ends, or does not listen in time.
    """
    end = time.monotonic() + test.startup_s
    while time.monotonic() < end:
        if stop.is_set():
            raise _Interrupted
        if await_listener(server, line.hosts.process, before, min(_LOOK_S, test.startup_s)):
            return
        if code := server.poll():
            raise _SetUpError(f"the server's command ended with {code} before it listened; see server.err")
    raise _SetUpError(
        f"the server listens nowhere after {test.startup}: does it bind to 0.0.0.0, and not to 127.0.0.1? "
        "A slow one needs a longer `startup`"
    )


def _wait(process: subprocess.Popen[Any], begun: Path, longest_s: float, stop: threading.Event) -> Ended:
    """Wait for a command without the delays of polling.

    Its time counts from when its shell made the file ``begun``: entering the host takes some 0.1 s, more on a busy
    machine.

    Raises
    ------
    _SetUpError
        It was never begun.
    _Interrupted
        ``stop`` was set.
    """
    since = time.monotonic()
    with _ending(process) as descriptor:
        while True:
            started = _made_at(begun)
            now = time.time()
            left = longest_s - (now - started) if started else _ENTERING_S - (time.monotonic() - since)
            if left <= 0 and started:
                return Ended(None, longest_s)
            if left <= 0:
                raise _SetUpError(f"the client's command did not start within {_ENTERING_S:.0f} s")
            if stop.is_set():
                raise _Interrupted
            if select.select([descriptor], [], [], min(left, _LOOK_S if started else _ENTERING_LOOK_S))[0]:
                ended = time.time()
                code = process.wait()
                started = _made_at(begun)
                if not started:
                    raise _SetUpError("the client's command could not be started; see client.err")
                return Ended(code if code >= 0 else 128 - code, max(ended - started, 0.001))


def _made_at(file: Path) -> float:
    """Return when a file was made, in s since the epoch; 0 if it does not exist."""
    try:
        return file.stat().st_mtime
    except FileNotFoundError:
        return 0.0


@contextmanager
def _ending(process: subprocess.Popen[Any]) -> Iterator[int]:
    """Yield a descriptor that becomes readable when the process ends."""
    descriptor = os.pidfd_open(process.pid)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _end(process: subprocess.Popen[Any]) -> None:
    """End a command and all that it started, at once."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM if process.poll() is None else signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout=_GRACE_S)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _output(own: Path) -> dict[str, str]:
    """Return the end of what each command printed; streams without output are left out."""
    found = {}
    for name in _STREAMS:
        with suppress(FileNotFoundError), (own / name).open("rb") as file:
            text = _tail(file)
            if text:
                found[name] = text
    return found


def _tail(file: IO[bytes]) -> str:
    length = file.seek(0, os.SEEK_END)
    file.seek(max(0, length - _SHOWN))
    return file.read().decode("utf-8", "replace")
