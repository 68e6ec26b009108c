"""Measurements between real processes: over loopback, in network namespaces, over ssh and TLS."""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from celltrain import ScenarioError, _native, dbs
from celltrain.dbs import keys
from celltrain.dbs.reach import Reach, programs
from conftest import REPOSITORY, Command

TWO = """
[measure]
interval = "50 ms"
tcp_info = "50 ms"
[hosts]
a = {}
b = {}
"""

QUICK = (
    TWO
    + """
[flows.download]
from = "a"
to = "b"
duration = "400 ms"
"""
)

DAEMON = [sys.executable, "-m", "celltrain", "dbs", "daemon", "--stdio"]


def rows(result: dbs.Measurement, table: str, **where: object) -> list[dict[str, Any]]:
    """Return the rows of a table that have these values."""
    return [row for row in result.tables[table].rows() if all(row[key] == value for key, value in where.items())]


@pytest.fixture(scope="module")
def busy() -> dbs.Measurement:
    """Return one run of everything at once: several hosts, both protocols and directions, patterns, starts, a probe."""
    plan = """
[measure]
interval = "50 ms"
tcp_info = "50 ms"
repetitions = 2
pause = "0 s"
[hosts]
a = {}
b = {}
c = {}
[flows.tcp]
from = ["a", "b"]
to = "c"
duration = "600 ms"
connections = 2
pattern = { rate = "20 Mbit/s" }
write = "1460 bytes"
[flows.tcp.socket]
nagle = false
congestion_control = "reno"
send_buffer = "9000 bytes"
receive_buffer = "9000 bytes"
mss = "1000 bytes"
[flows.late]
from = "a"
to = "c"
start = "300 ms"
duration = "300 ms"
both_ways = true
pattern = { every = "10 ms" }
write = "1000 bytes"
[flows.udp]
from = "a"
to = "c"
protocol = "udp"
start = "200 ms"
duration = "400 ms"
write = "512 bytes"
pattern = { every = "20 ms" }
[flows.fixed]
from = "b"
to = "c"
bytes = "100 kB"
duration = "2 s"
[probes.ping]
from = "b"
to = "c"
every = "50 ms"
duration = "500 ms"
"""
    return dbs.run(dbs.Plan.from_toml(plan))


def test_a_run_over_several_hosts_and_connections_is_complete(busy: dbs.Measurement) -> None:
    assert rows(busy, "missing") == []
    assert busy.is_complete
    assert len(rows(busy, "flows", flow="tcp")) == 2 * 2 * 2
    assert {row["state"] for row in rows(busy, "flows")} == {"complete"}


def test_a_rate_is_met_to_a_twentieth(busy: dbs.Measurement) -> None:
    for row in rows(busy, "flows", flow="tcp"):
        assert row["throughput_bps"] == pytest.approx(20e6, rel=0.05)


def test_the_intervals_of_a_flow_hold_every_octet_that_was_received(busy: dbs.Measurement) -> None:
    for flow in rows(busy, "flows"):
        where = {key: flow[key] for key in ("flow", "from", "to", "connection", "repetition")}
        assert sum(row["received_bytes"] for row in rows(busy, "intervals", **where)) == flow["received_bytes"]


def test_a_flow_sends_in_its_own_time_only(busy: dbs.Measurement) -> None:
    times = [row["time_s"] for row in rows(busy, "intervals", flow="late") if row["received_bytes"] > 0]
    assert min(times) > 0.3
    # A busy receiver may be late by a few intervals.
    assert max(times) <= 0.6 + 0.2


def test_both_ways_are_two_flows(busy: dbs.Measurement) -> None:
    there, back = rows(busy, "flows", flow="late")[0], rows(busy, "flows", flow="late-back")[0]
    assert (there["from"], there["to"]) == (back["to"], back["from"]) == ("a", "c")
    assert back["received_bytes"] == pytest.approx(30 * 1000, abs=2000)


