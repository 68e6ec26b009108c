//! Both engines give the same results, cell for cell.

mod becn;
mod both_ways;
mod classes;
mod coincidences;
#[path = "../common/mod.rs"]
mod common;
mod conditions;
mod found;
mod fragments;
mod gfc;
mod groups;
mod parts;
mod processes;
mod queues;
mod rm_cells;
mod threads;

use std::sync::atomic::AtomicBool;

use celltrain_sim::engine::{Engine, run_captured, run_with};
use celltrain_sim::measure::{Results, Values};
use common::row::{Row, link};
use proptest::prelude::*;

fn both(text: &str, seed: u64) -> [Results; 2] {
    let network = common::network(text).expect("the scenario describes a network");
    [Engine::Cells, Engine::Trains].map(|engine| {
        run_with(engine, &network, seed, &AtomicBool::new(false)).expect("the run succeeds")
    })
}

/// The results of the cell engine under an observer of packets, and also of cells if `sees_cells`. The network is then
/// simulated as a whole, and observed links handle each cell when it arrives.
fn observed(text: &str, seed: u64, sees_cells: bool) -> Results {
    let network = common::network(text).unwrap_or_else(|error| panic!("{error}"));
    let links = 0..if sees_cells { network.links.len() } else { 0 };
    let links: Vec<usize> = links.collect();
    let results = run_captured(&network, seed, &AtomicBool::new(false), &links, |_| ());
    results.expect("the run succeeds")
}

/// The first difference between the results.
fn difference([cells, trains]: &[Results; 2]) -> Option<String> {
    if cells.digest == trains.digest {
        return None;
    }
    let tables = |results: &Results| [&results.tables[..], &results.traces].concat();
    for (one, other) in tables(cells).iter().zip(&tables(trains)) {
        for (a, b) in one.columns.iter().zip(&other.columns) {
            match (&a.values, &b.values) {
                (Values::Numbers(xs), Values::Numbers(ys)) => {
                    let pairs = xs.iter().zip(ys.iter()).enumerate();
                    let differ = |&(_, (x, y)): &(usize, (f64, f64))| {
                        x.to_bits() != y.to_bits() && !(x.is_nan() && y.is_nan())
                    };
                    if let Some((row, (x, y))) = { pairs }.find(differ) {
                        return Some(format!(
                            "{} row {row} {}: {x} cell by cell, {y} in trains",
                            one.name, a.name
                        ));
                    }
                    if xs.iter().count() != ys.iter().count() {
                        return Some(format!("{} {}: other lengths", one.name, a.name));
                    }
                }
                (x, y) => assert_eq!(format!("{x:?}"), format!("{y:?}")),
            }
        }
    }
    Some("the digests differ".to_owned())
}

#[test]
fn the_local_loop() {
    let results = both(include_str!("../data/local-loop.toml"), 1);
    assert_eq!(difference(&results), None);
}

