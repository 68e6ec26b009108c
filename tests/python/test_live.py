"""Lines in real time: real kernels in namespaces created by these tests."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import celltrain
import pytest
from celltrain.live import Settings, open_line
from conftest import Command
from live_lines import LINE, PACKETS, SENDER, burst, need_hosts, python, wait_until


@pytest.fixture(scope="module", autouse=True)
def _hosts() -> None:
    need_hosts()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "line.toml"
    path.write_text(LINE)
    return path


def running(argument: str) -> int:
    """Count the processes with this argument."""
    found = 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if argument in (process / "cmdline").read_text().split("\0"):
                found += 1
        except OSError:
            continue
    return found


def test_packets_cross_the_line_at_its_rate_and_none_is_lost(file: Path) -> None:
    with open_line(file) as line:
        came, span = burst(line)
    # 1500 octets and the trailer are 32 cells; the first packet starts the clock.
    assert span == pytest.approx((PACKETS - 1) * 32 * 424e-6, rel=0.05)
    assert came == line.summary.up.packets_delivered == PACKETS
    assert line.summary.up.bytes == 1500 * PACKETS
    assert line.summary.up.packets_lost == 0
    assert line.summary.up.queueing_s["max"] == pytest.approx((PACKETS - 1) * 32 * 424e-6, rel=0.1)


def test_a_full_queue_drops_packets_and_the_summary_says_so(file: Path) -> None:
    small = celltrain.load(file).with_value("links.up.buffer", "320 cells")
    with open_line(small) as line:
        came, _ = burst(line)
        # A packet without its end corrupts the next; later packets show that it is lost.
        python(line, "client", SENDER.replace(f"range({PACKETS})", "range(2)"))
        time.sleep(0.5)
    up = line.summary.up
    assert 10 <= came < PACKETS
    assert up.cells_dropped > 0
    assert up.packets_lost > 0
    assert up.kernel_drops == 0
    assert up.packets == PACKETS + 2


def test_a_record_holds_every_packet_and_the_summary(file: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    log = tmp_path / "log"
    with open_line(file, log=log) as line:
        burst(line)
    packets = parquet.read_table(log / "packets.parquet").to_pylist()
    ups = [packet for packet in packets if packet["direction"] == "up"]
    assert len(ups) == PACKETS
    assert all(packet["came_s"] < packet["due_s"] <= packet["left_s"] for packet in ups)
    states = parquet.read_table(log / "line.parquet").to_pylist()
    assert {state["rate_bps"] for state in states if state["direction"] == "up"} == {1e6}
    summary = json.loads((log / "summary.json").read_text())
    assert summary["up"]["packets_delivered"] == PACKETS
    assert sum(count for _, count in summary["lateness_bins"]) == summary["lateness"]["count"]
    assert summary["kernels"]["hosts"]["client"]["congestion"] == "cubic"
    assert "net.ipv4.tcp_rmem" in summary["kernels"]["hosts"]["server"]["sysctls"]


def test_a_log_converts_an_array_before_the_line_is_sampled(tmp_path: Path) -> None:
    # The first array of PyArrow imports pandas: more than a second, in which no state of the line would be recorded.
    pytest.importorskip("pandas")
    (tmp_path / "log").mkdir()
    script = "import sys; from celltrain.live.log import Log; Log(Path(sys.argv[1])); assert 'pandas' in sys.modules"
    subprocess.run([sys.executable, "-c", f"from pathlib import Path; {script}", str(tmp_path / "log")], check=True)


TICKS = """
import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for n in range(6):
    s.sendto(bytes(10), ("server", 5000))
    time.sleep(0.07)
"""


def test_a_client_with_a_clock_sends_at_its_ticks(file: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    with open_line(file, log=tmp_path / "log", ack_grid_s=0.05) as line:
        python(line, "client", TICKS)
    ups = parquet.read_table(tmp_path / "log" / "packets.parquet").to_pylist()
    # One cell each: 424 us of transmission and 5 ms of propagation after the tick.
    ticks = [(packet["due_s"] - 0.005424) / 0.05 for packet in ups if packet["direction"] == "up"]
    assert len(ticks) == 6
    assert all(abs(tick - round(tick)) < 1e-6 for tick in ticks)


CONGESTION = """
import socket
if {listens}:
    s = socket.create_server(("0.0.0.0", 5001))
    print("ready", flush=True)
    s = s.accept()[0]
