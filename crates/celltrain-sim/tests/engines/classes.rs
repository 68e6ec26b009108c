//! Queues with classes, fed only by the sources of connections, alongside processes of higher priority.

use proptest::prelude::*;

use super::{both, cases, difference};

/// Connections through a queue, with what lies upstream and downstream of it and what shares it.
fn classes(
    measure: &str,
    [access, near, behind]: [&str; 3],
    queue: &str,
    vc: &str,
    flow: &str,
    more: &str,
) -> String {
    format!(
        r#"
        [measure]
        warm_up = "50 ms"
        duration = "400 ms"
        {measure}
        [hosts]
        a = {{ count = 3 }}
        b = {{ count = 3 }}
        x = {{}}
        y = {{}}
        [switches]
        r = {{}}
        s = {{}}
        t = {{}}
        u = {{}}
        [links.access]
        between = ["a", "r"]
        {access}
        [links.near]
        between = ["r", "s"]
        delay = "{near}"
        [links.side]
        between = ["x", "s"]
        delay = "40 us"
        [links.queue]
        from = "s"
        to = "t"
        scheduling = "priority"
        {queue}
        [links.back]
        from = "t"
        to = "s"
        delay = "1 ms"
        [links.behind]
        between = ["t", "u"]
        {behind}
        [links.exit]
        between = ["u", "b"]
        delay = "0 s"
        [links.out]
        between = ["t", "y"]
        delay = "3 ms"
        [vcs.v]
        route = ["a", "r", "s", "t", "u", "b"]
        {vc}
        [vcs.m]
        route = ["x", "s", "t", "y"]
        forward = {{ service = "nrt-vbr", pcr = "9 Mbit/s", scr = "400 kbit/s", mbs = "50 cells" }}
        [flows.f]
        vc = "v"
        {flow}
        {more}
        "#
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn both_engines_agree_where_sources_fill_classes(
        access in prop::sample::select(vec![
            "delay = \"1 ms\"",
            "delay = \"5 ms\"",
            "delay = \"0 s\"",
            "delay = \"1 ms\"\nrate = \"20 Mbit/s\"\nbuffer = \"500 cells\"",
        ]),
        near in prop::sample::select(vec!["0 s", "200 us"]),
        queue in prop::sample::select(vec![
            "delay = \"1 ms\"\nrate = \"10 Mbit/s\"\nbuffer = \"150 cells\"",
            "delay = \"0 s\"\nrate = \"10 Mbit/s\"\nbuffer = \"40 cells\"",
            "delay = \"1 ms\"\nrate = \"10 Mbit/s\"\nbuffer = \"150 cells\"\nclass_buffers = { nrt-vbr = \"5 cells\" }",
            "delay = \"1 ms\"\nrate = \"10 Mbit/s\"\nbuffer = \"150 cells\"\ndiscard = { policy = \"epd\", threshold = \"60 cells\" }",
            "delay = \"1 ms\"\nrate = \"10 Mbit/s\"\nbuffer = \"150 cells\"\ndiscard = { policy = \"ppd\" }",
            "delay = \"1 ms\"\nrate = \"10 Mbit/s\"\nbuffer = \"9000 cells\"\ncontrol = { algorithm = \"erica\", interval = \"2 ms\" }",
            "delay = \"1 ms\"\nrate = \"10 Mbit/s\"\nbuffer = \"9000 cells\"\ncontrol = { algorithm = \"erica\", interval = \"30 ms\" }",
            "delay = \"1 ms\"\nrate = \"10 Mbit/s\"\nbuffer = \"150 cells\"\npriority_load = \"departures\"\ncontrol = { algorithm = \"erica\", interval = \"1 ms\", interval_cells = \"30 cells\", priority_taken = \"from-line\", idle_gives_all = true }",
            "delay = \"1 ms\"\nrate = \"10 Mbit/s\"\nbuffer = \"300 cells\"\ncontrol = { algorithm = \"erica-plus\", interval = \"2 ms\" }",
            "delay = \"1 ms\"\nrate = \"10 Mbit/s\"\nbuffer = \"300 cells\"\ncontrol = { algorithm = \"eprca\", qt = \"40 cells\", dqt = \"100 cells\" }",
            "delay = \"1 ms\"\nrate = \"10 Mbit/s\"\nbuffer = \"300 cells\"\ncontrol = { algorithm = \"binary\", threshold = \"30 cells\" }",
        ]),
        behind in prop::sample::select(vec![
            "delay = \"10 ms\"",
            "delay = \"1 ms\"\nrate = \"8 Mbit/s\"\nbuffer = \"100 cells\"",
            "delay = \"1 ms\"\nrate = \"20 Mbit/s\"\nbuffer = \"100 cells\"",
            "delay = \"0 s\"",
            "delay = \"1 ms\"\nrate = { process = \"uniform\", low = \"5 Mbit/s\", high = \"12 Mbit/s\", every = \"13 ms\" }\nbuffer = \"200 cells\"",
        ]),
        vc in prop::sample::select(vec![
            "forward = { service = \"abr\", pcr = \"20 Mbit/s\" }\nbackward = { service = \"abr\", pcr = \"20 Mbit/s\" }",
            "forward = { service = \"abr\", pcr = \"20 Mbit/s\", mrm = 5, trm = \"3 ms\", idle_forward_rm = false }\nbackward = { service = \"abr\", pcr = \"20 Mbit/s\" }",
            "forward = { service = \"abr\", pcr = \"20 Mbit/s\", rif = 1, nrm = 8, turn_around_at = \"u\" }",
            "forward = { service = \"abr\", pcr = \"20 Mbit/s\", turn_around_at = \"s\" }",
            "forward = { service = \"ubr\", pcr = \"8 Mbit/s\" }",
            "forward = { service = \"nrt-vbr\", pcr = \"9 Mbit/s\", scr = \"600 kbit/s\", mbs = \"30 cells\" }",
            "",
        ]),
        flow in prop::sample::select(vec![
            "tcp = { variant = \"4.3bsd-tahoe-no-fast-retransmit\", mss = \"512 bytes\", timer_granularity = \"100 ms\", ack = \"each\" }",
            "start = { uniform = [\"0 s\", \"30 ms\"] }\ntcp = { variant = \"sack\", mss = \"1460 bytes\", timer_granularity = \"10 ms\", ecn = true }",
            "tcp = { mss = \"9140 bytes\", timer_granularity = \"20 ms\", ack = \"delayed\" }",
            "udp = { packet = \"700 bytes\", traffic = { process = \"on-off\", peak = \"6 Mbit/s\", on = \"20 ms\", off = \"20 ms\" } }",
        ]),
        background in prop::sample::select(vec![
            "",
            "[backgrounds.m]\nvc = \"m\"\ntraffic = { process = \"pulses\", peak = \"8 Mbit/s\", period = \"10 ms\", duty_cycle = 0.8 }",
            "[backgrounds.m]\nvc = \"m\"\ntraffic = { process = \"poisson\", rate = \"5 Mbit/s\" }",
        ]),
        probe in prop::sample::select(vec![
            "",
            "[probes.p]\nevery = \"7 ms\"\nrecord = [\"links.queue.queue_cells\", \"links.queue.sent_cells\", \"vcs.v1.forward.acr_bps\"]",
        ]),
        // Statistics by part are taken cell by cell.
        measure in prop::sample::select(vec![
            "", "", "", "", "", "", "", "parts = 2",
            "cell_delays = { vcs = [\"v\"] }",
            "cell_delays = { vcs = [\"v\", \"m\"] }",
        ]),
        seed in any::<u64>(),
    ) {
        let more = format!("{background}\n{probe}");
        let text = classes(measure, [access, near, behind], queue, vc, flow, &more);
        prop_assert_eq!(difference(&both(&text, seed)), None);
    }
}
