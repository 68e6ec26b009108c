//! A line over time: noise moves its margin, and the modems answer.
//!
//! Bit swaps keep the margin alike on all carriers and change no rate; rate adaptation (G.992.3,
//! seamless) loads the line anew for its target margin when the present one has been too far from it for
//! a while; a line whose margin has been below its minimum for long is trained anew, which stops it. Noise
//! is constant between its events, and so is the margin: all times here are exact. Source: G.992.3 10.2,
//! G.997.1 7.3.

use super::framing::Framing;
use super::noise::Noise;
use super::{Channel, Drift, Neighbour, gap_db};
use crate::random::Stream;
use crate::units::{Rate, Span, Time};

/// From the decision on another rate to the symbol at which it is in force.
const DECISION_DELAY: Span = Span::from_ms(100);

/// Seamless rate adaptation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Adaptation {
    /// The rate rises when the margin has been above this for `up_time` (RA-USNRM, RA-UTIME), in dB.
    pub up_margin_db: f64,
    /// See `up_margin_db`.
    pub up_time: Span,
    /// The rate falls when the margin has been below this for `down_time` (RA-DSNRM, RA-DTIME), in dB.
    pub down_margin_db: f64,
    /// See `down_margin_db`.
    pub down_time: Span,
}

/// When a line is trained anew.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Retrain {
    /// The margin below which it does not work, in dB.
    pub min_margin_db: f64,
    /// For how long.
    pub after: Span,
    /// How long the training takes; the rate is zero meanwhile. Not zero.
    pub outage: Span,
}

/// What the modems have under way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Procedure {
    /// Nothing: they watch the margin.
    None,
    /// Rate adaptation to `bits`, agreed on.
    Adaptation { at: Time, bits: u32 },
    /// Training, which ends at `until`.
    Training { until: Time },
}

/// A condition on the margin, and since when it has held without a break.
#[derive(Clone, Copy, Default, Debug)]
struct Held(Option<Time>);

impl Held {
    /// Whether the condition, of which `holds` tells the present state, has now lasted for `time`.
    fn lasts(&mut self, now: Time, holds: bool, time: Span) -> bool {
        self.0 = holds.then(|| self.0.unwrap_or(now));
        self.0.is_some_and(|since| now - since >= time)
    }

    /// When it will have lasted for `time`.
    fn due(self, time: Span) -> Time {
        self.0
            .map_or(Time::NEVER, |since| since.saturating_add(time))
    }
}

/// An ADSL line, as a process of its rate.
#[derive(Clone, Debug)]
pub struct DmtLine {
    channel: Channel,
    target_margin_db: f64,
    coding_gain_db: f64,
    framing: Framing,
    noise: Noise,
    adaptation: Option<Adaptation>,
    decision_delay: Span,
    retrain: Retrain,
    /// Bits of a symbol; zero while the line is trained.
    bits: u32,
    procedure: Procedure,
    too_high: Held,
    too_low: Held,
    lost: Held,
}

impl DmtLine {
    /// A line that is trained at the start for `target_margin_db`, with `parity` octets of Reed-Solomon's
    /// in each codeword and no interleaving. Without adaptation its rate changes by retrains alone.
    pub fn new(
        channel: Channel,
        target_margin_db: f64,
        coding_gain_db: f64,
        parity: u32,
        retrain: Retrain,
        stream: Stream,
    ) -> Self {
        let framing = channel.band().framing(parity);
        Self {
            channel,
            target_margin_db,
            coding_gain_db,
            framing,
            noise: Noise::new(stream),
            adaptation: None,
            decision_delay: DECISION_DELAY,
            retrain,
            bits: 0,
            procedure: Procedure::None,
            too_high: Held::default(),
            too_low: Held::default(),
            lost: Held::default(),
        }
    }

    /// The same with another framing.
    #[must_use]
    pub fn with_framing(mut self, framing: Framing) -> Self {
        self.framing = framing;
        self
    }

    /// The same with noise that rises by these levels in dB, each from its instant to the next; their
    /// instants increase.
    #[must_use]
    pub fn with_noise_steps(mut self, steps: &[(Time, f64)]) -> Self {
        self.noise.set_steps(steps);
        self
    }

