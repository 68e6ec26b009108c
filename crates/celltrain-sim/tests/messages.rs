//! What a user reads when a scenario is wrong: place, key, what was expected, and the nearest valid name.

mod common;

use celltrain_sim::scenario::{Scenario, Source};
use common::network;

const SCENARIO: &str = include_str!("data/local-loop.toml");

/// A mistake, and what the message must contain.
const SLIPS: &[(&str, &str, &str)] = &[
    (
        "buffer = \"1024 cells\"",
        "bufer = \"1024 cells\"",
        "test.toml:19:1: links.up.bufer: unknown key; did you mean \"buffer\"?",
    ),
    (
        "every = \"1 s\"",
        "every = \"1 sec\"",
        "test.toml:18:74: links.up.rate.every: expected a time such as",
    ),
    (
        "every = \"1 s\"",
        "evry = \"1 s\"",
        "links.up.rate.evry: unknown key; did you mean \"every\"?",
    ),
    (
        "every = \"1 s\"",
        "every = \"1 ns\"",
        "links.up.rate.every: expected at least 1 us",
    ),
    (
        "every = \"1 s\"",
        "every = 1",
        "links.up.rate.every: expected a time such as \"70 s\", \"10 ms\" or \"5 us\", found 1",
    ),
    (
        "\"atu_r\", \"atu_c\", \"R\"",
        "\"atu_r\", \"atu_x\", \"R\"",
        "vcs.data.route: there is no node \"atu_x\"; did you mean \"atu_c\"?",
    ),
    (
        "route = [\"P\", \"atu_r\", \"atu_c\", \"R\"]",
        "route = [\"P\", \"atu_c\", \"R\"]",
        "there is no link from \"P1\" to \"atu_c\"",
    ),
    (
        "vc = \"data\"",
        "vc = \"dta\"",
        "flows.upload.vc: there is no VC \"dta\"; did you mean \"data\"?",
    ),
    (
        "distance = \"10000 km\"",
        "delay = \"5 ms\"\njitter = { process = \"uniform\", max = \"3601 s\" }",
        "links.wan.jitter.max: expected a delay of at most 3600 s, found 3601 s",
    ),
    (
        "distance = \"10000 km\"",
        "delay = { process = \"list\", delays = [{ at = \"0 s\", delay = \"5 ms\" }, { at = \"9 s\", delay = \"2 h\" }] }",
        "links.wan.delay: expected a delay of at most 3600 s, found 7200 s",
    ),
    (
        "distance = \"10000 km\"",
        "delay = { process = \"list\", delays = [{ at = \"0 s\", delay = \"5 ms\" }, { at = \"9 s\", delay = \"6 ms\" }, { at = \"8 s\", delay = \"7 ms\" }] }",
        "links.wan.delay: step 2 is at 8 s; it must be later than the step before it, at 9 s",
    ),
    (
        "distance = \"10000 km\"",
        "delay = { process = \"list\", delays = [{ at = \"0 s\", delay = \"-5 ms\" }] }",
        "links.wan.delay.delays.0.delay: expected a time such as \"70 s\", \"10 ms\" or \"5 us\", found \"-5 ms\"",
    ),
    (
        "distance = \"10000 km\"",
        "schedule = { process = \"csv\", trace = \"time_s,delay_ms\\n0,20\\n1,-3\\n\" }",
        "links.wan.schedule.trace: line 3, column 2: \"-3\"; expected a delay in ms, 0 to 3600000",
    ),
    (
        "distance = \"10000 km\"",
        "distance = \"10000 km\"\nschedule = { process = \"csv\", trace = \"time_s,delay_ms\\n0,20\\n\" }",
        "links.wan.distance: the schedule has a column for this; leave one of them out",
    ),
    (
        "distance = \"10000 km\"",
        "delay = \"5 ms\"\nloss = { process = \"list\", probabilities = [{ at = \"0 s\", probability = 2 }] }",
        "links.wan.loss.probabilities.0.probability: expected at most 1, found 2",
    ),
    (
        "distance = \"10000 km\"",
        "delay = 5",
        "links.wan.delay: expected a time such as \"5 ms\" or a table such as { process = \"list\", .. }, found 5",
    ),
    (
        "atu_c = {}",
        "atu_c = { output_delay = \"10000 s\" }",
        "switches.atu_c.output_delay: expected a delay of at most 3600 s, found 10000 s",
    ),
    (
        "process = \"uniform\"",
        "process = \"unifrm\"",
        "unknown value \"unifrm\"; did you mean \"uniform\"?",
    ),
    (
        "pcr = \"8 Mbit/s\"",
        "pcr = \"-8 Mbit/s\"",
        "vcs.data.backward.pcr: expected a rate such as",
    ),
    (
        "pcr = \"8 Mbit/s\"",
        "pcr = \"0 bit/s\"",
        "vcs.data.backward.pcr: expected a rate above zero",
    ),
    (
        "[measure]",
        "[measre]",
        "measre: unknown key; did you mean \"measure\"?",
    ),
    (
        "duration = \"70 s\"",
        "",
        "measure: the key \"duration\" is missing",
    ),
    (
        "duration = \"70 s\"",
        "duration = \"70 s",
        "test.toml:4:17: not valid TOML",
    ),
    (
        "duration = \"70 s\"",
        "duration = \"10 s\"",
        "measure.duration: nothing would be measured",
    ),
    (
        "duration = \"70 s\"",
        "duration = 1979-05-27",
        "expected no date or time of day",
    ),
    (
        "duration = \"70 s\"",
        "duration = inf",
        "expected a finite number",
    ),
    (
        "P = { count = 2 }",
        "P = { count = 3 }",
        "\"P\" has 3 members, \"R\" has 2",
    ),
    (
        "P = { count = 2 }",
        "P = { count = \"two\" }",
        "hosts.P.count: expected a whole number from 0 up, found \"two\"",
    ),
    (
        "P = { count = 2 }",
        "P = { count = 4000000000 }",
        "hosts.P.count: expected 1 to 1000000, found 4000000000",
    ),
    (
        "P = { count = 2 }",
        "\"P\\u001b[2J\" = { count = 2 }",
        "must be a letter, then up to 63 letters",
    ),
    (
        "window = \"65535 bytes\"",
        "window = \"100 bytes\"",
        "flows.upload.tcp.window: expected 9140",
    ),
    (
        "rexmt_rearm = \"oldest-segment\"",
        "rexmt_rearm = \"oldest\"",
        "unknown value \"oldest\"; did you mean \"oldest-segment\"?",
    ),
    (
        "high = \"1.024 Mbit/s\"",
        "high = \"1 kbit/s\"",
        "links.up.rate.high: expected at least low, 128 kbit/s, found 1 kbit/s",
    ),
    (
        "turn_around_at = \"atu_r\"",
        "turn_around_at = \"atu_q\"",
        "vcs.data.forward.turn_around_at: \"atu_q\" is no switch on the route; did you mean",
    ),
    (
        ", turn_around_at = \"atu_r\"",
        "",
        "ABR from end to end one way only",
    ),
    (
        "rdf = \"1/4\"",
        "rdf = \"1/0\"",
        "vcs.data.forward.rdf: expected a number such as 0.0625 or a fraction such as \"1/16\"",
    ),
    (
        "duration = \"70 s\"",
        "duration = \"5000 h\"",
        "longer than",
    ),
    (
        "distance = \"10000 km\"",
        "distance = \"10000 miles\"",
        "links.wan.distance: expected a distance such as",
    ),
    (
        "rate = \"8 Mbit/s\"",
        "rate = \"8 Mbit/s\"\ngfc = { high = \"1 cells\", low = \"2 cells\" }",
        "HALT would end at 2 cells, above 1 cells",
    ),
];

