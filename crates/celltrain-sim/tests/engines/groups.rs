//! Processes whose cells meet those of packets at one queue, often at one instant.

use proptest::prelude::*;

use super::{both, cases, difference};

/// Processes and TCP connections, alternating by number, all at multiples of one cell time: some cells arrive at the
/// queue as they leave, over one or two links without delay, others later.
fn groups(
    measure: &str,
    queue: &str,
    before: &str,
    after: &str,
    process: &str,
    probe: &str,
) -> String {
    format!(
        r#"
        [measure]
        warm_up = "20 ms"
        duration = "90 ms"
        {measure}
        [hosts]
        a = {{ count = 3 }}
        c = {{ count = 2 }}
        d = {{ count = 2 }}
        far = {{ count = 2 }}
        late = {{ count = 2 }}
        y = {{}}
        [switches]
        r = {{}}
        s = {{}}
        t = {{}}
        [links.a]
        between = ["a", "s"]
        delay = "0 s"
        [links.c]
        between = ["c", "s"]
        delay = "0 s"
        [links.d]
        between = ["d", "s"]
        delay = "0 s"
        [links.far]
        between = ["far", "r"]
        delay = "0 s"
        [links.r]
        between = ["r", "s"]
        delay = "0 s"
        [links.late]
        between = ["late", "s"]
        delay = "530 us"
        [links.queue]
        from = "s"
        to = "t"
        {queue}
        [links.back]
        from = "t"
        to = "s"
        delay = "1060 us"
        [links.exit]
        between = ["t", "y"]
        delay = "0 s"
        [vcs.{before}]
        route = ["{before}", {way_before}"s", "t", "y"]
        [vcs.c]
        route = ["c", "s", "t", "y"]
        forward = {{ service = "ubr", pcr = "4 Mbit/s" }}
        [vcs.d]
        route = ["d", "s", "t", "y"]
        [vcs.{after}]
        route = ["{after}", {way_after}"s", "t", "y"]
        [vcs.late]
        route = ["late", "s", "t", "y"]
        [flows.c]
        vc = "c"
        tcp = {{ mss = "512 bytes", window = "8 kB" }}
        [backgrounds.before]
        vc = "{before}"
        traffic = {{ {process} }}
        [backgrounds.after]
        vc = "{after}"
        traffic = {{ process = "cbr", rate = "1 Mbit/s" }}
        [backgrounds.d]
        vc = "d"
        traffic = {{ {process} }}
        [backgrounds.late]
        vc = "late"
        traffic = {{ {process} }}
        {probe}
        "#,
        way_before = way(before),
        way_after = way(after),
    )
}

/// The extra hop on the path of a group of hosts.
fn way(hosts: &str) -> &'static str {
    if hosts == "far" { "\"r\", " } else { "" }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn both_engines_agree_where_processes_meet_packets(
        queue in prop::sample::select(vec![
            "delay = \"1060 us\"\nrate = \"8 Mbit/s\"\nbuffer = \"60 cells\"",
            "delay = \"0 s\"\nrate = \"16 Mbit/s\"\nbuffer = \"300 cells\"",
            "delay = \"1060 us\"\nrate = \"8 Mbit/s\"\nbuffer = \"60 cells\"\nscheduling = \"priority\"",
            "delay = \"1060 us\"\nrate = \"8 Mbit/s\"\nbuffer = \"60 cells\"\ndiscard = { policy = \"epd\", threshold = \"30 cells\" }",
            "delay = \"1060 us\"\nrate = { process = \"uniform\", low = \"4 Mbit/s\", high = \"12 Mbit/s\", every = \"3 ms\" }\nbuffer = \"60 cells\"",
            "delay = \"1060 us\"",
        ]),
        [before, after] in prop::sample::select(vec![["a", "far"], ["far", "a"]]),
        process in prop::sample::select(vec![
            "process = \"cbr\", rate = \"1 Mbit/s\"",
            "process = \"cbr\", rate = \"500 kbit/s\"",
            "process = \"poisson\", rate = \"1 Mbit/s\"",
            "process = \"pulses\", peak = \"4 Mbit/s\", period = \"10600 us\", duty_cycle = 0.25",
        ]),
        probe in prop::sample::select(vec![
            "",
            "[probes.p]\nevery = \"1060 us\"\nrecord = [\"links.queue.queue_cells\", \"links.queue.sent_cells\"]",
            "[probes.p]\nevery = \"1060 us\"\nrecord = [\"links.a1.arrived_cells\"]",
        ]),
        // Statistics by part are taken cell by cell.
        measure in prop::sample::select(vec![
            "", "", "", "", "", "", "", "parts = 3",
            "cell_delays = { vcs = [\"c\"] }",
            "cell_delays = { vcs = [\"c\", \"late\"] }",
        ]),
        seed in any::<u64>(),
    ) {
        let text = groups(measure, queue, before, after, process, probe);
        prop_assert_eq!(difference(&both(&text, seed)), None);
    }
}
