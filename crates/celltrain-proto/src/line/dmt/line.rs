//! A line over time: noise moves its margin, and the modems answer.
//!
//! The modems look at the margin once a second. Bit swaps keep it alike on all carriers and change no
//! rate; rate adaptation (G.992.3, seamless) loads the line anew for its target margin when the present one
//! has been too far from it for a while; a line whose margin has been below its minimum for long is
//! retrained, which stops it. Source: G.992.3 10.2, G.997.1 7.3.

use alloc::vec::Vec;

use super::{Channel, gap_db};
use crate::random::Stream;
use crate::units::{Rate, Span, Time};

/// The time between two looks at the margin.
const LOOK: Span = Span::from_secs(1);
/// From the decision on another rate to the symbol at which it is in force.
const SWITCH: Span = Span::from_ms(100);

/// A source of noise that comes and goes: a neighbour's line that is switched on and off.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Neighbour {
    /// By how much it raises the noise while it is on, in dB.
    pub rise_db: f64,
    /// Mean times on and off, exponential; not zero.
    pub mean_on: Span,
    /// Mean time off.
    pub mean_off: Span,
}

/// A slow change of the noise: `amplitude_db · sin(2π t / period)`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Drift {
    /// In dB.
    pub amplitude_db: f64,
    /// Not zero.
    pub period: Span,
}

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
    /// How long the training takes; the rate is zero meanwhile.
    pub outage: Span,
}

/// A neighbour and its state.
#[derive(Clone, Debug)]
struct Switching {
    neighbour: Neighbour,
    is_on: bool,
    next: Time,
}

/// An ADSL line, as a process of its rate.
#[derive(Clone, Debug)]
pub struct DmtLine {
    channel: Channel,
    target_margin_db: f64,
    coding_gain_db: f64,
    parity: u32,
    neighbours: Vec<Switching>,
    drift: Option<Drift>,
    adaptation: Option<Adaptation>,
    retrain: Retrain,
    stream: Stream,
    /// Bits of a symbol; zero while the line is trained.
    bits: u32,
    next_look: Time,
    /// Bits of a symbol from an instant on.
    pending: Option<(Time, u32)>,
    /// Since when the margin has been too high, too low, and below the minimum.
    high_since: Option<Time>,
    low_since: Option<Time>,
    lost_since: Option<Time>,
}

impl DmtLine {
    /// A line that is trained at the start for `target_margin_db`; `parity` octets of each codeword are
    /// Reed-Solomon's. Without `adaptation` its rate changes by retrains alone.
    pub fn new(
        channel: Channel,
        target_margin_db: f64,
        coding_gain_db: f64,
        parity: u32,
        retrain: Retrain,
        stream: Stream,
    ) -> Self {
        Self {
            channel,
            target_margin_db,
            coding_gain_db,
            parity,
            neighbours: Vec::new(),
            drift: None,
            adaptation: None,
            retrain,
            stream,
            bits: 0,
            next_look: Time::NEVER,
            pending: None,
            high_since: None,
            low_since: None,
            lost_since: None,
        }
    }

    /// The same with neighbours that come and go; their states at the start are stationary.
    #[must_use]
    pub fn with_neighbours(mut self, neighbours: &[Neighbour]) -> Self {
        for &neighbour in neighbours {
            let (on, off) = (neighbour.mean_on.as_secs(), neighbour.mean_off.as_secs());
            let is_on = self.stream.uniform() * (on + off) < on;
            let mut switching = Switching {
                neighbour,
                is_on,
                next: Time::ZERO,
            };
            switching.next = Time::ZERO.saturating_add(switching.hold(&mut self.stream));
            self.neighbours.push(switching);
        }
        self
    }

    /// The same with a slow change of the noise.
    #[must_use]
    pub fn with_drift(mut self, drift: Drift) -> Self {
        self.drift = Some(drift);
        self
    }

    /// The same with seamless rate adaptation.
    #[must_use]
    pub fn with_adaptation(mut self, adaptation: Adaptation) -> Self {
        self.adaptation = Some(adaptation);
        self
    }

    /// The rate at the start. Call once, before [`DmtLine::change`].
    pub fn first(&mut self) -> Rate {
        self.bits = self.trained_bits(Time::ZERO);
        if !self.neighbours.is_empty() || self.drift.is_some() {
            self.next_look = Time::ZERO + LOOK;
        }
        self.rate()
    }