else:
    s = socket.create_connection(("server", 5001), timeout=20)
print(s.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(bytes(1)).decode())
"""


@pytest.mark.parametrize("control", ["reno", "cubic"])
def test_connections_of_both_kernels_use_the_chosen_congestion_control(file: Path, control: str) -> None:
    with open_line(file, settings=Settings(congestion=control)) as line:
        command = [sys.executable, "-c", CONGESTION.format(listens=True)]
        listener = line.popen("server", command, stdout=subprocess.PIPE, text=True)
        assert listener.stdout is not None
        assert listener.stdout.readline() == "ready\n"
        connected = python(line, "client", CONGESTION.format(listens=False))
        assert connected.stdout == f"{control}\n", connected.stderr
        assert listener.communicate(timeout=20)[0] == f"{control}\n"


def test_a_congestion_control_that_the_kernel_lacks_is_refused_with_those_that_it_has(cli: Command, file: Path) -> None:
    done = cli("shell", file, "--congestion", "vegas-of-mars", "--", "true")
    assert done.returncode == 2
    assert "vegas-of-mars" in done.stderr
    assert "reno" in done.stderr


def test_the_shell_ends_with_the_exit_code_of_its_command_and_a_summary(cli: Command, file: Path) -> None:
    done = cli("shell", file, "--", "sh", "-c", "cat /etc/hosts; exit 7")
    assert done.returncode == 7
    assert "192.0.2.2 server server.celltrain.test" in done.stdout
    assert "192.0.2.2" not in Path("/etc/hosts").read_text()
    assert "in use" in done.stderr


def test_a_command_inside_of_the_line_can_go_to_the_far_end(cli: Command, file: Path, tmp_path: Path) -> None:
    inside = f"'{sys.executable}' -m celltrain shell --at server -- sh -c 'pwd; ip -br addr 2>/dev/null || true'"
    done = cli("shell", file, "--", "sh", "-c", inside)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == str(tmp_path)
    assert "192.0.2.1" not in done.stdout


def test_outside_of_a_line_there_is_no_far_end(cli: Command) -> None:
    done = cli("shell", "--at", "server", "--", "true")
    assert done.returncode == 2
    assert "open one: celltrain shell" in done.stderr


@pytest.fixture
def endless(file: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Yield a shell with two endless programs on each host, and an argument that identifies them."""
    mark = f"4{os.getpid()}.25"
    both = f"sleep {mark} & exec sleep {mark}"
    # The command at the client starts when the server listens, so the server must.
    listens = "import socket, time; s = socket.create_server(('', 5001)); time.sleep(1e6)"
    server = f"sleep {mark} & exec '{sys.executable}' -c {shlex.quote(listens)}"
    command = [sys.executable, "-m", "celltrain", "shell", str(file), "--server", server, "--", "sh", "-c", both]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    wait_until(lambda: running(mark) == 3, "the programs start")
    yield process, mark
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def test_nothing_is_left_of_a_line_that_was_killed(endless: tuple[subprocess.Popen[str], str]) -> None:
    process, mark = endless
    process.kill()
    wait_until(lambda: not running(mark), "the programs of both hosts end")
    wait_until(lambda: not running("celltrain.live.holder"), "so does what keeps the hosts")


def test_ctrl_c_ends_the_command_and_the_line(endless: tuple[subprocess.Popen[str], str]) -> None:
    process, mark = endless
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "in use" in errors
    wait_until(lambda: not running(mark), "the programs of both hosts end")


