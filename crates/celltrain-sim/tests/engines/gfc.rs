//! Networks with generic flow control: hosts with several VCs, halted together or one by one, and groups whose VCs take
//! turns.

use proptest::prelude::*;

use super::threads::on_threads;
use super::{both, cases, common, difference};

/// Two hosts send over a queue with GFC; VC `x` of the first host does not cross it, and `y` and `z` only bring cells to it.
struct Uplink {
    host: &'static str,
    access: &'static str,
    gfc: &'static str,
    up: &'static str,
    down: &'static str,
    v: &'static str,
    w: &'static str,
    x: &'static str,
    traffic: [&'static str; 3],
    back: &'static str,
}

impl Uplink {
    fn text(&self) -> String {
        let Self {
            host,
            access,
            gfc,
            up,
            down,
            v,
            w,
            x,
            traffic,
            back,
        } = self;
        let [v_traffic, w_traffic, x_traffic] = ["v", "w", "x"]
            .into_iter()
            .zip(traffic)
            .map(|(vc, traffic)| traffic.replace("VC", vc))
            .collect::<Vec<_>>()
            .try_into()
            .expect("three VCs have traffic");
        format!(
            r#"
            [measure]
            warm_up = "100 ms"
            duration = "700 ms"
            [hosts]
            a = {{ count = 2{host} }}
            b = {{ count = 2 }}
            c = {{}}
            [switches]
            s = {{}}
            t = {{}}
            [links.access]
            between = ["a", "s"]
            {access}
            [links.up]
            from = "s"
            to = "t"
            {up}
            gfc = {{ {gfc} }}
            [links.down]
            from = "t"
            to = "s"
            {down}
            [links.out]
            between = ["t", "b"]
            delay = "300 us"
            [links.side]
            between = ["s", "c"]
            delay = "200 us"
            rate = "5 Mbit/s"
            buffer = "50 cells"
            [vcs.v]
            route = ["a", "s", "t", "b"]
            {v}
            [vcs.w]
            route = ["a", "s", "t", "b"]
            {w}
            [vcs.x]
            route = ["a1", "s", "c"]
            {x}
            [vcs.y]
            route = ["b1", "t", "s", "a1"]
            [vcs.z]
            route = ["c", "s", "a1"]
            {v_traffic}
            {w_traffic}
            {x_traffic}
            {back}
            [probes.p]
            every = "7 ms"
            record = ["links.up.queue_cells", "links.up.sent_cells", "vcs.v1.forward.host_queue_cells"]
            "#
        )
    }
}

const COUNTERS: [&str; 3] = [
    "",
    r#", group_a = { set_below = "30 cells", go_value = 40 }"#,
    r#", group_a = { set_below = "60 cells", go_value = 3 }, group_b = { set_below = "30 cells" }"#,
];

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn both_engines_agree_under_gfc(
        host in prop::sample::select(vec![
            "",
            "",
            ", processing = { uniform = [\"0 s\", \"400 us\"] }",
            ", gfc = \"uncontrolled\"",
        ]),
        access in prop::sample::select(vec![
            "delay = \"0 s\"",
            "delay = \"1 ms\"",
            "delay = \"10 us\"\nrate = \"20 Mbit/s\"\nbuffer = \"500 cells\"",
            "delay = \"1 ms\"\njitter = { process = \"uniform\", max = \"500 us\" }",
            "delay = \"1 ms\"\nloss = { process = \"bernoulli\", probability = 0.003 }",
        ]),
        scope in prop::sample::select(vec!["\"vc\"", "\"host\"", "\"host\""]),
        marks in prop::sample::select(vec![
            "high = \"60 cells\", low = \"30 cells\"",
            "high = \"20 cells\", low = \"20 cells\", timeout = \"3 ms\"",
            "high = \"0 cells\", low = \"0 cells\", timeout = \"20 ms\"",
        ]),
        counters in 0..COUNTERS.len(),
        up in prop::sample::select(vec![
            "delay = \"1 ms\"\nrate = \"3 Mbit/s\"\nbuffer = \"100 cells\"",
            "delay = \"0 s\"\nrate = \"3 Mbit/s\"\nbuffer = \"100 cells\"\nscheduling = \"priority\"",
            "delay = \"1 ms\"\nrate = { process = \"markov\", good = \"6 Mbit/s\", bad = \"700 kbit/s\", mean_good = \"40 ms\", mean_bad = \"5 ms\" }\nbuffer = \"100 cells\"",
            "delay = \"1 ms\"\nrate = \"3 Mbit/s\"\nbuffer = \"100 cells\"\ndiscard = { policy = \"epd\", threshold = \"70 cells\" }\ncontrol = { algorithm = \"binary\", threshold = \"30 cells\" }",
        ]),
        down in prop::sample::select(vec![
            "delay = \"1 ms\"",
            "delay = \"0 s\"",
            "delay = \"1 ms\"\nrate = \"8 Mbit/s\"\nbuffer = \"100 cells\"",
        ]),
        services in prop::collection::vec(prop::sample::select(vec![
            "",
            "forward = { service = \"ubr\", pcr = \"2 Mbit/s\" }\nbackward = { service = \"ubr\", pcr = \"8 Mbit/s\" }",
            "forward = { service = \"nrt-vbr\", pcr = \"4 Mbit/s\", scr = \"100 kbit/s\", mbs = \"60 cells\" }",
            "forward = { service = \"abr\", pcr = \"4 Mbit/s\", turn_around_at = \"s\" }\nbackward = { service = \"ubr\", pcr = \"8 Mbit/s\" }",
            "forward = { service = \"abr\", pcr = \"4 Mbit/s\" }\nbackward = { service = \"abr\", pcr = \"4 Mbit/s\", older_backward_rm = \"out-of-rate\" }",
            "virtual_ends = { at = [\"s\"] }\nforward = { service = \"abr\", pcr = \"4 Mbit/s\", starved = \"out-of-rate\" }\nbackward = { service = \"abr\", pcr = \"4 Mbit/s\", backward_rm = \"out-of-rate\" }",
        ]), 3),
        groups in prop::collection::vec(0..3_usize, 3),
        traffic in prop::collection::vec(prop::sample::select(vec![
            "",
            "[flows.VC]\nvc = \"VC\"\ntcp = { variant = \"sack\", mss = \"1460 bytes\", timer_granularity = \"10 ms\", ack = \"each\" }",
            "[flows.VC]\nvc = \"VC\"\ntcp = { mss = \"9140 bytes\", timer_granularity = \"20 ms\", ack = \"each\", host_queue_segments = 1 }",
            "[flows.VC]\nvc = \"VC\"\nudp = { packet = \"700 bytes\", traffic = { process = \"poisson\", rate = \"1 Mbit/s\" } }",
            "[backgrounds.VC]\nvc = \"VC\"\ntraffic = { process = \"cbr\", rate = \"1 Mbit/s\" }",
            "[backgrounds.VC]\nvc = \"VC\"\ntraffic = { process = \"on-off\", peak = \"9 Mbit/s\", on = \"5 ms\", off = \"9 ms\" }",
        ]), 3),
        back in prop::sample::select(vec![
            "",
            "[backgrounds.y]\nvc = \"y\"\ntraffic = { process = \"cbr\", rate = \"400 kbit/s\" }",
            "[backgrounds.y]\nvc = \"y\"\ntraffic = { process = \"poisson\", rate = \"1 Mbit/s\" }",
            "[backgrounds.z]\nvc = \"z\"\ntraffic = { process = \"cbr\", rate = \"400 kbit/s\" }",
        ]),
        seed in any::<u64>(),
    ) {
        let gfc = format!("{marks}, scope = {scope}{}", COUNTERS[counters]).leak();
        // VC `x` has no end of a loop on its way, and commands act on it only as one of its host.
        let group = |index: usize, vc: usize| match groups[index].min(counters) {
            _ if host.contains("uncontrolled") || vc == 2 && scope == "\"vc\"" => "",
            0 => "",
            1 => "\ngfc_group = \"a\"",
            _ => "\ngfc_group = \"b\"",
        };
        let services: Vec<&str> = (0..3)
            .map(|at| &*format!("{}{}", services[at], group(at, at)).leak())
            .collect();
        let text = Uplink {
            host,
            access,
            gfc,
            up,
            down,
            v: services[0],
            w: services[1],
            x: services[2],
            traffic: [traffic[0], traffic[1], traffic[2]],
            back,
        }
        .text();
        if let Err(error) = common::network(&text) {
            panic!("{error}");
        }
        let results = both(&text, seed);
        prop_assert_eq!(difference(&results), None);
        let [_, trains] = on_threads(&text, seed, 2);
        let [cells, _] = results;
        prop_assert_eq!(difference(&[cells, trains]), None);
    }
}

