//! Advice: what is valid in a network but probably not intended, found without running it.
//!
//! Each rule is a file that says when the rule applies, and a row of [`RULES`]. A rule reports only what is certain.

mod buffer_below_segment;
mod old_timers;
pub(super) mod path;
mod vc_unused;
mod window_below_bdp;

use super::model::Network;
use crate::scenario::WarningCode;

/// Something that is probably not intended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Advice {
    /// The code by which a scenario silences it.
    pub code: WarningCode,
    /// The kind of element: `flow`, `link` or `vc`.
    pub kind: &'static str,
    /// The element's name, with its number in the group.
    pub name: String,
    /// The value found, what was expected, and what to do.
    pub message: String,
}

/// Returns what a rule finds: the kind of each element, its name, and the message.
type Find = fn(&Network) -> Vec<(&'static str, String, String)>;

/// The rules, in the order in which their advice is reported.
const RULES: [(WarningCode, Find); 4] = [
    (WarningCode::OldTimers, old_timers::find),
    (WarningCode::BufferBelowSegment, buffer_below_segment::find),
    (WarningCode::WindowBelowBdp, window_below_bdp::find),
    (WarningCode::VcUnused, vc_unused::find),
];

impl Network {
    /// Everything that is probably not intended, except what the scenario silences.
    pub fn advice(&self) -> Vec<Advice> {
        let heard = RULES.iter().filter(|rule| !self.silences(rule.0));
        heard
            .flat_map(|&(code, find)| {
                find(self)
                    .into_iter()
                    .map(move |(kind, name, message)| Advice {
                        code,
                        kind,
                        name,
                        message,
                    })
            })
            .collect()
    }

    /// Whether the scenario silences warnings with this code.
    pub fn silences(&self, code: WarningCode) -> bool {
        self.silence.contains(&code)
    }
}

#[cfg(test)]
mod tests;
