//! COBALT: `CoDel` whose count decays, and BLUE for flows that do not react.
//!
//! ```text
//! too long:  sojourn > target, and > the time of 4 packets
//! CoDel:     with count > 0, due at next, which moves on by interval/√count with each;  first due an interval after the
//!            delay has become too long.  Due and too long: mark or drop, count += 1.  Due and not: count -= 1
//! BLUE:      drop with probability p;  p += 1/256 where the queue is full, -= 1/4096 where it is empty, after a target at least
//! at rest:   p = 0, count = 0, and nothing for an interval
//! ```
//!
//! Sources: J. Palmei et al., *Design and evaluation of COBALT queue discipline* (IEEE LANMAN 2019); `tc-cake(8)`; the
//! behaviour of `cake` of Linux for what these leave open: p is counted in 2^-32, BLUE drops what it could mark, and next is
//! kept up with now where no packet is dropped.

use crate::aqm::Verdict;
use crate::random::Stream;
use crate::units::{Bytes, Rate, Span, Time, Unit};

/// Steps of BLUE's probability, in 2^-32.
const UP: u32 = 1 << 24;
const DOWN: u32 = 1 << 20;
/// The target is this part of the round-trip time.
const PART: u64 = 20;

/// What a delay is compared with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Limits {
    target: Span,
    interval: Span,
    /// The time of 4 of the longest packets.
    four_packets: Span,
}

impl Limits {
    /// The limits of flows that share this rate, with packets of at most `longest` octets: on a slow line the target is the time
    /// of 1.5 packets.
    pub(super) fn new(rate: Rate, longest: Bytes, rtt: Span) -> Self {
        let packet = rate.time_of(Unit::octets(longest.0));
        let usual = rtt / PART;
        let target = usual.max(packet.saturating_add(packet / 2));
        let interval = rtt.saturating_add(target - usual);
        Self {
            target,
            interval: interval.max(target.saturating_add(target)),
            four_packets: Span::from_ps(packet.as_ps().saturating_mul(4)),
        }
    }
}

/// COBALT.
#[derive(Clone, Debug, Default)]
pub(super) struct Cobalt {
    count: u32,
    is_dropping: bool,
    /// When the next packet is due; with a count of zero, until when the flow is not at rest.
    next: Time,
    /// p, in 2^-32.
    probability: u32,
    /// When p was changed.
    changed: Time,
}

impl Cobalt {
    /// The decision about a packet that goes next.
    pub(super) fn judge(
        &mut self,
        now: Time,
        sojourn: Span,
        limits: &Limits,
        may_mark: bool,
        stream: &mut Stream,
    ) -> Verdict {
        let is_late = sojourn > limits.target && sojourn > limits.four_packets;
        let is_due = self.is_due(now);
        let mut is_overdue = now > self.next;
        if is_late && !self.is_dropping {
            self.next = now;
            self.move_on(limits);
        }
        self.is_dropping = is_late;
        if is_late {
            self.count = self.count.max(1);
        }
        let mut verdict = Verdict::Pass;
        if is_due && is_late {
            verdict = if may_mark {
                Verdict::Mark
            } else {
                Verdict::Drop
            };
            self.count = self.count.saturating_add(1);
            self.move_on(limits);
            is_overdue = now > self.next;
        } else if is_due {
            while self.is_due(now) {
                self.count -= 1;
                self.move_on(limits);
            }
            is_overdue = now > self.next;
        }
        if self.probability > 0
            && verdict != Verdict::Drop
            && stream.uniform() * 4_294_967_296.0 < f64::from(self.probability)
        {
            verdict = Verdict::Drop;
        }
        if self.count == 0 {
            self.next = now.saturating_add(limits.interval);
        } else if is_overdue && verdict != Verdict::Drop {
            self.next = now;
        }
        verdict
    }

    /// A packet has been dropped from its queue because there were too many.
    pub(super) fn on_full(&mut self, now: Time, limits: &Limits) {
        if self.may_change(now, limits) {
            self.probability = self.probability.saturating_add(UP);
            self.changed = now;
        }
        self.is_dropping = true;
        self.next = now;
        self.count = self.count.max(1);
    }

    /// Its turn has come, and it has no packet.
    pub(super) fn on_empty(&mut self, now: Time, limits: &Limits) {
        if self.probability > 0 && self.may_change(now, limits) {
            self.probability = self.probability.saturating_sub(DOWN);
            self.changed = now;
        }
        self.is_dropping = false;
        if self.is_due(now) {
            self.count -= 1;
            self.move_on(limits);
        }
    }

    /// Whether nothing is left of what has been.
    pub(super) fn is_at_rest(&self, now: Time) -> bool {
        self.probability == 0 && self.count == 0 && now >= self.next
    }

    fn is_due(&self, now: Time) -> bool {
        self.count > 0 && now >= self.next
    }

    fn may_change(&self, now: Time, limits: &Limits) -> bool {
        now.saturating_since(self.changed) > limits.target
    }

    /// The control law.
    fn move_on(&mut self, limits: &Limits) {
        let root = libm::sqrt(f64::from(self.count.max(1)));
        let step = Span::from_secs_f64(limits.interval.as_secs() / root);
        self.next = self.next.saturating_add(step);
    }
}

#[cfg(test)]
mod tests;
