//! Retransmission timers for each segment and what they measure; and statistics of losses and stalls, which a sender
//! cannot know.

mod common;

use celltrain_sim::measure::Results;
use common::row::{Row, link};
use common::{network, run, value};

/// One greedy connection over a line of 10 Mbit/s and 10 ms, with a buffer of this many cells.
fn line(buffer: u32) -> String {
    let tcp = r#"[flows.tcp.tcp]
variant = "4.3bsd-tahoe-no-fast-retransmit"
avoids_from_ssthresh = true
whole_segments = true
gives_up = false
ack = "each"
timer_granularity = "100 ms"
retransmit_timer = "per-segment"
rto = { timer = "real-ticks" }
segment_processing = { mean = "1 ms", law = "exponential" }"#;
    Row::of("a b")
        .measured("1 s", "11 s")
        .ways(
            link("line", "10 ms").queue("10 Mbit/s", buffer),
            link("back", "10 ms"),
        )
        .vc("vc", r#"encapsulation = "vc-mux""#)
        .flow("tcp", "vc", tcp)
        .toml()
}

fn of_flow(results: &Results, column: &str) -> f64 {
    value(results, "flows", "tcp", column)
}

#[test]
fn where_nothing_is_lost_no_coarse_timer_expires_and_the_connection_never_rests() {
    let results = run(&line(4_000), 1);
    for column in ["timeouts", "spurious_timeouts", "segments_retransmitted"] {
        assert_eq!(of_flow(&results, column), 0.0, "{column}");
    }
    // A segment takes 192 cells of 42.4 us.
    assert!(of_flow(&results, "longest_idle_s") < 0.02);
    assert_eq!(
        of_flow(&results, "rtt_once_mean_s"),
        of_flow(&results, "rtt_mean_s")
    );
}

#[test]
fn time_outs_after_losses_are_not_spurious_and_each_is_a_standstill_of_two_ticks_or_more() {
    // Segments are lost as a whole: a segment that follows the remains of another would lose none of its own cells.
    let discard = "[links.line.discard]\npolicy = \"epd\"\nthreshold = \"300 cells\"\n[links.back]";
    let results = run(&line(500).replace("[links.back]", discard), 1);
    assert!(of_flow(&results, "timeouts") > 5.0);
    assert_eq!(of_flow(&results, "spurious_timeouts"), 0.0);
    assert!(of_flow(&results, "longest_idle_s") > 0.2);
}

#[test]
fn a_timer_of_two_short_ticks_expires_without_any_loss() {
    let fine = line(4_000).replace("\"100 ms\"\nretransmit", "\"10 us\"\nretransmit");
    let fine = fine.replace("rto = {", "rto_gain = 2\nrto = {");
    let results = run(&fine, 1);
    let [timeouts, spurious] =
        ["timeouts", "spurious_timeouts"].map(|name| of_flow(&results, name));
    assert!(spurious > 0.0);
    assert_eq!(spurious, timeouts);
}

#[test]
fn slack_of_the_timer_prevents_time_outs_without_loss() {
    let fine = line(4_000).replace("\"100 ms\"\nretransmit", "\"100 us\"\nretransmit");
    let spurious = |slack: &str| {
        let fine = fine.replace("rto = {", &format!("rto_gain = 2\n{slack}\nrto = {{"));
        of_flow(&run(&fine, 1), "spurious_timeouts")
    };
    let without = spurious("");
    assert!(without > 0.0);
    // A segment takes 8.1 ms, and processing a few ms more; a hundred ticks are 10 ms.
    for slack in ["rto_slack_ticks = 100", "rtt_slack_ticks = 100"] {
        assert!(spurious(slack) < without / 2.0, "{slack}");
    }
    // A window takes some 80 ms; a thousand ticks are 100 ms.
    let least = fine.replace("rto = {", "rto_gain = 2\nrto = { min_ticks = 1000,");
    assert!(of_flow(&run(&least, 1), "spurious_timeouts") < without / 2.0);
}

#[test]
fn slack_needs_ticks() {
    let cases = [
        (
            "real-ticks",
            "rto_slack_ticks = 1001",
            "expected 0 to 1000 ticks, found 1001",
        ),
        (
            "real-ticks\", min = \"1 s\", min_ticks = 3, floor = \"rto",
            "",
            "flows.tcp.tcp.rto.min_ticks: `rto.min` is given, too",
        ),
        (
            "jiffies\", min_ticks = 3, floor = \"rto",
            "",
            "flows.tcp.tcp.rto.min_ticks: this `rto.timer` has no ticks",
        ),
        (
            "rfc6298",
            "rtt_slack_ticks = 1",
            "flows.tcp.tcp.rtt_slack_ticks: this `rto.timer` has no ticks",
        ),
    ];
    for (timer, slack, message) in cases {
        let text = line(500).replace(
            "{ timer = \"real-ticks\" }",
            &format!("{{ timer = \"{timer}\" }}\n{slack}"),
        );
        let error = network(&text).expect_err(slack);
        assert!(error.to_string().contains(message), "{error}");
    }
}

#[test]
fn the_deviation_of_round_trips_is_that_of_the_events_of_the_timer() {
    let probe = "[probes.timer]\nevents_of = \"tcp\"\nrecord = [\"links.line.queue_cells\"]\n";
    let results = run(&(line(4_000) + probe), 1);
    let table = results.table("timer").expect("the probe has a table");
    let rtt = table.numbers_of("rtt_s");
    assert_eq!(rtt.len() as f64, of_flow(&results, "rtt_once_samples"));
    let n = rtt.len() as f64;
    let mean = rtt.iter().sum::<f64>() / n;
    let variance = rtt.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / n;
    assert!((of_flow(&results, "rtt_once_mean_s") / mean - 1.0).abs() < 1e-9);
    assert!((of_flow(&results, "rtt_once_std_s") / variance.sqrt() - 1.0).abs() < 1e-6);
    assert!(table.numbers_of("is_timeout").iter().all(|&is| is == 0.0));
}

#[test]
fn each_time_out_is_an_event_that_repeats_the_round_trip_before_and_doubles_the_time_out() {
    let probe = "[probes.timer]\nevents_of = \"tcp\"\nrecord = [\"links.line.lost_cells_total\"]\n";
    let results = run(&(line(500) + probe), 1);
    let table = results.table("timer").expect("the probe has a table");
    let [is_timeout, rtt, rto] =
        ["is_timeout", "rtt_s", "rto_s"].map(|name| table.numbers_of(name));
    assert_eq!(
        is_timeout.iter().sum::<f64>(),
        of_flow(&results, "timeouts")
    );
    for row in 1..rtt.len() {
        if is_timeout[row] > 0.0 {
            assert_eq!((rtt[row], rto[row]), (rtt[row - 1], 2.0 * rto[row - 1]));
        }
    }
}

#[test]
fn the_distances_of_a_group_are_evenly_spaced() {
    let group = |links: &str| {
        format!(
            "[measure]\nduration = \"1 s\"\n[hosts]\na = {{ count = 4 }}\n[switches]\ns = {{}}\nt = {{}}\n\
             [links.one]\nbetween = [\"a\", \"s\"]\n{links}\n[links.two]\nbetween = [\"s\", \"t\"]\n\
             delay = \"0 s\"\nrate = \"1 Mbit/s\"\nbuffer = \"10 cells\"\n[vcs.vc]\nroute = [\"a1\", \"s\", \"a2\"]\n"
        )
    };
    let text = group("distance = \"2 km\"\ndistance_to_last = \"20 km\"");
    let text = text + "forward = { service = \"ubr\", pcr = \"1 Mbit/s\" }\n";
    let network = network(&text).unwrap_or_else(|error| panic!("{error}"));
    let delays: Vec<f64> = network
        .links
        .iter()
        .take(8)
        .map(|link| link.delay.as_secs() * 1e6)
        .collect();
    assert_eq!(delays, [10.0, 10.0, 40.0, 40.0, 70.0, 70.0, 100.0, 100.0]);
    let error = network_error(&group("delay = \"1 ms\"\ndistance_to_last = \"20 km\""));
    assert!(
        error.contains("the last member has a distance only if the first one has"),
        "{error}"
    );
}

fn network_error(text: &str) -> String {
    network(text).map_or_else(|error| error.to_string(), |_| String::new())
}

#[test]
fn a_probe_is_periodic_or_of_the_events_of_a_tcp_connection() {
    for (probe, message) in [
        (
            "every = \"1 s\"\nevents_of = \"tcp\"",
            "expected either `every`",
        ),
        ("", "expected either `every`"),
        (
            "events_of = \"tpc\"",
            "there is no TCP connection \"tpc\"; did you mean \"tcp\"?",
        ),
    ] {
        let text = line(100) + "[probes.timer]\nrecord = [\"flows.tcp.srtt_s\"]\n" + probe;
        let error = network_error(&text);
        assert!(error.contains(message), "{error}");
    }
}
