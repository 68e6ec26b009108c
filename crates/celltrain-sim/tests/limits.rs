//! Runs that pass a limit: where they stop, and what they have measured by then.

mod common;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use celltrain_proto::units::{Span, Time};
use celltrain_sim::engine::{
    Engine, Limit, Passed, RunError, RunOptions, Threads, run_captured, run_with,
};
use celltrain_sim::measure::Values;
use celltrain_sim::network::Network;
use celltrain_sim::scenario::Limits;

const ENGINES: [Engine; 2] = [Engine::Cells, Engine::Trains];

/// Two hosts and a link of 10 Mbit/s; the bounds that are checked before a run allow everything.
fn network(measure: &str, rest: &str) -> Network {
    let text = format!(
        r#"
        measure = {{ {measure} }}
        limits = {{ on_excess = "stop" }}
        hosts = {{ a = {{}}, b = {{}} }}
        links.l = {{ between = ["a", "b"], delay = "1 ms", rate = "10 Mbit/s", buffer = "100 cells" }}
        {rest}
        "#
    );
    common::network(&text).expect("the scenario describes a network")
}

/// UDP at 10 Mbit/s on a VC whose source is shaped to 1 kbit/s: nearly all packets wait there.
const SHAPED: &str = r#"
    vcs.v = { route = ["a", "b"], forward = { service = "ubr", pcr = "1 kbit/s" } }
    flows.f = { vc = "v", udp = { packet = "100 bytes", traffic = { process = "cbr", rate = "10 Mbit/s" } } }
"#;

/// TCP, and a probe with a row each microsecond.
const PROBED: &str = r#"
    vcs.v = { route = ["a", "b"] }
    flows.f = { vc = "v" }
    probes.p = { every = "1 us", record = ["links.l.queue_cells"] }
"#;

/// Runs a network that passes a limit.
fn stopped(engine: Engine, network: &Network) -> Passed {
    match run_with(engine, network, 1, &AtomicBool::new(false)) {
        Err(RunError::LimitPassed(passed)) => *passed,
        other => panic!("{engine:?} ended with {:?}", other.map(|it| it.digest)),
    }
}

/// The digest of the same run up to an instant.
fn digest_until(engine: Engine, network: &Network, end: Time) -> String {
    let shorter = Network {
        end,
        limits: Limits::NONE,
        ..network.clone()
    };
    let results = run_with(engine, &shorter, 1, &AtomicBool::new(false));
    results.expect("it ends before the limit").digest
}

fn check_partial(engine: Engine, network: &Network, passed: &Passed) {
    let partial = passed.partial.as_ref().expect("something was measured");
    let measured = (passed.at - network.warm_up).as_secs();
    assert!((partial.measured_s - measured).abs() < 1e-9);
    // Both engines agree up to there.
    for other in ENGINES {
        assert_eq!(
            partial.digest,
            digest_until(other, network, passed.at),
            "{engine:?}"
        );
    }
}

