//! The table of hosts.

use celltrain_language::Table;
use celltrain_language::entry::{number, text};

use super::registry::Reading::{Maybe, Name};
use super::registry::{Columns, Rows, Run, filled, repetition, seconds, signed_seconds};
use crate::controller::Link;
use crate::controller_session::HostState;

/// A row is a host.
pub(super) struct Hosts;

impl Rows for Hosts {
    type Row<'a> = (&'a Link, &'a HostState);
}

/// All columns, in the order of the table.
pub(super) const COLUMNS: &Columns<Hosts> = &[
    repetition(),
    text(
        "host",
        "",
        "host",
        "the host",
        Name(|_, (link, _)| link.name.clone()),
    ),
    text(
        "address",
        "",
        "address",
        "address at which its daemon sends and receives data",
        Name(|_, (link, _)| link.address.to_string()),
    ),
    text(
        "hostname",
        "",
        "hostname",
        "the name that it reports for itself",
        Name(|_, (link, _)| link.facts.hostname.clone()),
    ),
    text(
        "system",
        "",
        "system",
        "its operating system and kernel",
        Name(|_, (link, _)| link.facts.system.clone()),
    ),
    text(
        "celltrain",
        "",
        "celltrain",
        "version of its daemon",
        Name(|_, (link, _)| link.facts.celltrain.clone()),
    ),
    text(
        "congestion_control",
        "",
        "congestion control",
        "the kernel's default for TCP",
        Name(|_, (link, _)| link.facts.congestion_control.clone()),
    ),
    text(
        "state",
        "",
        "state",
        "`complete`, or `lost` if contact was lost before the end",
        Name(|_, (_, state)| {
            let is_lost = state.lost.is_some();
            if is_lost { "lost" } else { "complete" }.to_owned()
        }),
    ),
    number(
        "clock_offset_s",
        "s",
        "clock offset",
        "its clock minus the controller's",
        Maybe(|_, (_, state)| state.offset().map(|it| signed_seconds(it.ns))),
    ),
    number(
        "clock_bound_s",
        "s",
        "clock bound",
        "largest possible error of `clock_offset_s`",
        Maybe(|_, (_, state)| state.offset().map(|it| seconds(it.bound_ns))),
    ),
    number(
        "control_rtt_s",
        "s",
        "control RTT",
        "shortest round trip of the control connection",
        Maybe(|_, (_, state)| state.round_trip_ns().map(seconds)),
    ),
];

/// A row for each host of the plan.
pub(super) fn hosts(run: &Run<'_>) -> Table {
    let links = run.controller.links.iter();
    let rows: Vec<_> = links.zip(&run.session.hosts).collect();
    filled("hosts", COLUMNS, run, &rows)
}