const CBR: &str =
    "[backgrounds.VC]\nvc = \"VC\"\ntraffic = { process = \"cbr\", rate = \"3 Mbit/s\" }";

/// A scenario in which `v` and `w` of two hosts overload the queue, and `x` of the first crosses only its link to the
/// switch, over which cells pass in no time.
fn overload(gfc: &'static str, back: &'static str) -> String {
    Uplink {
        host: "",
        access: "delay = \"0 s\"",
        gfc,
        up: "delay = \"1 ms\"\nrate = \"3 Mbit/s\"\nbuffer = \"100 cells\"",
        down: "delay = \"1 ms\"",
        v: "",
        w: "",
        x: "",
        traffic: [CBR; 3],
        back,
    }
    .text()
}

#[test]
fn vcs_that_meet_only_at_their_host_are_one_part() {
    let gfc = r#"high = "30 cells", low = "20 cells", timeout = "3 ms", scope = "host""#;
    let back =
        "[backgrounds.y]\nvc = \"y\"\ntraffic = { process = \"cbr\", rate = \"400 kbit/s\" }";
    let text = overload(gfc, back);
    let [cells, trains] = both(&text, 1);
    for threads in 1..=2 {
        let [_, parts] = on_threads(&text, 1, threads);
        assert_eq!(difference(&[cells.clone(), parts]), None, "{threads}");
    }
    assert_eq!(difference(&[cells, trains]), None);
}
