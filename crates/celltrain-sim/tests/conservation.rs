//! Cells in = out + lost + still on their way, whatever the scenario. (Tests are built with debug
//! assertions, so every run checks this hop by hop; here runs are also varied at random.)

mod common;

use common::{network, run};
use proptest::prelude::*;

const SCENARIO: &str = include_str!("data/local-loop.toml");

/// The scenario with other controls, buffers, rates and windows.
fn varied(
    control: &str,
    service: &str,
    buffer: u32,
    every_ms: u32,
    window: u32,
    gfc: bool,
) -> String {
    let gfc = if gfc {
        "gfc = { high = \"30 cells\", low = \"10 cells\" }\n"
    } else {
        ""
    };
    SCENARIO
        .replace("warm_up = \"10 s\"", "warm_up = \"0 s\"")
        .replace("duration = \"70 s\"", "duration = \"9 s\"")
        .replace(
            "control = { algorithm = \"binary\", threshold = \"256 cells\" }",
            &format!("{control}\n{gfc}"),
        )
        .replacen("service = \"abr\"", &format!("service = {service}"), 1)
        .replacen(
            "buffer = \"1024 cells\"",
            &format!("buffer = \"{buffer} cells\""),
            1,
        )
        .replace("every = \"1 s\"", &format!("every = \"{every_ms} ms\""))
        .replace(
            "window = \"65535 bytes\"",
            &format!("window = \"{window} bytes\""),
        )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn cells_are_conserved(
        control in prop::sample::select(vec![
            "",
            "control = { algorithm = \"binary\", threshold = \"20 cells\" }",
            "control = { algorithm = \"binary\", threshold = \"20 cells\", marking = \"forward-rm\" }",
            "control = { algorithm = \"fair-share\" }",
        ]),
        end_to_end in any::<bool>(),
        buffer in 1_u32..600,
        every_ms in 1_u32..2_000,
        window in 9_140_u32..200_000,
        gfc in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let mut text = varied(control, "\"abr\"", buffer, every_ms, window, gfc);
        if end_to_end {
            text = text
                .replace(", turn_round_at = \"atu_r\"", "")
                .replace("backward = { service = \"ubr\"", "backward = { service = \"abr\"");
        }
        let results = run(&text, seed);
        let of = |column| common::value(&results, "links", "up", column);
        prop_assert!(of("cells_offered") > 0.0);
        let left = of("cells_offered") - of("cells_lost") - of("cells_sent");
        prop_assert!((0.0..=f64::from(buffer)).contains(&left), "{} cells left", left);
        prop_assert!(of("queue_max_cells") <= f64::from(buffer));
    }
}

#[test]
fn a_vc_that_nothing_bounds_is_refused() {
    let text = SCENARIO.replace(
        "[vcs.data]",
        "[links.cable]\nbetween = [\"P1\", \"R1\"]\ndelay = \"0 s\"\n[vcs.loop]\nroute = [\"P1\", \"R1\"]\n[vcs.data]",
    );
    let error = network(&text).unwrap_err().to_string();
    assert!(error.contains("nothing bounds the rate"), "{error}");
}

