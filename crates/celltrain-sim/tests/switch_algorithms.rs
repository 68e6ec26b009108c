//! Switch algorithms in whole networks, against max-min fair rates and their own targets.

mod common;

use std::fmt::Write;

use celltrain_proto::switch;
use celltrain_sim::measure::Results;
use common::{all_differ, network, run, value};

/// A chain of switches s0 - s1 - .. with a queue from each to the next, and greedy VCs along it.
struct Chain<'a> {
    /// The rate of each queue in Mbit/s.
    rates: &'a [f64],
    /// The first and last switch of each VC.
    vcs: &'a [(usize, usize)],
    /// The control of every queue.
    control: &'a str,
    /// Further keys of the ABR services.
    abr: &'a str,
}

impl Chain<'_> {
    fn text(&self) -> String {
        let mut text = String::from("[measure]\nwarm_up = \"2 s\"\nduration = \"4 s\"\n");
        for switch in 0..=self.rates.len() {
            writeln!(text, "[switches.s{switch}]").expect("a String takes all text");
        }
        for (link, rate) in self.rates.iter().enumerate() {
            let next = link + 1;
            write!(
                text,
                "[links.q{link}]\nfrom = \"s{link}\"\nto = \"s{next}\"\nrate = \"{rate} Mbit/s\"\n\
                 delay = \"1 ms\"\nbuffer = \"20000 cells\"\ncontrol = {{ {} }}\n\
                 [links.r{link}]\nfrom = \"s{next}\"\nto = \"s{link}\"\ndelay = \"1 ms\"\n",
                self.control
            )
            .expect("a String takes all text");
        }
        for (vc, (from, to)) in self.vcs.iter().enumerate() {
            let route: Vec<String> = (*from..=*to).map(|s| format!("\"s{s}\"")).collect();
            let service = format!("{{ service = \"abr\", pcr = \"20 Mbit/s\", {} }}", self.abr);
            write!(
                text,
                "[hosts.a{vc}]\n[hosts.b{vc}]\n\
                 [links.in{vc}]\nbetween = [\"a{vc}\", \"s{from}\"]\ndelay = \"0 s\"\n\
                 [links.out{vc}]\nbetween = [\"s{to}\", \"b{vc}\"]\ndelay = \"0 s\"\n\
                 [vcs.vc{vc}]\nroute = [\"a{vc}\", {}, \"b{vc}\"]\nencapsulation = \"vc-mux\"\n\
                 forward = {service}\nbackward = {service}\n\
                 [flows.f{vc}]\nvc = \"vc{vc}\"\nstart = \"{} ms\"\n\
                 [flows.f{vc}.tcp]\nwindow = \"4000000 bytes\"\nwhole_segments = true\nack = \"each\"\n",
                route.join(", "),
                37 * vc
            )
            .expect("a String takes all text");
        }
        text
    }

    fn run(&self) -> Results {
        run(&self.text(), 1)
    }
}

/// One queue for four VCs; two queues, each with its own VC and one VC that crosses both; and two queues, of which four
/// VCs share the slow first one. The fourth also crosses the second queue, where a fifth gets the rest.
const NETWORKS: [Network; 3] = [
    Network {
        rates: &[10.0],
        vcs: &[(0, 1), (0, 1), (0, 1), (0, 1)],
    },
    Network {
        rates: &[10.0, 10.0],
        vcs: &[(0, 2), (0, 1), (1, 2)],
    },
    Network {
        rates: &[4.0, 10.0],
        vcs: &[(0, 1), (0, 1), (0, 1), (0, 2), (1, 2)],
    },
];

struct Network {
    rates: &'static [f64],
    vcs: &'static [(usize, usize)],
}

impl Network {
    fn run(&self, control: &str, abr: &str) -> Results {
        let &Network { rates, vcs } = self;
        Chain {
            rates,
            vcs,
            control,
            abr,
        }
        .run()
    }

