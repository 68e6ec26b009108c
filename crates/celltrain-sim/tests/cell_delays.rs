//! The delays of single cells over whole networks, against what their queues let us compute.

mod common;

use common::row::{Row, link};
use common::{network, run};

/// 100,000 cells/s: a cell takes 10 us.
const RATE: &str = "42.4 Mbit/s";

/// Packets of `cells` cells, 100 per second, whose cells leave the host together and then wait for a line of 100,000
/// cells/s with a buffer of `buffer` cells, which is 1 ms long.
fn packets(cells: u32, buffer: u32, alpha: f64) -> String {
    // With `vc-mux` a PDU has the packet and a trailer of 8 octets.
    let octets = 48 * cells - 8;
    let traffic = format!(
        "{{ process = \"pulses\", peak = \"{} bit/s\", period = \"10 ms\", duty_cycle = 1 }}",
        8 * octets * 100
    );
    Row::of("a b")
        .measure(&format!(
            "duration = \"100 ms\"\ncell_delays = {{ vcs = [\"v\"], alpha = {alpha} }}"
        ))
        .link(link("line", "1 ms").queue(RATE, buffer))
        .vc("v", "encapsulation = \"vc-mux\"")
        .flow(
            "f",
            "v",
            &format!("udp = {{ packet = \"{octets} bytes\", traffic = {traffic} }}"),
        )
        .toml()
}

/// The values of a column, forward and backward.
fn column(text: &str, name: &str) -> Vec<f64> {
    let results = run(text, 1);
    let table = results.table("cell_delays").expect("cells are timed");
    table.numbers_of(name)
}

/// From 20 ms to 50 ms in 300 ms, then 50 ms: of 1,000 cells a second the first leave at 0, 1 ms, 2 ms ...
#[test]
fn each_cell_has_the_delay_of_the_list_at_its_departure() {
    let text = |interpolation: &str| {
        Row::of("a b")
            .measure("duration = \"1 s\"\ncell_delays = { vcs = [\"v\"] }")
            .link(link("line", &format!("{{ process = \"list\", delays = [{{ at = \"0 s\", delay = \"20 ms\" }}, {{ at = \"300 ms\", delay = \"50 ms\" }}], interpolation = \"{interpolation}\" }}")))
            .vc("v", "")
            .and("[backgrounds.v]\nvc = \"v\"\ntraffic = { process = \"cbr\", rate = \"1000 cells/s\" }")
            .toml()
    };
    // Those that leave in the last 50 ms do not arrive before the end.
    for (interpolation, sum) in [
        // 300 cells of 20 ms, and 650 of 50 ms.
        ("steps", 300.0 * 0.020 + 650.0 * 0.050),
        // The k-th of the first 300 has 20 ms + k / 10 ms: 300 x 20 ms + 299 x 300 / 2 x 0.1 ms.
        ("linear", 6.0 + 4.485 + 650.0 * 0.050),
    ] {
        let of = |name| column(&text(interpolation), name)[0];
        assert_eq!(of("cells"), 950.0, "{interpolation}");
        assert_eq!(of("delay_min_s"), 0.020, "{interpolation}");
        assert_eq!(of("delay_max_s"), 0.050, "{interpolation}");
        assert!(
            (of("delay_mean_s") * 950.0 - sum).abs() < 1e-9,
            "{interpolation}"
        );
    }
}

/// To within the resolution of a quantile.
fn is_near(value: f64, expected: f64) -> bool {
    (value / expected - 1.0).abs() < 1e-3
}

/// The k-th cell of a packet waits for k - 1 others and its own transmission: 1 ms + k x 10 us, for k from 1 to 100.
#[test]
fn each_cell_of_a_packet_waits_for_those_before_it() {
    let text = packets(100, 1_000, 0.1);
    let of = |name| column(&text, name)[0];
    assert_eq!(of("cells"), 1_000.0);
    assert_eq!(of("delay_min_s"), 1.01e-3);
    assert_eq!(of("delay_max_s"), 2.0e-3);
    assert!((of("delay_mean_s") - 1.505e-3).abs() < 1e-15);
    for (name, expected) in [
        ("delay_p50_s", 1.5e-3),
        ("delay_p90_s", 1.9e-3),
        ("delay_p99_s", 1.99e-3),
        ("delay_p999_s", 2.0e-3),
    ] {
        assert!(is_near(of(name), expected), "{name}: {}", of(name));
    }
    // A tenth of the cells is delayed by more than 1.9 ms.
    let peak_to_peak = of("peak_to_peak_cdv_s");
    assert!((peak_to_peak - 0.89e-3).abs() < 2e-6, "{peak_to_peak}");
    // The first cell is the reference.
    assert_eq!(of("two_point_cdv_min_s"), 0.0);
    assert!((of("two_point_cdv_max_s") - 0.99e-3).abs() < 1e-15);
}

