//! How much a network contains: users write simple ones, and faults often need several features at once.

use std::collections::BTreeSet;

use crate::dice::Dice;

/// How much a network contains.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// Two to four nodes and few options, as users write them.
    Simple,
    /// Anything, with some frequent keys.
    Usual,
    /// Many keys at once, all equally likely, so that rare ones meet.
    Rich,
    /// A line shared by sources of all kinds, many of them over links of the same length, so that cells of several
    /// sources and classes meet in its queue, some at one instant.
    Shared,
    /// A shared line whose load is controlled: by a switch algorithm with several of its keys, and by ABR sources that
    /// obey it; or by GFC, RM cells of congested switches or credits. The keys of an algorithm are many, and draws that are uniform over all keys seldom
    /// have the algorithm, its key and sources that fill its queue together.
    Controlled,
}

impl Style {
    /// One of the styles, all equally likely.
    pub fn draw(dice: &mut Dice) -> Self {
        *dice.pick(&[
            Self::Simple,
            Self::Usual,
            Self::Rich,
            Self::Shared,
            Self::Controlled,
        ])
    }

    /// Whether most VCs share one line.
    pub fn shares_a_line(self) -> bool {
        matches!(self, Self::Shared | Self::Controlled)
    }

    /// The keys and values that the network must have, from `leaves`, all those of the language.
    pub fn musts(self, dice: &mut Dice, leaves: &[String]) -> Vec<String> {
        let number = match self {
            Self::Simple | Self::Shared | Self::Controlled => dice.whole(0, 3),
            Self::Usual => dice.whole(1, 5),
            Self::Rich => dice.whole(8, 36),
        };
        let mut musts: Vec<String> = (0..number).map(|_| dice.pick(leaves).clone()).collect();
        if self == Self::Controlled {
            controls(dice, leaves, &mut musts);
        }
        musts
    }

    /// The fraction of all other keys that the network has.
    pub fn density(self, dice: &mut Dice) -> f64 {
        *dice.pick(match self {
            Self::Simple => &[0.0, 0.01, 0.04],
            Self::Shared | Self::Controlled => &[0.0, 0.02, 0.08],
            Self::Usual => &[0.02, 0.08, 0.2, 0.45],
            Self::Rich => &[0.05, 0.15, 0.3],
        })
    }
}

/// Where switch algorithms are in the language.
const ALGORITHM: &str = "links.*.control{";

/// Adds what controls the load of a line, and the sources that obey it.
fn controls(dice: &mut Dice, leaves: &[String], musts: &mut Vec<String>) {
    let start = match dice.weighted(&[6, 1, 1, 1]) {
        0 => {
            // All algorithms are equally likely, however many keys they have.
            let names = leaves.iter().filter_map(|leaf| {
                let (name, _) = leaf.strip_prefix(ALGORITHM)?.split_once('}')?;
                Some(name)
            });
            let names: BTreeSet<&str> = names.collect();
            let names = Vec::from_iter(names);
            format!("{ALGORITHM}{}}}", dice.pick(&names))
        }
        1 => "links.*.gfc".to_owned(),
        2 => "links.*.becn".to_owned(),
        _ => "links.*.credit".to_owned(),
    };
    let keys = leaves.iter().filter(|leaf| leaf.starts_with(&start));
    let keys: Vec<&String> = keys.collect();
    musts.push(start);
    musts.extend((0..dice.whole(0, 3)).map(|_| (*dice.pick(&keys)).clone()));
    for way in ["forward", "backward"] {
        musts.push(format!("vcs.*.{way}{{abr}}"));
    }
    // A queue that fills, by connections.
    musts.extend(["links.*.rate", "links.*.buffer", "flows.*.tcp"].map(str::to_owned));
}
