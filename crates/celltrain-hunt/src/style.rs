//! How much a network contains: users write simple ones, and faults often need several features at once.

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
}

impl Style {
    /// One of the styles, all equally likely.
    pub fn draw(dice: &mut Dice) -> Self {
        *dice.pick(&[Self::Simple, Self::Usual, Self::Rich, Self::Shared])
    }

    /// The number of keys and values that the network must have.
    pub fn musts(self, dice: &mut Dice) -> u64 {
        match self {
            Self::Simple | Self::Shared => dice.whole(0, 3),
            Self::Usual => dice.whole(1, 5),
            Self::Rich => dice.whole(8, 36),
        }
    }

    /// The fraction of all other keys that the network has.
    pub fn density(self, dice: &mut Dice) -> f64 {
        *dice.pick(match self {
            Self::Simple => &[0.0, 0.01, 0.04],
            Self::Shared => &[0.0, 0.02, 0.08],
            Self::Usual => &[0.02, 0.08, 0.2, 0.45],
            Self::Rich => &[0.05, 0.15, 0.3],
        })
    }
}
