//! ADSL lines in whole networks: interleaving, impulse noise, the cycle of TCM-ISDN and CAP, against values worked out by
//! hand.

mod common;

use celltrain_proto::units::Span;
use celltrain_sim::measure::Results;
use common::row::{Row, link};
use common::{network, run, value};

/// Cells of `traffic` from one host to another over a line with these `keys`.
fn over(keys: &str, traffic: &str) -> String {
    Row::of("a s t b")
        .measured("85 ms", "935 ms")
        .link(link("in", "0 s"))
        .ways(
            link("line", "1 ms").with(&format!("buffer = \"1000 cells\"\n{keys}")),
            link("back", "1 ms"),
        )
        .link(link("out", "0 s"))
        .and(&format!(
            "[vcs.v]\nroute = [\"a\", \"s\", \"t\", \"b\"]\n[backgrounds.v]\nvc = \"v\"\ntraffic = {{ {traffic} }}"
        ))
        .toml()
}

/// A loop of 3 km of 0.5 mm at a noise of -120 dBm/Hz: 1375 bits per symbol downstream.
fn loop_with(band: &str, keys: &str) -> String {
    format!(
        "rate = {{ process = \"dmt\", band = \"{band}\", length = \"3 km\", noise_dbm_per_hz = -120{keys} }}"
    )
}

/// A hundred cells in 42.4 ms.
const SLOW: &str = "process = \"cbr\", rate = \"1 Mbit/s\"";
const FULL: &str = "process = \"cbr\", rate = \"40 Mbit/s\"";

fn delays(keys: &str) -> [Span; 2] {
    let network = network(&over(keys, SLOW)).unwrap_or_else(|error| panic!("{error}"));
    let route = network.route(0);
    [route.delay, route.propagation_delay]
}

#[test]
fn the_delay_of_a_link_is_propagation_and_interleaving() {
    let ms = Span::from_ms;
    assert_eq!(delays(&loop_with("adsl-down", "")), [ms(1), ms(1)]);
    // 4 + 64/4 ms.
    let deep = loop_with("adsl-down", ", interleaving = { depth = 64 }");
    assert_eq!(delays(&deep), [ms(21), ms(1)]);
    // 4 + 3/4 + 4 · 16/4 ms.
    let long = loop_with("adsl-up", ", interleaving = { depth = 16, symbols = 4 }");
    assert_eq!(delays(&long), [Span::from_us(21_750), ms(1)]);
    // 1375 bits are one codeword, so S = 1: 16/4 ms.
    let plus = loop_with("adsl2plus-down", ", interleaving = { depth = 16 }");
    let short = plus.replace("-120", "-95");
    assert_eq!(delays(&short), [ms(5), ms(1)]);
}

#[test]
fn the_queue_of_a_lan_has_the_delay_of_its_interleaver_too() {
    let text = r#"
        [measure]
        duration = "1 s"
        [hosts]
        a = { count = 2 }
        [lans]
        l = { delay = "1 ms", rate = { process = "dmt", band = "adsl-down", length = "1 km", interleaving = { depth = 64 } } }
        [links]
        in = { between = ["a", "l"], delay = "0 s" }
        [vcs.v]
        route = ["a1", "l", "a2"]
    "#;
    let route = network(text)
        .unwrap_or_else(|error| panic!("{error}"))
        .route(0);
    let ms = Span::from_ms;
    assert_eq!([route.delay, route.propagation_delay], [ms(21), ms(1)]);
}

#[test]
fn packets_take_the_delay_of_interleaving_longer() {
    let mean_delay = |keys: &str| {
        let text = over(&loop_with("adsl-down", keys), SLOW);
        let base = text.split("[backgrounds.v]").next().expect("there is one");
        let flow = "[flows.u]\nvc = \"v\"\nudp = { packet = \"500 bytes\", traffic = { process = \"cbr\", rate = \"0.4 Mbit/s\" } }";
        value(
            &run(&format!("{base}{flow}"), 1),
            "flows",
            "u",
            "delay_mean_s",
        )
    };
    let (fast, slow) = (
        mean_delay(""),
        mean_delay(", interleaving = { depth = 64 }"),
    );
    assert!((slow - fast - 0.02).abs() < 1e-9, "{fast} {slow}");
}

fn sent(results: &Results) -> f64 {
    value(results, "links", "line", "cells_sent")
}