    /// The first instant after the last change at which the rate may change.
    pub fn next_change(&self) -> Time {
        let pending = self.pending.map_or(Time::NEVER, |pending| pending.0);
        pending.min(self.next_look)
    }

    /// The rate from [`DmtLine::next_change`] on, which may be the old one.
    pub fn change(&mut self) -> Rate {
        let now = self.next_change();
        if let Some((_, bits)) = self.pending.take_if(|pending| pending.0 <= now) {
            self.bits = bits;
        }
        if self.next_look <= now {
            self.next_look = now.saturating_add(LOOK);
            self.look(now);
        }
        self.rate()
    }

    /// The net rate, cell headers included.
    pub fn rate(&self) -> Rate {
        self.channel.band().net_rate(self.bits, self.parity)
    }

    /// Bits of a symbol; zero during a retrain.
    pub fn bits_per_symbol(&self) -> u32 {
        self.bits
    }

    /// The noise at `now`, in dB above that of the channel.
    fn rise_db(&mut self, now: Time) -> f64 {
        let mut rise = self.drift.map_or(0.0, |drift| {
            let turns = now.as_secs() / drift.period.as_secs();
            drift.amplitude_db * libm::sin(2.0 * core::f64::consts::PI * turns)
        });
        for switching in &mut self.neighbours {
            while switching.next <= now {
                switching.is_on = !switching.is_on;
                let hold = switching.hold(&mut self.stream);
                switching.next = switching.next.saturating_add(hold);
            }
            if switching.is_on {
                rise += switching.neighbour.rise_db;
            }
        }
        rise
    }

    /// What the line holds at its target margin.
    fn trained_bits(&mut self, now: Time) -> u32 {
        let rise = self.rise_db(now);
        let gap = gap_db(self.target_margin_db, self.coding_gain_db);
        self.channel.bits(gap, rise)
    }

    /// The margin at `now` in dB, alike on all carriers.
    pub fn margin_db(&mut self, now: Time) -> f64 {
        let rise = self.rise_db(now);
        self.channel.margin_db(self.bits, self.coding_gain_db, rise)
    }

    /// The modems look at the margin.
    fn look(&mut self, now: Time) {
        if self.bits == 0 || self.pending.is_some() {
            return;
        }
        let margin = self.margin_db(now);
        let lasts = |since: &mut Option<Time>, holds: bool, time: Span| {
            *since = holds.then(|| since.unwrap_or(now));
            since.is_some_and(|since| now - since >= time)
        };
        let retrain = self.retrain;
        if lasts(
            &mut self.lost_since,
            margin < retrain.min_margin_db,
            retrain.after,
        ) {
            self.bits = 0;
            let trained = self.trained_bits(now);
            self.plan(now.saturating_add(retrain.outage), trained);
            return;
        }
        let Some(it) = self.adaptation else { return };
        let too_high = lasts(&mut self.high_since, margin > it.up_margin_db, it.up_time);
        let too_low = lasts(
            &mut self.low_since,
            margin < it.down_margin_db,
            it.down_time,
        );
        if too_high || too_low {
            let bits = self.trained_bits(now);
            self.plan(now.saturating_add(SWITCH), bits);
        }
    }

    fn plan(&mut self, at: Time, bits: u32) {
        self.pending = Some((at, bits));
        (self.high_since, self.low_since, self.lost_since) = (None, None, None);
    }
}