    /// The max-min fair rates in Mbit/s, by progressive filling, if the fraction `utilization` of each queue's rate is
    /// shared.
    fn max_min(&self, utilization: f64) -> Vec<f64> {
        let mut left: Vec<f64> = self.rates.iter().map(|rate| utilization * rate).collect();
        let mut shares = vec![None; self.vcs.len()];
        let crosses = |vc: usize, link: usize| (self.vcs[vc].0..self.vcs[vc].1).contains(&link);
        while shares.iter().any(Option::is_none) {
            let open: Vec<usize> = (0..shares.len())
                .filter(|&vc| shares[vc].is_none())
                .collect();
            let level = |link: usize| {
                let n = open.iter().filter(|&&vc| crosses(vc, link)).count();
                left[link] / n as f64
            };
            let bottleneck = (0..left.len())
                .filter(|&link| open.iter().any(|&vc| crosses(vc, link)))
                .min_by(|&a, &b| level(a).total_cmp(&level(b)))
                .expect("an open VC crosses a link");
            let share = level(bottleneck);
            for &vc in open.iter().filter(|&&vc| crosses(vc, bottleneck)) {
                shares[vc] = Some(share);
                for left in &mut left[self.vcs[vc].0..self.vcs[vc].1] {
                    *left -= share;
                }
            }
        }
        shares.into_iter().flatten().collect()
    }
}

/// The final ACR of the forward directions, in Mbit/s.
fn acr(results: &Results) -> Vec<f64> {
    let acr = results
        .table("vcs")
        .expect("the table exists")
        .numbers_of("acr_bps");
    acr.iter().step_by(2).map(|acr| acr / 1e6).collect()
}

/// The rate of each VC's cells in Mbit/s: one cell in 32 is an RM cell, and 192 cells carry 9140 octets of TCP.
fn throughput(results: &Results) -> Vec<f64> {
    let throughput = results
        .table("flows")
        .expect("the table exists")
        .numbers_of("throughput_bps");
    let of_cells = 10_176.0 / 9_140.0 * 32.0 / 31.0 / 1e6;
    throughput.iter().map(|rate| rate * of_cells).collect()
}

#[track_caller]
fn assert_near(found: &[f64], expected: &[f64], tolerance: f64) {
    let near = |(found, expected): (&f64, &f64)| (found / expected - 1.0).abs() < tolerance;
    assert!(
        found.len() == expected.len() && found.iter().zip(expected).all(near),
        "{found:?}, not {expected:?}"
    );
}

#[test]
fn filling_gives_the_max_min_rates_worked_out_by_hand() {
    for (network, expected) in NETWORKS.iter().zip([
        &[2.5, 2.5, 2.5, 2.5][..],
        &[5.0, 5.0, 5.0],
        &[1.0, 1.0, 1.0, 1.0, 9.0],
    ]) {
        assert_near(&network.max_min(1.0), expected, 1e-12);
    }
}

#[test]
fn erica_alone_brings_greedy_vcs_to_their_max_min_rates() {
    for network in &NETWORKS {
        for option in [
            "interval = \"5 ms\"",
            "interval = \"5 ms\", load_averaging = \"overload-factor\"",
            "interval = \"5 ms\", load_weight = 1, activity_decay = 0",
            "interval = \"5 ms\", load_averaging = \"ratio-of-rates\", load_weight = 0.2",
            "interval = \"5 ms\", load_averaging = \"restarting-factor\", load_weight = 0.2, \
             initial_share = 0.25, idle_gives_all = true, remembers = \"bounded\"",
            "interval = \"5 ms\", interval_cells = \"100 cells\"",
            // A measured rate is a whole number of cells per interval: one cell in 50 ms is 8 kbit/s, 1 % of the slowest
            // rate; one in 5 ms would be 9 %.
            "interval = \"50 ms\", ccr = \"measured\"",
        ] {
            let control =
                format!("algorithm = \"erica\", target_utilization = 0.9, delta = 0.01, {option}");
            let results = network.run(&control, "rif = 1");
            assert_near(&acr(&results), &network.max_min(0.9), 0.02);
            for queue in 0..network.rates.len() {
                let queue = value(&results, "links", &format!("q{queue}"), "queue_max_cells");
                assert!(queue < 10.0, "{queue}");
            }
        }
    }
}

