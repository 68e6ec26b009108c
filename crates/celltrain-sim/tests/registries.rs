//! Each row of the registries of processes makes a run that no other row makes. Switch algorithms, queues and TCP
//! variants have such tests in their own files.

mod common;

use celltrain_proto::line::{JitterLaw, RateParameters, loss};
use celltrain_proto::traffic;
use common::{all_differ, run};

/// The digest of cells on a line, with a process for its rate, its cells or its impairments; what is empty is constant.
fn digest(rate: &str, traffic: &str, impaired: &str) -> String {
    let or = |process: &str, constant: &str| match process {
        "" => constant.to_owned(),
        _ => process.to_owned(),
    };
    let text = format!(
        r#"
        [measure]
        duration = "2 s"
        [hosts]
        a = {{}}
        b = {{}}
        [links.line]
        between = ["a", "b"]
        delay = "1 ms"
        buffer = "100 cells"
        rate = {rate}
        {impaired}
        [vcs.v]
        route = ["a", "b"]
        forward = {{ service = "ubr", pcr = "2 Mbit/s" }}
        [backgrounds.cells]
        vc = "v"
        traffic = {traffic}
        "#,
        rate = or(rate, "\"2 Mbit/s\""),
        traffic = or(traffic, "{ process = \"cbr\", rate = \"1.5 Mbit/s\" }"),
    );
    run(&text, 1).digest
}

/// The digest with each of these processes, by keyword; a row has its other keys.
fn digests<'a>(
    rows: &[(&'a str, &str)],
    digest: impl Fn(&str) -> String,
) -> Vec<(&'a str, String)> {
    let one = |&(keyword, keys): &(&'a str, &str)| {
        let process = format!("{{ process = \"{keyword}\"{keys} }}");
        (keyword, digest(&process))
    };
    rows.iter().map(one).collect()
}

#[test]
fn no_two_traffic_sources_do_the_same() {
    let rows = [
        ("cbr", ", rate = \"1 Mbit/s\""),
        ("aal1", ", rate = \"1 Mbit/s\""),
        ("poisson", ", rate = \"1 Mbit/s\""),
        (
            "on-off",
            ", peak = \"2 Mbit/s\", on = \"10 ms\", off = \"10 ms\"",
        ),
        (
            "markov",
            ", states = [{ rate = \"2 Mbit/s\", mean = \"10 ms\" }, { rate = \"500 kbit/s\", mean = \"10 ms\" }]",
        ),
        ("pulses", ", peak = \"2 Mbit/s\", period = \"20 ms\""),
        ("replay", ", trace = \"0 100\", repeat = \"50 ms\""),
        ("greedy", ""),
    ];
    let digests = digests(&rows, |process| digest("", process, ""));
    all_differ(traffic::Parameters::NAMES, &digests);
}

#[test]
fn no_two_losses_do_the_same() {
    let rows = [
        ("bernoulli", ", probability = 0.01"),
        (
            "gilbert-elliott",
            ", good_to_bad = 0.001, bad_to_good = 0.1",
        ),
        ("impulse", ", every = \"100 ms\""),
        (
            "list",
            ", probabilities = [{ at = \"0 s\", probability = 0.001 }, { at = \"1 s\", probability = 0.02 }]",
        ),
    ];
    let digests = digests(&rows, |process| {
        digest("", "", &format!("loss = {process}"))
    });
    all_differ(loss::Parameters::NAMES, &digests);
}

#[test]
fn a_recording_does_what_its_lists_do() {
    let run_with = |keys: &str| {
        let text = format!(
            r#"
            [measure]
            duration = "2 s"
            [hosts]
            a = {{}}
            b = {{}}
            [links.line]
            between = ["a", "b"]
            buffer = "100 cells"
            {keys}
            [vcs.v]
            route = ["a", "b"]
            [backgrounds.cells]
            vc = "v"
            traffic = {{ process = "cbr", rate = "1.5 Mbit/s" }}
            "#
        );
        run(&text, 1).digest
    };
    let lists = r#"
        rate = { process = "list", rates = [{ at = "0 s", rate = "3 Mbit/s" }, { at = "300 ms", rate = "1 Mbit/s" }], repeat = "0.7 s" }
        delay = { process = "list", delays = [{ at = "0 s", delay = "20 ms" }, { at = "300 ms", delay = "7.5 ms" }], repeat = "0.7 s", interpolation = "linear" }
        loss = { process = "list", probabilities = [{ at = "0 s", probability = 0.1 }, { at = "300 ms", probability = 0 }], repeat = "0.7 s" }
    "#;
    let recording = r#"schedule = { process = "csv", trace = "time_s,rate_mbps,delay_ms,loss_percent\n0,3,20,10\n0.3,1,7.5,0\n", repeat = "0.7 s", interpolation = "linear" }"#;
    assert_eq!(run_with(recording), run_with(lists));
}

#[test]
fn no_two_distributions_of_jitter_do_the_same() {
    let rows = [
        ("uniform", ", max = \"5 ms\""),
        ("exponential", ", mean = \"2.5 ms\", max = \"5 ms\""),
        ("hand-over", ", max = \"5 ms\", every = \"100 ms\""),
    ];
    let digests = digests(&rows, |process| {
        digest("", "", &format!("jitter = {process}"))
    });
    all_differ(JitterLaw::NAMES, &digests);
}

#[test]
fn no_two_rates_of_a_line_do_the_same() {
    let rows = [
        (
            "uniform",
            ", low = \"1 Mbit/s\", high = \"3 Mbit/s\", every = \"100 ms\"",
        ),
        (
            "list",
            ", rates = [{ at = \"0 s\", rate = \"3 Mbit/s\" }, { at = \"1 s\", rate = \"1 Mbit/s\" }]",
        ),
        ("mahimahi", ", trace = \"5\\n10\\n\""),
        (
            "markov",
            ", good = \"3 Mbit/s\", bad = \"1 Mbit/s\", mean_good = \"100 ms\", mean_bad = \"100 ms\"",
        ),
        (
            "fading",
            ", bandwidth_mhz = 1, snr_db = 6, deviation_db = 5, coherence = \"100 ms\"",
        ),
        (
            "hand-over",
            // Without an outage it is "uniform".
            ", low = \"1 Mbit/s\", high = \"3 Mbit/s\", every = \"100 ms\", outage = \"10 ms\"",
        ),
        (
            "bursts",
            ", rate = \"8 Mbit/s\", burst = \"1 ms\", gap = \"3 ms\"",
        ),
        ("dmt", ", band = \"adsl-down\", length = \"3 km\""),
        (
            "cap",
            ", direction = \"down\", symbol_rate_kbaud = 340, length = \"3 km\"",
        ),
    ];
    let digests = digests(&rows, |process| digest(process, "", ""));
    all_differ(RateParameters::NAMES, &digests);
}
