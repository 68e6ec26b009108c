//! The bit maps of a line: one for all symbols, or those of a line beside TCM-ISDN (G.992.1 Annex C).

use alloc::vec::Vec;

use super::hyperframe::{Clock, FEXT_SYMBOLS, NEXT_SYMBOLS, Receiver, SYMBOLS, Symbol};
use super::{Channel, gap_db};

/// Data symbols of a hyperframe.
const DATA_SYMBOLS: u32 = FEXT_SYMBOLS + NEXT_SYMBOLS;

/// The bit maps of a line, from the carriers that its symbols see.
#[derive(Clone, PartialEq, Debug)]
pub enum BitMaps {
    /// One for all symbols.
    Single(Channel),
    /// One for the symbols with far-end crosstalk of TCM-ISDN only, and perhaps one for the other ones.
    Alternating(Alternating),
}

impl From<Channel> for BitMaps {
    fn from(channel: Channel) -> Self {
        Self::Single(channel)
    }
}

impl From<Alternating> for BitMaps {
    fn from(maps: Alternating) -> Self {
        Self::Alternating(maps)
    }
}

/// Bit maps that alternate with the cycle of TCM-ISDN.
#[derive(Clone, PartialEq, Debug)]
pub struct Alternating {
    receiver: Receiver,
    /// The symbols with far-end crosstalk only.
    fext: Channel,
    /// The symbols with near-end crosstalk; they carry no data if there is no bit map for them.
    next: Option<Channel>,
    /// The gaps in dB at which the hyperframe holds more bits, in descending order, each with the bits held.
    steps: Vec<(f64, u32)>,
}

impl Alternating {
    /// Bit maps for the symbols with far-end crosstalk only, and for those with near-end crosstalk, at this `receiver`.
    pub fn new(receiver: Receiver, fext: Channel, next: Option<Channel>) -> Self {
        let weighted = |channel: &Channel, symbols| {
            let gaps = channel.gaps_db().iter();
            gaps.map(move |&gap| (gap, symbols)).collect::<Vec<_>>()
        };
        let mut steps = weighted(&fext, FEXT_SYMBOLS);
        steps.extend(next.iter().flat_map(|it| weighted(it, NEXT_SYMBOLS)));
        steps.sort_unstable_by(|one, other| other.0.total_cmp(&one.0));
        let mut bits = 0;
        for step in &mut steps {
            bits += step.1;
            step.1 = bits;
        }
        Self {
            receiver,
            fext,
            next,
            steps,
        }
    }

    /// Bits per data symbol with this gap, rounded down.
    fn bits(&self, gap_db: f64) -> u32 {
        let steps = self.steps.partition_point(|step| step.0 >= gap_db);
        let last = steps.checked_sub(1).map(|last| self.steps[last].1);
        last.unwrap_or(0) / DATA_SYMBOLS
    }

    /// The largest gap at which the data symbols hold `bits` each on average; [`None`] for zero bits, or more than they
    /// can ever hold.
    fn gap_db(&self, bits: u32) -> Option<f64> {
        if bits == 0 {
            return None;
        }
        let needed = bits * DATA_SYMBOLS;
        let step = self.steps.partition_point(|step| step.1 < needed);
        self.steps.get(step).map(|step| step.0)
    }
}

/// How the data of a hyperframe are spread over its symbols: by how much the rate in a symbol of each kind exceeds the
/// mean over the hyperframe.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Shares {
    fext: f64,
    next: f64,
}

impl Shares {
    /// The shares where symbols hold `fext` and `next` bits.
    fn of(fext: u32, next: u32) -> Self {
        let sum = f64::from(FEXT_SYMBOLS * fext + NEXT_SYMBOLS * next);
        let share = |bits| f64::from(SYMBOLS * bits) / sum;
        Self {
            fext: share(fext),
            next: share(next),
        }
    }

    pub(super) fn in_symbol(self, symbol: Symbol) -> f64 {
        match symbol {
            Symbol::Fext => self.fext,
            Symbol::Next => self.next,
            Symbol::Sync => 0.0,
        }
    }

    pub(super) fn highest(self) -> f64 {
        self.fext.max(self.next)
    }
}

/// The largest of all shares: all data in the symbols with far-end crosstalk only.
pub(super) const HIGHEST_SHARE: f64 = SYMBOLS as f64 / FEXT_SYMBOLS as f64;