def as_nobody(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a command as an unprivileged user with root's read access (the tests' Python may be in root's home)."""
    if os.geteuid() != 0 or not shutil.which("setpriv") or not shutil.which("unshare"):
        pytest.skip("NO TEST OF USERS WITHOUT ROOT: it takes root, setpriv and unshare")
    device = "mount -t tmpfs none /mnt && mknod -m 666 /mnt/tun c 10 200 && mount --bind /mnt/tun /dev/net/tun"
    become = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    become += ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
    return subprocess.run(
        ["unshare", "--mount", "sh", "-c", f'{device} && exec "$@"', "sh", *become, *command],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=os.environ | {"NO_COLOR": "1"},
    )


def test_a_user_without_root_gets_a_line_in_a_user_namespace(file: Path) -> None:
    done = as_nobody([sys.executable, "-m", "celltrain", "shell", str(file), "--", "sh", "-c", "cat /etc/hosts"])
    assert done.returncode == 0, done.stderr
    assert "in a user namespace" in done.stderr
    assert "192.0.2.2 server" in done.stdout


def test_a_system_without_tun_is_told_what_to_do(file: Path) -> None:
    if not shutil.which("unshare"):
        pytest.skip("NO TEST OF A SYSTEM WITHOUT TUN: it takes unshare")
    shell = [sys.executable, "-m", "celltrain", "shell", str(file), "--", "true"]
    hidden = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /dev/net && exec "$@"', "sh"]
    done = subprocess.run([*hidden, *shell], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "modprobe tun" in done.stderr


def fields(capture: Path, wanted: str, *names: str) -> list[list[str]]:
    """Read fields of the frames of a capture with tshark."""
    if not shutil.which("tshark"):
        pytest.skip("NO TEST OF CAPTURES: tshark is missing (Debian: apt-get install tshark)")
    options = [option for name in names for option in ("-e", name)]
    done = subprocess.run(
        ["tshark", "-r", str(capture), "-Y", wanted, "-T", "fields", *options],
        capture_output=True,
        text=True,
        check=True,
        timeout=100,
    )
    return [line.split("\t") for line in done.stdout.splitlines()]


def test_wireshark_reads_the_packets_pdus_and_cells_of_a_line(file: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    routed = celltrain.load(file).with_value("vcs.vc.encapsulation", "llc-snap")
    with open_line(routed, log=log, pcap=True) as line:
        burst(line)
    capture = log / "line.pcapng"
    ours = "udp.dstport == 5000"
    ends = fields(capture, f'{ours} && frame.interface_name contains "IP"', "frame.interface_name", "ip.dst")
    assert sorted(map(tuple, ends)) == sorted([("home IP", "192.0.2.2"), ("office IP", "192.0.2.2")] * PACKETS)
    pdus = fields(capture, f'{ours} && frame.interface_name == "up AAL5"', "atm.vpi", "atm.vci", "frame.len")
    # 1500 octets, LLC/SNAP and the trailer: 32 cells, after the header of the last.
    assert pdus == [["0", "32", str(4 + 32 * 48)]] * PACKETS
    whole = fields(capture, 'frame.interface_name == "up AAL5" && atm.aal5t_crc', "frame.number")
    assert len(whole) == PACKETS
    broken = fields(capture, "_ws.malformed", "frame.number")
    assert broken == []
    cells = fields(capture, 'frame.interface_name == "up cells"', "frame.len", "frame.protocols")
    assert len(cells) == 32 * PACKETS
    assert {length for length, _ in cells} == {"52"}


def test_wireshark_reads_the_rm_cells_of_a_simulation(cli: Command, tmp_path: Path) -> None:
    example = Path(__file__).parents[2] / "examples" / "adsl.toml"
    done = cli("run", example, "--set", "measure.duration=11 s", "--pcap", "adsl.pcapng")
    assert done.returncode == 0, done.stderr
    assert "wrote adsl.pcapng" in done.stderr
    rms = fields(
        tmp_path / "adsl.pcapng",
        'frame.interface_name contains "cells" && atm.payload_type == 6',
        "frame.interface_name",
    )
    assert {name for (name,) in rms} == {"drop1 cells", "drop1.back cells", "drop2 cells", "drop2.back cells"}
    unsound = fields(tmp_path / "adsl.pcapng", 'ip.checksum.status == "Bad" || tcp.checksum.status == "Bad"', "ip.src")
    assert unsound == []


def test_a_capture_changes_nothing_of_a_simulation(cli: Command, file: Path) -> None:
    plain = json.loads(cli("run", file, "--json").stdout)
    captured = json.loads(cli("run", file, "--json", "--pcap", "line.pcapng").stdout)
    assert captured["provenance"].pop("cross_checked")["why"] == "made by the plain engine itself"
    assert plain["provenance"].pop("cross_checked")["state"].endswith("cross-checked")
    assert plain == captured
