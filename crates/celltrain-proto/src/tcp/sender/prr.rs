//! Proportional rate reduction: in recovery, transmissions are paced by arrivals, so that the window is gradually
//! reduced to the threshold, without a burst and without half a round trip of silence.
//!
//! While more than the threshold is in flight, `ssthresh / RecoverFS` of what is delivered is sent. Below it, as much
//! as is delivered, plus one segment while the repair makes progress (the slow start reduction bound).
//!
//! Source: RFC 6937 3, in the version of RFC 9937, which replaces it.

use super::Sender;
use crate::tcp::variant::CongestionControl;

/// A reduction in progress. All lengths are in octets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reduction {
    /// Octets in flight when the recovery began (`RecoverFS`).
    flight: u64,
    /// Delivered since (`prr_delivered`).
    delivered: u64,
    /// Sent since (`prr_out`).
    sent: u64,
    /// The current window.
    pub(super) cwnd: u64,
}

/// What an acknowledgment in recovery reveals.
#[derive(Clone, Copy, Debug)]
struct Progress {
    /// Octets that it newly acknowledges (`DeliveredData`).
    delivered: u64,
    inflight: u64,
    ssthresh: u64,
    mss: u64,
    /// It acknowledges data and reveals no further loss (`SafeACK`).
    is_safe: bool,
}

impl Reduction {
    /// A recovery begins with `flight` octets in flight before its first acknowledgment.
    pub(super) fn new(flight: u64, cwnd: u64) -> Self {
        Self {
            flight: flight.max(1),
            delivered: 0,
            sent: 0,
            cwnd,
        }
    }

    /// Octets that may be sent now (`sndcnt`).
    fn allowance(&mut self, ack: &Progress) -> u64 {
        self.delivered += ack.delivered;
        let count = if ack.inflight > ack.ssthresh {
            let due = u128::from(self.delivered) * u128::from(ack.ssthresh);
            let due = due.div_ceil(self.flight.into()) as u64;
            due.saturating_sub(self.sent)
        } else {
            let owed = self.delivered.saturating_sub(self.sent).max(ack.delivered);
            let count = owed + if ack.is_safe { ack.mss } else { 0 };
            count.min(ack.ssthresh - ack.inflight)
        };
        if count == 0 && self.sent == 0 {
            ack.mss
        } else {
            count
        }
    }

    /// `octets` are sent; `are_counted` says whether they count as in flight from now on.
    pub(super) fn on_sent(&mut self, octets: u64, are_counted: bool) {
        self.sent += octets;
        if !are_counted {
            self.cwnd = self.cwnd.saturating_sub(octets);
        }
    }
}

impl Sender {
    /// Octets known to have arrived: all below `snd_una`, and what the receiver holds beyond it. Without selective
    /// acknowledgments each duplicate indicates one segment (RFC 9937).
    pub(super) fn arrived(&self) -> u64 {
        let held = match (&self.sack, &self.modern) {
            (_, Some(modern)) if modern.rack.is_some() => self.outstanding.held().octets,
            (Some(sack), _) => sack.board.octets(),
            (None, Some(modern)) => modern.duplicates,
            (None, None) => 0,
        };
        self.snd_una + held
    }

    /// Sets the window of a recovery, which may just have begun or ended, after an acknowledgment or a detected loss.
    /// This includes a reduction due to marks, in which nothing is lost (Linux `tcp_enter_cwr`).
    pub(super) fn reduce(&mut self, is_safe: bool) {
        if self.modern.as_ref().is_none_or(|it| !it.reduces) {
            return;
        }
        let on_its_way = self.snd_max.saturating_sub(self.arrived());
        let is_recovering = self.control.is_recovering();
        let is_reducing = is_recovering || self.ecn.is_reducing(self.snd_una);
        let pipe = self.pipe();
        // Without selective acknowledgments the pipe includes what duplicates have indicated.
        let told = match &self.sack {
            Some(_) => 0,
            None => self.arrived() - self.snd_una,
        };
        // Marks may leave a window of one segment, below the least threshold (RFC 3168 6.1.2).
        let window = self.control.window();
        let target = if is_recovering {
            window.ssthresh
        } else {
            window.cwnd
        };
        let mss = self.mss();
        let Some(modern) = &mut self.modern else {
            return;
        };
        if !is_reducing {
            modern.reduction = None;
            return;
        }
        let flight = on_its_way + modern.delivered;
        let reduction = modern
            .reduction
            .get_or_insert_with(|| Reduction::new(flight, pipe));
        if modern.delivered == 0 {
            return;
        }
        let allowance = reduction.allowance(&Progress {
            delivered: modern.delivered,
            inflight: pipe.saturating_sub(told),
            ssthresh: target,
            mss,
            is_safe,
        });
        reduction.cwnd = pipe + allowance;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MSS: u64 = 1_000;

    fn ack(inflight: u64, is_safe: bool) -> Progress {
        Progress {
            delivered: MSS,
            inflight: inflight * MSS,
            ssthresh: 10 * MSS,
            mss: MSS,
            is_safe,
        }
    }

    #[test]
    fn rfc_6937_3_below_the_threshold_a_segment_more_than_delivered_leaves_only_while_all_goes_well()
     {
        let after_losses = |is_safe| {
            let mut reduction = Reduction::new(20 * MSS, 0);
            reduction.on_sent(MSS, true);
            reduction.allowance(&ack(4, is_safe))
        };
        assert_eq!((after_losses(false), after_losses(true)), (MSS, 2 * MSS));
    }

    #[test]
    fn rfc_6937_3_the_first_acknowledgment_of_a_recovery_brings_a_retransmission_out() {
        let mut reduction = Reduction::new(1_000 * MSS, 0);
        let none_due = Progress {
            delivered: 1,
            ssthresh: 0,
            ..ack(900, false)
        };
        assert_eq!(reduction.allowance(&none_due), MSS);
        reduction.on_sent(MSS, true);
        assert_eq!(reduction.allowance(&none_due), 0);
    }

    proptest! {
        /// Each acknowledgment delivers some segments, or reveals some as lost; all that is allowed is sent.
        #[test]
        fn a_recovery_never_sends_more_than_prr_allows(
            flight in 4_u64..200, share in 1_u64..10, acks in prop::collection::vec((1_u64..4, 0_u64..4, any::<bool>()), 1..300),
        ) {
            let ssthresh = (flight * share / 10).max(2) * MSS;
            let mut reduction = Reduction::new(flight * MSS, 0);
            let (mut inflight, mut sent, mut delivered) = (flight * MSS, 0, 0);
            for (number, (arrives, lost, is_safe)) in (1..).zip(acks) {
                let arrives = (arrives * MSS).min(inflight);
                inflight = inflight - arrives - (lost * MSS).min(inflight - arrives);
                delivered += arrives;
                let allowed = reduction.allowance(&Progress { delivered: arrives, inflight, ssthresh, mss: MSS, is_safe });
                prop_assert!(sent == 0 || inflight > ssthresh || inflight + allowed <= ssthresh);
                reduction.on_sent(allowed, true);
                inflight += allowed;
                sent += allowed;
                // The slow start reduction bound: one segment more than delivered per acknowledgment.
                prop_assert!(sent <= delivered + number * MSS);
                // While more than the threshold is in flight, no more than its share of what arrived has been sent.
                if inflight > ssthresh.max(MSS) + MSS {
                    prop_assert!(sent <= (delivered * ssthresh).div_ceil(flight * MSS).max(MSS));
                }
            }
        }
    }
}
