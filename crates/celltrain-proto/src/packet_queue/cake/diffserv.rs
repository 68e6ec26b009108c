//! Tins: classes of traffic by DSCP, each with a share of the rate up to which it goes first.
//!
//! Later tins go before earlier ones while they are within their shares. Best effort, whose share is the whole rate, is
//! always within it, so it is the first.

choice! {
    /// The classes of traffic, as in `tc-cake(8)`.
    pub enum Diffserv {
        /// One for all.
        Besteffort,
        /// Three: best effort, bulk (CS1, LE; 1/16 of the rate), voice (CS6, CS7, EF, VA, 4; 1/4).
        #[default]
        Diffserv3,
        /// Four: best effort, bulk (CS1, LE; 1/16 of the rate), video (AF21 to AF43, CS2, CS3, 4; 1/2), voice (CS4 to CS7, EF,
        /// VA; 1/4).
        Diffserv4,
    }
}

/// Best effort, bulk, and what goes before both.
const BEST_EFFORT: usize = 0;
const BULK: usize = 1;
const THIRD: usize = 2;
const FOURTH: usize = 3;

/// Code points (RFC 2474, 2597, 3246, 5865, 8622).
const LE: u8 = 1;
const CS1: u8 = 8;
/// Minimum delay in the type of service of RFC 1349.
const TOS4: u8 = 4;
const CS2: u8 = 16;
const CS3: u8 = 24;
const CS4: u8 = 32;
const CS5: u8 = 40;
const VOICE_ADMIT: u8 = 44;
const EF: u8 = 46;
const CS6: u8 = 48;
const CS7: u8 = 56;

impl Diffserv {
    /// By tin: its share of the rate.
    pub(super) fn shares(self) -> &'static [f64] {
        match self {
            Self::Besteffort => &[1.0],
            Self::Diffserv3 => &[1.0, 1.0 / 16.0, 1.0 / 4.0],
            Self::Diffserv4 => &[1.0, 1.0 / 16.0, 1.0 / 2.0, 1.0 / 4.0],
        }
    }

    /// The tin of a code point.
    pub(super) fn tin(self, dscp: u8) -> usize {
        match (self, dscp) {
            (Self::Besteffort, _) => BEST_EFFORT,
            (_, LE | CS1) => BULK,
            (Self::Diffserv3, TOS4 | VOICE_ADMIT | EF | CS6 | CS7)
            | (Self::Diffserv4, TOS4 | CS2 | CS3) => THIRD,
            (Self::Diffserv4, other) if is_assured(other) => THIRD,
            (Self::Diffserv4, CS4 | CS5 | VOICE_ADMIT | EF | CS6 | CS7) => FOURTH,
            _ => BEST_EFFORT,
        }
    }
}

/// Whether it is one of AF21 to AF43 (RFC 2597): class 2 to 4, and 2, 4 or 6 for the precedence.
fn is_assured(dscp: u8) -> bool {
    matches!(dscp >> 3, 2..=4) && matches!(dscp & 7, 2 | 4 | 6)
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn code_points_are_in_the_tins_of_tc_cake() {
        let of = |diffserv: Diffserv, tin: usize| -> Vec<u8> {
            (0..64).filter(|&dscp| diffserv.tin(dscp) == tin).collect()
        };
        assert_eq!(of(Diffserv::Besteffort, 0).len(), 64);
        assert_eq!(of(Diffserv::Diffserv3, 1), [1, 8]);
        assert_eq!(of(Diffserv::Diffserv3, 2), [4, 44, 46, 48, 56]);
        assert_eq!(of(Diffserv::Diffserv4, 1), [1, 8]);
        let video = [4, 16, 18, 20, 22, 24, 26, 28, 30, 34, 36, 38];
        assert_eq!(of(Diffserv::Diffserv4, 2), video);
        assert_eq!(of(Diffserv::Diffserv4, 3), [32, 40, 44, 46, 48, 56]);
    }
}
