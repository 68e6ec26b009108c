//! Fuzzes what a daemon, or an impostor, may send to a controller that runs a plan of two hosts.
//!
//! Each line of the input is a message; its first octet selects the host and the delay before it. Whatever arrives, the
//! run ends when its deadlines expire, no log is longer than ordered, and tables are built from what was reported.

use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;

use celltrain_dbs::controller::{Controller, Repetition};
use celltrain_dbs::controller_session::ControllerSession;
use celltrain_dbs::frame::{Decoder, LONGEST_LINE};
use celltrain_dbs::message::FromDaemon;
use celltrain_dbs::order::Role;
use celltrain_dbs::plan::Plan;
use celltrain_dbs::tables::tables;
use celltrain_language::Source;

const PLAN: &str = r#"
[hosts]
a = {}
b = {}
[flows.tcp]
from = "a"
to = "b"
duration = "1 s"
connections = 2
[flows.udp]
from = "b"
to = "a"
protocol = "udp"
duration = "1 s"
pattern = { every = "1 ms" }
[probes.ping]
from = "a"
to = "b"
duration = "1 s"
"#;

/// A controller without connections: it knows the names of hosts and streams.
static CONTROLLER: LazyLock<Controller> = LazyLock::new(|| {
    let plan = Plan::read(&Source::toml(PLAN, "plan"), &|_| Err(String::new()));
    let nobody = || Err("nobody is there".to_owned());
    let cancel = AtomicBool::new(false);
    Controller::connect(
        &plan.expect("it is valid"),
        vec![nobody(), nobody()],
        &cancel,
    )
    .expect("nothing is connected")
});

/// Reads any octets.
pub fn one(input: &[u8]) {
    let host = |clock: &str| Ok(([127, 0, 0, 1].into(), clock.to_owned()));
    let hosts = vec![host("one"), host("other")];
    let mut session = ControllerSession::new(0, CONTROLLER.streams().to_vec(), hosts, 1);
    let mut now = 0_u64;
    for line in input.split(|&octet| octet == b'\n') {
        let Some((&first, message)) = line.split_first() else {
            continue;
        };
        now += u64::from(first >> 1) * 100_000_000;
        session.on_time(now);
        let mut decoder = Decoder::new(LONGEST_LINE);
        decoder.push(message);
        decoder.push(b"\n");
        if let Ok(Some(message)) = decoder.take::<FromDaemon>() {
            session.on_message(now, usize::from(first & 1), message);
        }
        session.take_messages();
    }
    while !session.is_over() {
        now = session.deadline().max(now + 1);
        session.on_time(now);
    }
    for stream in CONTROLLER.streams() {
        for (connection, role) in (0..3).flat_map(|it| [(it, Role::Send), (it, Role::Receive)]) {
            let log = session.logs.of(stream.order.stream, connection, role);
            assert!(log.len() <= stream.order.log as usize);
            assert!(log.windows(2).all(|pair| pair[0].at_ns <= pair[1].at_ns));
        }
    }
    let repetition = Repetition {
        session,
        cancelled: false,
    };
    tables(&CONTROLLER, 1, &repetition);
}
