//! Keywords of the language that a network may prefer to others.

use super::dice::Dice;

/// Services of VCs that networks choose from.
pub(super) const SERVICES: [&str; 6] = ["ubr", "shaped", "cbr", "rt-vbr", "nrt-vbr", "abr"];

/// What sends cells below TCP.
pub(super) const CELLS: [&str; 9] = [
    "cbr", "cbr", "aal1", "poisson", "on-off", "markov", "pulses", "replay", "greedy",
];

/// Variants of TCP without options of modern loss recovery.
pub(super) const OLD_VARIANTS: [&str; 6] = [
    "4.3bsd-reno",
    "4.3bsd-tahoe",
    "4.3bsd-tahoe-no-fast-retransmit",
    "4.4bsd",
    "4.4bsd-lite2",
    "linux-1999",
];
/// Variants of TCP with them.
const MODERN_VARIANTS: [&str; 11] = [
    "newreno", "sack", "cubic", "bbr", "vegas", "westwood", "htcp", "illinois", "ledbat", "copa",
    "dctcp",
];

/// What a VC carries.
const KINDS: [&str; 5] = ["greedy", "files", "telnet", "udp", "cells"];

/// The kinds that a network chooses from.
pub(super) fn kinds(dice: &mut Dice) -> Vec<&'static str> {
    let mut kinds = dice.some(&KINDS, 3);
    // Greedy connections and cells load lines, without which little happens.
    kinds.push(dice.pick(&["greedy", "cells"]));
    kinds
}

/// One of all variants of TCP.
pub(super) fn variant(dice: &mut Dice) -> &'static str {
    dice.pick(&[&OLD_VARIANTS[..], &MODERN_VARIANTS].concat())
}