def test_datagrams_of_512_octets_every_20_ms_are_204_8_kbit_per_s(busy: dbs.Measurement) -> None:
    for row in rows(busy, "flows", flow="udp"):
        assert row["datagrams_sent"] == 20
        assert (row["datagrams_lost"], row["reordered"], row["duplicates"]) == (0, 0, 0)
        assert row["throughput_bps"] == pytest.approx(204_800, rel=0.06)


def test_one_clock_for_both_hosts_gives_delays_without_error(busy: dbs.Measurement) -> None:
    for row in rows(busy, "flows", flow="udp"):
        assert row["delay_bound_s"] == 0
        assert 0 < row["delay_min_s"] <= row["delay_mean_s"] <= row["delay_max_s"] < 0.5


def test_a_flow_of_fixed_length_ends_with_its_last_octet(busy: dbs.Measurement) -> None:
    for row in rows(busy, "flows", flow="fixed"):
        assert row["sent_bytes"] == row["received_bytes"] == 100_000
        assert row["measured_s"] < 1


def test_socket_options_are_those_of_the_plan(busy: dbs.Measurement) -> None:
    for row in rows(busy, "flows", flow="tcp"):
        # Linux doubles the requested value.
        assert (row["send_buffer_bytes"], row["receive_buffer_bytes"]) == (18_000, 18_000)
        assert row["congestion_control"] == "reno"
        assert row["mss_bytes"] <= 1000


def test_the_kernels_state_of_each_sender_is_sampled(busy: dbs.Measurement) -> None:
    samples = rows(busy, "tcp_info", flow="tcp", connection=1.0, repetition=1.0)
    assert len(samples) >= 2 * 6
    assert all(row["cwnd_segments"] >= 1 and row["rtt_s"] > 0 for row in samples)


def test_a_probe_measures_round_trips_under_load(busy: dbs.Measurement) -> None:
    trips = rows(busy, "latency", probe="ping", repetition=1.0)
    assert len(trips) == 10
    assert all(0 < row["rtt_s"] < 1 for row in trips)


def test_two_repetitions_give_an_interval(busy: dbs.Measurement) -> None:
    row = rows(busy, "summary", flow="tcp")[0]
    assert row["n_runs"] == 2
    assert row["throughput_bps"] == pytest.approx(40e6, rel=0.05)
    assert row["throughput_bps_ci95"] >= 0


def test_a_measurement_is_read_back_as_it_was_saved(busy: dbs.Measurement, tmp_path: Path) -> None:
    busy.save(tmp_path)
    again = dbs.read(tmp_path)
    for name, table in busy.tables.items():
        for column in table:
            np.testing.assert_array_equal(again.tables[name][column], table[column])


