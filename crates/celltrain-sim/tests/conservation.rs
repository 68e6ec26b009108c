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