#[test]
fn erica_settles_a_few_intervals_after_a_vc_has_joined() {
    // Sources without TCP that always have cells, one more source each second; nothing is averaged. An interval of 20 ms
    // contains an RM cell of each VC (one in 32 of at least 5300 cells/s).
    let mut chain = Chain {
        rates: &[10.0],
        vcs: &[(0, 1), (0, 1), (0, 1), (0, 1)],
        control: "algorithm = \"erica\", target_utilization = 0.9, delta = 0.01, interval = \"20 ms\", \
                  load_weight = 1, activity_decay = 0",
        abr: "rif = 1, icr = \"1 Mbit/s\"",
    }
    .text()
    .replace("warm_up = \"2 s\"", "warm_up = \"0 s\"");
    for vc in 0..4 {
        chain = chain.replace(
            &format!(
                "start = \"{} ms\"\n[flows.f{vc}.tcp]\nwindow = \"4000000 bytes\"\nwhole_segments = true\nack = \"each\"\n",
                37 * vc
            ),
            &format!(
                "start = \"{vc} s\"\nudp = {{ packet = \"1500 bytes\", traffic = {{ process = \"cbr\", rate = \"20 Mbit/s\" }} }}\n"
            ),
        );
    }
    let records = (0..4).map(|vc| format!("\"vcs.vc{vc}.forward.acr_bps\""));
    let records = records.collect::<Vec<_>>().join(", ");
    writeln!(
        chain,
        "[probes.acr]\nevery = \"20 ms\"\nrecord = [{records}]"
    )
    .expect("a String takes all text");
    let results = run(&chain, 1);
    let table = results.table("acr").expect("the probe records");
    for joined in 1..=4_usize {
        let share = 9e6 / joined as f64;
        // The worked example of the algorithm takes three intervals, counted from the first full measurement. The
        // interval in which the VC joins counts only part of its cells; an RM cell carries the result in the next one;
        // and the resulting rate is first measured in the one after that.
        let from = 50 * (joined - 1) + 6;
        for vc in 0..joined {
            let acr = table.numbers_of(&format!("vcs.vc{vc}.forward.acr_bps"));
            for (row, acr) in acr.iter().enumerate().take(50 * joined).skip(from) {
                assert!(
                    (acr / share - 1.0).abs() < 0.02,
                    "{joined} VCs, row {row}: {acr}"
                );
            }
        }
    }
}

#[test]
fn a_probe_shows_what_erica_hands_out_and_nothing_where_it_is_not() {
    let control = "algorithm = \"erica\", interval = \"5 ms\", target_utilization = 0.9";
    let chain = Chain {
        rates: &[10.0],
        vcs: &[(0, 1)],
        control,
        abr: "",
    };
    let probe = "[probes.p]\nevery = \"100 ms\"\nrecord = [\"links.q0.target_rate_bps\", \
                 \"links.r0.target_rate_bps\"]\n";
    let results = run(&(chain.text() + probe), 1);
    let table = results.table("p").expect("the probe has a table");
    let targets = table.numbers_of("links.q0.target_rate_bps");
    assert!(
        targets
            .iter()
            .all(|target| (target / 9e6 - 1.0).abs() < 1e-9)
    );
    let none = table.numbers_of("links.r0.target_rate_bps");
    assert!(none.iter().all(|target| target.is_nan()));
}

#[test]
fn with_its_usual_delta_erica_stops_at_most_that_far_above_the_max_min_rates() {
    let control = "algorithm = \"erica\", interval = \"5 ms\", target_utilization = 0.9";
    for network in &NETWORKS {
        let results = network.run(control, "rif = 1");
        for (acr, fair) in acr(&results).iter().zip(network.max_min(0.9)) {
            assert!((0.99 * fair..1.1 * fair).contains(acr), "{acr}, not {fair}");
        }
    }
}

