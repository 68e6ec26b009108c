//! The memory of an idle VC, from the text of the scenario to the tables, and the bounds on memory that are checked before
//! a run. The tests count the octets that are allocated, one after the other, and are a program of their own, so the
//! results are the same on every computer.

mod common;

use std::fmt::Write;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use celltrain_sim::engine::{Engine, run_with};
use celltrain_sim::network::Cost;
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

/// Held while a test measures, since all tests of this program allocate from the same heap.
static MEASURING: Mutex<()> = Mutex::new(());

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
    let _alone = MEASURING.lock();
    let [(cells, one), (trains, other)] = [Engine::Cells, Engine::Trains].map(idle_vc);
    assert_eq!(one, other, "the engines give the same results");
    println!("{cells} octets in the cell engine, {trains} in the train engine");
    assert!(cells < 1_000, "{cells} octets in the cell engine");
    assert!(trains < 1_000, "{trains} octets in the train engine");
}

/// Two hosts and a link of 10 Mbit/s; `rest` describes what crosses it.
fn line(duration: &str, rest: &str) -> String {
    format!(
        r#"
        measure = {{ duration = "{duration}" }}
        hosts = {{ a = {{}}, b = {{}} }}
        links.l = {{ between = ["a", "b"], delay = "1 ms", rate = "10 Mbit/s", buffer = "100 cells" }}
        {rest}
        "#
    )
}

/// A VC whose source is shaped.
const SHAPED: &str = r#", forward = { service = "ubr", pcr = "1 kbit/s" }"#;

/// UDP at 10 Gbit/s on a VC whose source is shaped to 1 kbit/s.
fn shaped(duration: &str) -> String {
    let flow = r#"
        vcs.v = { route = ["a", "b"], forward = { service = "ubr", pcr = "1 kbit/s" } }
        flows.f = { vc = "v", udp = { packet = "1500 bytes", traffic = { process = "cbr", rate = "10 Gbit/s" } } }
    "#;
    line(duration, flow)
}

/// A trace of `packets` packets at one instant, on a VC with the settings `vc`.
fn replayed(packets: &str, vc: &str) -> String {
    let flow = format!(
        r#"
        vcs.v = {{ route = ["a", "b"]{vc} }}
        flows.f = {{ vc = "v", udp = {{ packet = "1500 bytes", traffic = {{ process = "replay", trace = "0 {packets}" }} }} }}
        "#
    );
    line("1 s", &flow)
}

