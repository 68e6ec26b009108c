"""Import of command files of the original DBS."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from celltrain import ScenarioError, dbs
from celltrain.dbs.original import CommandError, convert
from conftest import Command
from hypothesis import given
from hypothesis import strategies as st

#: Written for this test: two TCP flows and datagrams between two hosts, as the field trial had them.
SAMPLE = """\
# Bulk data, and a voice flow beside it.
{
  sender {
    hostname  = server;
    hostname_cmd = server-ctl;
    port      = 0;
    so_debug  = OFF;
    tcp_trace = ON;
    no_delay  = ON;
    recv_buff = 9000;
    send_buff = 9000;
    mem_align = 2048;
    pattern {1460, 1460, 0.0, 0.0}
  }
  receiver {
    hostname  = client;
    port      = 20000;
    recv_buff = 9000;
    send_buff = 9000;
    pattern {2048, 2048, 0.0, 0.0}
  }
  file = tcp-a;
  protocol = TCP;
  connection_mode = BEFORE;
  start_time = 0.0;
  end_time = 0.5;
  send_times = 100;
}
{
  sender {
    hostname = client;
    pattern {512, 512, 0.02, 0.0
             1024, 512, 0.04, 0.001}
  }
  receiver { hostname = server; pattern {1024, 1024, 0, 0}; }
  file = "udp-a"; protocol = UDP; start_time = 0.1; end_time = 0.4;
}
"""
HERE = {"server": "127.0.0.1", "client": "127.0.0.2"}


def test_a_command_file_becomes_a_plan() -> None:
    converted = convert(SAMPLE, {"server": "192.0.2.1", "client": "127.0.0.1"})
    assert converted.notes == []
    assert converted.plan == {
        "hosts": {
            "server": {"address": "192.0.2.1", "ssh": "server-ctl"},
            # A loopback address: the daemon is on this machine.
            "client": {"address": "127.0.0.1"},
        },
        "flows": {
            "tcp-a": {
                "from": "server",
                "to": "client",
                "protocol": "tcp",
                "start": "0 s",
                "duration": "0.5 s",
                "write": "1460 bytes",
                "bytes": "146000 bytes",
                "read": "2048 bytes",
                "socket": {"send_buffer": "9000 bytes", "receive_buffer": "9000 bytes", "nagle": False},
                "port": 20000,
            },
            "udp-a": {
                "from": "client",
                "to": "server",
                "protocol": "udp",
                "start": "0.1 s",
                "duration": "0.3 s",
                "pattern": {
                    "messages": [
                        {"message": "512 bytes", "write": "512 bytes", "interval": "0.02 s", "wait": "0 s"},
                        {"message": "1024 bytes", "write": "512 bytes", "interval": "0.04 s", "wait": "0.001 s"},
                    ]
                },
            },
        },
    }
    assert tomllib.loads(converted.to_toml()) == converted.plan


def test_an_imported_plan_runs(cli: Command, tmp_path: Path) -> None:
    (tmp_path / "trial.cmd").write_text(SAMPLE)
    addresses = [option for name, address in HERE.items() for option in ("--address", f"{name}={address}")]
    done = cli("dbs", "import", "trial.cmd", *addresses, "--out", "plan.toml")
    assert done.returncode == 0, done.stderr
    assert "wrote plan.toml" in done.stderr
    done = cli("dbs", "run", "plan.toml", "--out", "out")
    assert done.returncode == 0, done.stderr
    rows = {row["flow"]: row for row in dbs.read(tmp_path / "out").tables["flows"].rows()}
    assert rows["tcp-a"]["received_bytes"] == 100 * 1460
    # A message of one datagram, then of two: at 0, 20, 60, 80, 120, ... 260 ms. On a busy machine they are later, and
    # so fewer, but never earlier.
    datagrams = int(rows["udp-a"]["datagrams_sent"])
    assert 3 <= datagrams <= 15
    assert rows["udp-a"]["sent_bytes"] == 512 * datagrams


def test_braces_around_a_connection_may_be_left_out() -> None:
    bare = "\n".join(line for line in SAMPLE.splitlines() if line not in ("{", "}"))
    assert convert(bare, HERE).plan == convert(SAMPLE, HERE).plan


def test_what_has_no_effect_is_a_note_with_its_line() -> None:
    text = SAMPLE.replace("= BEFORE", "= AFTER").replace("so_debug  = OFF", "so_debug  = ON")
    text = text.replace("port      = 0", "port      = 5000").replace("recv_buff = 9000", "recv_buff = 1234", 1)
    converted = convert(text, HERE)
    assert [note.split(":")[0] for note in converted.notes] == ["line 6", "line 7", "line 10", "line 24"]
    assert converted.to_toml().startswith("# line 6: `port` of the sender")
    assert tomllib.loads(converted.to_toml()) == converted.plan


def replaced(old: str, new: str) -> str:
    assert old in SAMPLE
    return SAMPLE.replace(old, new, 1)


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        (replaced("hostname  = server", "hostnam = server"), 4, "unknown key 'hostnam' in `sender`; did you mean"),
        (replaced("send_times", "sent_times"), 27, "unknown key 'sent_times' of a connection; did you mean"),
        (replaced("sender {", "sendr {"), 3, "unknown group 'sendr' of a connection; did you mean \"sender\"?"),
        (replaced("  protocol = TCP;\n", ""), 2, "the key `protocol` is missing in this connection"),
        (replaced("  receiver { hostname = server; pattern {1024, 1024, 0, 0}; }\n", ""), 29, "`receiver { ... }` is"),
        (replaced("    pattern {1460, 1460, 0.0, 0.0}\n", ""), 3, "`pattern { ... }` is missing in `sender`"),
        (replaced("1024, 512, 0.04, 0.001", "1024, 512, 0.04"), 32, "four numbers in `pattern`"),
        (replaced("1460, 1460, 0.0", "1460, 1.5, 0.0"), 13, "a whole number of octets of a write, found '1.5'"),
        (replaced("1460, 1460, 0.0", "1460, 1460, -1"), 13, "expected a time in s, found '-1'"),
        (replaced("{2048, 2048, 0.0", "{2048, 2048, 0.5"), 20, "do not pause between reads"),
        (replaced("tcp_trace = ON", "tcp_trace = on"), 8, "expected ON or OFF, found 'on'"),
        (replaced("= TCP", "= SCTP"), 23, "expected TCP or UDP, found 'SCTP'"),
        (replaced("= BEFORE", "= LATER"), 24, "expected BEFORE or AFTER"),
        (replaced("end_time = 0.5", "end_time = 0"), 26, "expected an `end_time` after `start_time` 0.0, found '0'"),
        (replaced("port      = 20000", "port      = 70000"), 17, "expected a port, or 0 for any, found '70000'"),
        (replaced("file = tcp-a", 'file = "tcp a"'), 22, "becomes the name of the flow"),
        (replaced('"udp-a"', "tcp-a"), 36, "two connections have `file` 'tcp-a'"),
        (replaced("hostname  = client", "hostname  = server"), 16, "'server' sends to itself"),
        (replaced("hostname  = client", "hostname  = other"), 16, "give it with --address other=ADDRESS"),
        (
            replaced("no_delay  = ON;", "no_delay  = ON; no_delay = OFF;"),
            9,
            "`no_delay` is given twice, first in line 9",
        ),
        (replaced("mem_align = 2048;", "mem_align = 2048"), 13, "expected `;`, found 'pattern"),
        (replaced("mem_align = 2048;", "mem_align 2048;"), 12, "expected `=` or `{`, found '2048;"),
        (SAMPLE.rstrip()[:-1], 36, "the file ends within a group"),
        ("# nothing\n", 1, "there is no connection"),
    ],
)
def test_a_mistake_is_told_with_its_line(text: str, line: int, why: str) -> None:
    with pytest.raises(CommandError) as caught:
        convert(text, HERE)
    assert why in str(caught.value)
    assert caught.value.line == line


def test_the_command_names_file_line_and_key(cli: Command, tmp_path: Path) -> None:
    (tmp_path / "trial.cmd").write_text(replaced("hostname  = server", "hostnam = server"))
    done = cli("dbs", "import", "trial.cmd")
    assert done.returncode == 2
    assert "trial.cmd:4: unknown key 'hostnam' in `sender`; did you mean \"hostname\"?" in " ".join(done.stderr.split())
    (tmp_path / "trial.cmd").write_text(SAMPLE.replace("0.02", "0").replace("0.04, 0.001", "0, 0"))
    done = cli("dbs", "import", "trial.cmd", "--address", "server=127.0.0.1", "--address", "client=127.0.0.2")
    assert done.returncode == 2
    assert "flows.udp-a.pattern: UDP needs a pattern that bounds its rate" in " ".join(done.stderr.split())
    done = cli("dbs", "import", "trial.cmd", "--address", "server")
    assert done.returncode == 2
    assert "expected HOST=ADDRESS" in done.stderr


pieces = st.lists(st.sampled_from([*SAMPLE.split(), "{", "}", ";", "=", ",", '"', "#", "\n", "-", "1"]), max_size=40)


@given(pieces, st.integers(0, len(SAMPLE)), st.integers(0, 20))
def test_no_text_is_anything_but_a_plan_or_an_error(words: list[str], at: int, length: int) -> None:
    for text in (" ".join(words), SAMPLE[:at] + " ".join(words[:3]) + SAMPLE[at + length :]):
        try:
            dbs.Plan(convert(text, HERE).plan)
        except (CommandError, ScenarioError) as error:
            line = getattr(error, "line", 1)
        else:
            line = 1
        assert 1 <= line <= text.count("\n") + 1
