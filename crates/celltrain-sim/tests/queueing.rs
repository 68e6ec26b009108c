//! A port against queueing theory.

mod common;

use common::row::{Row, link};
use common::{run, value};

/// One source into one queue of 10 Mbit/s.
fn port(traffic: &str, duration: &str) -> String {
    Row::of("a s b")
        .measured("1 s", duration)
        .link(link("in", "0 s"))
        .ways(
            link("queue", "1 ms").queue("10 Mbit/s", 100_000),
            link("back", "1 ms"),
        )
        .vc("cells", "")
        .background("source", "cells", &format!("traffic = {traffic}"))
        .toml()
}

/// The mean of `values` and the half-width of its 95 % confidence interval (Student's t, 9 degrees of freedom).
fn mean_and_half_width(values: &[f64; 10]) -> (f64, f64) {
    let mean = values.iter().sum::<f64>() / 10.0;
    let variance = values
        .iter()
        .map(|value| (value - mean).powi(2))
        .sum::<f64>()
        / 9.0;
    (mean, 2.262 * (variance / 10.0).sqrt())
}

/// Pollaczek and Khinchine: the mean number in an M/D/1 system at load rho.
fn m_d_1(rho: f64) -> f64 {
    rho + rho * rho / (2.0 * (1.0 - rho))
}

#[test]
fn poisson_arrivals_queue_as_in_m_d_1() {
    for rho in [0.5, 0.8, 0.9] {
        let traffic = format!(
            "{{ process = \"poisson\", rate = \"{} kbit/s\" }}",
            rho * 1e4
        );
        let queues = std::array::from_fn(|seed| {
            let results = run(&port(&traffic, "11 s"), seed as u64 + 1);
            value(&results, "links", "queue", "queue_mean_cells")
        });
        let (mean, half_width) = mean_and_half_width(&queues);
        let expected = m_d_1(rho);
        // Ten runs of 10^5 to 2 x 10^5 cells; the interval must also be narrow, or agreement means nothing.
        assert!(
            (mean - expected).abs() < 1.5 * half_width,
            "{rho}: {mean} +- {half_width}, not {expected}"
        );
        assert!(
            half_width < 0.05 * expected,
            "{rho}: {mean} +- {half_width}"
        );
    }
}

#[test]
fn regular_arrivals_never_wait() {
    // D/D/1: each cell finds the queue empty, so the mean number in the system equals the load.
    let results = run(
        &port("{ process = \"cbr\", rate = \"8 Mbit/s\" }", "11 s"),
        1,
    );
    let of = |column| value(&results, "links", "queue", column);
    assert!((of("queue_mean_cells") - 0.8).abs() < 1e-6);
    assert_eq!(of("queue_max_cells"), 1.0);
    assert!((of("utilization") - 0.8).abs() < 1e-4);
    assert_eq!(of("cells_lost"), 0.0);
}

#[test]
fn an_overloaded_queue_loses_the_excess_and_works_all_the_time() {
    let text = port("{ process = \"cbr\", rate = \"16 Mbit/s\" }", "11 s")
        .replace("100000 cells", "50 cells");
    let results = run(&text, 1);
    let of = |column| value(&results, "links", "queue", column);
    assert!((of("utilization") - 1.0).abs() < 1e-4);
    assert!((of("cell_loss_ratio") - 6.0 / 16.0).abs() < 1e-4);
    assert_eq!(of("queue_max_cells"), 50.0);
}

#[test]
fn a_varying_line_carries_its_integral() {
    for rule in ["resume-at-new-rate", "finish-at-old-rate"] {
        let text = port("{ process = \"cbr\", rate = \"16 Mbit/s\" }", "11 s").replace(
            "rate = \"10 Mbit/s\"",
            &format!(
                "on_rate_change = \"{rule}\"\nrate = {{ process = \"uniform\", low = \"128 kbit/s\", \
                 high = \"1.024 Mbit/s\", every = \"10 ms\" }}"
            ),
        );
        let results = run(&text, 1);
        let of = |column| value(&results, "links", "queue", column);
        let idle_cells = of("mean_rate_bps") * 10.0 / 424.0 - of("cells_sent");
        if rule == "resume-at-new-rate" {
            // The line was always busy: it carried all that it could, except for a cell at either end of the interval.
            assert!(idle_cells.abs() <= 1.0, "{idle_cells}");
        } else {
            // A cell that starts at the low rate keeps it: about 1 % of the capacity is lost.
            assert!(idle_cells > 50.0, "{idle_cells}");
        }
    }
}