/// A probe that records a column forty times at each of `every`.
fn probed(every: &str) -> String {
    let columns = vec![r#""links.l.queue_cells""#; 40].join(", ");
    let rest = format!(
        r#"
        vcs.v = {{ route = ["a", "b"] }}
        flows.f = {{ vc = "v" }}
        probes.p = {{ every = "{every}", record = [{columns}] }}
        "#
    );
    line("19 s", &rest)
}

#[test]
fn a_run_that_could_need_more_memory_than_its_limit_is_refused_with_what_needs_it() {
    let _alone = MEASURING.lock();
    for (text, needs) in [
        (
            shaped("100 s"),
            "for the packets of VC v that wait or are on their way",
        ),
        (
            replayed("10000000000", SHAPED),
            "for the packets of VC v that wait or are on their way",
        ),
        // They leave at once, but come together.
        (
            replayed("1000000000", ""),
            "for the packets of VC v that wait or are on their way",
        ),
        (probed("1 us"), "for the samples of probe p"),
    ] {
        let error = common::network(&text)
            .expect_err("it would need gigabytes")
            .to_string();
        assert!(
            error.contains("more than limits.memory_mib = 4.096e3"),
            "{error}"
        );
        assert!(error.contains(needs), "{error}");
    }
}

#[test]
fn more_cells_than_the_limit_are_refused_even_if_most_find_no_room() {
    let _alone = MEASURING.lock();
    // Packets that leave at once, and cells of a process: hardly any crosses the link.
    let cells = r#"
        vcs.v = { route = ["a", "b"] }
        backgrounds.g = { vc = "v", traffic = { process = "replay", trace = "0 1000000000000000000" } }
    "#;
    for text in [replayed("1000000000000000000", ""), line("1 s", cells)] {
        let error = common::network(&text)
            .expect_err("it would take years")
            .to_string();
        assert!(
            error.contains("more than limits.cells = 1.000e12"),
            "{error}"
        );
    }
}

#[test]
fn writes_that_no_cell_follows_count_as_cells() {
    let _alone = MEASURING.lock();
    let writing = |sockets: &str| {
        let flow = format!(
            r#"
            vcs.v = {{ route = ["a", "b"] }}
            flows.f = {{ vc = "v", sockets = {{ write_rate = "300000 Gbit/s", {sockets} }} }}
            "#
        );
        common::network(&line("10 s", &flow))
    };
    // One each picosecond.
    let error = writing(r#"write = "40 bytes""#)
        .expect_err("it would take weeks")
        .to_string();
    assert!(
        error.contains("9.375e12 writes of its applications, more than limits.cells"),
        "{error}"
    );
    // 1,000 find room at first, and 10 Mbit/s make room for no more than 3,125,000.
    let network = writing(r#"write = "4 bytes", send_buffer = "4000 bytes""#);
    let [(_, cells), ..] = Cost::of(&network.expect("few find room")).bounds();
    assert!((3_126_000.0..3_126_001.0).contains(&cells), "{cells}");
}

#[test]
fn more_cells_of_one_instant_than_a_run_can_tell_from_standing_time_are_refused() {
    let _alone = MEASURING.lock();
    let burst = |cells: u64| {
        let rest = format!(
            r#"
            limits = {{ on_excess = "stop" }}
            vcs.v = {{ route = ["a", "b"] }}
            backgrounds.g = {{ vc = "v", traffic = {{ process = "replay", trace = "0 {cells}" }} }}
            "#
        );
        common::network(&line("1 s", &rest))
    };
    assert!(burst(10_000_000).is_ok());
    let error = burst(10_000_001).expect_err("one more").to_string();
    assert!(error.contains("come at one instant"), "{error}");
}

#[test]
fn the_bound_on_memory_is_within_a_factor_of_two_of_what_a_run_needs() {
    let _alone = MEASURING.lock();
    for text in [
        shaped("200 ms"),
        replayed("150000", SHAPED),
        replayed("150000", ""),
        probed("500 us"),
    ] {
        let bound =
            Cost::of(&common::network(&text).expect("the scenario describes a network")).memory;
        for engine in [Engine::Cells, Engine::Trains] {
            let (octets, _) = peak(engine, &text);
            let part = octets as f64 / bound;
            println!("{octets} octets, {part:.2} of the bound");
            assert!(
                (0.5..2.0).contains(&part),
                "{octets} octets, a bound of {bound}:\n{text}"
            );
        }
    }
}

#[test]
fn the_engines_agree_over_the_longest_run_with_the_longest_delays() {
    let _alone = MEASURING.lock();
    // 200 days and an hour of delay each way. Flows at the beginning, an hour before the end, and at the last microsecond.
    let text = r#"
        measure = { duration = "17280000 s" }
        hosts = { a = {}, b = {} }
        links.l = { between = ["a", "b"], delay = "3600 s", rate = "100 bit/s", buffer = "10 cells" }
        vcs.v = { route = ["a", "b"] }
        flows.first = { vc = "v", duration = "10 h" }
        flows.late = { vc = "v", start = "17276400 s" }
        flows.last = { vc = "v", start = "17279999.999999 s" }
    "#;
    let network = common::network(text).expect("the scenario describes a network");
    let digest = |engine| {
        let results =
            run_with(engine, &network, 1, &AtomicBool::new(false)).expect("the run succeeds");
        results.digest
    };
    assert_eq!(digest(Engine::Cells), digest(Engine::Trains));
}
