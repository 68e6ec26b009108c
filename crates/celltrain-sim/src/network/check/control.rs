//! What a switch algorithm requires of its parameters.

use std::fmt::Display;

use celltrain_proto::switch::EricaRules;
use celltrain_proto::units::{Cells, Span};

use super::value::{Check, require};
use crate::scenario::{Capc, Capc2, Control, Eprca, EricaPlus, EricaPlusSmoothed, Phantom};

/// The first value of `control`, at `path`, that its algorithm does not allow.
pub(super) fn control(path: &str, control: &Control) -> Check {
    let keys = Keys { path };
    match control {
        Control::Binary(it) => it.low.map_or(Ok(()), |low| {
            keys.threshold("threshold", it.threshold.0, "low", low.0)
        }),
        Control::FairShare(it) => keys.interval("interval", it.interval.0),
        Control::EricaPlusSmoothed(it) => erica_plus_smoothed(keys, it),
        Control::Erica(it) => {
            keys.part("target_utilization", it.target_utilization.0)?;
            erica_rules(keys, &it.rules())
        }
        Control::EricaPlus(it) => erica_plus(keys, it),
        Control::Eprca(it) => eprca(keys, it),
        Control::Capc(it) => capc(keys, it),
        Control::Capc2(it) => capc2(keys, it),
        Control::Phantom(it) => phantom(keys, it),
    }
}

/// The table whose keys are looked at.
#[derive(Clone, Copy)]
struct Keys<'a> {
    path: &'a str,
}

impl Keys<'_> {
    fn require(self, holds: bool, key: &str, expected: &str, found: impl Display) -> Check {
        let message = format!("expected {expected}, found {found}");
        require(holds, &format!("{}.{key}", self.path), message)
    }

    fn interval(self, key: &str, span: Span) -> Check {
        self.require(span >= Span::from_us(1), key, "at least 1 us", span)
    }

    fn more_than_one(self, key: &str, value: f64) -> Check {
        self.require(value > 1.0, key, "more than 1", value)
    }

    fn at_least_one(self, key: &str, value: f64) -> Check {
        self.require(value >= 1.0, key, "at least 1", value)
    }

    fn at_most_one(self, key: &str, value: f64) -> Check {
        self.require(value <= 1.0, key, "at most 1", value)
    }

    fn weight(self, key: &str, value: f64) -> Check {
        let holds = value > 0.0 && value <= 1.0;
        self.require(holds, key, "a weight above 0 and at most 1", value)
    }

    fn part(self, key: &str, value: f64) -> Check {
        let holds = value > 0.0 && value <= 1.0;
        self.require(holds, key, "a part above 0 and at most 1", value)
    }

    /// A second threshold, at least as high as the first.
    fn threshold(self, key: &str, high: Cells, low_key: &str, low: Cells) -> Check {
        let expected = format!("at least {low_key}, {low}");
        self.require(high >= low, key, &expected, high)
    }
}

fn erica_plus_smoothed(keys: Keys<'_>, it: &EricaPlusSmoothed) -> Check {
    keys.interval("smoothing_interval", it.smoothing_interval.0)?;
    keys.interval("averaging_interval", it.averaging_interval.0)?;
    keys.interval("t0", it.t0.0)?;
    keys.more_than_one("a", it.a.0)?;
    keys.at_least_one("b", it.b.0)?;
    keys.at_most_one("qdlf", it.qdlf.0)?;
    keys.weight("x", it.x.0)
}

fn erica_plus(keys: Keys<'_>, it: &EricaPlus) -> Check {
    keys.interval("t0", it.t0.0)?;
    keys.more_than_one("a", it.a.0)?;
    keys.at_least_one("b", it.b.0)?;
    keys.part("qdlf", it.qdlf.0)?;
    keys.more_than_one("k", it.k.0)?;
    erica_rules(keys, &it.rules())
}

fn erica_rules(keys: Keys<'_>, rules: &EricaRules) -> Check {
    let bounded = rules.interval < Span::MAX || rules.interval_cells < Cells(u64::MAX);
    let message =
        "expected `interval` (such as \"5 ms\"), `interval_cells` (such as \"100 cells\") or both";
    require(bounded, keys.path, message)?;
    keys.interval("interval", rules.interval)?;
    let cells = rules.interval_cells;
    keys.require(
        cells >= Cells(1),
        "interval_cells",
        "at least 1 cell",
        cells,
    )?;
    keys.at_most_one("delta", rules.delta)?;
    keys.weight("load_weight", rules.load_weight)?;
    keys.part("initial_share", rules.initial_share)?;
    let weight = rules.activity_weight;
    keys.require(weight > 0.0, "activity_weight", "a weight above 0", weight)?;
    let decay = rules.activity_decay;
    keys.require(decay < 1.0, "activity_decay", "less than 1", decay)
}

fn eprca(keys: Keys<'_>, it: &Eprca) -> Check {
    keys.threshold("dqt", it.dqt.0, "qt", it.qt.0)?;
    keys.weight("av", it.av.0)?;
    keys.part("erf", it.erf.0)?;
    keys.part("mrf", it.mrf.0)
}

fn capc(keys: Keys<'_>, it: &Capc) -> Check {
    keys.interval("interval", it.interval.0)?;
    keys.part("target_utilization", it.target_utilization.0)?;
    keys.at_least_one("eru", it.eru.0)?;
    keys.part("erf", it.erf.0)
}

fn capc2(keys: Keys<'_>, it: &Capc2) -> Check {
    keys.interval("interval", it.interval.0)?;
    keys.part("target_utilization", it.target_utilization.0)?;
    keys.at_least_one("eru", it.eru.0)?;
    keys.part("erf", it.erf.0)?;
    keys.threshold("vcqt", it.vcqt.0, "cqt", it.cqt.0)
}

fn phantom(keys: Keys<'_>, it: &Phantom) -> Check {
    keys.interval("interval", it.interval.0)?;
    keys.part("target_utilization", it.target_utilization.0)?;
    let factor = it.utilization_factor.0;
    keys.require(factor > 0.0, "utilization_factor", "more than 0", factor)?;
    keys.weight("alpha_inc", it.alpha_inc.0)?;
    keys.weight("alpha_dec", it.alpha_dec.0)?;
    keys.weight("h", it.h.0)
}