#[test]
fn a_run_that_needs_more_memory_than_its_limit_stops_with_what_it_has_measured() {
    let mut network = network(r#"warm_up = "1 s", duration = "100 s""#, SHAPED);
    network.limits.memory_mib = 16.0;
    for engine in ENGINES {
        let passed = stopped(engine, &network);
        assert_eq!((passed.limit, passed.allowed), (Limit::Memory, 16.0));
        // 12,500 packets of some 150 octets come each second, in a queue that doubles.
        let (least, most) = (Span::from_secs(3), Span::from_secs(12));
        let at = passed.at - Time::ZERO;
        assert!(least < at && at < most, "{engine:?} stops at {}", passed.at);
        check_partial(engine, &network, &passed);
    }
}

#[test]
fn too_many_rows_stop_both_engines_at_one_instant() {
    let mut network = network(r#"warm_up = "1 ms", duration = "1 s""#, PROBED);
    network.limits.trace_rows = 50_000.0;
    let both = ENGINES.map(|engine| stopped(engine, &network));
    assert_eq!(both[0], both[1]);
    // The first row is that of the end of the warm-up.
    assert_eq!(both[0].at, Time::ZERO + Span::from_us(51_000));
    let partial = both[0].partial.as_ref().expect("something was measured");
    let rows = partial.table("p").expect("the probe's table");
    let Values::Numbers(times) = &rows.columns[0].values else {
        panic!("times are numbers");
    };
    assert_eq!(times.iter().count(), 50_001);
    check_partial(Engine::Trains, &network, &both[0]);
}

#[test]
fn too_many_cells_stop_a_run() {
    let rest = r#"
        vcs.v = { route = ["a", "b"] }
        backgrounds.g = { vc = "v", traffic = { process = "cbr", rate = "4.24 Mbit/s" } }
    "#;
    let mut network = network(r#"duration = "100 s""#, rest);
    network.limits.cells = 100_000.0;
    for engine in ENGINES {
        let passed = stopped(engine, &network);
        assert_eq!(passed.limit, Limit::Cells);
        // 10,000 cells come each second; a look is due after some events.
        let at = passed.at - Time::ZERO;
        assert!(
            at > Span::from_secs(10) && at < Span::from_secs(20),
            "{engine:?} stops at {at}"
        );
        check_partial(engine, &network, &passed);
    }
}

#[test]
fn before_the_measured_interval_there_are_no_results() {
    let mut network = network(r#"warm_up = "50 s", duration = "100 s""#, SHAPED);
    network.limits.memory_mib = 4.0;
    for engine in ENGINES {
        let passed = stopped(engine, &network);
        assert!(passed.partial.is_none() && passed.at < network.warm_up);
        let text = RunError::LimitPassed(Box::new(passed)).to_string();
        assert!(text.contains("limits.memory_mib = 4.000e0"), "{text}");
        assert!(text.contains("before it measured anything"), "{text}");
    }
}

#[test]
fn packets_of_one_instant_do_not_fill_the_memory_before_anyone_looks() {
    // They would need 2 PB, in one event.
    let rest = r#"
        vcs.v = { route = ["a", "b"] }
        flows.f = { vc = "v", udp = { packet = "1500 bytes", traffic = { process = "replay", trace = "0 10000000000000" } } }
    "#;
    let mut network = network(r#"duration = "1 s""#, rest);
    network.limits.memory_mib = 32.0;
    for engine in ENGINES {
        let passed = stopped(engine, &network);
        assert_eq!((passed.limit, passed.at), (Limit::Memory, Time::ZERO));
    }
}

#[test]
fn an_observed_run_stops_too() {
    let mut network = network(r#"duration = "100 s""#, SHAPED);
    network.limits.memory_mib = 16.0;
    let links = [0, 1];
    let passed = match run_captured(&network, 1, &AtomicBool::new(false), &links, |_| ()) {
        Err(RunError::LimitPassed(passed)) => passed,
        other => panic!("it ended with {:?}", other.map(|it| it.digest)),
    };
    check_partial(Engine::Cells, &network, &passed);
}

#[test]
fn parts_of_a_network_stop_at_one_instant_on_any_number_of_threads() {
    let text = r#"
        measure = { duration = "100 s" }
        limits = { on_excess = "stop" }
        hosts = { a = { count = 5 }, b = { count = 5 } }
        links.l = { from = "a", to = "b", delay = "1 ms", rate = "10 Mbit/s", buffer = "100 cells" }
        links.back = { from = "b", to = "a", delay = "1 ms", rate = "10 Mbit/s", buffer = "100 cells" }
        vcs.v = { route = ["a", "b"], forward = { service = "ubr", pcr = "1 kbit/s" } }
        flows.f = { vc = "v", udp = { packet = "100 bytes", traffic = { process = "poisson", rate = "1 Mbit/s" } } }
    "#;
    let mut network = common::network(text).expect("the scenario describes a network");
    network.limits.memory_mib = 8.0;
    for engine in ENGINES {
        let run = |threads| {
            let options = RunOptions {
                engine,
                threads: Threads::Exactly(threads),
                progress: None,
            };
            run_with(options, &network, 1, &AtomicBool::new(false)).map(|it| it.digest)
        };
        let one = run(1).expect_err("it passes the limit");
        assert!(matches!(one, RunError::LimitPassed(_)), "{one}");
        assert_eq!(run(2).expect_err("as above"), one);
        assert_eq!(run(3).expect_err("as above"), one);
    }
}

#[test]
fn a_run_within_its_limits_is_the_same_as_one_without() {
    let mut network = network(r#"duration = "2 s""#, PROBED);
    let run = |network: &Network| {
        let results = run_with(Engine::Trains, network, 1, &AtomicBool::new(false));
        results.expect("nothing is passed").digest
    };
    let limited = {
        network.limits.memory_mib = 4096.0;
        run(&network)
    };
    network.limits = Limits::NONE;
    assert_eq!(run(&network), limited);
}

#[test]
fn a_run_whose_rate_changes_all_the_time_can_be_cancelled() {
    let text = r#"
        measure = { duration = "1000 s" }
        limits = { on_excess = "stop", cells = 1e300 }
        hosts = { a = {}, b = {} }
        links.m = { from = "b", to = "a", delay = "1 ms", rate = "10 Mbit/s", buffer = "1000 cells" }
        vcs.v = { route = ["a", "b"] }
        flows.f = { vc = "v" }
        [links.l]
        from = "a"
        to = "b"
        delay = "1 ms"
        buffer = "1000 cells"
        [links.l.rate]
        process = "list"
        rates = [{ at = "0 s", rate = "1 Mbit/s" }, { at = "1 ps", rate = "2 Mbit/s" }]
        repeat = "2 ps"
    "#;
    check_cancelling(&common::network(text).expect("the scenario describes a network"));
}

/// Three processes of cells into one queue, and one into another.
fn processes(traffic: &str) -> Network {
    let text = format!(
        r#"
        measure = {{ duration = "90 ms" }}
        hosts = {{ a = {{}}, b = {{}} }}
        links.l = {{ between = ["a", "b"], delay = "1 ms", rate = "10 Mbit/s", buffer = "100 cells" }}
        vcs.v = {{ route = ["a", "b"] }}
        vcs.w = {{ route = ["a", "b"] }}
        vcs.x = {{ route = ["a", "b"] }}
        backgrounds.v = {{ vc = "v", traffic = {{ {traffic} }} }}
        backgrounds.w = {{ vc = "w", traffic = {{ {traffic} }} }}
        backgrounds.x = {{ vc = "x", traffic = {{ {traffic} }} }}
        backgrounds.back = {{ vc = "v", direction = "backward", traffic = {{ {traffic} }} }}
        "#
    );
    common::network(&text).expect("the scenario describes a network")
}

#[test]
fn a_run_with_a_cell_each_picosecond_can_be_cancelled() {
    check_cancelling(&processes(
        r#"process = "replay", trace = "0", repeat = "1 ps""#,
    ));
    check_cancelling(&processes(r#"process = "poisson", rate = "200000 Gbit/s""#));
}

#[test]
fn cells_of_one_instant_end_no_run() {
    let burst = r#"process = "replay", trace = "0 100000""#;
    let digests = ENGINES.map(|engine| {
        let results = run_with(engine, &processes(burst), 1, &AtomicBool::new(false));
        results.expect("they are few enough").digest
    });
    assert_eq!(digests[0], digests[1]);
}

/// Checks that a run, which would take hours, ends soon after it is cancelled.
fn check_cancelling(network: &Network) {
    for engine in ENGINES {
        let cancel = AtomicBool::new(false);
        let (outcome, after) = std::thread::scope(|scope| {
            let run = scope.spawn(|| run_with(engine, network, 1, &cancel));
            std::thread::sleep(Duration::from_millis(100));
            cancel.store(true, Ordering::Relaxed);
            let cancelled = Instant::now();
            (run.join().expect("no panic"), cancelled.elapsed())
        });
        assert_eq!(outcome.map(|it| it.digest), Err(RunError::Cancelled));
        // Some 20 ms of a release build, on a computer that has much else to do.
        assert!(after < Duration::from_secs(30), "{engine:?}: {after:?}");
    }
}
