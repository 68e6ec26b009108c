//! Cells of processes, which the cell engine sends ahead of time if nothing inspects them on their path.

use proptest::prelude::*;

use super::{both, cases, difference, observed};

/// Processes over links in a row, one of them observed by `probe`; other processes join and leave midway.
fn processes(first: &str, middle: &str, last: &str, process: &str, probe: &str) -> String {
    format!(
        r#"
        [measure]
        warm_up = "30 ms"
        duration = "90 ms"
        parts = 3
        [hosts]
        a = {{ count = 3 }}
        b = {{ count = 3 }}
        x = {{}}
        y = {{}}
        [switches]
        s = {{}}
        t = {{}}
        u = {{}}
        w = {{}}
        [links.access]
        between = ["a", "s"]
        delay = "0 s"
        [links.side]
        between = ["x", "t"]
        delay = "0 s"
        [links.first]
        between = ["s", "t"]
        {first}
        [links.middle]
        between = ["t", "u"]
        {middle}
        [links.last]
        between = ["u", "w"]
        {last}
        [links.out]
        between = ["w", "b"]
        delay = "0 s"
        [links.exit]
        between = ["w", "y"]
        delay = "3 ms"
        [vcs.v]
        route = ["a", "s", "t", "u", "w", "b"]
        forward = {{ service = "ubr", pcr = "9 Mbit/s" }}
        backward = {{ service = "ubr", pcr = "9 Mbit/s" }}
        [vcs.m]
        route = ["x", "t", "u", "w", "y"]
        forward = {{ service = "ubr", pcr = "9 Mbit/s" }}
        backward = {{ service = "ubr", pcr = "9 Mbit/s" }}
        [vcs.n]
        route = ["y", "w", "u", "t", "s", "a1"]
        forward = {{ service = "ubr", pcr = "9 Mbit/s" }}
        backward = {{ service = "ubr", pcr = "9 Mbit/s" }}
        [backgrounds.v]
        vc = "v"
        traffic = {{ {process} }}
        [backgrounds.n]
        vc = "n"
        traffic = {{ process = "cbr", rate = "7 Mbit/s" }}
        {probe}
        "#
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]
    /// With an observer each cell is handled when it arrives; without one, cells are sent ahead where nothing inspects
    /// them.
    #[test]
    fn processes_are_the_same_whether_seen_or_not(
        links in [
            prop::sample::select(vec![
                "delay = \"100 us\"\nrate = \"9 Mbit/s\"\nbuffer = \"30 cells\"",
                "delay = \"0 s\"\nrate = \"20 Mbit/s\"\nbuffer = \"90 cells\"",
                "delay = \"40 ms\"",
                "delay = \"0 s\"",
            ]),
            prop::sample::select(vec![
                "delay = \"50 ms\"\nrate = \"8 Mbit/s\"\nbuffer = \"20 cells\"",
                "delay = \"0 s\"\nrate = \"8 Mbit/s\"\nbuffer = \"200 cells\"",
                "delay = \"1 ms\"",
                "delay = \"0 s\"",
                "delay = \"1 ms\"\nrate = { process = \"uniform\", low = \"3 Mbit/s\", high = \"12 Mbit/s\", every = \"3 ms\" }\nbuffer = \"60 cells\"",
                "delay = \"1 ms\"\njitter = { process = \"uniform\", max = \"500 us\" }",
                "delay = { process = \"list\", delays = [{ at = \"0 s\", delay = \"3 ms\" }, { at = \"40 ms\", delay = \"0 s\" }, { at = \"55 ms\", delay = \"1 ms\" }], repeat = \"90 ms\" }",
            ]),
            prop::sample::select(vec![
                "delay = \"100 us\"\nrate = \"6 Mbit/s\"\nbuffer = \"30 cells\"",
                "delay = \"0 s\"\nrate = \"9 Mbit/s\"\nbuffer = \"30 cells\"",
                "delay = \"4 ms\"",
            ]),
        ],
        process in prop::sample::select(vec![
            "process = \"cbr\", rate = \"2900 kbit/s\"",
            "process = \"poisson\", rate = \"3 Mbit/s\"",
            "process = \"on-off\", peak = \"9 Mbit/s\", on = \"5 ms\", off = \"5 ms\"",
        ]),
        joins in prop::sample::select(vec![
            "",
            "[backgrounds.m]\nvc = \"m\"\ntraffic = { process = \"poisson\", rate = \"2 Mbit/s\" }",
        ]),
        probe in prop::sample::select(vec![
            "",
            "[probes.p]\nevery = \"1 ms\"\nrecord = [\"links.middle.queue_cells\", \"links.middle.lost_cells\", \"links.middle.sent_cells\"]",
            "[probes.p]\nevery = \"1 ms\"\nrecord = [\"links.out1.arrived_cells\"]",
        ]),
        seed in any::<u64>(),
    ) {
        let [first, middle, last] = links;
        let text = processes(first, middle, last, process, &format!("{joins}\n{probe}"));
        let seen = observed(&text, seed, true);
        for results in both(&text, seed) {
            prop_assert_eq!(difference(&[seen.clone(), results]), None);
        }
    }
}
