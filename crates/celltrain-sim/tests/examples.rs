//! The results of the example scenarios, against what their comments say.

mod common;

use celltrain_sim::measure::Results;
use common::{run, value};

fn example(name: &str) -> String {
    let path = format!("{}/../../examples/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn column(results: &Results, table: &str, column: &str) -> Vec<f64> {
    results
        .table(table)
        .expect("the table exists")
        .numbers_of(column)
}

fn total(results: &Results, table: &str, column: &str) -> f64 {
    self::column(results, table, column).iter().sum()
}

/// The text without the table `header`, which ends at the next blank line.
fn without(text: &str, header: &str) -> String {
    let start = text
        .find(&format!("\n{header}"))
        .expect("the table is there");
    let end = start
        + 1
        + text[start + 1..]
            .find("\n\n")
            .expect("an empty line follows");
    format!("{}{}", &text[..start], &text[end..])
}

#[test]
fn gfc_stops_the_hosts_so_that_nothing_is_lost() {
    let text = example("gfc");
    let results = run(&text, 1);
    assert_eq!(value(&results, "links", "up", "cells_lost"), 0.0);
    // A host learns of HALT from ACKs. It gets one ACK for each 32 of its own cells that cross the line, so every 64 cell
    // times, in which both hosts together add four cells for each that leaves.
    let most = value(&results, "links", "up", "queue_max_cells");
    assert!((257.0..=256.0 + 256.0).contains(&most), "{most}");
    // TCP keeps the line busy: HALT ends well before the queue is empty.
    let utilization = value(&results, "links", "up", "utilization");
    assert!(utilization > 0.999, "{utilization}");
    assert_eq!(total(&results, "vcs", "pdus_damaged"), 0.0);
    let unchecked = run(&without(&text, "[links.up.gfc]"), 1);
    // Two windows of 11 segments of 32 cells do not fit into 512 cells.
    assert!(value(&unchecked, "links", "up", "cells_lost") > 100.0);
}

#[test]
fn the_original_timer_expires_where_nothing_is_lost_and_jacobsons_seldom() {
    for seed in 1..=3 {
        let results = run(&example("original-timer"), seed);
        assert_eq!(total(&results, "links", "cells_lost"), 0.0);
        let of = |flow, column| value(&results, "flows", flow, column);
        let waste = ["old", "new"].map(|flow| {
            assert_eq!(of(flow, "timeouts"), of(flow, "spurious_timeouts"));
            of(flow, "segments_retransmitted") / of(flow, "segments_sent")
        });
        assert!(waste[0] > 0.05 && waste[1] < 0.03, "{waste:?}");
        assert!(of("old", "timeouts") > 5.0 * of("new", "timeouts"));
    }
}

#[test]
fn gfc_gives_one_group_of_a_host_what_the_other_leaves() {
    let text = example("gfc-groups");
    let files = |text: &str| value(&run(text, 1), "flows", "work", "transfer_mean_s");
    let results = run(&text, 1);
    assert_eq!(total(&results, "links", "cells_lost"), 0.0);
    assert!(value(&results, "links", "up", "utilization") > 0.999);
    let alone = text
        .split("[flows.backup]")
        .next()
        .expect("work comes first");
    let (beside, alone) = (files(&text), files(alone));
    assert!(beside < 1.15 * alone, "{beside} s, {alone} s alone");
    // In one group both send half of what speech leaves.
    let shared = files(&text.replace(r#"gfc_group = "b""#, r#"gfc_group = "a""#));
    assert!(shared > 1.8 * alone, "{shared} s, {alone} s alone");
    let halted: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with("gfc_group"))
        .collect();
    let results = run(&halted.join("\n"), 1);
    assert!(value(&results, "links", "up", "cells_lost") > 1_000.0);
    assert!(value(&results, "links", "up", "utilization") < 0.5);
}

#[test]
fn a_cell_of_speech_waits_for_one_cell_of_a_transfer_or_for_all_of_them() {
    let cell_time = 424.0 / 512e3;
    let text = example("cell-delays");
    let of = |text: &str, name| value(&run(text, 1), "cell_delays", "speech", name);
    // 171 cells/s for a minute.
    assert_eq!(of(&text, "cells"), 171.0 * 60.0);
    let fixed = cell_time + 53.0 * 5e-6 + 0.05e-6;
    // The cell that waits least waits for hardly anything.
    let least = of(&text, "delay_min_s") - fixed;
    assert!((0.0..0.01 * cell_time).contains(&least), "{least}");
    let varies = of(&text, "peak_to_peak_cdv_s");
    assert!(
        varies <= 1.001 * cell_time && varies > 0.99 * cell_time,
        "{varies}"
    );
    let behind = text.replace(", scheduling = \"priority\"", "");
    let varies = of(&behind, "peak_to_peak_cdv_s");
    assert!(
        varies < 100.0 * cell_time && varies > 80.0 * cell_time,
        "{varies}"
    );
}

#[test]
fn a_long_pdu_fails_as_often_as_its_cells_say() {
    let results = run(&example("cell-errors"), 1);
    assert_eq!(total(&results, "links", "cells_lost"), 0.0);
    let of = |vc, column| value(&results, "vcs", vc, column);
    for (vc, cells) in [("long", 192), ("short", 32)] {
        let ended = of(vc, "pdus_delivered") + of(vc, "pdus_damaged");
        let expected = 1.0 - (1.0 - 5e-5_f64).powi(cells);
        let deviation = (expected / ended).sqrt();
        let ratio = of(vc, "pdus_damaged") / ended;
        assert!(
            (ratio - expected).abs() < 4.0 * deviation,
            "{vc}: {ratio}, {expected}"
        );
    }
    let throughput = |flow| value(&results, "flows", flow, "throughput_bps");
    assert!(throughput("long") > 2.0 * throughput("short"));
}

#[test]
fn effective_bandwidth_admits_as_many_bursty_vcs_as_lose_nothing() {
    let text = example("admission");
    let results = run(&text, 1);
    let admitted: f64 = column(&results, "admission", "is_admitted").iter().sum();
    assert_eq!(admitted, 20.0);
    // 6 x 10^5 cells at a cell loss ratio of at most 10^-6.
    let sent = value(&results, "links", "line", "cells_sent");
    assert!(sent > 4e5, "{sent}");
    assert_eq!(total(&results, "links", "cells_lost"), 0.0);
    let all = run(
        &text.replace("\"effective-bandwidth\"", "\"guaranteed-rate\""),
        1,
    );
    assert_eq!(column(&all, "admission", "is_admitted"), [1.0; 40]);
    assert!(value(&all, "links", "line", "cells_lost") > 100.0);
}

#[test]
fn cells_that_a_queue_has_bunched_are_discarded_unless_they_are_shaped_again() {
    let text = example("shaping");
    let results = run(&text, 1);
    assert_eq!(value(&results, "vcs", "video", "cells_policed"), 0.0);
    assert_eq!(value(&results, "shapers", "video", "cells_dropped"), 0.0);
    assert!(value(&results, "shapers", "video", "delay_mean_s") > 0.0);
    let without = run(&text.replace("shape = ", "# shape = "), 1);
    let [sent, policed] =
        ["cells_sent", "cells_policed"].map(|it| value(&without, "vcs", "video", it));
    assert!(policed > 0.1 * sent, "{policed} of {sent}");
}

#[test]
fn a_bundle_that_is_shaped_loses_nothing_to_its_policer() {
    let text = example("virtual-path");
    let results = run(&text, 1);
    for vc in ["site1", "site2", "site3"] {
        assert_eq!(value(&results, "vcs", vc, "cells_policed"), 0.0, "{vc}");
        assert_eq!(value(&results, "vcs", vc, "cells_lost"), 0.0, "{vc}");
    }
    assert!(value(&results, "vcs", "other", "cells_lost") > 1_000.0);
    let without = run(&text.replace("shape = ", "# shape = "), 1);
    assert!(total(&without, "vcs", "cells_policed") > 10_000.0);
}

#[test]
fn an_abr_source_that_does_not_obey_gets_its_guaranteed_rate() {
    let text = example("abr-policing");
    let rate = |results: &Results, vc: &str| {
        // The rows of a VC have no throughput: by its data cells on its last link.
        let link = format!("out_{vc}");
        value(results, "link_vcs", &link, "data_sent") * 424.0 / 20.0
    };
    let results = run(&text, 1);
    assert_eq!(value(&results, "vcs", "honest", "cells_policed"), 0.0);
    assert_eq!(total(&results, "links", "cells_lost"), 0.0);
    // To a cell: 53 octets at 500 kbit/s for 20 s.
    let greedy = rate(&results, "g");
    assert!((greedy - 500e3).abs() < 50.0, "{greedy}");
    let honest = rate(&results, "h");
    // One cell in 32 is an RM cell, and the rate swings below the line's.
    assert!((8.5e6..=9.5e6 * 31.0 / 32.0).contains(&honest), "{honest}");
    let constant = text.replacen(", dynamic = { tau_2 = \"2 ms\", tau_3 = \"2 ms\" }", "", 2);
    let results = run(&constant, 1);
    assert!(rate(&results, "g") > 7.9e6);
    assert!(rate(&results, "h") < 2e6);
}

#[test]
fn credits_lose_nothing_and_bound_the_queue_by_the_places_kept() {
    let text = example("credits");
    for seed in 1..=3 {
        let results = run(&text, seed);
        assert_eq!(total(&results, "links", "cells_lost"), 0.0);
        let most = value(&results, "links", "trunk", "queue_max_cells");
        assert!((60.0..=180.0).contains(&most), "{most}");
        // An average load of 75 Mbit/s keeps 20 Mbit/s busy.
        let utilization = value(&results, "links", "trunk", "utilization");
        assert!(utilization > 0.99, "{utilization}");
    }
    let unchecked = text.replace("credit = {", "# credit = {");
    let results = run(&unchecked, 1);
    assert!(value(&results, "links", "trunk", "cells_lost") > 10_000.0);
}

#[test]
fn the_cycle_of_isdn_sets_the_rate_of_a_line_beside_it() {
    let results = run(&example("isdn"), 1);
    let rates = column(&results, "line", "links.down.rate_bps");
    // Ten hyperframes of 34 cycles of 2.5 ms, 50 samples each.
    assert_eq!(rates.len() / 50 * 50, 340 * 50);
    let high = rates.iter().copied().fold(0.0, f64::max);
    let low = rates
        .iter()
        .copied()
        .filter(|&it| it > 0.0)
        .fold(high, f64::min);
    assert!(high > 2.0 * low, "{high} {low}");
    assert!(rates.iter().all(|&it| it == high || it == low || it == 0.0));
    // The quiet symbols of a cycle may start 55 samples of 1.104 MHz before it: windows start two samples early.
    let quiet = |cycle: usize| {
        let window = (50 * cycle).saturating_sub(2)..50 * (cycle + 1) - 2;
        let samples = rates[window].iter().filter(|&&it| it == high).count();
        // A symbol lasts 246.4 us, or 4.93 samples.
        (samples as f64 / 4.93).round() as usize
    };
    let symbols: Vec<usize> = (0..340).map(quiet).collect();
    assert!(symbols.iter().all(|&it| it == 3 || it == 4), "{symbols:?}");
    // It is one hyperframe ten times, except that the first window is cut short at the start.
    assert!((35..340).all(|cycle| symbols[cycle] == symbols[cycle - 34]));
    // The crosstalk alone changes the number ten times in 85 ms. Two of the quiet symbols synchronise, each in a cycle
    // that would otherwise have had four: four more changes, one each 6.07 ms on average.
    let hyperframe = &symbols[34..69];
    let changes = hyperframe.windows(2).filter(|it| it[0] != it[1]).count();
    assert_eq!(changes, 14);
    // 10 us of propagation in the cable, and 8 ms of interleaving; none upstream.
    let delays = common::network(&example("isdn"))
        .expect("it is valid")
        .route(0);
    assert!((delays.delay.as_secs() - 0.018_015_05).abs() < 1e-9);
    let busy = value(&results, "links", "down", "utilization");
    assert!(busy > 0.99, "{busy}");
}

/// 8 Mbit/s arrive at a line of 2 Mbit/s over a link with credits for 400 cells. `queue`: keys of the line's queue.
fn over_credits(queue: &str) -> Results {
    let text = format!(
        r#"
        [measure]
        warm_up = "1 s"
        duration = "10 s"
        [hosts]
        a = {{}}
        b = {{}}
        [switches]
        s = {{}}
        t = {{}}
        [links]
        in = {{ between = ["a", "s"], delay = "1 ms" }}
        back1 = {{ from = "b", to = "t", delay = "1 ms" }}
        back2 = {{ from = "t", to = "s", delay = "1 ms" }}
        [links.credit]
        from = "s"
        to = "t"
        delay = "1 ms"
        rate = "20 Mbit/s"
        buffer = "2000 cells"
        scheduling = "weighted-fair"
        credit = {{ n3 = "400 cells" }}
        [links.line]
        from = "t"
        to = "b"
        delay = "1 ms"
        rate = "2 Mbit/s"
        {queue}
        [vcs.v]
        route = ["a", "s", "t", "b"]
        [flows.f]
        vc = "v"
        udp = {{ packet = "1000 bytes", traffic = {{ process = "cbr", rate = "8 Mbit/s" }} }}
        "#
    );
    run(&text, 1)
}

#[test]
fn a_cell_that_is_dropped_when_its_turn_has_come_gives_its_credit_back() {
    let codel =
        r#"queue_management = { algorithm = "codel", target = "1 ms", interval = "10 ms" }"#;
    let results = over_credits(&format!("buffer = \"4000 cells\"\n{codel}"));
    // CoDel drops cells that wait longer than 1 ms, one every few ms. At least half of the credits are always in use.
    let mean = value(&results, "links", "line", "queue_mean_cells");
    assert!((200.0..=400.0).contains(&mean), "{mean}");
}

#[test]
fn a_cell_that_is_dropped_from_the_front_gives_its_credit_back() {
    // Otherwise the link would run out of credits after 400 of 50,000 cells.
    let results = over_credits("buffer = \"200 cells\"\ndiscard = { policy = \"drop-front\" }");
    assert!(value(&results, "links", "line", "cells_lost") > 10_000.0);
    assert!(value(&results, "links", "line", "utilization") > 0.99);
}

#[test]
fn credits_too_few_for_the_round_trip_bound_the_rate_of_a_vc() {
    // N2 = 10, N3 = 50 and a round trip of 100 cell times of 2 us: at most 60 cells in 110 cell times, 0.545 of the line
    // rate. The credits for the first ten cells leave when the tenth has arrived: nine cell times after the first
    // started, plus one for the tenth itself and 100 for the round trip.
    let text = r#"
        [measure]
        warm_up = "10 ms"
        duration = "110 ms"
        [hosts]
        a = {}
        b = {}
        [switches]
        s = {}
        [links.in]
        from = "a"
        to = "s"
        delay = "100 us"
        rate = "212 Mbit/s"
        buffer = "100000 cells"
        scheduling = "weighted-fair"
        credit = { n2 = "10 cells", n3 = "50 cells" }
        [links.out]
        from = "s"
        to = "b"
        delay = "1 us"
        [links.back]
        from = "b"
        to = "s"
        delay = "1 us"
        [links.home]
        from = "s"
        to = "a"
        delay = "1 us"
        [vcs.v]
        route = ["a", "s", "b"]
        [backgrounds.b]
        vc = "v"
        traffic = { process = "cbr", rate = "250 Mbit/s" }
    "#;
    let utilization = value(&run(text, 1), "links", "in", "utilization");
    assert!((utilization - 60.0 / 110.0).abs() < 0.002, "{utilization}");
}

/// The fraction of the trunk's cells that crossed it for nothing: all but 192 for each packet that arrived complete.
fn wasted(results: &Results) -> f64 {
    let packets = column(results, "vcs", "pdus_delivered");
    // Forward and backward directions alternate.
    let whole: f64 = packets.iter().step_by(2).sum();
    1.0 - 192.0 * whole / value(results, "links", "trunk", "cells_sent")
}

#[test]
fn ppd_wastes_less_of_an_overloaded_line_than_tail_drop_and_epd_nothing() {
    let ppd = example("ppd");
    let early = "policy = \"epd\"\nthreshold = \"800 cells\"";
    let epd = ppd.replace("policy = \"ppd\"", early);
    let tail = without(&ppd, "[links.trunk.discard]");
    let [epd, ppd, tail] = [epd, ppd, tail].map(|text| wasted(&run(&text, 1)));
    // A quarter of the load is lost, in runs while the queue is full; even more is wasted with it.
    assert!(tail > 0.25, "{tail}");

    // The cells before the first lost cell of a packet have still crossed for nothing.
    assert!(ppd < 0.8 * tail, "{ppd} {tail}");
    // There is room for 200 cells above the threshold, used by frames that began below it, so few overflow.
    assert!(epd < 0.05, "{epd}");
    assert!(epd < 0.3 * ppd, "{epd} {ppd}");
}

#[test]
fn epd_shares_the_line_among_connections_that_tail_drop_starves() {
    let epd = example("epd");
    let tail = without(&epd, "[links.trunk.discard]");
    // Jain's index: 1 if all get the same, 1/10 if one gets everything.
    let fairness = |text: &str| {
        let rates = column(&run(text, 1), "flows", "throughput_bps");
        let sum: f64 = rates.iter().sum();
        sum * sum / (10.0 * rates.iter().map(|rate| rate * rate).sum::<f64>())
    };
    let (epd_fairness, tail_fairness) = (fairness(&epd), fairness(&tail));
    assert!(epd_fairness > 0.9, "{epd_fairness}");
    assert!(tail_fairness < 0.75, "{tail_fairness}");
    assert!(wasted(&run(&epd, 1)) < 0.002);
}

#[test]
fn policing_keeps_the_excess_from_those_who_keep_to_their_contract() {
    let text = example("policing");
    let tagged = run(&text, 1);
    let of = |results: &Results, vc: &str, column: &str| value(results, "vcs", vc, column);
    assert_eq!(of(&tagged, "honest", "cells_tagged"), 0.0);
    assert_eq!(of(&tagged, "honest", "cells_lost"), 0.0);
    // 22 of 30 Mbit/s exceed the contract.
    let part = of(&tagged, "greedy", "cells_tagged") / of(&tagged, "greedy", "cells_sent");
    assert!((part - 22.0 / 30.0).abs() < 0.001, "{part}");
    // The line is full: 8 Mbit/s for one VC, the other 12 for the other.
    let rate = |vc: &str| of(&tagged, vc, "cells_delivered") * 424.0 / 2.0;
    assert!((rate("honest") / 8e6 - 1.0).abs() < 0.001);
    assert!(
        (rate("greedy") / 12e6 - 1.0).abs() < 0.005,
        "{}",
        rate("greedy")
    );
    let discarded = run(&text.replace("action = \"tag\"", "action = \"discard\""), 1);
    let rate = of(&discarded, "greedy", "cells_delivered") * 424.0 / 2.0;
    assert!((rate / 8e6 - 1.0).abs() < 0.001, "{rate}");
    // Without a contract the two share the line in proportion to their load, and the conforming one suffers.
    let lawless = text.replace("police = ", "# police = ");
    let lost = of(&run(&lawless, 1), "honest", "cells_lost");
    assert!(lost > 1_000.0, "{lost}");
}

#[test]
fn an_edge_router_holds_the_windows_of_its_connections() {
    let results = run(&example("edge-router"), 1);
    // Six windows of 44 segments, each of 32 cells: 1460 + 40 octets, 8 of LLC/SNAP, 8 of AAL5 and 20 of padding.
    let windows = 6.0 * 44.0 * 32.0;
    let queues = column(&results, "vcs", "source_queue_max_cells");
    for forward in [queues[0], queues[2]] {
        // What is missing is on the path: half of the line for 10 ms is 236 cells.
        let share = forward / windows;
        assert!((0.93..1.0).contains(&share), "{share}");
    }
    let line = value(&results, "links", "trunk", "queue_max_cells");
    assert!(line < windows / 10.0, "{line}");
    let fairness = value(&results, "fairness", "office", "flows");
    assert_eq!(fairness, 12.0);
}

#[test]
fn a_user_waits_for_the_window_of_an_upload_unless_the_line_is_shared_fairly() {
    let text = example("telnet");
    let response = |text: &str| {
        let results = run(text, 1);
        let responses = column(&results, "responses", "response_mean_s");
        assert_eq!(responses.len(), 4);
        responses.iter().sum::<f64>() / 4.0
    };
    // The upload's window of 16 segments of 32 cells crosses the line in 424 ms.
    let waiting = response(&text);
    assert!((0.40..0.45).contains(&waiting), "{waiting}");
    let fair = text.replace(
        "rate = \"512 kbit/s\",",
        "rate = \"512 kbit/s\", scheduling = \"weighted-fair\",",
    );
    // 50 ms of propagation, and no more than a few cells of 0.83 ms at the line.
    let fair = response(&fair);
    assert!((0.05..0.06).contains(&fair), "{fair}");
}

#[test]
fn fragments_are_lost_together() {
    let results = run(&example("fragments"), 1);
    let of = |flow, column| value(&results, "flows", flow, column);
    // 2 Mbit/s of data are 10,190 packets in a minute, or 7,324: the standard errors are 0.17 and 0.24 percentage points.
    for (flow, data, cells) in [("whole", 1_472.0, 33), ("cut", 2_048.0, 47)] {
        let lost = 1.0 - of(flow, "delivered_bytes") / data / of(flow, "segments_sent");
        let expected = 1.0 - 0.999_f64.powi(cells);
        assert!((lost - expected).abs() < 0.008, "{flow}: {lost}");
    }
    let pdus = |vc| value(&results, "vcs", vc, "pdus_sent");
    let parts = pdus("two") / of("cut", "segments_sent");
    assert!((parts - 2.0).abs() < 0.001, "{parts}");
}

#[test]
fn cubic_fills_a_line_of_frames_beside_a_call() {
    let results = run(&example("vdsl2"), 1);
    let of = |flow, column| value(&results, "flows", flow, column);
    // A packet of the call takes 234 octets of the line 50 times a second; CUBIC has 1440 octets of data in each 1546.
    let left = 50e6 - 50.0 * 8.0 * 234.0;
    let expected = left * 1_440.0 / 1_546.0;
    let throughput = of("download", "throughput_bps");
    assert!((throughput / expected - 1.0).abs() < 0.01, "{throughput}");
    // The longest wait is that of a full buffer.
    let longest = value(&results, "frames", "down", "queue_max_bytes");
    assert!((63_990.0..=65_536.0).contains(&longest), "{longest}");
    assert!(of("called", "delay_mean_s") > of("caller", "delay_mean_s"));
}

#[test]
fn packets_of_both_adaptation_layers_need_as_many_cells() {
    let results = run(&example("adaptation-layers"), 1);
    for flow in ["five", "three_four"] {
        let of = |column| value(&results, "flows", flow, column);
        // 30,000 packets: the standard error is 0.09 percentage points.
        let lost = 1.0 - of("delivered_bytes") / 472.0 / of("segments_sent");
        let expected = 1.0 - 0.998_f64.powi(12);
        assert!((lost - expected).abs() < 0.004, "{flow}: {lost}");
    }
    let cells = value(&results, "vcs", "circuit", "cells_delivered");
    let expected = 60.0 * 2.048e6 / 376.0 * 0.998;
    assert!((cells / expected - 1.0).abs() < 0.001, "{cells}");
}

#[test]
fn stations_of_a_ring_have_equal_shares() {
    let results = run(&example("token-ring"), 1);
    // Two frames of 3.058 ms, then the token: 6 us, and 28 bits / 4 Mbit/s = 7 us for four stations. From the third station it
    // passes the router, too, so three turns have one token each and the way round: 3 x (6.116 + 0.006) + 0.007 ms.
    let round = 3.0 * (2.0 * 3.058e-3 + 6e-6) + 7e-6;
    let each = 2.0 * 1_472.0 * 8.0 / round;
    for flow in ["f1", "f2", "f3"] {
        let found = value(&results, "flows", flow, "throughput_bps");
        assert!(
            (found / each - 1.0).abs() < 0.002,
            "{flow}: {found}, not {each}"
        );
    }
}

#[test]
fn an_interleaver_corrects_impulses_and_delays_packets() {
    let results = run(&example("impulse-noise"), 1);
    let errored = |vc| value(&results, "vcs", vc, "cells_errored");
    for vc in ["fast", "cap"] {
        assert!(errored(vc) > 20.0, "{vc}: {}", errored(vc));
    }
    assert_eq!(errored("interleaved") + errored("lite"), 0.0);
    // 4 ms and a quarter of the depth.
    let delay = |flow| value(&results, "flows", flow, "delay_mean_s");
    let added = delay("interleaved") - delay("fast");
    assert!((added - 20e-3).abs() < 0.1e-3, "{added}");
    let rate = |link| value(&results, "links", link, "mean_rate_bps");
    assert_eq!(rate("lite"), 1_536e3);
    // 680 kbaud with eight bits each, of which 239 octets of 255 are data.
    assert!((rate("cap") - 680e3 * 8.0 * 239.0 / 255.0).abs() < 1.0);
}

#[test]
fn a_datagram_of_1500_octets_is_cut_on_a_lan_with_snap() {
    let results = run(&example("ieee-802.3"), 1);
    let of = |vc, column| value(&results, "vcs", vc, column);
    // 1492 octets and 28, whose PDUs have 32 cells and one (28 + 8 + 8 octets), instead of one PDU of 32 cells.
    let pdus = of("snap", "pdus_sent") / of("plain", "pdus_sent");
    assert!((pdus - 2.0).abs() < 0.001, "{pdus}");
    let cells = of("snap", "cells_sent") / of("plain", "cells_sent");
    assert!((cells - 33.0 / 32.0).abs() < 0.001, "{cells}");
    let bytes = |flow| value(&results, "flows", flow, "delivered_bytes");
    assert!((bytes("snap") / bytes("plain") - 1.0).abs() < 0.01);
}

#[test]
fn weights_are_shares_of_a_queue_with_dfba() {
    let shares = |text: &str| {
        let results = run(text, 1);
        let of = |flow| value(&results, "flows", flow, "throughput_bps");
        [of("heavy1"), of("heavy2"), of("light1"), of("light2")]
    };
    let [heavy, heavy_too, light, light_too] = shares(&example("dfba"));
    let ratio = (heavy + heavy_too) / (light + light_too);
    assert!((1.5..2.0).contains(&ratio), "{ratio}");
    let equal = shares(&example("dfba").replace("weight = 3", "weight = 1"));
    let [least, most] = [f64::min, f64::max].map(|of| equal.into_iter().reduce(of).expect("four"));
    assert!(most / least < 1.1, "{equal:?}");
}
