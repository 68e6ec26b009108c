//! A line over time: noise changes its margin, and the modems respond.
//!
//! Bit swaps equalise the margin over all carriers and do not change the rate; seamless rate adaptation (G.992.3)
//! reloads the line for its target margin when the margin has been too far from it for some time; a line whose margin
//! has been below its minimum for too long is retrained, which interrupts it. Noise, and therefore the margin, is
//! constant between its events: all times here are exact. Source: G.992.3 10.2, G.997.1 7.3.

use super::bit_maps::{BitMaps, Shares};
use super::framing::Framing;
use super::hyperframe::Clock;
use super::noise::{Noise, SHORTEST};
use super::{Drift, Neighbour, gap_db};
use crate::line::rate::changes::RateChanges;
use crate::parameters::Bounds;
use crate::random::Stream;
use crate::units::{Decibels, Rate, Span, Time};

/// From the decision on a new rate to the symbol at which it takes effect.
const DECISION_DELAY: Span = Span::from_ms(100);

parameters! {
    /// Seamless rate adaptation (G.992.3 10.2).
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct Adaptation {
        /// The rate rises after the margin has been above this for `up_time` (RA-USNRM, RA-UTIME), in dB.
        pub up_margin_db: Decibels = Decibels(8.0);
        /// See `up_margin_db`.
        pub up_time: Span = Span::from_secs(10);
        /// The rate falls after the margin has been below this for `down_time` (RA-DSNRM, RA-DTIME), in dB.
        pub down_margin_db: Decibels = Decibels(4.0);
        /// See `down_margin_db`.
        pub down_time: Span = Span::from_secs(10);
    }
}

parameters! {
    /// When a line is retrained.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct Retrain {
        /// The margin in dB below which the line does not work.
        pub min_margin_db: Decibels = Decibels(0.0);
        /// How long the margin must stay below it.
        pub after: Span = Span::from_secs(60);
        /// How long the retrain takes, with the rate at zero.
        pub outage: Span = Span::from_secs(30), in Bounds::at_least(SHORTEST);
    }
}

impl Default for Retrain {
    fn default() -> Self {
        Self::defaults().expect("every parameter has a default")
    }
}

/// The procedure that the modems are executing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Procedure {
    /// None: they monitor the margin.
    None,
    /// An agreed rate adaptation to `bits`.
    Adaptation { at: Time, bits: u32 },
    /// Training, which ends at `until`.
    Training { until: Time },
}

/// A condition on the margin, and since when it has held continuously.
#[derive(Clone, Copy, Default, Debug)]
struct Held(Option<Time>);

impl Held {
    /// Whether the condition, which `holds` now or not, has lasted for `time`.
    fn lasts(&mut self, now: Time, holds: bool, time: Span) -> bool {
        self.0 = holds.then(|| self.0.unwrap_or(now));
        self.0.is_some_and(|since| now - since >= time)
    }

    /// When the condition will have lasted for `time`.
    fn due(self, time: Span) -> Time {
        self.0
            .map_or(Time::NEVER, |since| since.saturating_add(time))
    }
}

/// An ADSL line, as a rate process.
#[derive(Clone, Debug)]
pub struct DmtLine {
    maps: BitMaps,
    target_margin_db: f64,
    coding_gain_db: f64,
    framing: Framing,
    noise: Noise,
    adaptation: Option<Adaptation>,
    decision_delay: Span,
    retrain: Retrain,
    /// Bits per data symbol, on average; zero during training.
    bits: u32,
    /// The symbols, if they differ, and how the bits are spread over them.
    clock: Option<Clock>,
    shares: Shares,
    procedure: Procedure,
    too_high: Held,
    too_low: Held,
    lost: Held,
}

impl DmtLine {
    /// Creates a line trained at the start for `target_margin_db`. Without adaptation its rate changes only by retraining.
    pub fn new(
        maps: impl Into<BitMaps>,
        framing: Framing,
        target_margin_db: f64,
        coding_gain_db: f64,
        retrain: Retrain,
        stream: Stream,
    ) -> Self {
        let maps = maps.into();
        let clock = maps.clock();
        Self {
            maps,
            target_margin_db,
            coding_gain_db,
            framing,
            noise: Noise::new(stream),
            adaptation: None,
            decision_delay: DECISION_DELAY,
            retrain,
            bits: 0,
            clock,
            shares: Shares::default(),
            procedure: Procedure::None,
            too_high: Held::default(),
            too_low: Held::default(),
            lost: Held::default(),
        }
    }

    /// Sets noise steps: the rise in dB from each instant to the next; the instants increase.
    #[must_use]
    pub fn with_noise_steps(mut self, steps: &[(Time, f64)]) -> Self {
        self.noise.set_steps(steps);
        self
    }

    /// Adds neighbours that switch on and off; their initial states are stationary.
    #[must_use]
    pub fn with_neighbours(mut self, neighbours: &[Neighbour]) -> Self {
        for &neighbour in neighbours {
            self.noise.add_neighbour(neighbour);
        }
        self
    }

    /// Adds a slow drift of the noise.
    #[must_use]
    pub fn with_drift(mut self, drift: Drift) -> Self {
        self.noise.set_drift(drift);
        self
    }

    /// Adds seamless rate adaptation.
    #[must_use]
    pub fn with_adaptation(mut self, adaptation: Adaptation) -> Self {
        self.adaptation = Some(adaptation);
        self
    }