#[test]
fn erica_plus_holds_its_target_queueing_delay_at_full_use() {
    for (t0_ms, sampling) in [(2.0, "rm-cells"), (5.0, "rm-cells"), (5.0, "interval-end")] {
        let control = format!(
            "algorithm = \"erica-plus\", interval = \"5 ms\", t0 = \"{t0_ms} ms\", delta = 0.01, \
             load_weight = 1, queue_sampling = \"{sampling}\""
        );
        for network in &NETWORKS {
            let results = network.run(&control, "rif = 1");
            assert_near(&acr(&results), &network.max_min(1.0), 0.02);
            for (queue, rate) in network.rates.iter().enumerate() {
                let queue = format!("q{queue}");
                // The mean excess is at most delta: 1.15·Q0/(0.15·q + Q0) = 1/1.01 at q = 1.077·Q0.
                // The queue counts whole cells, and the one in transmission.
                let target = t0_ms * rate * 1e3 / 424.0;
                let mean = value(&results, "links", &queue, "queue_mean_cells");
                assert!(
                    (0.95 * target - 1.0..1.08 * target + 1.0).contains(&mean),
                    "{mean} cells, not {target}"
                );
                let utilization = value(&results, "links", &queue, "utilization");
                assert!(utilization > 0.999, "{utilization}");
            }
        }
    }
}

#[test]
fn eprca_swings_around_its_threshold_with_fair_means() {
    for binary in [false, true] {
        let control = format!(
            "algorithm = \"eprca\", qt = \"100 cells\", dqt = \"1000 cells\", binary = {binary}"
        );
        for network in &NETWORKS {
            let results = network.run(&control, "rif = \"1/256\"");
            assert_near(&throughput(&results), &network.max_min(1.0), 0.06);
            for queue in 0..network.rates.len() {
                let queue = format!("q{queue}");
                let max = value(&results, "links", &queue, "queue_max_cells");
                assert!((100.0..150.0).contains(&max), "{max}");
                assert!(value(&results, "links", &queue, "utilization") > 0.99);
            }
        }
    }
}

#[test]
fn capc_and_capc2_come_to_equal_rates_at_the_target_utilization() {
    for control in [
        "algorithm = \"capc\", interval = \"5 ms\", cqt = \"100 cells\"",
        "algorithm = \"capc2\", interval = \"5 ms\", cqt = \"100 cells\", vcqt = \"1000 cells\"",
    ] {
        for network in &NETWORKS {
            let results = network.run(control, "rif = 1");
            assert_near(&acr(&results), &network.max_min(0.95), 0.03);
            for queue in 0..network.rates.len() {
                let queue = value(&results, "links", &format!("q{queue}"), "queue_max_cells");
                assert!(queue < 10.0, "{queue}");
            }
        }
    }
}

#[test]
fn phantom_leaves_the_line_the_part_of_one_more_vc() {
    // n VCs take 5·n of 5·n + 1 parts of 95 % of the line.
    for (network, n) in NETWORKS.iter().zip([4.0, 2.0]) {
        let results = network.run("algorithm = \"phantom\", interval = \"5 ms\"", "rif = 1");
        for queue in 0..network.rates.len() {
            let utilization = value(&results, "links", &format!("q{queue}"), "utilization");
            assert_near(&[utilization], &[0.95 * 5.0 * n / (5.0 * n + 1.0)], 0.02);
        }
    }
}

#[test]
fn the_mit_scheme_gives_the_max_min_rates_exactly_without_measuring_the_load() {
    let control = "algorithm = \"mit\", interval = \"50 ms\", target_utilization = 0.9";
    for network in &NETWORKS {
        let results = network.run(control, "rif = 1");
        assert_near(&acr(&results), &network.max_min(0.9), 1e-3);
        for queue in 0..network.rates.len() {
            let queue = value(&results, "links", &format!("q{queue}"), "queue_max_cells");
            assert!(queue < 10.0, "{queue}");
        }
    }
}

