//! Users who type: messages over a connection that stays open, and the times until they are answered.

mod common;

use std::sync::atomic::AtomicBool;

use celltrain_sim::engine::{Engine, run_with};
use celltrain_sim::measure::Results;
use common::row::{Row, link};
use common::{network, run, value};

/// A user on a line of a cell per millisecond in each direction, with 50 ms of delay.
fn line(measure: [&str; 2], keys: &str) -> String {
    Row::of("a b")
        .measured(measure[0], measure[1])
        .link(link("line", "50 ms").queue("424 kbit/s", 5_000))
        .vc("vc", "")
        .flow("user", "vc", keys)
        .toml()
}

fn of(results: &Results, column: &str) -> f64 {
    value(results, "responses", "user", column)
}

#[test]
fn a_message_alone_takes_its_cells_the_acknowledgment_and_the_propagation() {
    // 41 octets, 8 of LLC/SNAP and 8 of AAL5 are two cells, as are the 40 of the acknowledgment: 2 + 50 + 2 + 50 ms. The
    // shortest gap is longer.
    let text = line(
        ["0 s", "100 s"],
        "application = { kind = \"telnet\" }\ntcp = { ack = \"each\" }",
    );
    for engine in [Engine::Cells, Engine::Trains] {
        let network = network(&text).unwrap();
        let results = run_with(engine, &network, 1, &AtomicBool::new(false)).unwrap();
        for column in ["response_mean_s", "response_max_s"] {
            let response = of(&results, column);
            assert!((response - 0.104).abs() < 1e-9, "{column} {response}");
        }
        let answered = of(&results, "responses");
        assert!(answered > 10.0, "{answered}");
        assert_eq!(
            value(&results, "flows", "user", "delivered_bytes"),
            answered
        );
        // The mean of the gaps is 1.08 s, but 100 s hold few of the long ones.
        assert!(answered < 400.0, "{answered}");
    }
}

#[test]
fn messages_that_come_sooner_wait_for_nagles_rule_only_where_it_applies() {
    let keys = |nagle: bool| {
        format!(
            "application = {{ kind = \"telnet\", shortest_gap = \"20 ms\", longest_gap = \"40 ms\" }}\n\
             tcp = {{ ack = \"each\", nagle = {nagle}, initial_window = \"rfc6928\" }}"
        )
    };
    let [held, free] = [true, false].map(|nagle| run(&line(["1 s", "21 s"], &keys(nagle)), 1));
    // Without it each message is a segment of its own, whose round trip is the response.
    let response = of(&free, "response_mean_s");
    assert!((response - 0.104).abs() < 1e-4, "{response}");
    let segments = value(&free, "flows", "user", "segments_sent");
    assert!(
        (segments - of(&free, "messages")).abs() <= 6.0,
        "{segments}"
    );
    // With it a message waits for the acknowledgment of those before: half of a round trip on average, or more.
    let response = of(&held, "response_mean_s");
    assert!(
        (0.104 + 0.04..=2.0 * 0.105).contains(&response),
        "{response}"
    );
    // The instants are the same, whatever the network does.
    assert_eq!(of(&held, "messages"), of(&free, "messages"));
}

#[test]
fn instants_do_not_depend_on_the_lengths_of_messages() {
    let messages = |size: &str| {
        let keys = format!("application = {{ kind = \"telnet\", {size} }}");
        of(&run(&line(["0 s", "200 s"], &keys), 3), "messages")
    };
    let one = messages("size = \"1 bytes\"");
    assert_eq!(one, messages("size = \"30 bytes\", sizes = \"geometric\""));
}

#[test]
fn a_user_stops_after_the_duration_and_closes_the_connection() {
    let text = line(
        ["0 s", "100 s"],
        "start = \"10 s\"\nduration = \"30 s\"\napplication = { kind = \"telnet\", longest_gap = \"1 s\" }\n\
         tcp = { handshake = true, ack = \"each\" }",
    ) + "\n[probes.open]\nevery = \"5 s\"\nrecord = [\"flows.user.open_connections\"]";
    let results = run(&text, 1);
    assert_eq!(of(&results, "messages"), of(&results, "responses"));
    // At most 30 s / 120 ms, and at least 30 s / 1 s less the first gap.
    assert!((28.0..=250.0).contains(&of(&results, "messages")));
    let open = results
        .table("open")
        .unwrap()
        .numbers_of("flows.user.open_connections");
    let typing: Vec<bool> = (0..=20).map(|sample| (3..8).contains(&sample)).collect();
    let open: Vec<bool> = open.iter().map(|it| *it == 1.0).collect();
    assert_eq!(open[..2], typing[..2]);
    assert_eq!(open[3..8], typing[3..8]);
    assert_eq!(open[9..], typing[9..]);
}

#[test]
fn what_a_user_cannot_do_is_refused() {
    for (keys, message) in [
        (
            "application = { kind = \"telnet\", size = \"0 bytes\" }",
            "application.size: expected messages of at least 1",
        ),
        (
            "application = { kind = \"telnet\", shape = 0 }",
            "application.shape: expected an exponent from 0.1 to 10, found 0",
        ),
        (
            "application = { kind = \"telnet\", shortest_gap = \"1 ns\" }",
            "application.shortest_gap: expected at least 1 us",
        ),
        (
            "application = { kind = \"telnet\", longest_gap = \"120 ms\" }",
            "application.longest_gap: expected more than shortest_gap",
        ),
        (
            "application = { kind = \"telnet\" }\nsockets = { write_rate = \"1 kbit/s\" }",
            "sockets.write_rate: each message",
        ),
        (
            "application = { kind = \"telnet\" }\nback = {}",
            "flows.user.back: only a connection of a greedy application",
        ),
    ] {
        let error = network(&line(["0 s", "1 s"], keys))
            .unwrap_err()
            .to_string();
        assert!(error.contains(message), "{error}");
    }
}
