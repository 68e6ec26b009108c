//! The table of admission: which VCs the network carries, and why it refused the others.

use celltrain_language::entry::{Entry, count, number, table, text};

use super::interval::Interval;
use super::{Names, Table, Values};
use crate::network::{Capacity, Refusal, Vc};
use crate::scenario::Direction;

/// How a column is read.
pub(super) enum Reading {
    /// The VC.
    Vc,
    /// A word for each VC.
    Word(fn(&Interval<'_>, &Vc) -> String),
    /// A number for each VC.
    Value(fn(&Vc) -> f64),
}

use Reading::{Value, Vc as TheVc, Word};

/// All columns, in the order of the table.
pub(super) const COLUMNS: &[Entry<Reading>] = &[
    text("vc", "", "VC", "the VC", TheVc),
    count(
        "is_admitted",
        "1",
        "admitted",
        "1 if the network carries its cells, 0 if it is refused and its flows carry nothing",
        Value(|vc| f64::from(u8::from(vc.is_admitted()))),
    ),
    text(
        "reason",
        "",
        "reason",
        "`admitted`; `bandwidth` if a link or a virtual path has too little left; `tunnel` if the VC that was to carry it is refused, `path` if its virtual path is",
        Word(|_, vc| reason(vc).to_owned()),
    ),
    text(
        "refused_by",
        "",
        "refused by",
        "the first link or virtual path with too little bandwidth, or the VC or path that was to carry it; empty if it is admitted",
        Word(refused_by),
    ),
    text(
        "direction",
        "",
        "direction",
        "the direction that needs the bandwidth; empty if bandwidth is not the reason",
        Word(|_, vc| direction(vc).to_owned()),
    ),
    number(
        "needed_bps",
        "bit/s",
        "needed",
        "the bandwidth that it needs there in addition to the VCs admitted before",
        Value(|vc| bandwidth(vc)[0]),
    ),
    number(
        "left_bps",
        "bit/s",
        "left",
        "the bandwidth that these leave",
        Value(|vc| bandwidth(vc)[1]),
    ),
];

fn reason(vc: &Vc) -> &'static str {
    match vc.refusal.as_deref() {
        None => "admitted",
        Some(Refusal::Bandwidth { .. }) => "bandwidth",
        Some(Refusal::Tunnel { .. }) => "tunnel",
        Some(Refusal::Path { .. }) => "path",
    }
}

fn refused_by(interval: &Interval<'_>, vc: &Vc) -> String {
    let network = interval.network;
    match vc.refusal.as_deref() {
        None => String::new(),
        Some(Refusal::Bandwidth { of, .. }) => match *of {
            Capacity::Link(link) => network.links[link].unique_name(),
            Capacity::Path(vp) => network.vps[vp].name.clone(),
        },
        Some(Refusal::Tunnel { vc }) => network.vcs[*vc].name.to_string(),
        Some(Refusal::Path { vp }) => network.vps[*vp].name.clone(),
    }
}

fn direction(vc: &Vc) -> &'static str {
    match vc.refusal.as_deref() {
        Some(Refusal::Bandwidth { direction: 0, .. }) => Direction::Forward.as_str(),
        Some(Refusal::Bandwidth { .. }) => Direction::Backward.as_str(),
        _ => "",
    }
}

/// Needed and left, in bit/s.
fn bandwidth(vc: &Vc) -> [f64; 2] {
    match vc.refusal.as_deref() {
        Some(Refusal::Bandwidth { needed, left, .. }) => [needed.as_bps(), left.as_bps()],
        _ => [f64::NAN; 2],
    }
}

/// A row for each VC.
pub(super) fn admission(interval: &Interval<'_>) -> Table {
    let vcs = &interval.network.vcs;
    table("admission", COLUMNS, |reading| match *reading {
        TheVc => Values::Names(Names::new(&interval.names.vcs, 0..vcs.len())),
        Word(word) => Values::Names(vcs.iter().map(|vc| word(interval, vc)).collect()),
        Value(value) => Values::Numbers(vcs.iter().map(value).collect()),
    })
}