#[test]
fn every_slip_gets_a_message_that_says_where_and_what() {
    for (right, wrong, message) in SLIPS {
        assert!(SCENARIO.contains(right), "the scenario contains {right:?}");
        let error = network(&SCENARIO.replacen(right, wrong, 1))
            .expect_err(wrong)
            .to_string();
        assert!(
            error.contains(message),
            "{wrong:?} gave:\n{error}\nnot:\n{message}"
        );
        assert!(!error.contains('\u{1b}'), "{wrong:?} reaches the terminal");
    }
}

#[test]
fn absurd_runs_are_refused_with_the_reason() {
    let slips = [
        (
            "duration = \"70 s\"",
            "duration = \"4000 h\"",
            "[limits]\ncells = 1e9",
            "the run could need up to",
        ),
        (
            "",
            "",
            "[flows.u]\nvc = \"data\"\nudp = { packet = \"100 bytes\", traffic = { process = \"on-off\", peak = \"1 bit/s\", on = \"1 us\", off = \"1 us\" } }\n[limits]\ncells = 2e7",
            "the run could need up to",
        ),
        (
            "buffer = \"1024 cells\"",
            "buffer = \"2000000000 cells\"",
            "",
            "limits.memory_mib",
        ),
        (
            "",
            "",
            "[probes.all]\nevery = \"1 us\"\nrecord = [\"links.up.queue_cells\"]",
            "limits.trace_rows",
        ),
    ];
    for (right, wrong, more, message) in slips {
        let text = format!("{}\n{more}", SCENARIO.replacen(right, wrong, 1));
        let error = network(&text).expect_err(wrong).to_string();
        assert!(error.contains(message), "{wrong:?} gave: {error}");
    }
}

