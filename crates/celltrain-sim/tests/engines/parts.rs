//! Parts of a network that exchange nothing and run one after the other.

use proptest::prelude::*;

use super::threads::on_threads;
use super::{both, cases, difference, observed};

/// Forty networks side by side, each with a connection and a process over a line. They share a trunk, and `more` may join
/// some of them.
fn beside(host: &str, trunk: &str, line: &str, vc: &str, flow: &str, more: &str) -> String {
    format!(
        r#"
        [measure]
        warm_up = "50 ms"
        duration = "400 ms"
        parts = 2
        [hosts]
        a = {{ count = 40{host} }}
        b = {{ count = 40 }}
        hub = {{ processing = {{ uniform = ["0 s", "400 us"] }} }}
        [switches]
        s = {{}}
        t = {{}}
        [links.access]
        between = ["a", "s"]
        delay = "1 ms"
        rate = "20 Mbit/s"
        buffer = "100 cells"
        [links.trunk]
        between = ["s", "t"]
        {trunk}
        [links.line]
        between = ["t", "b"]
        {line}
        [vcs.v]
        route = ["a", "s", "t", "b"]
        {vc}
        [vcs.m]
        route = ["a", "s", "t", "b"]
        [flows.v]
        vc = "v"
        {flow}
        [backgrounds.m]
        vc = "m"
        start = {{ uniform = ["0 s", "10 ms"] }}
        traffic = {{ process = "poisson", rate = "700 kbit/s" }}
        {more}
        "#
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases() / 4, failure_persistence: None, ..ProptestConfig::default() })]
    /// With an observer the network is simulated as a whole; without one, its parts run one after the other.
    #[test]
    fn parts_of_a_network_are_the_same_as_the_whole(
        host in prop::sample::select(vec!["", ", processing = { uniform = [\"0 s\", \"400 us\"] }"]),
        trunk in prop::sample::select(vec![
            "delay = \"0 s\"",
            "delay = \"3 ms\"",
            "delay = \"3 ms\"\nrate = \"155.52 Mbit/s\"\nbuffer = \"2000 cells\"",
        ]),
        line in prop::sample::select(vec![
            "delay = \"1 ms\"\nrate = \"2 Mbit/s\"\nbuffer = \"40 cells\"",
            "delay = \"1 ms\"\nrate = \"2 Mbit/s\"\nbuffer = \"300 cells\"\ncontrol = { algorithm = \"erica\", interval = \"2 ms\" }",
            "delay = \"1 ms\"\nrate = { process = \"uniform\", low = \"1 Mbit/s\", high = \"3 Mbit/s\", every = \"13 ms\" }\nbuffer = \"60 cells\"",
            "delay = \"1 ms\"\nrate = \"2 Mbit/s\"\nbuffer = \"300 cells\"\nscheduling = \"weighted-fair\"\ncredit = { n3 = \"40 cells\" }",
        ]),
        vc in prop::sample::select(vec![
            "",
            "forward = { service = \"abr\", pcr = \"5 Mbit/s\" }\nbackward = { service = \"abr\", pcr = \"5 Mbit/s\" }",
        ]),
        flow in prop::sample::select(vec![
            "tcp = { mss = \"1460 bytes\", timer_granularity = \"10 ms\" }",
            "application = { kind = \"files\", size = \"9 kB\", think = \"20 ms\" }\ntcp = { mss = \"1460 bytes\", timer_granularity = \"10 ms\" }",
            "udp = { packet = \"700 bytes\", traffic = { process = \"poisson\", rate = \"1500 kbit/s\" } }",
        ]),
        more in prop::sample::select(vec![
            "",
            // Observes two of them.
            "[probes.p]\nevery = \"7 ms\"\nrecord = [\"links.line2.queue_cells\", \"links.line39.queue_cells\"]",
            "[probes.p]\nevents_of = \"v3\"\nrecord = [\"links.line30.queue_cells\"]",
            // Links to a host with processing times, used by all of them or by some.
            "[links.hub]\nbetween = [\"hub\", \"b\"]\ndelay = \"2 ms\"\nrate = \"1 Mbit/s\"\nbuffer = \"30 cells\"\n\
             [vcs.h]\nroute = [\"hub\", \"b\"]\n\
             [flows.h]\nvc = \"h\"\nudp = { packet = \"500 bytes\", traffic = { process = \"poisson\", rate = \"400 kbit/s\" } }",
        ]),
        threads in 1_usize..6,
        seed in any::<u64>(),
    ) {
        prop_assume!(!(more.contains("events_of") && flow.contains("udp")));
        let text = beside(host, trunk, line, vc, flow, more);
        let whole = observed(&text, seed, false);
        for results in both(&text, seed).into_iter().chain(on_threads(&text, seed, threads)) {
            prop_assert_eq!(difference(&[whole.clone(), results]), None);
        }
    }
}

#[test]
fn vcs_that_meet_only_in_the_one_that_carries_them_are_one_part() {
    let text = r#"
        [measure]
        duration = "500 ms"
        [hosts]
        a = { count = 40 }
        b = { count = 40 }
        [routers]
        r1 = {}
        r2 = {}
        [links.in]
        between = ["a", "r1"]
        delay = "1 ms"
        rate = "20 Mbit/s"
        buffer = "500 cells"
        [links.trunk]
        between = ["r1", "r2"]
        delay = "0 s"
        [links.out]
        between = ["r2", "b"]
        delay = "1 ms"
        [vcs.wan]
        route = ["r1", "r2"]
        forward = { service = "ubr", pcr = "20 Mbit/s" }
        backward = { service = "ubr", pcr = "20 Mbit/s" }
        [vcs.st]
        route = ["a", "r1", "r2", "b"]
        [flows.st]
        vc = "st"
        tcp = { mss = "1460 bytes", timer_granularity = "10 ms" }
    "#;
    let whole = observed(text, 1, false);
    for results in both(text, 1) {
        assert_eq!(difference(&[whole.clone(), results]), None);
    }
}