#[test]
fn mmrca_swings_between_its_thresholds_with_fair_means() {
    for feedback in ["ci", "explicit-rate"] {
        let control = format!(
            "algorithm = \"mmrca\", qt = \"100 cells\", dqt = \"200 cells\", feedback = \"{feedback}\""
        );
        for network in &NETWORKS {
            let results = network.run(&control, "rif = \"1/256\"");
            // The equal shares to which the paper's schemes converge, as EPRCA does.
            assert_near(&throughput(&results), &network.max_min(1.0), 0.08);
            for queue in 0..network.rates.len() {
                let queue = format!("q{queue}");
                let max = value(&results, "links", &queue, "queue_max_cells");
                assert!((100.0..400.0).contains(&max), "{max}");
                assert!(value(&results, "links", &queue, "utilization") > 0.95);
            }
        }
    }
}

#[test]
fn no_two_algorithms_do_the_same() {
    let interval = ", interval = \"5 ms\"";
    let smoothed = ", t0 = \"5 ms\", a = 1.15, b = 1.05, qdlf = 0.5, x = 0.1, smoothing_interval = \"1 ms\", \
        averaging_interval = \"5 ms\"";
    let capc2 = format!("{interval}, cqt = \"100 cells\", vcqt = \"1000 cells\"");
    let capc = format!("{interval}, cqt = \"100 cells\"");
    let thresholds = ", qt = \"100 cells\", dqt = \"1000 cells\"";
    let rows = [
        ("binary", ", threshold = \"100 cells\""),
        ("fair-share", interval),
        ("erica", interval),
        ("erica-plus", interval),
        ("erica-plus-smoothed", smoothed),
        ("eprca", thresholds),
        ("capc", &capc),
        ("capc2", &capc2),
        ("phantom", interval),
        ("mit", interval),
        ("mmrca", thresholds),
    ];
    let digests = rows.map(|(keyword, keys)| {
        let control = format!("algorithm = \"{keyword}\"{keys}");
        (keyword, NETWORKS[1].run(&control, "rif = 1").digest)
    });
    all_differ(switch::Parameters::NAMES, &digests);
}

#[test]
fn values_that_an_algorithm_does_not_allow_are_named() {
    for (control, expected) in [
        ("algorithm = \"erica\"", "expected `interval`"),
        (
            "algorithm = \"erica\", interval = \"1 ns\"",
            "at least 1 us",
        ),
        (
            "algorithm = \"erica\", interval = \"1 ms\", activity_decay = 1",
            "less than 1",
        ),
        (
            "algorithm = \"erica\", interval = \"1 ms\", t0 = \"1 ms\"",
            "unknown key",
        ),
        (
            "algorithm = \"erica-plus\", interval_cells = \"0 cells\"",
            "at least 1 cell",
        ),
        (
            "algorithm = \"erica-plus\", interval = \"1 ms\", a = 1",
            "more than 1",
        ),
        (
            "algorithm = \"eprca\", qt = \"9 cells\", dqt = \"8 cells\"",
            "at least qt, 9 cells",
        ),
        (
            "algorithm = \"capc2\", interval = \"1 ms\", cqt = \"9 cells\", vcqt = \"8 cells\"",
            "at least cqt, 9 cells",
        ),
        (
            "algorithm = \"phantom\", interval = \"1 ms\", h = 0",
            "more than 0 and at most 1",
        ),
    ] {
        let Network { rates, vcs } = NETWORKS[0];
        let chain = Chain {
            rates,
            vcs,
            control,
            abr: "rif = 1",
        };
        let error = network(&chain.text()).expect_err(control).to_string();
        assert!(
            error.contains(expected) && error.contains("links.q0.control"),
            "{control}: {error}"
        );
    }
}