impl Switching {
    fn hold(&self, stream: &mut Stream) -> Span {
        let mean = if self.is_on {
            self.neighbour.mean_on
        } else {
            self.neighbour.mean_off
        };
        Span::from_secs_f64(stream.exponential(mean.as_secs()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Band, Wire};
    use super::*;

    const RETRAIN: Retrain = Retrain {
        min_margin_db: 0.0,
        after: Span::from_secs(60),
        outage: Span::from_secs(30),
    };

    fn line() -> DmtLine {
        let channel = Channel::new(Band::Adsl1Down, Wire::Awg24, 3.0, -120.0, 0);
        DmtLine::new(channel, 6.0, 3.0, 16, RETRAIN, Stream::named(1, "line"))
    }

    /// A noise that rises from 0 at the start to `db` within the first quarter of its period, here two
    /// hours: almost steady for the ten minutes in between.
    fn rising(db: f64) -> Drift {
        Drift {
            amplitude_db: db,
            period: Span::from_secs(7_200),
        }
    }

    /// The changes of the rate up to `end`, as instants in s and rates in kbit/s.
    fn changes(line: &mut DmtLine, end: u64) -> Vec<(f64, f64)> {
        let mut last = line.first();
        let mut changes = Vec::new();
        while line.next_change() < Time::ZERO + Span::from_secs(end) {
            let at = line.next_change();
            let rate = line.change();
            if rate != last {
                changes.push((at.as_secs(), rate.as_bps() / 1e3));
                last = rate;
            }
        }
        changes
    }

    #[test]
    fn aal5_section_7_a_steady_line_never_changes() {
        let mut line = line();
        assert_eq!(line.first(), Rate::kbps(4_928));
        assert_eq!(line.next_change(), Time::NEVER);
    }

    #[test]
    fn aal5_section_7_bit_swap_changes_the_margin_and_not_the_rate() {
        let mut line = line().with_drift(rising(3.0));
        assert!(changes(&mut line, 1_800).is_empty());
        let margin = line.margin_db(Time::ZERO + Span::from_secs(1_800));
        assert!((margin - 3.0).abs() < 0.05, "{margin}");
    }

    #[test]
    fn aal5_section_7_seamless_adaptation_follows_the_noise_down_and_up_without_an_outage() {
        let adaptation = Adaptation {
            up_margin_db: 8.0,
            up_time: Span::from_secs(10),
            down_margin_db: 4.0,
            down_time: Span::from_secs(5),
        };
        let mut line = line().with_drift(rising(6.0)).with_adaptation(adaptation);
        let changes = changes(&mut line, 7_200);
        // The margin is 6 - 6 sin(2π t/7200), and up to a tenth of a dB more, because bits are whole: below
        // 4 after 389.4 s or up to 20 s later, noticed at the next second, for 5 s, and 0.1 s to the switch.
        let at = changes[0].0;
        assert!(
            (395.1..=415.1).contains(&at) && (at - 0.1).fract() < 1e-9,
            "{changes:?}"
        );
        assert!(changes.iter().all(|change| change.1 > 0.0));
        let lowest = changes
            .iter()
            .map(|change| change.1)
            .fold(f64::MAX, f64::min);
        let highest = changes.iter().map(|change| change.1).fold(0.0, f64::max);
        assert!(lowest < 4_928.0 && highest > 4_928.0, "{changes:?}");
    }

    #[test]
    fn aal5_section_7_a_margin_below_zero_for_a_minute_costs_an_outage_and_the_rate() {
        let mut line = line().with_drift(rising(9.0));
        let changes = changes(&mut line, 1_800);
        // 6 - 9 sin(2π t/7200), and up to a tenth of a dB more, is below 0 from 836.2 s on, or up to 17 s
        // later: seen at the next second, lost 60 s after that, back after another 30.
        let (lost_at, rate) = changes[0];
        assert!(
            (897.0..=914.0).contains(&lost_at) && rate == 0.0,
            "{changes:?}"
        );
        assert_eq!(changes[1].0, lost_at + 30.0);
        assert!(changes[1].1 > 0.0 && changes[1].1 < 4_928.0, "{changes:?}");
    }

    #[test]
    fn aal5_section_7_neighbours_come_and_go() {
        let neighbour = Neighbour {
            rise_db: 6.0,
            mean_on: Span::from_secs(300),
            mean_off: Span::from_secs(600),
        };
        let adaptation = Adaptation {
            up_margin_db: 8.0,
            up_time: Span::from_secs(1),
            down_margin_db: 4.0,
            down_time: Span::from_secs(1),
        };
        let mut line = line()
            .with_neighbours(&[neighbour])
            .with_adaptation(adaptation);
        let changes = changes(&mut line, 90_000);
        // A change for each coming and going, but those of a few seconds: 200 in 100 cycles of 900 s.
        assert!((150..=230).contains(&changes.len()), "{}", changes.len());
        let low = changes.iter().filter(|change| change.1 < 4_500.0).count();
        assert!(low * 2 > changes.len() - 20, "{low} of {}", changes.len());
    }
}
