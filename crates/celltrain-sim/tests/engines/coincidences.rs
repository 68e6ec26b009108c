//! Networks in which much happens at the same instants: every transmission time, delay and interval is a multiple of
//! 10 us. Results then depend on the order in which links, channels and sources act at one instant.

use proptest::prelude::*;

use super::threads::on_threads;
use super::{both, cases, common, difference};

/// Rates whose cells take 10, 20, 40, 50 and 80 us.
const RATES: [&str; 5] = [
    "42.4 Mbit/s",
    "21.2 Mbit/s",
    "10.6 Mbit/s",
    "8.48 Mbit/s",
    "5.3 Mbit/s",
];
const DELAYS: [&str; 6] = ["0 s", "0 s", "10 us", "20 us", "40 us", "200 us"];
/// Delays that bring cells together when they fall.
const VARYING: [&str; 2] = [
    "{ process = \"list\", delays = [{ at = \"0 s\", delay = \"40 us\" }, { at = \"900 us\", delay = \"0 s\" }], repeat = \"2 ms\" }",
    "{ process = \"list\", delays = [{ at = \"0 s\", delay = \"10 us\" }, { at = \"200 us\", delay = \"200 us\" }], repeat = \"300 us\", interpolation = \"linear\" }",
];

/// What is particular about a queue.
const PLAIN: [&str; 9] = [
    "",
    "",
    "",
    "scheduling = \"priority\"",
    "scheduling = \"weighted-fair\"",
    "scheduling = \"deficit-round-robin\"",
    "discard = { policy = \"ppd\" }",
    "jitter = { process = \"uniform\", max = \"20 us\" }",
    "loss = { process = \"bernoulli\", probability = 0.01 }",
];
/// What looks at the cells of a queue, or makes them wait.
const CONTROLLED: [&str; 8] = [
    "",
    "",
    "control = { algorithm = \"erica\", interval = \"200 us\" }",
    "control = { algorithm = \"eprca\", qt = \"4 cells\", dqt = \"10 cells\" }",
    "scheduling = \"priority\"\ncontrol = { algorithm = \"binary\", threshold = \"3 cells\" }",
    "discard = { policy = \"ppd\" }\ncontrol = { algorithm = \"binary\", threshold = \"0 cells\" }",
    "becn = { above = \"0 cells\" }",
    "scheduling = \"weighted-fair\"\ncredit = { n3 = \"6 cells\" }",
];
/// Settings of a line between a host and its first switch.
const HALTING: [&str; 4] = [
    "",
    "gfc = { high = \"4 cells\", low = \"2 cells\", timeout = \"400 us\" }",
    "gfc = { high = \"4 cells\", low = \"2 cells\", scope = \"host\" }",
    "scheduling = \"weighted-fair\"\ncredit = { n3 = \"6 cells\" }",
];

/// A link with a queue, or one of a mere delay.
fn link(forms: &'static [&'static str]) -> impl Strategy<Value = String> {
    let delay = prop_oneof![
        5 => prop::sample::select(DELAYS.to_vec()).prop_map(|delay| format!("\"{delay}\"")),
        1 => prop::sample::select(VARYING.to_vec()).prop_map(str::to_owned),
    ];
    // Some draws of so little jitter are none: cells cross a link without delay in no time.
    let mere = prop::sample::select(vec![
        "",
        "",
        "jitter = { process = \"uniform\", max = \"1 ps\" }",
    ]);
    let queue = (
        prop::sample::select(RATES.to_vec()),
        prop::sample::select(vec![1, 2, 5, 20, 200]),
        prop::sample::select(forms),
    );
    (delay, mere, prop::option::weighted(0.8, queue)).prop_map(|(delay, mere, queue)| match queue {
        None => format!("delay = {delay}\n{mere}"),
        Some((rate, buffer, form)) => {
            format!("delay = {delay}\nrate = \"{rate}\"\nbuffer = \"{buffer} cells\"\n{form}")
        }
    })
}

/// The services of a VC through the switches `s` and `t`, whose cells leave at multiples of 10 us.
fn services() -> impl Strategy<Value = String> {
    let pcr = prop::sample::select(RATES.to_vec());
    let form = prop::sample::select(vec![
        "",
        "forward = { service = \"ubr\", pcr = \"PCR\" }",
        "forward = { service = \"rt-vbr\", pcr = \"PCR\", scr = \"2.12 Mbit/s\", mbs = \"9 cells\" }",
        "forward = { service = \"abr\", pcr = \"PCR\", icr = \"PCR\", nrm = 4 }\nbackward = { service = \"abr\", pcr = \"21.2 Mbit/s\", icr = \"21.2 Mbit/s\" }",
        "forward = { service = \"abr\", pcr = \"PCR\", icr = \"PCR\", nrm = 2, turn_around_at = \"s\" }\nbackward = { service = \"ubr\", pcr = \"21.2 Mbit/s\" }",
        "forward = { service = \"abr\", pcr = \"PCR\", icr = \"PCR\", nrm = 4, turn_around_at = \"t\" }",
        "virtual_ends = { at = [\"s\", \"t\"], buffer = \"40 cells\" }\nforward = { service = \"abr\", pcr = \"PCR\", icr = \"PCR\", nrm = 4 }\nbackward = { service = \"abr\", pcr = \"21.2 Mbit/s\", backward_rm = \"out-of-rate\" }",
        "police = { pcr = \"8.48 Mbit/s\", at = \"s\" }",
        "shape = [{ at = \"s\", pcr = \"8.48 Mbit/s\", buffer = \"20 cells\" }]",
    ]);
    (pcr, form).prop_map(|(pcr, form)| form.replace("PCR", pcr))
}

