#[path = "../../../tests/common/row.rs"]
mod row;

use row::{Row, link};

use super::*;
use crate::scenario::Source;

/// A line of 10 Mbit/s with 50 ms of delay in each direction, and one flow with the keys `flow`.
fn network(top: &str, line: &str, vc: &str, flow: &str) -> Network {
    let text = Row::of("a s b")
        .lasting("10 s")
        .link(link("in", "0 s"))
        .link(link("line", "50 ms").with(&format!("rate = \"10 Mbit/s\"\n{line}")))
        .vc("vc", vc)
        .and(flow)
        .toml();
    let text = format!("{top}\n{text}");
    let source = Source::toml(&text, "test.toml");
    let scenario = source.read().unwrap_or_else(|error| panic!("{error}"));
    Network::new(&scenario).unwrap_or_else(|problem| panic!("{}", source.locate(&problem)))
}

const WIDE: &str = "buffer = \"2000 cells\"";

/// The codes and names of the advice.
fn found(network: &Network) -> Vec<(&'static str, String)> {
    let advice = network.advice().into_iter();
    advice.map(|it| (it.code.as_str(), it.name)).collect()
}

#[test]
fn a_connection_of_today_with_room_has_none() {
    let flow = "[flows.up]\nvc = \"vc\"\ntcp = \"linux\"";
    assert_eq!(found(&network("", WIDE, "", flow)), []);
}

#[test]
fn a_variant_of_today_on_ticks_is_told_what_to_take() {
    let tcp =
        |keys: &str| format!("[flows.up]\nvc = \"vc\"\ntcp = {{ window = \"500 KiB\", {keys} }}");
    for (keys, is_old) in [
        (r#"variant = "newreno""#, true),
        (r#"variant = "sack", rto = { timer = "real-ticks" }"#, true),
        (r#"variant = "sack", timer_granularity = "10 ms""#, false),
        (r#"variant = "newreno", rto = { timer = "rfc6298" }"#, false),
        (r#"variant = "4.3bsd-reno""#, false),
        (r#"preset = "plain", variant = "cubic""#, true),
    ] {
        let advice = network("", WIDE, "", &tcp(keys)).advice();
        assert_eq!(advice.len(), usize::from(is_old), "{keys}: {advice:?}");
        if let Some(it) = advice.first() {
            assert_eq!((it.code, it.kind), (WarningCode::OldTimers, "flow"));
            assert!(it.message.contains("tcp.rto.timer = \"rfc6298\""));
        }
    }
}

#[test]
fn a_buffer_below_a_segment_is_told_of_unless_the_line_takes_it_away_in_time() {
    // 9140 octets of data are 192 cells.
    let flow = "[flows.up]\nvc = \"vc\"\ntcp = { window = \"500 KiB\" }";
    for (vc, cells, is_small) in [
        ("", 192, false),
        ("", 191, true),
        (
            "forward = { service = \"ubr\", pcr = \"10 Mbit/s\" }",
            2,
            false,
        ),
        // The line drains half as fast as cells arrive, so half of them wait.
        (
            "forward = { service = \"ubr\", pcr = \"20 Mbit/s\" }",
            97,
            false,
        ),
        (
            "forward = { service = \"ubr\", pcr = \"20 Mbit/s\" }",
            96,
            true,
        ),
        // The rate at which the source sends is unknown.
        (
            "forward = { service = \"abr\", pcr = \"20 Mbit/s\" }\nbackward = { service = \"abr\", pcr = \"20 Mbit/s\" }",
            3,
            false,
        ),
    ] {
        let line = format!("buffer = \"{cells} cells\"");
        let names = found(&network("", &line, vc, flow));
        let expected = if is_small {
            vec![("buffer-below-segment", "line".to_owned())]
        } else {
            Vec::new()
        };
        assert_eq!(names, expected, "{vc} {cells}");
    }
    let ends = network("", WIDE, "source_buffer = \"100 cells\"", flow);
    assert_eq!(found(&ends), [("buffer-below-segment", "vc".to_owned())]);
}

#[test]
fn windows_below_what_the_path_holds_are_told_what_is_enough() {
    // A round trip takes 100 ms plus the time of a segment. In it 10 Mbit/s carry 122.8 segments, at 23,585 cells per
    // second.
    let flow =
        |window: u64| format!("[flows.up]\nvc = \"vc\"\ntcp = {{ window = \"{window} bytes\" }}");
    let advice = network("", WIDE, "", &flow(65_535)).advice();
    assert_eq!(advice.len(), 1);
    let message = &advice[0].message;
    assert!(
        message.contains("65535 bytes (tcp.window) is below the 121"),
        "{message}"
    );
    assert!(message.contains("10 Mbit/s of link line"), "{message}");
    let needed = message.split("tcp.window = \"").nth(1);
    let needed = needed.and_then(|text| text.split(' ').next()?.parse().ok());
    let needed: u64 = needed.unwrap_or_else(|| panic!("{message}"));
    assert_eq!(found(&network("", WIDE, "", &flow(needed))), []);
    assert_eq!(
        found(&network("", WIDE, "", &flow(needed - 2_000))).len(),
        1
    );
    // Two flows that share the line fill it together.
    let second = format!(
        "{}\n[flows.other]\nvc = \"vc\"\ntcp = {{ window = \"65535 bytes\" }}",
        flow(65_535)
    );
    assert_eq!(found(&network("", WIDE, "", &second)), []);
    // The application does not try to fill it.
    let slow = format!(
        "{}\nsockets = {{ write_rate = \"1 Mbit/s\" }}",
        flow(65_535)
    );
    assert_eq!(found(&network("", WIDE, "", &slow)), []);
    let opened = r#"[flows.up]
        vc = "vc"
        tcp = { window = "1 MiB", handshake = true }"#;
    let message = &network("", WIDE, "", opened).advice()[0].message;
    assert!(message.contains("16 bits"), "{message}");
    assert!(message.contains("tcp.window_scale = 1"), "{message}");
}

#[test]
fn a_vc_without_traffic_is_told_of() {
    assert_eq!(
        found(&network("", WIDE, "", "")),
        [("vc-unused", "vc".to_owned())]
    );
}

#[test]
fn what_is_silenced_is_not_given() {
    let silent = network("silence = [\"vc-unused\"]", WIDE, "", "");
    assert_eq!(silent.advice(), []);
    assert!(silent.silences(WarningCode::VcUnused) && !silent.silences(WarningCode::Stalled));
}