/// A network with everything that a queue and a line can do, in random combinations.
fn everything(queue: &str, line: &str, vcs: &str, flows: &str) -> String {
    format!(
        r#"
        [measure]
        duration = "1 s"
        [hosts]
        a = {{ count = 3 }}
        b = {{ count = 3 }}
        [switches]
        s = {{}}
        t = {{}}
        [links.in]
        from = "a"
        to = "s"
        delay = "1 ms"
        rate = "20 Mbit/s"
        buffer = "3000 cells"
        {line}
        [links.home]
        from = "s"
        to = "a"
        delay = "1 ms"
        [links.trunk]
        between = ["s", "t"]
        delay = "2 ms"
        rate = "8 Mbit/s"
        buffer = "150 cells"
        {queue}
        [links.out]
        between = ["t", "b"]
        delay = "1 ms"
        [vcs.v]
        route = ["a", "s", "t", "b"]
        {vcs}
        {flows}
        "#
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn cells_are_conserved_whatever_queues_lines_and_flows_do(
        queue in prop::sample::select(vec![
            "",
            "scheduling = \"priority\"",
            "scheduling = \"weighted-fair\"",
            "scheduling = \"weighted-fair\"\ndiscard = { policy = \"fair-buffer\", threshold = \"90 cells\" }",
            "discard = { policy = \"epd\", threshold = \"100 cells\" }",
            "discard = { policy = \"ppd\" }\nclp_threshold = \"60 cells\"",
            "discard = { policy = \"red\", min = \"20 cells\", max = \"80 cells\" }",
            "queue_management = { algorithm = \"codel\", ecn = true }",
            "queue_management = { algorithm = \"pie\" }\nscheduling = \"priority\"",
            "control = { algorithm = \"erica\", interval = \"2 ms\" }\nscheduling = \"priority\"",
        ]),
        line in prop::sample::select(vec![
            "",
            "scheduling = \"weighted-fair\"\ncredit = { n3 = \"40 cells\" }",
            "loss = { process = \"bernoulli\", probability = 0.01 }",
            "jitter = { process = \"uniform\", max = \"500 us\" }\nscheduling = \"weighted-fair\"\ncredit = { n2 = \"3 cells\", n3 = \"50 cells\" }\nloss = { process = \"gilbert-elliott\", good_to_bad = 0.001, bad_to_good = 0.2 }",
        ]),
        vcs in prop::sample::select(vec![
            "",
            "police = { pcr = \"3 Mbit/s\", action = \"tag\", frames = true }",
            "police = { pcr = \"3 Mbit/s\" }\nforward = { service = \"nrt-vbr\", pcr = \"10 Mbit/s\", scr = \"2 Mbit/s\", mbs = \"60 cells\" }",
            "forward = { service = \"abr\", pcr = \"20 Mbit/s\" }\nbackward = { service = \"abr\", pcr = \"20 Mbit/s\" }",
            "forward = { service = \"abr\", pcr = \"20 Mbit/s\", starved = \"out-of-rate\", rdf = 1, use_it_or_lose_it = true }\nbackward = { service = \"abr\", pcr = \"20 Mbit/s\", backward_rm = \"out-of-rate\" }",
            "virtual_ends = { at = [\"s\", \"t\"], buffer = \"500 cells\" }\nforward = { service = \"abr\", pcr = \"20 Mbit/s\" }\nbackward = { service = \"abr\", pcr = \"20 Mbit/s\", older_backward_rm = \"out-of-rate\" }",
        ]),
        flows in prop::sample::select(vec![
            "[flows.f]\nvc = \"v\"\ntcp = { variant = \"sack\", mss = \"1460 bytes\", timer_granularity = \"10 ms\", ecn = true }",
            "[flows.f]\nvc = \"v\"\napplication = { kind = \"files\", size = \"20 kB\", think = \"20 ms\" }\ntcp = { mss = \"1460 bytes\", timer_granularity = \"10 ms\", timestamps = true }",
            "[flows.f]\nvc = \"v\"\ntcp = { variant = \"bbr\", mss = \"1460 bytes\", timer_granularity = \"10 ms\", handshake = true }\nsockets = { read_rate = \"1 Mbit/s\" }",
            "[flows.f]\nvc = \"v\"\nudp = { packet = \"1500 bytes\", traffic = { process = \"markov\", states = [{ rate = \"10 Mbit/s\", mean = \"20 ms\" }, { rate = \"0 bit/s\", mean = \"30 ms\" }] } }",
        ]),
        seed in any::<u64>(),
    ) {
        prop_assume!(!(line.contains("credit") && vcs.contains("virtual_ends")));
        // The run itself checks each hop at its end, as tests are built with debug assertions.
        let results = run(&everything(queue, line, vcs, flows), seed);
        let of = |column: &str| -> f64 {
            results.table("vcs").expect("it exists").numbers_of(column).iter().sum()
        };
        prop_assert!(of("cells_sent") > 0.0);
        prop_assert!(of("cells_delivered") > 0.0);
    }
}

#[test]
fn credits_and_cells_made_by_switches_exclude_each_other() {
    let abr = "forward = { service = \"abr\", pcr = \"20 Mbit/s\" }\nbackward = { service = \"abr\", pcr = \"20 Mbit/s\" }";
    let text = everything(
        "",
        "scheduling = \"weighted-fair\"\ncredit = {}",
        &format!("virtual_ends = {{ at = [\"s\"] }}\n{abr}"),
        "",
    );
    let error = network(&text).expect_err("both").to_string();
    assert!(
        error.contains("link \"in1\"") && error.contains("virtual_ends"),
        "{error}"
    );
}