#[test]
fn a_probe_that_records_nothing_known_is_refused() {
    let slips = [
        (
            "links.up.queue_cels",
            "no quantity \"queue_cels\" here; did you mean \"queue_cells\"?",
        ),
        (
            "links.upp.queue_cells",
            "no link \"upp\"; did you mean \"up\"?",
        ),
        ("vcs.data1.sideways.acr_bps", "expected links.NAME.QUANTITY"),
        (
            "flows.upload9.cwnd_bytes",
            "no flow \"upload9\"; did you mean \"upload1\"?",
        ),
    ];
    for (record, message) in slips {
        let text = format!("{SCENARIO}\n[probes.all]\nevery = \"1 s\"\nrecord = [\"{record}\"]");
        let error = network(&text).expect_err(record).to_string();
        assert!(error.contains("probes.all.record.0"), "{error}");
        assert!(error.contains(message), "{record:?} gave: {error}");
    }
}

#[test]
fn the_canonical_form_reads_back_to_the_same_scenario() {
    use celltrain_sim::scenario::{Scenario, Source};
    // A number that a fast but inexact reader would read as the double next to it.
    let weight = "[vcs.data]\nweight = 1.6080999999999999";
    let text = SCENARIO.replacen("[vcs.data]", weight, 1);
    let scenario: Scenario = Source::toml(&text, "test.toml").read().unwrap();
    let again: Scenario = Source::json(&scenario.to_json(), "test.json")
        .read()
        .unwrap();
    assert_eq!(again, scenario);
    assert_eq!(again.hash(), scenario.hash());
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 3_000, failure_persistence: None, ..Default::default() })]
    #[test]
    fn no_text_makes_the_reader_panic(
        at in 0_usize..SCENARIO.len(),
        length in 0_usize..40,
        text in proptest::sample::select(vec![
            "", "\"", "0", "-1", "1e999", "9223372036854775807", "[", "]", "{}", "\n", "=", "count", "nan", "\u{0}", "é",
            "[[x]]\n", "\"1 s\"", "\"18446744073709551615 ps\"", "\"0 cells\"", "true", "1979-05-27", ".", "*", "#", "'",
        ]),
    ) {
        let text = format!("{}{text}{}", &SCENARIO[..at], &SCENARIO[(at + length).min(SCENARIO.len())..]);
        let _ = network(&text);
    }
}

#[test]
fn a_former_name_of_a_key_is_read_as_the_present_one() {
    let former = SCENARIO.replace("turn_around_at", "turn_round_at");
    assert_ne!(former, SCENARIO);
    let hash_of = |text: &str| {
        let scenario: Scenario = Source::toml(text, "test.toml").read().expect("a scenario");
        scenario.hash()
    };
    assert_eq!(hash_of(&former), hash_of(SCENARIO));
}