def test_the_command_prints_json_that_says_what_was_run(cli: Command, tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(QUICK)
    done = cli("dbs", "run", "plan.toml", "--json", "--out", "results")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert data["provenance"]["plan"]["flows"]["download"]["connections"] == 1
    assert data["tables"]["flows"][0]["throughput_bps"] > 1e6
    view = cli("dbs", "view", "results")
    assert view.returncode == 0, view.stderr
    assert "  download a → b: " in view.stdout


@pytest.mark.parametrize(
    ("right", "wrong", "place", "advice"),
    [
        ('"b"\nduration', '"c"\nduration', "flows.download.to", "no host"),
        ("duration", "duratoin", "flows.download.duratoin", 'did you mean "duration"?'),
        ('"400 ms"', '"400"', "flows.download.duration", "it has no unit"),
        ('"400 ms"', '"400 ms"\nprotocol = "udp"', "flows.download.pattern", "bounds its rate"),
        ("a = {}", 'a = { ssh = "-oProxyCommand=x" , address = "10.0.0.1" }', "hosts.a.ssh", "not beginning"),
        ("a = {}", 'a = { ssh = "x;reboot", address = "10.0.0.1" }', "hosts.a.ssh", "expected letters"),
        ("a = {}", 'a = { tls = "10.0.0.1:1", address = "10.0.0.1" }', "hosts.a.tls", "key"),
        (
            '"400 ms"',
            '"400 ms"\npattern = { every = "1 ms", rate = "1 bit/s" }',
            "flows.download.pattern.rate",
            "not both",
        ),
    ],
)
def test_a_wrong_plan_names_the_key_and_what_was_expected(right: str, wrong: str, place: str, advice: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        dbs.Plan.from_toml(QUICK.replace(right, wrong, 1), "plan.toml")
    assert caught.value.key == place
    assert advice in str(caught.value)
    assert caught.value.line is not None


def test_the_shipped_schema_is_up_to_date_and_accepts_plans() -> None:
    schema = json.loads(_native.dbs_schema())
    shipped = (REPOSITORY / "docs" / "reference" / "plan.schema.json").read_text()
    assert json.loads(shipped) == schema, "renew it with `make schema`"
    validator = jsonschema.Draft202012Validator(schema)
    validator.validate(tomllib.loads(QUICK))
    for plan in sorted((REPOSITORY / "examples" / "dbs").glob("*.toml")):
        validator.validate(tomllib.loads(plan.read_text()))
        dbs.load(plan)


def test_the_plans_in_the_documentation_are_valid() -> None:
    page = (REPOSITORY / "docs" / "how-to" / "measure-two-hosts.md").read_text()
    plans = re.findall(r"^```toml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert plans
    for plan in plans:
        dbs.Plan.from_toml(plan)


def test_a_plan_never_chooses_the_program_that_starts_a_daemon() -> None:
    hosts = {"a": {"ssh": "me@there", "address": "192.0.2.1"}}
    argv = programs({"hosts": hosts}, Reach())[0]
    assert argv is not None
    assert argv[0] == "ssh"
    assert argv[-8:] == ["--", "me@there", "celltrain", "dbs", "daemon", "--stdio", "--address", "192.0.2.1"]


# ---- Failures ----


def test_a_daemon_that_is_killed_costs_its_own_flows_only() -> None:
    plan = dbs.Plan.from_toml(
        TWO
        + """
c = {}
[flows.doomed]
from = "a"
to = "b"
duration = "4 s"
write = "1000 bytes"
pattern = { rate = "5 Mbit/s" }
[flows.fine]
from = "c"
to = "b"
duration = "4 s"
write = "1000 bytes"
pattern = { rate = "5 Mbit/s" }
"""
    )
    # The daemon of a kills itself two seconds after its first socket: connections take less, the flow lasts longer.
    script = """
import os, signal, threading, time
from celltrain.cli import main

def sockets():
    for descriptor in os.listdir("/proc/self/fd"):
        try:
            yield os.readlink(f"/proc/self/fd/{descriptor}").startswith("socket:")
        except OSError:
            pass

def die():
    while not any(sockets()):
        time.sleep(0.02)
    time.sleep(2)
    os.kill(os.getpid(), signal.SIGKILL)

threading.Thread(target=die, daemon=True).start()
main(["dbs", "daemon", "--stdio"])
"""
    result = dbs.run(plan, reach=Reach(commands={"a": [sys.executable, "-c", script]}))
    assert rows(result, "flows", flow="fine")[0]["throughput_bps"] == pytest.approx(5e6, rel=0.05)
    assert rows(result, "flows", flow="fine")[0]["state"] == "complete"
    doomed = rows(result, "flows", flow="doomed")[0]
    assert doomed["state"] == "incomplete"
    assert doomed["received_bytes"] > 0
    missing = rows(result, "missing")
    assert any(row["host"] == "a" and "gone" in row["why"] for row in missing), missing
    assert any(row["flow"] == "doomed" for row in missing), missing
    assert repr(result) == f"<Measurement plan={plan.hash[:12]} flows=2 repetitions=1 incomplete>"


def test_a_host_that_cannot_be_reached_is_missing_and_the_exit_code_says_so(cli: Command, tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(
        QUICK.replace("a = {}", 'a = { netns = "no-such-namespace", address = "127.0.0.1" }')
    )
    done = cli("dbs", "run", "plan.toml")
    assert done.returncode == 1
    assert "missing: a" in done.stderr


def test_the_owners_limits_hold_and_say_what_to_do() -> None:
    plan = dbs.Plan.from_toml(QUICK)
    for option, value in [("--max-duration", "0.1"), ("--max-rate", "1Mbit/s")]:
        result = dbs.run(plan, reach=Reach(commands={"a": [*DAEMON, option, value]}))
        assert [option in row["why"] for row in rows(result, "missing", host="a")] == [True]


@pytest.fixture
def talk() -> Iterator[Callable[[bytes], bytes]]:
    """Yield a function that sends octets to a daemon and returns its output until it ends."""
    daemons = []

    def say(octets: bytes) -> bytes:
        daemon = subprocess.Popen(DAEMON, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        daemons.append(daemon)
        return daemon.communicate(octets, timeout=30)[0]

    yield say
    for daemon in daemons:
        daemon.kill()
        daemon.wait()


HELLO = b'{"hello":{"protocol":"celltrain-dbs","version":3}}\n'


@pytest.mark.parametrize(
    ("octets", "why"),
    [
        (b"GET / HTTP/1.0\r\n\r\n", b"not a message"),
        (b"x" * 5000, b"more than 1024 octets"),
        (b'{"ping":{"id":1}}\n', b"first message must be hello"),
        (HELLO + HELLO, b"hello out of turn"),
        (HELLO + b'{"ping":{"id":1}}\n' * 2, b"came again"),
        (HELLO + b'{"start":{"at_ns":1}}\n', b"start out of turn"),
        (HELLO + b'"collect"\n', b"collect out of turn"),
        (HELLO + b'{"exec":{"command":"reboot"}}\n', b"not a message"),
        (HELLO + b"[" * 100_000 + b"\n", b"not a message"),
        (HELLO.replace(b"3}}", b"1}}"), b"install one version"),
    ],
)
def test_a_daemon_refuses_what_is_malformed_oversized_replayed_or_out_of_turn(
    talk: Callable[[bytes], bytes], octets: bytes, why: bytes
) -> None:
    last = json.loads(talk(octets).splitlines()[-1])
    assert why.decode() in last["refused"]["why"]


def test_a_silent_controller_is_given_up_after_ten_seconds() -> None:
    daemon = subprocess.Popen(DAEMON, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    start = time.monotonic()
    assert daemon.stdin is not None
    assert daemon.stdout is not None
    daemon.stdin.write(HELLO[:10])  # And no more: a slow first message.
    daemon.stdin.flush()
    assert b"fallen silent" in daemon.stdout.read()
    assert 9 < time.monotonic() - start < 20
    daemon.stdin.close()
    daemon.stdout.close()
    assert daemon.wait(10) == 2


def test_a_daemon_sends_no_data_to_a_peer_that_does_not_echo_the_nonce() -> None:
    victim = socket.socket()
    victim.bind(("127.0.0.1", 0))
    victim.listen()
    victim.settimeout(10)
    daemon = subprocess.Popen(DAEMON, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert daemon.stdin is not None
    assert daemon.stdout is not None
    order = {
        "stream": 0, "role": "send", "kind": "tcp", "connections": 1, "port": None, "start_ns": 0,
        "duration_ns": 10**9, "bytes": None, "write": 1000, "read": 1000, "pattern": "greedy", "socket": {},
        "interval_ns": 10**8, "info_ns": 10**8, "warm_up_ns": 0, "log": 0,
    }  # fmt: skip
    peer = {
        "stream": 0, "address": "127.0.0.1", "port": victim.getsockname()[1], "nonce": "00" * 16, "clock_offset_ns": 0,
    }  # fmt: skip
    daemon.stdin.write(HELLO + json.dumps({"prepare": {"orders": [order]}}).encode() + b"\n")
    daemon.stdin.flush()
    assert b"welcome" in daemon.stdout.readline()
    assert b'"ready":[{' in daemon.stdout.readline()
    daemon.stdin.write(json.dumps({"connect": {"peers": [peer]}}).encode() + b"\n")
    daemon.stdin.flush()
    stranger, _ = victim.accept()
    received = stranger.recv(1 << 16)
    stranger.sendall(b"0" * 28)
    rest = stranger.recv(1 << 16)
    # The greeting, and the port from which data would come.
    assert (len(received), rest) == (28 + 2, b"")
    assert b"not the daemon of this session" in daemon.stdout.readline()
    daemon.kill()
    daemon.wait()
    daemon.stdin.close()
    daemon.stdout.close()
    stranger.close()
    victim.close()


def test_ctrl_c_ends_a_run_and_keeps_what_was_measured(tmp_path: Path) -> None:
    port = free_port()
    flow = f'"b"\nport = {port}\nwrite = "1000 bytes"\npattern = {{ rate = "1 Mbit/s" }}\n'
    (tmp_path / "plan.toml").write_text(QUICK.replace("400 ms", "60 s").replace('"b"\n', flow))
    run = subprocess.Popen(
        [sys.executable, "-m", "celltrain", "dbs", "run", "plan.toml", "--out", "out"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    # The flow's connection in the kernel's format: address and port in hexadecimal, state 01 is established.
    while f"0100007F:{port:04X} " not in Path("/proc/net/tcp").read_text():
        assert time.monotonic() < deadline
        time.sleep(0.1)
    time.sleep(3)
    run.send_signal(signal.SIGINT)
    run.communicate(timeout=30)
    assert run.returncode == 130
    result = dbs.read(tmp_path / "out")
    assert result.provenance["interrupted"]
    assert sum(row["received_bytes"] for row in rows(result, "intervals")) > 0


def free_port() -> int:
    """Return an unused port of loopback."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return port


# ---- Other ways to reach a daemon ----


@pytest.fixture
def tls_daemon(tmp_path: Path) -> Iterator[tuple[str, str, Path]]:
    """Yield address and public key of a waiting daemon, and the file of the key that it accepts."""
    mine = tmp_path / "mine.key"
    (tmp_path / "authorized").write_text(_native.dbs_public_key(keys.read_or_make(mine)) + " me\n")
    daemon = subprocess.Popen(
        [sys.executable, "-m", "celltrain", "dbs", "daemon", "--listen", "127.0.0.1:0",
         "--key", tmp_path / "daemon.key", "--authorized", tmp_path / "authorized"],
        stderr=subprocess.PIPE, text=True, env=os.environ | {"NO_COLOR": "1"},
    )  # fmt: skip
    assert daemon.stderr is not None
    line = daemon.stderr.readline().split()
    yield line[2].rstrip(","), line[-1], mine
    daemon.send_signal(signal.SIGINT)
    assert daemon.wait(10) == 130
    daemon.stderr.close()


def test_a_daemon_is_reached_by_tls_with_pinned_keys_and_by_nobody_else(
    tls_daemon: tuple[str, str, Path], tmp_path: Path
) -> None:
    address, public, mine = tls_daemon

    def plan(key: str) -> dbs.Plan:
        host = f'a = {{ tls = "{address}", key = "{key}", address = "127.0.0.1" }}'
        return dbs.Plan.from_toml(QUICK.replace("a = {}", host))

    result = dbs.run(plan(public), key=keys.read(mine))
    assert result.is_complete, rows(result, "missing")
    stranger = keys.read_or_make(tmp_path / "stranger.key")
    for result in (dbs.run(plan(public), key=stranger), dbs.run(plan("ab" * 32), key=keys.read(mine))):
        assert rows(result, "hosts", host="a")[0]["state"] == "lost"
    # No TLS at all: the daemon survives this, and also a silent client.
    host, _, port = address.partition(":")
    with socket.create_connection((host, int(port))) as silent, socket.create_connection((host, int(port))) as rude:
        rude.sendall(os.urandom(2000))
        result = dbs.run(plan(public), key=keys.read(mine))
        silent.close()
    assert result.is_complete, rows(result, "missing")


def test_an_interrupted_daemon_ends_its_sessions_before_it_ends(tmp_path: Path) -> None:
    # A thread of the core that outlives the interpreter aborts the process. Threading in CPython 3.11 forgets a thread
    # when a signal interrupts a join, so nothing but the session's last words tells whether it was waited for.
    keys.read_or_make(tmp_path / "daemon.key")
    (tmp_path / "authorized").write_text("")
    with subprocess.Popen(
        [sys.executable, "-m", "celltrain", "dbs", "daemon", "--listen", "127.0.0.1:0",
         "--key", tmp_path / "daemon.key", "--authorized", tmp_path / "authorized"],
        stderr=subprocess.PIPE, text=True, env=os.environ | {"NO_COLOR": "1"},
    ) as daemon:  # fmt: skip
        assert daemon.stderr is not None
        host, _, port = daemon.stderr.readline().split()[2].rstrip(",").partition(":")
        with socket.create_connection((host, int(port))):
            time.sleep(0.5)
            daemon.send_signal(signal.SIGINT)
            said = daemon.stderr.read()
    assert daemon.returncode == 130
    assert "no session: interrupted in the handshake" in said


def test_a_private_key_that_others_may_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "key"
    keys.read_or_make(path)
    path.chmod(0o644)
    with pytest.raises(ValueError, match="chmod 600"):
        keys.read(path)


@pytest.fixture
def namespaces() -> Iterator[tuple[str, str]]:
    """Yield two network namespaces, connected by a line with 10 ms in each direction."""
    names = f"ctdbs{os.getpid()}a", f"ctdbs{os.getpid()}b"
    if os.geteuid() != 0 or not shutil.which("ip"):
        pytest.skip("NO NETWORK NAMESPACES: they need root and iproute2 (apt-get install iproute2)")
    made = subprocess.run(["ip", "netns", "add", names[0]], capture_output=True, check=False)
    if made.returncode:
        pytest.skip(f"NO NETWORK NAMESPACES: {made.stderr.decode()}")
    for command in (
        f"ip netns add {names[1]}",
        f"ip link add veth0 netns {names[0]} type veth peer name veth0 netns {names[1]}",
        *itertools.chain.from_iterable(
            (
                f"ip -n {name} link set lo up",
                f"ip -n {name} addr add 10.77.0.{end}/24 dev veth0",
                f"ip -n {name} link set veth0 up",
            )
            for end, name in enumerate(names, start=1)
        ),
    ):
        subprocess.run(command.split(), check=True)
    yield names
    for name in names:
        subprocess.run(["ip", "netns", "del", name], check=True)


def test_hosts_in_two_namespaces_are_measured(namespaces: tuple[str, str]) -> None:
    one, two = namespaces
    plan = QUICK.replace("a = {}", f'a = {{ netns = "{one}", address = "10.77.0.1" }}').replace(
        "b = {}", f'b = {{ netns = "{two}", address = "10.77.0.2" }}'
    )
    result = dbs.run(dbs.Plan.from_toml(plan))
    assert result.is_complete, rows(result, "missing")


def test_a_daemon_is_reached_by_ssh(tmp_path: Path) -> None:
    sshd = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin")
    if sshd is None or os.geteuid() != 0 or not shutil.which("ssh"):
        pytest.skip("NO SSH SERVER: it needs root and openssh-server (apt-get install openssh-server)")
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / name], check=True)
    port = free_port()
    Path("/run/sshd").mkdir(exist_ok=True)
    server = subprocess.Popen(
        [sshd, "-D", "-e", "-f", "/dev/null", "-p", str(port), "-h", tmp_path / "host", "-o", "ListenAddress=127.0.0.1",
         "-o", f"AuthorizedKeysFile={tmp_path / 'user.pub'}", "-o", "StrictModes=no", "-o", "PidFile=none",
         "-o", "PermitRootLogin=prohibit-password"],
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    program = tmp_path / "celltrain"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m celltrain "$@"\n')
    program.chmod(0o755)
    config = tmp_path / "config"
    config.write_text(
        f"Host there\n HostName 127.0.0.1\n Port {port}\n User root\n IdentityFile {tmp_path / 'user'}\n"
        f" StrictHostKeyChecking no\n UserKnownHostsFile {tmp_path / 'known'}\n"
    )
    host = f'a = {{ ssh = "there", program = "{program}", address = "127.0.0.1" }}'
    try:
        for _ in range(50):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        result = dbs.run(dbs.Plan.from_toml(QUICK.replace("a = {}", host)), reach=Reach(ssh_config=config))
    finally:
        server.terminate()
        server.wait()
    assert result.is_complete, rows(result, "missing")
