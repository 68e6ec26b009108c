//! Backward RM cells that switches generate, and policers that follow backward RM cells.

use proptest::prelude::*;

use super::threads::on_threads;
use super::{both, cases, common, difference};

/// Hosts behind two switches in a row, in front of two queues, with data both ways.
struct Loops {
    access: &'static str,
    trunk: &'static str,
    back: &'static str,
    last: &'static str,
    forward: &'static str,
    vc: &'static str,
    traffic: [&'static str; 2],
}

impl Loops {
    fn text(&self) -> String {
        let Self {
            access,
            trunk,
            back,
            last,
            forward,
            vc,
            traffic: [there, home],
        } = self;
        format!(
            r#"
            [measure]
            warm_up = "50 ms"
            duration = "500 ms"
            [hosts]
            a = {{ count = 2 }}
            b = {{ count = 2 }}
            x = {{}}
            [switches]
            s = {{}}
            t = {{}}
            u = {{}}
            [links.access]
            between = ["a", "s"]
            {access}
            [links.side]
            between = ["x", "s"]
            delay = "0 s"
            [links.trunk]
            from = "s"
            to = "t"
            {trunk}
            [links.back]
            from = "t"
            to = "s"
            {back}
            [links.last]
            between = ["t", "u"]
            {last}
            [links.out]
            between = ["u", "b"]
            delay = "200 us"
            [vcs.v]
            route = ["a", "s", "t", "u", "b"]
            {forward}
            {vc}
            [vcs.x]
            route = ["x", "s", "t", "u", "b1"]
            forward = {{ service = "abr", pcr = "6 Mbit/s" }}
            backward = {{ service = "abr", pcr = "6 Mbit/s" }}
            {there}
            {home}
            [probes.p]
            every = "3 ms"
            record = ["links.trunk.queue_cells", "links.back.queue_cells", "vcs.v1.forward.acr_bps", "vcs.v2.backward.acr_bps", "vcs.x.forward.acr_bps"]
            "#
        )
    }
}

/// Traffic of the VC under ABR and traffic in the other direction.
fn traffic() -> impl Strategy<Value = [&'static str; 2]> {
    let there = prop::sample::select(vec![
        "[flows.f]\nvc = \"v\"\ntcp = { mss = \"1460 bytes\", timer_granularity = \"10 ms\" }",
        "[backgrounds.f]\nvc = \"v\"\ntraffic = { process = \"greedy\" }",
        "[backgrounds.f]\nvc = \"v\"\ntraffic = { process = \"cbr\", rate = \"6 Mbit/s\" }",
    ]);
    let home = prop::sample::select(vec![
        "[flows.x]\nvc = \"x\"\nudp = { packet = \"700 bytes\", traffic = { process = \"poisson\", rate = \"5 Mbit/s\" } }",
        "[backgrounds.h]\nvc = \"v\"\ndirection = \"backward\"\ntraffic = { process = \"cbr\", rate = \"3 Mbit/s\" }\n[flows.x]\nvc = \"x\"\nback = {}\ntcp = { mss = \"1460 bytes\" }",
    ]);
    let rule = "a direction of a VC has one kind of traffic, and acknowledgments are traffic";
    (there, home)
        .prop_filter(rule, |(there, home)| {
            !(there.contains("tcp") && home.contains("backgrounds"))
        })
        .prop_map(|(there, home)| [there, home])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn both_engines_agree_on_becn_and_on_policers_of_abr(
        access in prop::sample::select(vec![
            "delay = \"0 s\"",
            "delay = \"300 us\"",
            "delay = \"10 us\"\nrate = \"20 Mbit/s\"\nbuffer = \"500 cells\"",
            "delay = \"0 s\"\nrate = \"9 Mbit/s\"\nbuffer = \"300 cells\"\nbecn = { above = \"5 cells\" }",
            "delay = \"100 us\"\nrate = \"20 Mbit/s\"\nbuffer = \"500 cells\"\njitter = { process = \"uniform\", max = \"200 us\" }",
        ]),
        trunk in prop::sample::select(vec![
            "delay = \"1 ms\"\nrate = \"8 Mbit/s\"\nbuffer = \"200 cells\"\nbecn = { above = \"0 cells\" }",
            "delay = \"0 s\"\nrate = \"8 Mbit/s\"\nbuffer = \"60 cells\"\nbecn = { above = \"30 cells\" }",
            "delay = \"50 us\"\nrate = \"8 Mbit/s\"\nbuffer = \"200 cells\"\nscheduling = \"weighted-fair\"\nbecn = { above = \"10 cells\" }",
            "delay = \"1 ms\"\nrate = { process = \"uniform\", low = \"1 Mbit/s\", high = \"12 Mbit/s\", every = \"13 ms\" }\nbuffer = \"200 cells\"\nbecn = { above = \"20 cells\" }",
            "delay = \"1 ms\"\nrate = \"8 Mbit/s\"\nbuffer = \"200 cells\"\ncontrol = { algorithm = \"eprca\", qt = \"40 cells\", dqt = \"100 cells\" }\nbecn = { above = \"60 cells\" }",
            "delay = \"1 ms\"\nrate = \"8 Mbit/s\"\nbuffer = \"200 cells\"\ncontrol = { algorithm = \"erica\", interval = \"2 ms\" }",
        ]),
        back in prop::sample::select(vec![
            "delay = \"1 ms\"",
            "delay = \"0 s\"",
            "delay = \"1 ms\"\nrate = \"20 Mbit/s\"\nbuffer = \"200 cells\"",
            "delay = \"0 s\"\nrate = \"4 Mbit/s\"\nbuffer = \"100 cells\"\nscheduling = \"priority\"\nbecn = { above = \"3 cells\" }",
            "delay = \"1 ms\"\nrate = \"4 Mbit/s\"\nbuffer = \"100 cells\"\ndiscard = { policy = \"epd\", threshold = \"50 cells\" }",
            "delay = \"1 ms\"\nrate = { process = \"uniform\", low = \"2 Mbit/s\", high = \"12 Mbit/s\", every = \"7 ms\" }\nbuffer = \"200 cells\"",
        ]),
        last in prop::sample::select(vec![
            "delay = \"1 ms\"",
            "delay = \"0 s\"\nrate = \"7 Mbit/s\"\nbuffer = \"90 cells\"\nbecn = { above = \"9 cells\", mark = \"no-increase\" }",
            "delay = \"1 ms\"\nrate = \"40 Mbit/s\"\nbuffer = \"90 cells\"",
        ]),
        forward in prop::sample::select(vec![
            "forward = { service = \"abr\", pcr = \"9 Mbit/s\" }\nbackward = { service = \"abr\", pcr = \"9 Mbit/s\" }",
            "forward = { service = \"abr\", pcr = \"9 Mbit/s\", starved = \"out-of-rate\", rdf = 1 }\nbackward = { service = \"abr\", pcr = \"9 Mbit/s\", rm_quantise = true, backward_rm = \"out-of-rate\" }",
            "forward = { service = \"abr\", pcr = \"9 Mbit/s\" }\nbackward = { service = \"abr\", pcr = \"9 Mbit/s\" }\nvirtual_ends = { at = [\"s\"] }",
            "forward = { service = \"abr\", pcr = \"9 Mbit/s\" }\nbackward = { service = \"abr\", pcr = \"9 Mbit/s\" }\nvirtual_ends = { at = [\"t\", \"u\"], buffer = \"40 cells\" }",
            "forward = { service = \"abr\", pcr = \"9 Mbit/s\", turn_around_at = \"s\" }\nbackward = { service = \"abr\", pcr = \"9 Mbit/s\", turn_around_at = \"u\" }",
            "forward = { service = \"abr\", pcr = \"9 Mbit/s\", turn_around_at = \"t\" }",
        ]),
        vc in prop::sample::select(vec![
            "",
            "police = { pcr = \"9 Mbit/s\", cdvt = \"0 s\", dynamic = { tau_2 = \"1 ms\" } }",
            "police = { pcr = \"5 Mbit/s\", cdvt = \"1 ms\", action = \"tag\", dynamic = { tau_2 = \"9 ms\", tau_3 = \"600 us\" } }",
        ]),
        [there, home] in traffic(),
        seed in any::<u64>(),
    ) {
        let text = Loops { access, trunk, back, last, forward, vc, traffic: [there, home] }.text();
        if let Err(error) = common::network(&text) {
            panic!("{error}");
        }
        let results = both(&text, seed);
        prop_assert_eq!(difference(&results), None);
        for on_threads in on_threads(&text, seed, 2) {
            prop_assert_eq!(difference(&[results[0].clone(), on_threads]), None);
        }
    }
}
