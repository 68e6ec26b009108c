//! What a daemon, or somebody in its place, may send to a controller that leads a run of two hosts.
//!
//! Each line of the input is a message; its first octet chooses the host and the time that passes before it. Whatever
//! comes, the run ends when its deadlines are over, and tables are made of what was reported.

#![no_main]

use std::sync::LazyLock;

use celltrain_dbs::conductor::Conductor;
use celltrain_dbs::frame::{Decoder, LONGEST_LINE};
use celltrain_dbs::message::FromDaemon;
use celltrain_dbs::plan::{Plan, Stream};
use celltrain_dbs::tables;
use celltrain_sim::scenario::Source;
use libfuzzer_sys::fuzz_target;

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

static STREAMS: LazyLock<Vec<Stream>> = LazyLock::new(|| {
    let plan = Plan::read(&Source::toml(PLAN, "plan"), &|_| Err(String::new()));
    plan.expect("it is valid").streams()
});

fuzz_target!(|input: &[u8]| {
    let host = |clock: &str| Ok(([127, 0, 0, 1].into(), clock.to_owned()));
    let hosts = vec![host("one"), host("other")];
    let mut conductor = Conductor::new(0, STREAMS.clone(), hosts, 1);
    let mut now = 0_u64;
    for line in input.split(|&octet| octet == b'\n') {
        let Some((&first, message)) = line.split_first() else {
            continue;
        };
        now += u64::from(first >> 1) * 100_000_000;
        conductor.on_time(now);
        let mut decoder = Decoder::new(LONGEST_LINE);
        decoder.push(message);
        decoder.push(b"\n");
        if let Ok(Some(message)) = decoder.take::<FromDaemon>() {
            conductor.on_message(now, usize::from(first & 1), message);
        }
        conductor.take_messages();
    }
    while !conductor.is_over() {
        now = conductor.deadline().max(now + 1);
        conductor.on_time(now);
    }
    tables::of_reports(&STREAMS, &["a", "b"], &conductor);
});