#[test]
fn an_algorithm_measures_its_load_where_no_cell_waits() {
    let trunk = link("trunk", "1 ms").queue("10 Mbit/s", 300);
    let traffic = r#"{ process = "poisson", rate = "1 Mbit/s" }"#;
    let text = Row::of("a s b")
        .lasting("100 ms")
        .link(link("access", "10 us"))
        .link(trunk.with(r#"control = { algorithm = "erica-plus", interval = "2 ms" }"#))
        .vc("v", r#"forward = { service = "ubr", pcr = "3 Mbit/s" }"#)
        .flow(
            "f",
            "v",
            &format!(r#"udp = {{ packet = "700 bytes", traffic = {traffic} }}"#),
        )
        .toml();
    assert_eq!(difference(&both(&text, 1)), None);
}

#[test]
fn lines_of_delivery_opportunities() {
    let opportunities = |name: &str, trace: &str| {
        link(name, "3 ms").with(&format!(
            "rate = {{ process = \"mahimahi\", trace = {trace:?} }}\nbuffer = \"300 cells\""
        ))
    };
    let traffic = r#"{ process = "poisson", rate = "1 Mbit/s" }"#;
    let text = Row::of("a s b")
        .hosts("count = 2")
        .lasting("5 s")
        .link(link("in", "1 ms").queue("20 Mbit/s", 500))
        .ways(
            opportunities("out", "0\n1\n2\n2\n2\n9\n10\n31\n"),
            opportunities("back", "4\n"),
        )
        .vc("v", "")
        .flow(
            "f",
            "v",
            r#"tcp = { variant = "cubic", mss = "1460 bytes" }"#,
        )
        .flow(
            "g",
            "v",
            &format!(r#"udp = {{ packet = "700 bytes", traffic = {traffic} }}"#),
        )
        .toml();
    let results = both(&text, 1);
    assert_eq!(difference(&results), None);
    let carried = results[0].table("links").expect("the table exists");
    assert!(carried.numbers_of("utilization").iter().any(|&it| it > 0.5));
}

#[test]
fn lines_that_stand_still_at_times() {
    for rule in ["resume-at-new-rate", "finish-at-old-rate"] {
        for discard in [
            "",
            "discard = { policy = \"epd\", threshold = \"90 cells\" }",
        ] {
            for control in [
                "{ algorithm = \"binary\", threshold = \"40 cells\" }",
                "{ algorithm = \"erica\", interval = \"5 ms\" }",
            ] {
                for middle in [
                    "{ process = \"markov\", good = \"9 Mbit/s\", bad = \"0 bit/s\", mean_good = \"30 ms\", mean_bad = \"4 ms\" }",
                    "{ process = \"markov\", good = \"4 Mbit/s\", bad = \"0 bit/s\", mean_good = \"100 us\", mean_bad = \"100 us\" }",
                    "{ process = \"uniform\", low = \"20 kbit/s\", high = \"12 Mbit/s\", every = \"3 ms\" }",
                ] {
                    let text = stand_still(rule, discard, control, middle);
                    assert_eq!(difference(&both(&text, 1)), None, "{text}");
                }
            }
        }
    }
}

/// Three hosts upload over a line with the rate `middle`, with ABR up to the line; an on-off background shares it.
fn stand_still(rule: &str, discard: &str, control: &str, middle: &str) -> String {
    format!(
        r#"
[measure]
duration = "2 s"
[hosts]
a = {{ count = 3 }}
b = {{ count = 3 }}
x = {{}}
[switches]
s = {{}}
t = {{}}
[links.in]
between = ["a", "s"]
delay = "10 us"
[links.side]
between = ["x", "s"]
delay = "10 us"
[links.middle]
from = "s"
to = "t"
delay = "1 ms"
rate = {middle}
on_rate_change = "{rule}"
buffer = "120 cells"
control = {control}
{discard}
[links.back]
from = "t"
to = "s"
delay = "1 ms"
rate = "8 Mbit/s"
buffer = "200 cells"
[links.out]
between = ["t", "b"]
delay = "5 ms"
[vcs.v]
route = ["a", "s", "t", "b"]
forward = {{ service = "abr", pcr = "9 Mbit/s", turn_around_at = "s" }}
backward = {{ service = "ubr", pcr = "8 Mbit/s" }}
[vcs.w]
route = ["x", "s", "t", "b1"]
[flows.f]
vc = "v"
tcp = {{ mss = "1460 bytes", timer_granularity = "10 ms" }}
[backgrounds.w]
vc = "w"
traffic = {{ process = "on-off", peak = "1 Mbit/s", on = "9 ms", off = "20 ms" }}
[probes.p]
every = "7 ms"
record = ["links.middle.queue_cells", "links.middle.lost_cells", "links.middle.sent_cells"]
"#
    )
}

#[test]
fn the_examples() {
    for (name, text) in [
        ("adsl", include_str!("../../../../examples/adsl.toml")),
        ("chain", include_str!("../../../../examples/chain.toml")),
        (
            "greedy-tcp",
            include_str!("../../../../examples/greedy-tcp.toml"),
        ),
        ("epd", include_str!("../../../../examples/epd.toml")),
        ("ppd", include_str!("../../../../examples/ppd.toml")),
        ("gfc", include_str!("../../../../examples/gfc.toml")),
        (
            "gfc-groups",
            include_str!("../../../../examples/gfc-groups.toml"),
        ),
        ("credits", include_str!("../../../../examples/credits.toml")),
        ("isdn", include_str!("../../../../examples/isdn.toml")),
        (
            "policing",
            include_str!("../../../../examples/policing.toml"),
        ),
        (
            "abr-policing",
            include_str!("../../../../examples/abr-policing.toml"),
        ),
        (
            "linux-1999",
            include_str!("../../../../examples/linux-1999.toml"),
        ),
        (
            "admission",
            include_str!("../../../../examples/admission.toml"),
        ),
        ("shaping", include_str!("../../../../examples/shaping.toml")),
        (
            "virtual-path",
            include_str!("../../../../examples/virtual-path.toml"),
        ),
    ] {
        let results = both(text, 1);
        println!(
            "{name}: {} cell-hops, events {:?}",
            results[0].cell_hops,
            [&results[0], &results[1]].map(|it| it.events)
        );
        assert_eq!(difference(&results), None, "{name}");
    }
}

/// A network of four switches in a row, with three VCs from end to end, one in the middle, one in the opposite direction,
/// and backgrounds.
struct Network {
    host: &'static str,
    access: &'static str,
    first: &'static str,
    middle: &'static str,
    last: &'static str,
    vc: &'static str,
    flow: &'static str,
    background: &'static str,
    measure: &'static str,
}

impl Network {
    fn text(&self) -> String {
        let Self {
            host,
            access,
            first,
            middle,
            last,
            vc,
            flow,
            background,
            measure,
        } = self;
        format!(
            r#"
            [measure]
            warm_up = "120 ms"
            duration = "900 ms"
            {measure}
            [hosts]
            a = {{ count = 3{host} }}
            b = {{ count = 3{host} }}
            x = {{}}
            y = {{}}
            [switches]
            s = {{}}
            t = {{}}
            u = {{}}
            w = {{}}
            [links.access]
            between = ["a", "s"]
            {access}
            [links.side]
            between = ["x", "t"]
            delay = "10 us"
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
            delay = "1 ms"
            [links.exit]
            between = ["u", "y"]
            delay = "0 s"
            [vcs.v]
            route = ["a", "s", "t", "u", "w", "b"]
            {vc}
            [vcs.m]
            route = ["x", "t", "u", "y"]
            forward = {{ service = "rt-vbr", pcr = "9 Mbit/s", scr = "400 kbit/s", mbs = "50 cells" }}
            [vcs.n]
            route = ["y", "u", "t", "x"]
            forward = {{ service = "ubr", pcr = "3 Mbit/s" }}
            [flows.n]
            vc = "n"
            udp = {{ packet = "700 bytes", traffic = {{ process = "poisson", rate = "1 Mbit/s" }} }}
            {flow}
            {background}
            [probes.p]
            every = "7 ms"
            record = ["links.middle.queue_cells", "links.middle.lost_cells", "links.last.sent_cells", "vcs.v1.forward.acr_bps", "vcs.v2.forward.host_queue_cells"]
            "#
        )
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn both_engines_agree_on_any_network(
        host in prop::sample::select(vec![
            "",
            ", processing = { uniform = [\"0 s\", \"400 us\"] }",
        ]),
        access in prop::sample::select(vec![
            "delay = \"0 s\"",
            "delay = \"1 ms\"",
            "delay = \"10 us\"\nrate = \"20 Mbit/s\"\nbuffer = \"500 cells\"",
            "delay = \"0 s\"\nrate = \"8 Mbit/s\"\nbuffer = \"60 cells\"",
            "delay = \"1 ms\"\njitter = { process = \"uniform\", max = \"500 us\" }",
            "delay = { process = \"list\", delays = [{ at = \"0 s\", delay = \"3 ms\" }, { at = \"40 ms\", delay = \"0 s\" }, { at = \"55 ms\", delay = \"1 ms\" }], repeat = \"90 ms\" }",
            "delay = \"1 ms\"\nloss = { process = \"bernoulli\", probability = 0.003 }",
            "schedule = { process = \"csv\", trace = \"time_ms,rate_mbps,delay_ms,loss\\n0,9,3,0\\n50,2,0,0.01\\n70,0,5,0\\n80,20,1,0\\n\", repeat = \"100 ms\", interpolation = \"linear\" }\nbuffer = \"200 cells\"",
            "delay = \"1 ms\"\nerrors = { process = \"bernoulli\", probability = 0.003 }\nmisinsertion = { rate = \"9 cells/s\" }",
        ]),
        first in prop::sample::select(vec![
            "delay = \"100 us\"\nrate = \"8 Mbit/s\"\nbuffer = \"100 cells\"",
            "delay = \"100 us\"\nrate = \"20 Mbit/s\"\nbuffer = \"9000 cells\"",
            "delay = \"0 s\"\nrate = \"20 Mbit/s\"\nbuffer = \"100 cells\"",
            "delay = \"300 us\"\nrate = \"8 Mbit/s\"\nbuffer = \"120 cells\"\ndiscard = { policy = \"epd\", threshold = \"70 cells\" }",
            "delay = \"100 us\"\nrate = \"6 Mbit/s\"\nbuffer = \"60 cells\"\ndiscard = { policy = \"ppd\" }",
            "delay = \"2 ms\"",
            "delay = \"2 ms\"\nrate = { process = \"uniform\", low = \"1.5 Mbit/s\", high = \"12 Mbit/s\", every = \"13 ms\" }\nbuffer = \"200 cells\"",
        ]),
        middle in prop::sample::select(queues::QUEUES),
        last in prop::sample::select(vec![
            "delay = \"1 ms\"\nrate = \"8 Mbit/s\"\nbuffer = \"100 cells\"",
            "delay = \"0 s\"\nrate = \"40 Mbit/s\"\nbuffer = \"100 cells\"",
            "delay = \"1 ms\"\nrate = \"2.5 Mbit/s\"\nbuffer = \"400 cells\"",
            "delay = \"1 ms\"\nrate = \"2.5 Mbit/s\"\nbuffer = \"400 cells\"\nerrors = { process = \"gilbert-elliott\", good_to_bad = 0.001, bad_to_good = 0.1, loss_bad = 0.3 }",
            "delay = \"4 ms\"",
            "delay = \"1 ms\"\nrate = \"8 Mbit/s\"\nbuffer = \"150 cells\"\njitter = { process = \"exponential\", mean = \"100 us\", max = \"2 ms\" }",
            "delay = { process = \"list\", delays = [{ at = \"0 s\", delay = \"1 ms\" }, { at = \"70 ms\", delay = \"6 ms\" }, { at = \"73 ms\", delay = \"2 ms\" }], repeat = \"150 ms\", interpolation = \"linear\" }\nrate = \"8 Mbit/s\"\nbuffer = \"150 cells\"",
        ]),
        vc in prop::sample::select(vec![
            "",
            "forward = { service = \"ubr\", pcr = \"8 Mbit/s\" }\nbackward = { service = \"ubr\", pcr = \"8 Mbit/s\" }",
            "forward = { service = \"ubr\", pcr = \"25 Mbit/s\" }",
            "police = { pcr = \"3 Mbit/s\", action = \"tag\", frames = true }",
            "forward = { service = \"nrt-vbr\", pcr = \"10 Mbit/s\", scr = \"300 kbit/s\", mbs = \"60 cells\" }",
            "forward = { service = \"abr\", pcr = \"20 Mbit/s\" }\nbackward = { service = \"abr\", pcr = \"20 Mbit/s\" }",
            "forward = { service = \"abr\", pcr = \"20 Mbit/s\", mrm = 5, trm = \"3 ms\", idle_forward_rm = false }\nbackward = { service = \"abr\", pcr = \"20 Mbit/s\" }",
            "forward = { service = \"abr\", pcr = \"20 Mbit/s\", turn_around_at = \"t\" }\nbackward = { service = \"ubr\", pcr = \"20 Mbit/s\" }",
            "forward = { service = \"abr\", pcr = \"20 Mbit/s\", starved = \"out-of-rate\", rdf = 1, use_it_or_lose_it = true }\nbackward = { service = \"abr\", pcr = \"20 Mbit/s\", backward_rm = \"out-of-rate\" }",
            "virtual_ends = { at = [\"s\", \"u\"], buffer = \"500 cells\" }\nforward = { service = \"abr\", pcr = \"20 Mbit/s\" }\nbackward = { service = \"abr\", pcr = \"20 Mbit/s\", older_backward_rm = \"out-of-rate\" }",
            "police = { pcr = \"15 Mbit/s\", cdvt = \"20 us\", dynamic = { tau_2 = \"3 ms\", tau_3 = \"1 ms\" } }\nforward = { service = \"abr\", pcr = \"20 Mbit/s\", icr = \"2 Mbit/s\" }\nbackward = { service = \"abr\", pcr = \"20 Mbit/s\" }",
            "police = { pcr = \"20 Mbit/s\", direction = \"backward\", action = \"tag\", dynamic = { tau_2 = \"2 ms\" } }\nvirtual_ends = { at = [\"s\", \"w\"] }\nforward = { service = \"abr\", pcr = \"20 Mbit/s\" }\nbackward = { service = \"abr\", pcr = \"20 Mbit/s\", starved = \"out-of-rate\" }",
            "source_buffer = \"300 cells\"\nsource_drop = \"cell\"",
            "[vps.p]\nroute = [\"t\", \"u\"]\nvcs = [\"v\", \"m\", \"n\"]\nforward = { service = \"nrt-vbr\", pcr = \"9 Mbit/s\", scr = \"1 Mbit/s\", mbs = \"50 cells\" }\nbackward = { service = \"ubr\", pcr = \"5 Mbit/s\" }\nshape = { buffer = \"150 cells\" }\npolice = { cdvt = \"50 us\", action = \"tag\" }",
            "source_buffer = \"300 cells\"\n[vps.q]\nroute = [\"u\", \"t\", \"s\"]\nvcs = [\"v\"]\nforward = { service = \"cbr\", pcr = \"1 Mbit/s\" }\nbackward = { service = \"ubr\", pcr = \"2 Mbit/s\" }\nshape = { buffer = \"150 cells\", cdvt = \"1 ms\" }\npolice = { direction = \"backward\", at = \"u\" }",
            "shape = [{ at = \"t\", pcr = \"2 Mbit/s\", buffer = \"150 cells\" }, { at = \"s\", direction = \"backward\", pcr = \"8 Mbit/s\", scr = \"1 Mbit/s\", mbs = \"20 cells\", cdvt = \"100 us\", buffer = \"90 cells\" }]\npolice = { at = \"u\", pcr = \"2 Mbit/s\", cdvt = \"300 us\" }",
            "shape = [{ at = \"u\", pcr = \"3 Mbit/s\", buffer = \"400 cells\" }, { at = \"u\", direction = \"backward\", pcr = \"3 Mbit/s\", buffer = \"400 cells\" }]\nforward = { service = \"abr\", pcr = \"20 Mbit/s\" }\nbackward = { service = \"abr\", pcr = \"20 Mbit/s\", backward_rm = \"out-of-rate\" }",
        ]),
        flow in prop::sample::select(vec![
            "[flows.f]\nvc = \"v\"\ntcp = { variant = \"sack\", mss = \"1460 bytes\", timer_granularity = \"10 ms\", ecn = true }",
            "[flows.f]\nvc = \"v\"\nstart = { uniform = [\"0 s\", \"30 ms\"] }\ntcp = { mss = \"9140 bytes\", timer_granularity = \"20 ms\", ack = \"delayed\" }",
            "[flows.f]\nvc = \"v\"\ntcp = { mss = \"9140 bytes\", timer_granularity = \"20 ms\", ack = \"each\", host_queue_segments = 1 }",
            "[flows.f]\nvc = \"v\"\ntcp = { mss = \"9140 bytes\", timer_granularity = \"20 ms\", ack = \"each\", host_queue_segments = 3 }",
            "[flows.f]\nvc = \"v\"\napplication = { kind = \"files\", size = \"20 kB\", think = \"20 ms\" }\ntcp = { mss = \"1460 bytes\", timer_granularity = \"10 ms\", timestamps = true }",
            "[flows.f]\nvc = \"v\"\ntcp = { variant = \"bbr\", mss = \"1460 bytes\", timer_granularity = \"10 ms\", handshake = true }\nsockets = { read_rate = \"1 Mbit/s\" }",
            "[flows.f]\nvc = \"v\"\nudp = { packet = \"1500 bytes\", traffic = { process = \"markov\", states = [{ rate = \"10 Mbit/s\", mean = \"20 ms\" }, { rate = \"0 bit/s\", mean = \"30 ms\" }] } }",
            "[backgrounds.f]\nvc = \"v\"\ntraffic = { process = \"cbr\", rate = \"2 Mbit/s\" }",
            "[flows.f]\nvc = \"v\"\nduration = \"600 ms\"\nsockets = { send_buffer = \"9000 bytes\", segment_memory = \"1800 bytes\", write = \"2048 bytes\" }\ntcp = { variant = \"linux-1999\", mss = \"1460 bytes\", window = \"9000 bytes\", nagle = false, timer_granularity = \"10 ms\", rto = { timer = \"jiffies\" }, ack = \"ticks\" }",
        ]),
        background in prop::sample::select(vec![
            "",
            "[backgrounds.m]\nvc = \"m\"\ntraffic = { process = \"cbr\", rate = \"3 Mbit/s\" }",
            "[backgrounds.m]\nvc = \"m\"\ntraffic = { process = \"poisson\", rate = \"4 Mbit/s\" }",
            "[backgrounds.m]\nvc = \"m\"\ntraffic = { process = \"on-off\", peak = \"9 Mbit/s\", on = \"10 ms\", off = \"10 ms\" }",
            "[flows.m]\nvc = \"m\"\ntcp = { mss = \"1460 bytes\", timer_granularity = \"10 ms\" }",
        ]),
        measure in prop::sample::select(vec![
            "",
            "parts = 3",
            "cell_delays = { vcs = [\"v\", \"n\"] }",
            "cell_delays = { vcs = [\"m\"], alpha = 0.1 }",
        ]),
        seed in any::<u64>(),
    ) {
        prop_assume!(!(middle.contains("credit") && ["virtual_ends", "shape", "vps"].iter().any(|key| vc.contains(key))));
        prop_assume!(!(middle.contains("credit") && vc.contains("turn_around_at")));
        // A line that stops for a while can guarantee no rate.
        prop_assume!(!(access.contains("70,0,5,0") && vc.contains("forward = { service = \"nrt-vbr\"") && !vc.contains("vps")));
        let text = Network { host, access, first, middle, last, vc, flow, background, measure }.text();
        if let Err(error) = common::network(&text) {
            panic!("{error}");
        }
        let results = both(&text, seed);
        prop_assert_eq!(difference(&results), None);
    }
}

/// Stations on LANs behind routers, whose cells a tunnel VC between the routers carries, and background traffic.
/// Their cells are timed.
fn lans(lan: &str, trunk: &str, tunnel: &str, stations: &str, flow: &str, noise: &str) -> String {
    format!(
        r#"
        [measure]
        warm_up = "100 ms"
        duration = "800 ms"
        cell_delays = {{ vcs = ["st", "x"] }}
        [hosts]
        a = {{ count = 3 }}
        b = {{ count = 3 }}
        x = {{ count = 2 }}
        [lans]
        left = {{ {lan} }}
        right = {{ rate = "20 Mbit/s", delay = "10 us" }}
        [routers]
        r1 = {{}}
        r2 = {{}}
        [switches]
        s = {{ input_delay = "450 us", output_delay = "450 us" }}
        [links.up]
        between = ["r1", "s"]
        delay = "1 ms"
        [links.noise]
        between = ["x", "s"]
        delay = "0 s"
        [links.trunk]
        from = "s"
        to = "r2"
        delay = "3 ms"
        {trunk}
        [links.back]
        from = "r2"
        to = "s"
        delay = "3 ms"
        [vcs.wan]
        route = ["r1", "s", "r2"]
        {tunnel}
        [vcs.st]
        route = ["a", "left", "r1", "r2", "right", "b"]
        encapsulation = "vc-mux"
        {stations}
        [vcs.x]
        route = ["x", "s", "r2"]
        forward = {{ service = "rt-vbr", pcr = "8 Mbit/s", scr = "1 Mbit/s", mbs = "50 cells" }}
        {flow}
        {noise}
        [probes.p]
        every = "11 ms"
        record = ["links.trunk.queue_cells", "links.left.queue_cells", "vcs.wan.forward.acr_bps", "vcs.wan.forward.offered_cells", "vcs.wan.forward.dropped_cells"]
        "#
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn both_engines_agree_on_lans(
        lan in prop::sample::select(vec![
            "rate = \"20 Mbit/s\", delay = \"10 us\"",
            "rate = \"20 Mbit/s\"",
            "rate = \"12 Mbit/s\", buffer = \"50 cells\"",
        ]),
        trunk in prop::sample::select(vec![
            "rate = \"16 Mbit/s\"\nbuffer = \"300 cells\"",
            "rate = \"16 Mbit/s\"\nbuffer = \"300 cells\"\nscheduling = \"priority\"\nclass_buffers = { rt-vbr = \"30 cells\" }\npriority_load = \"departures\"\ncontrol = { algorithm = \"erica\", interval = \"2 ms\" }",
            "rate = \"16 Mbit/s\"\nbuffer = \"300 cells\"\nscheduling = \"priority\"\nclass_buffers = { rt-vbr = \"30 cells\" }\ndiscard = { policy = \"epd\", threshold = \"250 cells\", partial = false }",
            "rate = \"16 Mbit/s\"\nbuffer = \"300 cells\"\ncontrol = { algorithm = \"binary\", threshold = \"30 cells\", marking = \"efci\" }",
            "rate = \"8 Mbit/s\"\nbuffer = \"300 cells\"\nbecn = { above = \"10 cells\" }",
        ]),
        tunnel in prop::sample::select(vec![
            "",
            "forward = { service = \"ubr\", pcr = \"9 Mbit/s\" }\nsource_buffer = \"200 cells\"",
            "forward = { service = \"nrt-vbr\", pcr = \"12 Mbit/s\", scr = \"5 Mbit/s\", mbs = \"60 cells\" }\nsource_buffer = \"200 cells\"",
            "source_buffer = \"200 cells\"\nforward = { service = \"abr\", pcr = \"16 Mbit/s\", mcr = \"1 Mbit/s\", icr = \"1 Mbit/s\", rif = 1, idle_forward_rm = false }\nbackward = { service = \"abr\", pcr = \"16 Mbit/s\", mcr = \"1 Mbit/s\", icr = \"1 Mbit/s\", rif = 1, idle_forward_rm = false, backward_rm = \"priority\" }",
            "source_buffer = \"2000 cells\"\nforward = { service = \"abr\", pcr = \"16 Mbit/s\", icr = \"100 kbit/s\", trm = \"2 ms\" }\nbackward = { service = \"abr\", pcr = \"16 Mbit/s\", backward_rm = \"out-of-rate\" }",
        ]),
        stations in prop::sample::select(vec![
            "forward = { service = \"ubr\", pcr = \"20 Mbit/s\" }\nbackward = { service = \"ubr\", pcr = \"20 Mbit/s\" }",
            "forward = { service = \"ubr\", pcr = \"3 Mbit/s\" }",
            "",
        ]),
        flow in prop::sample::select(vec![
            "[flows.f]\nvc = \"st\"\napplication = { kind = \"files\", size = \"40 kB\", think = \"20 ms\" }\ntcp = { variant = \"4.4bsd\", mss = \"9140 bytes\", timer_granularity = \"20 ms\", handshake = true }",
            "[flows.f]\nvc = \"st\"\ntcp = { mss = \"1460 bytes\", timer_granularity = \"10 ms\" }",
            "[backgrounds.f]\nvc = \"st\"\ntraffic = { process = \"poisson\", rate = \"4 Mbit/s\" }",
            "[backgrounds.f]\nvc = \"st\"\ntraffic = { process = \"cbr\", rate = \"3 Mbit/s\" }",
        ]),
        noise in prop::sample::select(vec![
            "",
            "[backgrounds.x]\nvc = \"x\"\ntraffic = { process = \"on-off\", peak = \"8 Mbit/s\", on = \"5 ms\", off = \"5 ms\" }",
        ]),
        seed in any::<u64>(),
    ) {
        let text = lans(lan, trunk, tunnel, stations, flow, noise);
        if let Err(error) = common::network(&text) {
            panic!("{error}");
        }
        let results = both(&text, seed);
        prop_assert_eq!(difference(&results), None);
    }
}

/// The number of random networks; long tests draw more.
fn cases() -> u32 {
    let cases = std::env::var("CELLTRAIN_CASES");
    cases
        .ok()
        .and_then(|cases| cases.parse().ok())
        .unwrap_or(60)
}