impl BitMaps {
    /// The mean bits per data symbol with this gap and noise raised by `rise` above the initial level; both in dB.
    pub fn bits(&self, gap_db: f64, rise: f64) -> u32 {
        match self {
            Self::Single(channel) => channel.bits(gap_db, rise),
            Self::Alternating(maps) => maps.bits(gap_db + rise),
        }
    }

    /// The margin in dB at which the loop just holds `bits` per data symbol; see [`Channel::margin_db`].
    pub fn margin_db(&self, bits: u32, coding_gain: f64, rise: f64) -> Option<f64> {
        match self {
            Self::Single(channel) => channel.margin_db(bits, coding_gain, rise),
            Self::Alternating(maps) => {
                let gap = maps.gap_db(bits)?;
                Some(gap - rise - gap_db(0.0, coding_gain))
            }
        }
    }

    /// The symbols over time, if they differ.
    pub(super) fn clock(&self) -> Option<Clock> {
        self.receiver().map(Clock::new)
    }

    /// The end that receives, if its symbols differ.
    pub(super) fn receiver(&self) -> Option<Receiver> {
        match self {
            Self::Single(_) => None,
            Self::Alternating(maps) => Some(maps.receiver),
        }
    }

    /// The shares of the symbols at `bits` per data symbol, after bit swaps have equalised the margin over both maps.
    pub(super) fn shares(&self, bits: u32) -> Shares {
        let Self::Alternating(maps) = self else {
            return Shares::default();
        };
        let Some(gap) = maps.gap_db(bits) else {
            return Shares::default();
        };
        let next = maps.next.as_ref().map_or(0, |it| it.bits(gap, 0.0));
        Shares::of(maps.fext.bits(gap, 0.0), next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::dmt::{Band, Wire};

    const GAP: f64 = gap_db(6.0, 3.0);

    fn channel(noise: f64) -> Channel {
        Channel::new(Band::Adsl1Down, Wire::Awg24, 3.0, noise, 0)
    }

    #[test]
    fn aal5_section_9_the_bits_of_two_maps_count_by_their_symbols() {
        // 1375 bits at -120 dBm/Hz.
        assert_eq!(channel(-120.0).bits(GAP, 0.0), 1_375);
        let near = channel(-110.0).bits(GAP, 0.0);
        let dual = BitMaps::from(Alternating::new(
            Receiver::AtuR,
            channel(-120.0),
            Some(channel(-110.0)),
        ));
        assert_eq!(dual.bits(GAP, 0.0), (126 * 1_375 + 214 * near) / 340);
        // floor(126 · 1375 / 340).
        let fext = BitMaps::from(Alternating::new(Receiver::AtuR, channel(-120.0), None));
        assert_eq!(fext.bits(GAP, 0.0), 509);
        let same = BitMaps::from(Alternating::new(
            Receiver::AtuR,
            channel(-120.0),
            Some(channel(-120.0)),
        ));
        assert_eq!(same.bits(GAP, 0.0), 1_375);
    }

    #[test]
    fn the_margin_of_two_maps_falls_as_much_as_the_noise_rises() {
        let dual = BitMaps::from(Alternating::new(
            Receiver::AtuR,
            channel(-120.0),
            Some(channel(-110.0)),
        ));
        let bits = dual.bits(GAP, 0.0);
        let margin = |rise| dual.margin_db(bits, 3.0, rise).unwrap();
        assert!((6.0..6.1).contains(&margin(0.0)), "{}", margin(0.0));
        assert!((margin(0.0) - margin(2.5) - 2.5).abs() < 1e-9);
        assert_eq!(dual.margin_db(0, 3.0, 0.0), None);
        assert_eq!(dual.margin_db(222 * 15 + 1, 3.0, 0.0), None);
    }

    #[test]
    fn aal5_section_9_shares_of_the_symbols_add_up_to_the_hyperframe() {
        // 126 symbols of 10 bits and 214 of 4: 2116 bits in 345 symbols.
        let shares = Shares::of(10, 4);
        assert!((shares.in_symbol(Symbol::Fext) - 3_450.0 / 2_116.0).abs() < 1e-12);
        assert!((shares.in_symbol(Symbol::Next) - 1_380.0 / 2_116.0).abs() < 1e-12);
        assert_eq!(shares.in_symbol(Symbol::Sync), 0.0);
        assert_eq!(Shares::of(10, 0).highest(), HIGHEST_SHARE);
    }
}