    /// The same with neighbours that come and go; their states at the start are stationary.
    #[must_use]
    pub fn with_neighbours(mut self, neighbours: &[Neighbour]) -> Self {
        for &neighbour in neighbours {
            self.noise.add_neighbour(neighbour);
        }
        self
    }

    /// The same with a slow change of the noise.
    #[must_use]
    pub fn with_drift(mut self, drift: Drift) -> Self {
        self.noise.set_drift(drift);
        self
    }

    /// The same with seamless rate adaptation.
    #[must_use]
    pub fn with_adaptation(mut self, adaptation: Adaptation) -> Self {
        self.adaptation = Some(adaptation);
        self
    }

    /// The same with this time, 100 ms otherwise, from the decision on another rate to the symbol at
    /// which it is in force; not zero.
    #[must_use]
    pub fn with_decision_delay(mut self, delay: Span) -> Self {
        self.decision_delay = delay;
        self
    }

    /// The rate at the start. Call once, before [`DmtLine::change`].
    pub fn first(&mut self) -> Rate {
        self.train(Time::ZERO);
        self.watch(Time::ZERO);
        self.rate()
    }

    /// The first instant after the last change at which the rate, or only the margin, may change.
    pub fn next_change(&self) -> Time {
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

    /// The rate from [`DmtLine::next_change`] on, which may be the old one.
    pub fn change(&mut self) -> Rate {
        let now = self.next_change();
        self.noise.advance(now);
        match self.procedure {
            Procedure::Adaptation { at, bits } if at <= now => {
                self.bits = bits;
                self.procedure = Procedure::None;
            }
            Procedure::Training { until } if until <= now => self.train(now),
            _ => {}
        }
        self.watch(now);
        self.rate()
    }

    /// The net rate, cell headers included; zero during training.
    pub fn rate(&self) -> Rate {
        self.framing.net_rate(self.bits)
    }

    /// Bits of a symbol that the framing uses; zero during training.
    pub fn bits_per_symbol(&self) -> u32 {
        self.bits
    }

    /// The one-way delay of interleaving; [`Span::MAX`] during training under G.992.3.
    pub fn interleaving_delay(&self) -> Span {
        self.framing.delay(self.bits)
    }

    /// The margin in dB since the last change, alike on all carriers; [`None`] during training.
    pub fn margin_db(&self) -> Option<f64> {
        let rise = self.noise.rise_db();
        self.channel.margin_db(self.bits, self.coding_gain_db, rise)
    }

    /// The bits that the line holds and uses at its target margin.
    fn loaded_bits(&self) -> u32 {
        let gap = gap_db(self.target_margin_db, self.coding_gain_db);
        let held = self.channel.bits(gap, self.noise.rise_db());
        self.framing.used_bits(held)
    }

    /// Training ends: the line works, or is trained once more if it can carry nothing.
    fn train(&mut self, now: Time) {
        let bits = self.loaded_bits();
        if self.framing.net_rate(bits) > Rate::ZERO {
            self.bits = bits;
            self.procedure = Procedure::None;
        } else {
            self.start_training(now);
        }
    }

    fn start_training(&mut self, now: Time) {
        self.bits = 0;
        let until = now.saturating_add(self.retrain.outage);
        self.procedure = Procedure::Training { until };
        (self.too_high, self.too_low, self.lost) = Default::default();
    }

    /// The modems look at the margin.
    fn watch(&mut self, now: Time) {
        let Some(margin) = self.margin_db() else {
            return;
        };
        let is_lost = margin < self.retrain.min_margin_db;
        if self.lost.lasts(now, is_lost, self.retrain.after) {
            self.start_training(now);
        } else if let (Some(adaptation), Procedure::None) = (self.adaptation, self.procedure) {
            self.adapt(now, margin, adaptation);
        }
    }

    /// Decides on another rate where the margin has been too far from its target, and the line can have
    /// another: a full codeword cannot grow, and a rate of zero is left to a retrain.
    fn adapt(&mut self, now: Time, margin: f64, it: Adaptation) {
        let bits = self.loaded_bits();
        let is_high = margin > it.up_margin_db && bits > self.bits;
        let is_low = margin < it.down_margin_db
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

#[cfg(test)]
mod tests;