const PROCESSES: [&str; 4] = [
    "",
    "[backgrounds.VC]\nvc = \"VC\"\ntraffic = { process = \"cbr\", rate = \"RATE\" }",
    "[backgrounds.VC]\nvc = \"VC\"\ntraffic = { process = \"on-off\", peak = \"10.6 Mbit/s\", on = \"1 ms\", off = \"300 us\" }",
    "[backgrounds.VC]\nvc = \"VC\"\ntraffic = { process = \"poisson\", rate = \"RATE\" }",
];
/// Packets of few cells.
const FLOWS: [&str; 5] = [
    "[flows.VC]\nvc = \"VC\"\nudp = { packet = \"88 bytes\", traffic = { process = \"cbr\", rate = \"RATE\" } }",
    "[flows.VC]\nvc = \"VC\"\nudp = { packet = \"424 bytes\", traffic = { process = \"cbr\", rate = \"RATE\" } }",
    "[flows.VC]\nvc = \"VC\"\ntcp = { variant = \"sack\", mss = \"512 bytes\", window = \"4000 bytes\", timer_granularity = \"1 ms\", rto = { min = \"2 ms\" }, ack = \"each\" }",
    "[flows.VC]\nvc = \"VC\"\ntcp = { mss = \"512 bytes\", window = \"9000 bytes\", timer_granularity = \"1 ms\", rto = { min = \"2 ms\" }, ack = \"each\", host_queue_segments = 1 }",
    "[flows.VC]\nvc = \"VC\"\nudp = { packet = \"424 bytes\", traffic = { process = \"poisson\", rate = \"RATE\" } }",
];

/// Traffic of a VC.
fn traffic(vc: &'static str, forms: &[&[&'static str]]) -> impl Strategy<Value = String> + use<> {
    let rate = prop::sample::select(vec!["10.6 Mbit/s", "5.3 Mbit/s", "2.12 Mbit/s"]);
    let form = prop::sample::select(forms.concat());
    (rate, form).prop_map(move |(rate, form)| form.replace("RATE", rate).replace("VC", vc))
}

/// Two hosts and a third beside them send over two switches in a row to two more, and others send back.
fn row() -> impl Strategy<Value = String> {
    let access = (link(&PLAIN), link(&PLAIN));
    let first = (link(&HALTING), link(&PLAIN));
    let middle = (link(&CONTROLLED), link(&PLAIN));
    let out = (link(&PLAIN), link(&PLAIN));
    let services = prop::collection::vec(services(), 2);
    let all = &[&PROCESSES[..], &FLOWS[..]];
    let traffic = (traffic("v", all), traffic("m", all), traffic("n", all));
    let parts = (access, first, middle, out, services, traffic);
    parts.prop_map(|(access, first, middle, out, services, traffic)| {
        let [(access, side), (first, home), (middle, back), (out, exit)] =
            [access, first, middle, out];
        let traffic = [traffic.0, traffic.1, traffic.2];
        format!(
            r#"
            [measure]
            warm_up = "2 ms"
            duration = "16 ms"
            [hosts]
            a = {{ count = 2 }}
            b = {{ count = 2 }}
            x = {{}}
            y = {{}}
            [switches]
            s = {{}}
            t = {{}}
            u = {{}}
            [links.access]
            between = ["a", "s"]
            {access}
            [links.side]
            between = ["x", "s"]
            {side}
            [links.first]
            from = "s"
            to = "t"
            {first}
            [links.home]
            from = "t"
            to = "s"
            {home}
            [links.middle]
            from = "t"
            to = "u"
            {middle}
            [links.back]
            from = "u"
            to = "t"
            {back}
            [links.out]
            between = ["u", "b"]
            {out}
            [links.exit]
            between = ["u", "y"]
            {exit}
            [vcs.v]
            route = ["a", "s", "t", "u", "b"]
            {}
            [vcs.m]
            route = ["x", "s", "t", "u", "y"]
            {}
            [vcs.n]
            route = ["y", "u", "t", "s", "x"]
            forward = {{ service = "ubr", pcr = "10.6 Mbit/s" }}
            {}
            "#,
            services[0],
            services[1],
            traffic.join("\n"),
        )
    })
}

