//! The memory of an idle VC, from the text of the scenario to the tables. The test counts the octets that are allocated
//! and is a program of its own, so the result is the same on every computer.

mod common;

use std::fmt::Write;
use std::sync::atomic::AtomicBool;

use celltrain_sim::engine::{Engine, run_with};
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// A short form of `benches/workloads/many.toml`: `ports` ports, each with `groups` CBR sources.
fn scenario(ports: usize, groups: usize) -> String {
    let mut text = format!(
        r#"
[measure]
duration = "1 ms"
[hosts]
src = {{ count = {ports} }}
dst = {{ count = {ports} }}
[switches]
hub = {{}}
[links.access]
between = ["src", "hub"]
delay = "0 s"
[links.port]
from = "hub"
to = "dst"
rate = "149.76 Mbit/s"
delay = "100 us"
buffer = "4096 cells"
[links.back]
from = "dst"
to = "hub"
delay = "100 us"
"#
    );
    for group in 0..groups {
        write!(
            text,
            r#"
[vcs.v{group}x]
route = ["src", "hub", "dst"]
[backgrounds.b{group}x]
vc = "v{group}x"
start = {{ uniform = ["0 s", "298 us"] }}
traffic = {{ process = "cbr", rate = "1422.72 kbit/s" }}
"#
        )
        .expect("a String takes all text");
    }
    text
}

/// The most octets in use while the scenario was read, run and put into tables, and the digest.
fn peak(engine: Engine, text: &str) -> (usize, String) {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let network = common::network(text).expect("the scenario describes a network");
    let results = run_with(engine, &network, 1, &AtomicBool::new(false)).expect("the run succeeds");
    (ALLOCATOR.peak_usage() - before, results.digest)
}

/// The additional memory per VC of 10,000 VCs over 100 ports, compared with 100 VCs over one port, and the digest of the
/// larger run.
fn idle_vc(engine: Engine) -> (usize, String) {
    let (large, digest) = peak(engine, &scenario(100, 100));
    let (small, _) = peak(engine, &scenario(1, 100));
    ((large - small) / 9_900, digest)
}

#[test]
fn an_idle_vc_takes_little_memory() {
    let [(cells, one), (trains, other)] = [Engine::Cells, Engine::Trains].map(idle_vc);
    assert_eq!(one, other, "the engines give the same results");
    println!("{cells} octets in the cell engine, {trains} in the train engine");
    assert!(cells < 1_000, "{cells} octets in the cell engine");
    assert!(trains < 1_000, "{trains} octets in the train engine");
}