/// The line holds 40 cells, the one in transmission included; the others of a packet are lost.
#[test]
fn lost_cells_have_no_delay() {
    let text = packets(100, 40, 0.001);
    assert_eq!(column(&text, "cells")[0], 400.0);
    assert_eq!(column(&text, "delay_min_s")[0], 1.01e-3);
    assert_eq!(column(&text, "delay_max_s")[0], 1.4e-3);
}

#[test]
fn a_direction_without_cells_has_no_delays() {
    let text = packets(10, 100, 0.001);
    for name in [
        "delay_min_s",
        "delay_mean_s",
        "delay_p99_s",
        "peak_to_peak_cdv_s",
    ] {
        assert!(column(&text, name)[1].is_nan(), "{name}");
    }
    assert_eq!(column(&text, "cells")[1], 0.0);
}

/// Cells of a constant rate meet packets of 50 cells of another VC: one at most waits for all of them, and none for more.
#[test]
fn a_constant_rate_is_delayed_by_the_bursts_of_another_vc() {
    let octets = 48 * 50 - 8;
    let text = Row::of("a s b")
        .measure("warm_up = \"20 ms\"\nduration = \"120 ms\"\ncell_delays = { vcs = [\"v\"] }")
        .link(link("in", "0 s"))
        .link(link("line", "1 ms").queue(RATE, 1_000))
        .vc("v", "forward = { service = \"cbr\", pcr = \"424 kbit/s\" }")
        .vc("w", "encapsulation = \"vc-mux\"")
        .background("b", "v", "traffic = { process = \"cbr\", rate = \"424 kbit/s\" }")
        .flow(
            "f",
            "w",
            // One packet just before each tenth cell.
            &format!(
                "start = \"9999 us\"\nudp = {{ packet = \"{octets} bytes\", traffic = {{ process = \"pulses\", peak = \"{} bit/s\", period = \"10 ms\", duty_cycle = 1 }} }}",
                8 * octets * 100
            ),
        )
        .toml();
    let of = |name| column(&text, name)[0];
    assert_eq!(of("cells"), 100.0);
    assert_eq!(of("delay_min_s"), 1.01e-3);
    // The packet came 1 us before: 50 cells less 1 us, and its own cell time.
    assert_eq!(of("delay_max_s"), 1.509e-3);
    assert!((of("delay_mean_s") - (9.0 * 1.01e-3 + 1.509e-3) / 10.0).abs() < 1e-15);
    assert!(is_near(of("delay_p90_s"), 1.01e-3));
    assert!(
        is_near(of("delay_p99_s"), 1.509e-3),
        "{}",
        of("delay_p99_s")
    );
}

#[test]
fn errors_name_the_vc_and_the_fraction() {
    let error = |text: &str| network(text).expect_err("refused").to_string();
    let text = packets(10, 100, 0.001);
    let unknown = error(&text.replace("vcs = [\"v\"]", "vcs = [\"vv\"]"));
    assert!(
        unknown.contains("measure.cell_delays.vcs: there is no VC \"vv\""),
        "{unknown}"
    );
    for alpha in ["0", "1.0", "-0.5"] {
        let error = error(&text.replace("alpha = 0.001", &format!("alpha = {alpha}")));
        assert!(
            error.contains("measure.cell_delays.alpha: expected above 0 and below 1"),
            "{error}"
        );
    }
}

#[test]
fn a_vc_that_carries_others_is_refused() {
    let text = r#"
        [measure]
        duration = "1 s"
        cell_delays = { vcs = ["wan"] }
        [hosts]
        a = {}
        b = {}
        [routers]
        r = {}
        t = {}
        [links]
        in = { between = ["a", "r"], delay = "0 s" }
        line = { between = ["r", "t"], delay = "1 ms", rate = "1 Mbit/s", buffer = "100 cells" }
        out = { between = ["t", "b"], delay = "0 s" }
        [vcs]
        wan = { route = ["r", "t"] }
        v = { route = ["a", "r", "t", "b"] }
        [flows.f]
        vc = "v"
        "#;
    let error = network(text).expect_err("refused").to_string();
    assert!(
        error.contains("the VC \"wan\" carries cells of other VCs"),
        "{error}"
    );
}