#[test]
fn a_line_that_sends_only_while_no_near_end_does_has_126_of_340_symbols() {
    // Each symbol for itself would carry as many bits as here; ISDN in the binder takes more.
    let isdn = |maps: &str| {
        let keys = format!(", tcm_isdn = {{ disturbers = 10, bit_maps = \"{maps}\" }}");
        run(&over(&loop_with("adsl-down", &keys), FULL), 1)
    };
    let [single, fext, dual] = ["single", "fext", "dual"].map(isdn);
    let mean = |results: &Results| value(results, "links", "line", "mean_rate_bps");
    let free = run(&over(&loop_with("adsl-down", ""), FULL), 1);
    assert!(mean(&fext) <= 4.928e6 * 126.0 / 340.0);
    assert!(mean(&single) < mean(&dual) && mean(&fext) < mean(&dual) && mean(&dual) < mean(&free));
    for results in [&single, &fext, &dual] {
        // Rates are multiples of 32 kbit/s over whole hyperframes, of which ten are measured, and the line is always busy.
        let octets = mean(results) / 32e3;
        assert!((octets - octets.round()).abs() < 1e-6, "{octets}");
        assert!((sent(results) - mean(results) * 0.85 / 424.0).abs() < 2.0);
    }
}

#[test]
fn cells_wait_through_the_half_of_the_cycle_without_data() {
    let keys = ", tcm_isdn = { disturbers = 10, bit_maps = \"fext\" }";
    let results = run(&over(&loop_with("adsl-down", keys), SLOW), 1);
    // No more than seven symbols in a row without data, or 1.72 ms: four cells of 424 us come, and one is being sent.
    // While three symbols of a cycle carry data, a little more than 1 Mbit/s remain.
    let most = value(&results, "links", "line", "queue_max_cells");
    assert!((5.0..=6.0).contains(&most), "{most}");
    assert_eq!(value(&results, "links", "line", "cells_lost"), 0.0);
}

/// Cells lost of 10,000 a second over 0.85 s, by impulses every 10 ms.
fn lost_to_impulses(keys: &str) -> f64 {
    let keys = format!(
        "rate = \"8.48 Mbit/s\"\nloss = {{ process = \"impulse\", every = \"10 ms\"{keys} }}"
    );
    let results = run(&over(&keys, "process = \"cbr\", rate = \"4.24 Mbit/s\""), 1);
    value(&results, "vcs", "v", "cells_errored")
}

#[test]
fn an_impulse_takes_the_cells_of_the_codewords_that_it_destroys() {
    // 85 impulses. On the fast path three symbols of 250 us, with 2.5 cells each.
    let fast = lost_to_impulses(", symbols = 3");
    assert!((85.0 * 7.0..=85.0 * 8.0).contains(&fast), "{fast}");
    // N = 145, R = 16, D = 64: three symbols are corrected, and four destroy 61 symbols or more than 10 ms.
    let code = ", codeword = 145, parity = 16, depth = 64";
    assert_eq!(lost_to_impulses(&format!("{code}, symbols = 3")), 0.0);
    assert!(lost_to_impulses(&format!("{code}, symbols = 4")) >= 8_499.0);
    // D = 16: INP is 0.88 symbols. Two symbols destroy 2 + 16 - 1 symbols, with 42.5 cells.
    let shallow = lost_to_impulses(", codeword = 145, parity = 16, depth = 16, symbols = 2");
    assert!((85.0 * 42.0..=85.0 * 43.0).contains(&shallow), "{shallow}");
}

#[test]
fn a_cap_line_has_its_symbol_rate_times_its_bits() {
    // Eight bits at 136 kbaud, of which 239/255 are data.
    let keys = "rate = { process = \"cap\", direction = \"up\", symbol_rate_kbaud = 136, length = \"3 km\" }";
    let results = run(&over(keys, FULL), 1);
    let mean = value(&results, "links", "line", "mean_rate_bps");
    assert!((mean - 1.088e6 * 239.0 / 255.0).abs() < 1e-3, "{mean}");
    assert!((sent(&results) - mean * 0.85 / 424.0).abs() < 2.0);
}

#[test]
fn g_lite_carries_at_most_1536_kbit_s_down_and_512_kbit_s_up() {
    for (band, kbps) in [("g-lite-down", 1_536.0), ("g-lite-up", 512.0)] {
        let results = run(&over(&loop_with(band, ", parity = 8"), FULL), 1);
        let mean = value(&results, "links", "line", "mean_rate_bps");
        assert!((mean - kbps * 1e3).abs() < 1e-3, "{band}: {mean}");
    }
}

#[test]
fn misuse_is_refused_by_key() {
    for (keys, key) in [
        (loop_with("g-lite-down", ""), "links.line.rate.parity"),
        (
            loop_with("adsl-down", ", interleaving = { depth = 12 }"),
            "links.line.rate.interleaving.depth",
        ),
        (
            loop_with("adsl-down", ", tcm_isdn = { disturbers = 0 }"),
            "links.line.rate.tcm_isdn.disturbers",
        ),
        (
            "rate = \"1 Mbit/s\"\nloss = { process = \"impulse\", every = \"10 us\" }".to_owned(),
            "links.line.loss.every",
        ),
        (
            "rate = { process = \"cap\", direction = \"down\", symbol_rate_kbaud = 680, length = \"12 km\" }"
                .to_owned(),
            "links.line.rate.length",
        ),
    ] {
        let error = network(&over(&keys, SLOW)).expect_err(key).to_string();
        assert!(error.contains(key), "{error}");
    }
}