    /// Sets the time from the decision on a new rate to the symbol at which it takes effect; not zero, 100 ms by
    /// default.
    #[must_use]
    pub fn with_decision_delay(mut self, delay: Span) -> Self {
        self.decision_delay = delay;
        self
    }

    /// The first instant after the last change at which the rate or the margin may change.
    fn next_event(&self) -> Time {
        let clock = self.clock.as_ref().map_or(Time::NEVER, Clock::next_change);
        self.next_of_noise().min(clock)
    }

    /// The first instant after the last change at which the noise changes, or the modems respond to it.
    fn next_of_noise(&self) -> Time {
        let procedure = match self.procedure {
            Procedure::None => Time::NEVER,
            Procedure::Adaptation { at, .. } => at,
            Procedure::Training { until } => until,
        };
        let adaptation = self.adaptation.map_or(Time::NEVER, |it| {
            self.too_high
                .due(it.up_time)
                .min(self.too_low.due(it.down_time))
        });
        let lost = self.lost.due(self.retrain.after);
        let next = self.noise.next_change().min(procedure);
        next.min(adaptation).min(lost)
    }

    /// The net rate in the present symbols, including cell headers; zero during training.
    pub fn rate(&self) -> Rate {
        let mean = self.framing.net_rate(self.bits);
        self.clock.as_ref().map_or(mean, |clock| {
            Rate::bps(mean.as_bps() * self.shares.in_symbol(clock.symbol()))
        })
    }

    /// Mean bits per data symbol that the framing uses; zero during training.
    pub fn bits_per_symbol(&self) -> u32 {
        self.bits
    }

    /// The one-way interleaving delay; [`Span::MAX`] during training under G.992.3.
    pub fn interleaving_delay(&self) -> Span {
        self.framing.delay(self.bits)
    }

    /// The margin in dB since the last change, the same on all carriers; [`None`] during training.
    pub fn margin_db(&self) -> Option<f64> {
        let rise = self.noise.rise_db();
        self.maps.margin_db(self.bits, self.coding_gain_db, rise)
    }

    /// The bits that the framing uses of those loaded at the target margin.
    fn loaded_bits(&self) -> u32 {
        let gap = gap_db(self.target_margin_db, self.coding_gain_db);
        let held = self.maps.bits(gap, self.noise.rise_db());
        self.framing.used_bits(held)
    }

    fn load(&mut self, bits: u32) {
        self.bits = bits;
        self.shares = self.maps.shares(bits);
    }

    /// Training ends: the line works, or is trained again if it can carry nothing.
    fn train(&mut self, now: Time) {
        let bits = self.loaded_bits();
        if self.framing.net_rate(bits) > Rate::ZERO {
            self.load(bits);
            self.procedure = Procedure::None;
        } else {
            self.start_training(now);
        }
    }

    fn start_training(&mut self, now: Time) {
        self.load(0);
        let until = now.saturating_add(self.retrain.outage);
        self.procedure = Procedure::Training { until };
        (self.too_high, self.too_low, self.lost) = Default::default();
    }

    /// The modems check the margin.
    fn watch(&mut self, now: Time) {
        let Some(margin) = self.margin_db() else {
            return;
        };
        let is_lost = margin < self.retrain.min_margin_db.0;
        if self.lost.lasts(now, is_lost, self.retrain.after) {
            self.start_training(now);
        } else if let (Some(adaptation), Procedure::None) = (self.adaptation, self.procedure) {
            self.adapt(now, margin, adaptation);
        }
    }

    /// Decides on a new rate if the margin has been too far from its target and the line can have another rate: a full
    /// codeword cannot grow, and a rate of zero is left to retraining.
    fn adapt(&mut self, now: Time, margin: f64, it: Adaptation) {
        let bits = self.loaded_bits();
        let is_high = margin > it.up_margin_db.0 && bits > self.bits;
        let is_low = margin < it.down_margin_db.0
            && bits < self.bits
            && self.framing.net_rate(bits) > Rate::ZERO;
        let rises = self.too_high.lasts(now, is_high, it.up_time);
        let falls = self.too_low.lasts(now, is_low, it.down_time);
        if rises || falls {
            let at = now.saturating_add(self.decision_delay);
            self.procedure = Procedure::Adaptation { at, bits };
            (self.too_high, self.too_low) = Default::default();
        }
    }
}

impl RateChanges for DmtLine {
    fn first(&mut self) -> Rate {
        self.train(Time::ZERO);
        self.watch(Time::ZERO);
        self.rate()
    }

    fn next_change(&self, _: Time) -> Time {
        self.next_event()
    }

    /// The new rate may equal the old one: it is the margin that has changed.
    fn change(&mut self) -> Rate {
        let (now, of_noise) = (self.next_event(), self.next_of_noise());
        if let Some(clock) = &mut self.clock
            && clock.next_change() <= now
        {
            clock.advance();
        }
        if of_noise > now {
            return self.rate();
        }
        self.noise.advance(now);
        match self.procedure {
            Procedure::Adaptation { at, bits } if at <= now => {
                self.load(bits);
                self.procedure = Procedure::None;
            }
            Procedure::Training { until } if until <= now => self.train(now),
            _ => {}
        }
        self.watch(now);
        self.rate()
    }
}

#[cfg(test)]
mod tests;
