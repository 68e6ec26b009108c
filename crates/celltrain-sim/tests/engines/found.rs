//! Networks on which the engines differed or time did not advance, each reduced as far as possible.

use celltrain_sim::measure::Results;

use super::common::value;
use super::threads::on_threads;
use super::{both, difference, observed};

/// Checks that both engines agree, on one thread and on several, that the cell engine agrees under an observer, and that
/// time advances.
pub(super) fn agree(text: &str) {
    let results = both(text, 1);
    assert_eq!(difference(&results), None);
    for on_threads in on_threads(text, 1, 2) {
        assert_eq!(difference(&[results[0].clone(), on_threads]), None);
    }
    for sees_cells in [false, true] {
        let plain: Results = observed(text, 1, sees_cells);
        assert_eq!(difference(&[plain, results[1].clone()]), None);
    }
}

macro_rules! found {
    ($($name:ident => $file:literal,)+) => {
        $(
            #[test]
            fn $name() {
                agree(include_str!(concat!("../data/engines/", $file, ".toml")));
            }
        )+
    };
}

found! {
    event_cells_pass_no_queue_to_which_others_come_one_by_one => "single-cells-beside-event-cells",
    the_end_of_a_path_without_time_takes_all_cells_of_a_pdu => "path-without-time",
    cells_that_a_router_takes_up_one_by_one_come_by_a_channel => "losses-between-routers",
    so_they_do_beside_a_direction_without_shaping => "losses-between-routers-unshaped",
    so_they_do_on_slow_returns => "slow-return",
    cells_that_jitter_brings_together_stay_in_order => "jitter-and-policer",
    so_they_do_in_front_of_virtual_ends => "jitter-and-virtual-ends",
    a_segment_waits_for_room_at_its_host_without_asking_again => "host-queue-and-processing",
    a_cell_never_leaves_at_rate_zero => "rate-that-stays-zero",
    nor_does_one_in_the_middle_of_which_the_rate_falls_to_zero => "outage-at-the-end",
    a_tunnel_vc_takes_cells_that_come_one_by_one_alone => "tunnel-downstream-of-losses",
    rm_cells_of_a_local_loop_end_beside_cells_of_a_process => "local-loop-against-a-process",
    a_tunnel_vc_downstream_of_jitter_is_looked_at_once_an_instant => "jitter-upstream-of-a-tunnel",
    cells_are_counted_as_they_cross_a_link_in_no_time => "probe-of-a-link-without-delay",
    questions_go_round_a_short_circle_few_times => "circle-of-lans",
    a_source_sends_when_those_before_it_have => "acks-of-one-instant",
    event_cells_pass_queues_in_a_row => "event-cells-pass-two-queues",
    what_comes_after_an_event_cell_waits_for_its_turn => "jitter-behind-virtual-ends",
    rm_cells_of_a_local_loop_do_not_go_ahead => "local-loop-against-cells-that-go-ahead",
    a_starved_tunnel_vc_sends_rm_cells_before_it_transports_any => "starved-tunnel",
    what_a_tunnel_vc_lets_pass_at_once_takes_its_turn_after_a_process => "tunnel-beside-a-process",
    so_it_does_after_a_source_of_packets => "tunnel-beside-packets",
    so_it_does_after_a_link => "tunnel-beside-a-link",
    credits_take_longer_than_the_run => "credits-over-a-long-delay",
    so_it_does_over_abr => "host-queue-and-processing-abr",
    a_queue_to_which_cells_come_one_by_one_alone_passes_no_event_cells => "one-by-one-alone",
    a_tunnel_vc_sends_rm_cells_of_its_own_in_its_turn => "tunnel-acts-in-its-turn",
    a_link_without_time_is_no_stage_though_it_grants_credits => "credits-before-a-link-without-time",
    a_starved_tunnel_vc_that_does_not_idle_sends_an_rm_cell_when_cells_wait => "starved-tunnel-that-does-not-idle",
    cells_of_two_pdus_come_to_an_idle_tunnel_vc_before_its_turn => "two-pdus-to-an-idle-tunnel",
    one_cell_leaves_before_a_sender_that_waits_for_it => "sender-waits-for-a-cell-of-its-host",
    a_frame_on_a_ring_waits_when_the_token_comes_elsewhere_first => "token-comes-elsewhere-first",
    cells_that_jitter_lets_cross_in_no_time_come_after_those_before_them => "jitter-without-delay",
    cells_come_to_a_tunnel_vc_before_its_turn => "tunnel-after-a-source",
    so_do_all_cells_of_a_source_that_is_woken_after_its_turn => "tunnel-after-a-woken-source",
    so_do_cells_of_several_sources => "two-sources-to-an-idle-tunnel",
    a_destination_knows_the_efci_of_cells_that_have_come => "efci-over-a-lan",
    rm_cells_of_a_local_loop_pass_no_queues_that_only_sources_are_asked_for => "local-loop-before-passed-queues",
}

#[test]
fn of_two_cells_that_come_to_an_idle_tunnel_vc_before_its_turn_one_finds_the_only_room() {
    let text = include_str!("../data/engines/two-sources-to-an-idle-tunnel.toml");
    for results in both(text, 1) {
        let of_tunnel = |column| value(&results, "vcs", "tunnel", column);
        assert_eq!(of_tunnel("cells_sent"), 50.0);
        assert_eq!(of_tunnel("source_queue_max_cells"), 1.0);
    }
}

#[test]
fn a_forward_rm_cell_before_all_data_reports_no_congestion() {
    let text = include_str!("../data/engines/efci-over-a-lan.toml");
    for results in both(text, 1) {
        assert_eq!(value(&results, "vcs", "v", "acr_bps"), 500_000.0);
    }
}