/// Stations on LANs behind routers, whose cells a tunnel VC carries, and a host whose cells share its links.
fn tunnel() -> impl Strategy<Value = String> {
    let links = (link(&PLAIN), link(&CONTROLLED), link(&PLAIN), link(&PLAIN));
    // What takes no time brings a cell in the turn of its source.
    let access = prop_oneof![2 => Just("delay = \"0 s\"".to_owned()), 1 => link(&PLAIN)];
    // Several sources bring their cells before the turn of the tunnel VC.
    let access = (access, 1..=3);
    let lan = (
        prop::sample::select(RATES.to_vec()),
        prop::sample::select(DELAYS.to_vec()),
    );
    let carrier = (
        prop::sample::select(RATES.to_vec()),
        prop::sample::select(vec![
            "",
            "forward = { service = \"ubr\", pcr = \"PCR\" }\nsource_buffer = \"1 cell\"",
            "forward = { service = \"ubr\", pcr = \"PCR\" }\nsource_buffer = \"9 cells\"",
            "forward = { service = \"ubr\", pcr = \"PCR\" }\nsource_buffer = \"200 cells\"",
            "forward = { service = \"nrt-vbr\", pcr = \"PCR\", scr = \"2.12 Mbit/s\", mbs = \"9 cells\" }\nsource_buffer = \"200 cells\"",
            "source_buffer = \"90 cells\"\nforward = { service = \"abr\", pcr = \"PCR\", icr = \"PCR\", nrm = 4 }\nbackward = { service = \"abr\", pcr = \"21.2 Mbit/s\", icr = \"21.2 Mbit/s\" }",
        ]),
    );
    let stations = prop::sample::select(vec![
        "",
        "forward = { service = \"ubr\", pcr = \"21.2 Mbit/s\" }\nbackward = { service = \"ubr\", pcr = \"21.2 Mbit/s\" }",
        "forward = { service = \"ubr\", pcr = \"5.3 Mbit/s\" }",
    ]);
    let traffic = (
        traffic("st", &[&PROCESSES, &FLOWS]),
        traffic("x", &[&PROCESSES]),
        traffic("first", &[&PROCESSES, &FLOWS]),
    );
    (links, access, lan, carrier, stations, traffic).prop_map(
        |(links, (access, count), (rate, delay), (pcr, carrier), stations, (st, x, first))| {
            let (up, trunk, back, side) = links;
            let carrier = carrier.replace("PCR", pcr);
            format!(
                r#"
                [measure]
                warm_up = "2 ms"
                duration = "16 ms"
                [hosts]
                a = {{ count = 2 }}
                b = {{ count = 2 }}
                x = {{}}
                y = {{ count = {count} }}
                z = {{ count = {count} }}
                [lans]
                left = {{ rate = "{rate}", delay = "{delay}" }}
                right = {{ rate = "42.4 Mbit/s", delay = "10 us" }}
                [routers]
                r1 = {{}}
                r2 = {{}}
                [switches]
                s = {{}}
                [links.up]
                between = ["r1", "s"]
                {up}
                [links.side]
                between = ["x", "s"]
                {side}
                [links.trunk]
                from = "s"
                to = "r2"
                {trunk}
                [links.back]
                from = "r2"
                to = "s"
                {back}
                [links.access]
                between = ["y", "r1"]
                {access}
                [links.exit]
                between = ["z", "r2"]
                delay = "0 s"
                [vcs.first]
                route = ["y", "r1", "r2", "z"]
                {stations}
                [vcs.wan]
                route = ["r1", "s", "r2"]
                {carrier}
                [vcs.st]
                route = ["a", "left", "r1", "r2", "right", "b"]
                encapsulation = "vc-mux"
                {stations}
                [vcs.x]
                route = ["x", "s", "r2"]
                forward = {{ service = "rt-vbr", pcr = "21.2 Mbit/s", scr = "2.12 Mbit/s", mbs = "9 cells" }}
                {st}
                {x}
                {first}
                "#
            )
        },
    )
}

/// Some of the networks are refused by the language; a test fails if most are.
fn agree(text: &str, seed: u64) -> Result<(), TestCaseError> {
    let network = common::network(text);
    if let Err(error) = &network {
        return Err(TestCaseError::reject(error.to_string()));
    }
    let results = both(text, seed);
    prop_assert_eq!(difference(&results), None, "{}", text);
    let [_, trains] = on_threads(text, seed, 2);
    let [cells, _] = results;
    prop_assert_eq!(difference(&[cells, trains]), None, "{}", text);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, max_global_rejects: 2 * cases(), ..ProptestConfig::default() })]
    #[test]
    fn both_engines_agree_where_much_happens_at_once(text in row(), seed in any::<u64>()) {
        agree(&text, seed)?;
    }

    #[test]
    fn both_engines_agree_where_much_happens_at_once_in_tunnels(text in tunnel(), seed in any::<u64>()) {
        agree(&text, seed)?;
    }
}
