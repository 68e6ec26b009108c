//! Credits: a link that never loses a cell to a full buffer, because each cell has a place at the far end (flow
//! controlled virtual connections, FCVC specification 2.0; ACM SIGCOMM 1994).
//!
//! Per VC and link, the receiver reserves N2 + N3 places. After every N2 forwarded cells it tells the sender the total
//! it has forwarded (Vr); the sender, which knows how many it has sent (Vs), computes the places left. A lost credit
//! message is repaired by the next one. A lost data cell occupies its place forever, until a check cell with Vs tells
//! the receiver of it.
//!
//! The link must preserve the order of cells. Counts are modulo 2^28.

use crate::units::{CELL_BITS, Rate, Span};

/// Vs and Vr have 28 bits.
const MASK: u32 = (1 << 28) - 1;

/// N3: the number of cells that keeps a VC of rate `rate` going over a link with this round-trip time.
///
/// ```
/// use celltrain_proto::flow::credit::n3;
/// use celltrain_proto::units::{Rate, Span};
/// assert_eq!(n3(Rate::kbps(10_000), Span::from_ms(10)), 236);
/// ```
pub fn n3(rate: Rate, round_trip: Span) -> u32 {
    libm::ceil(rate.bits_in(round_trip) / CELL_BITS as f64) as u32
}

/// The sender of one VC.
#[derive(Clone, Debug)]
pub struct Sender {
    places: u32,
    sent: u32,
    forwarded: u32,
}

impl Sender {
    /// Creates the sender of a VC with `n2` + `n3` places at the far end, below 2^28.
    pub fn new(n2: u32, n3: u32) -> Self {
        Self {
            places: n2.saturating_add(n3).min(MASK),
            sent: 0,
            forwarded: 0,
        }
    }

    /// Whether there is a place for another cell. The calls below change it.
    #[inline]
    #[must_use]
    pub fn may_send(&self) -> bool {
        self.credit() > 0
    }

    /// How many cells may be sent: N2 + N3 - (Vs - Vr).
    #[inline]
    pub fn credit(&self) -> u32 {
        self.places.saturating_sub(self.outstanding())
    }

    /// A cell is sent; call only if [`Sender::may_send`].
    #[inline]
    pub fn on_send(&mut self) {
        debug_assert!(self.may_send());
        self.sent = (self.sent + 1) & MASK;
    }

    /// A credit message says that the far end has forwarded `vr` cells. It is ignored if it counts cells not yet sent,
    /// or fewer than the last one did.
    #[inline]
    pub fn on_credit(&mut self, vr: u32) {
        if vr.wrapping_sub(self.forwarded) & MASK <= self.outstanding() {
            self.forwarded = vr & MASK;
        }
    }

    /// Vs: the value that a check cell sent now carries.
    pub fn vs(&self) -> u32 {
        self.sent
    }

    #[inline]
    fn outstanding(&self) -> u32 {
        self.sent.wrapping_sub(self.forwarded) & MASK
    }
}

/// The receiver of one VC.
#[derive(Clone, Debug)]
pub struct Receiver {
    n2: u32,
    places: u32,
    queued: u32,
    forwarded: u32,
    since_credit: u32,
}

impl Receiver {
    /// Creates the receiver of a VC with `n2` + `n3` places, below 2^28, that reports every `n2` cells, at least 1.
    pub fn new(n2: u32, n3: u32) -> Self {
        Self {
            n2,
            places: n2.saturating_add(n3).min(MASK),
            queued: 0,
            forwarded: 0,
            since_credit: 0,
        }
    }

    /// A cell arrives; returns whether it has a place. Without one it is lost; a sender that respects its credit never
    /// causes this.
    #[inline]
    #[must_use]
    pub fn on_arrival(&mut self) -> bool {
        let has_place = self.queued < self.places;
        if has_place {
            self.queued += 1;
        }
        has_place
    }

    /// A queued cell is forwarded; returns the Vr of the credit message to send, if one is due.
    #[inline]
    #[must_use]
    pub fn on_forwarded(&mut self) -> Option<u32> {
        debug_assert!(self.queued > 0);
        self.queued -= 1;
        self.forwarded = (self.forwarded + 1) & MASK;
        self.since_credit += 1;
        (self.since_credit >= self.n2).then(|| self.credit_message())
    }

    /// A check cell with the sender's `vs` arrives: cells sent before it that never arrived count as forwarded from now
    /// on. Returns the Vr to send at once, even if no cell was lost: the last credit message may have been.
    #[must_use]
    pub fn on_check(&mut self, vs: u32) -> u32 {
        self.forwarded = vs.wrapping_sub(self.queued) & MASK;
        self.credit_message()
    }

    fn credit_message(&mut self) -> u32 {
        self.since_credit = 0;
        self.forwarded
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    /// A link of one cell per slot, with a greedy sender.
    struct Loop {
        sender: Sender,
        receiver: Receiver,
        to_receiver: VecDeque<u64>,
        to_sender: VecDeque<(u64, u32)>,
        round_trip: u64,
        slot: u64,
        sent: u64,
        overflows: u64,
    }

    impl Loop {
        fn new(n2: u32, n3: u32, round_trip: u64) -> Self {
            Self {
                sender: Sender::new(n2, n3),
                receiver: Receiver::new(n2, n3),
                to_receiver: VecDeque::new(),
                to_sender: VecDeque::new(),
                round_trip,
                slot: 0,
                sent: 0,
                overflows: 0,
            }
        }

        /// One slot. A cell arrives one slot, its own length, plus half a round trip later.
        fn step(&mut self, forward: bool, cell_is_lost: bool, credit_is_lost: bool) {
            let (there, slot) = (self.round_trip / 2, self.slot);
            if self.to_receiver.front().is_some_and(|&due| due <= slot) {
                self.to_receiver.pop_front();
                self.overflows += u64::from(!self.receiver.on_arrival());
            }
            if forward
                && self.receiver.queued > 0
                && let Some(vr) = self.receiver.on_forwarded()
                && !credit_is_lost
            {
                self.to_sender
                    .push_back((slot + self.round_trip - there, vr));
            }
            while let Some(&(due, vr)) = self.to_sender.front()
                && due <= slot
            {
                self.to_sender.pop_front();
                self.sender.on_credit(vr);
            }
            if self.sender.may_send() {
                self.sender.on_send();
                self.sent += 1;
                if !cell_is_lost {
                    self.to_receiver.push_back(slot + 1 + there);
                }
            }
            self.slot += 1;
        }

        fn sent_in(&mut self, slots: u64) -> u64 {
            let before = self.sent;
            for _ in 0..slots {
                self.step(true, false, false);
            }
            self.sent - before
        }
    }

    #[test]
    fn the_mean_rate_is_n2_and_n3_over_the_round_trip_and_n2() {
        for (n2, n3, round_trip, cells, slots) in [
            (10, 50, 100, 60, 110), // 0.545
            (1, 50, 100, 51, 101),
            (10, 100, 100, 110, 110), // N3 = RTT: the full rate
            (10, 400, 100, 110, 110),
        ] {
            let mut run = Loop::new(n2, n3, round_trip);
            run.sent_in(10 * slots);
            assert_eq!(run.sent_in(20 * slots), 20 * cells, "N2 {n2}, N3 {n3}");
            assert_eq!(run.overflows, 0);
        }
    }

    #[test]
    fn n3_is_the_bandwidth_times_the_round_trip_rounded_up() {
        assert_eq!(n3(Rate::kbps(10_000), Span::from_ms(10)), 236); // 235.8
        assert_eq!(n3(Rate::kbps(10_000), Span::ZERO), 0);
    }

    #[test]
    fn a_credit_message_leaves_after_each_n2_cells() {
        let mut receiver = Receiver::new(3, 4);
        for vr in [None, None, Some(3), None, None, Some(6)] {
            assert!(receiver.on_arrival());
            assert_eq!(receiver.on_forwarded(), vr);
        }
    }

    #[test]
    fn a_sender_stops_at_its_credit_and_a_cell_beyond_has_no_place() {
        let (mut sender, mut receiver) = (Sender::new(2, 1), Receiver::new(2, 1));
        for credit in [3, 2, 1] {
            assert_eq!(sender.credit(), credit);
            sender.on_send();
            assert!(receiver.on_arrival());
        }
        assert!(!sender.may_send());
        assert!(!receiver.on_arrival());
        sender.on_credit(2);
        assert_eq!(sender.credit(), 2);
    }

    #[test]
    fn counts_go_on_beyond_their_modulus() {
        let (mut sender, mut receiver) = (Sender::new(2, 2), Receiver::new(2, 2));
        (sender.sent, sender.forwarded, receiver.forwarded) = (MASK, MASK, MASK);
        sender.on_send();
        sender.on_send();
        assert_eq!((sender.vs(), sender.credit()), (1, 2));
        assert!(receiver.on_arrival() && receiver.on_arrival());
        assert_eq!(receiver.on_forwarded(), None);
        assert_eq!(receiver.on_forwarded(), Some(1));
        sender.on_credit(1);
        assert_eq!(sender.credit(), 4);
    }

    #[test]
    fn a_credit_for_cells_never_sent_or_an_older_one_is_ignored() {
        let mut sender = Sender::new(2, 2);
        for _ in 0..4 {
            sender.on_send();
        }
        sender.on_credit(5);
        assert_eq!(sender.credit(), 0);
        sender.on_credit(4);
        sender.on_credit(2);
        assert_eq!(sender.credit(), 4);
    }

    #[test]
    fn lost_cells_keep_their_places_until_a_check_cell_frees_them() {
        let mut run = Loop::new(5, 15, 10);
        for _ in 0..17 {
            run.step(true, true, false);
        }
        assert_eq!(run.sent_in(200), 3, "17 of 20 places are gone, N2 is 5");
        assert!(!run.sender.may_send());
        let vr = run.receiver.on_check(run.sender.vs());
        run.sender.on_credit(vr);
        assert_eq!(run.sender.credit(), 20);
        assert_eq!(run.sent_in(100), 100);
    }

    #[test]
    fn a_check_cell_counts_queued_cells_as_arrived_and_heals_a_lost_credit_message() {
        let (mut sender, mut receiver) = (Sender::new(2, 2), Receiver::new(2, 2));
        for _ in 0..4 {
            sender.on_send();
            assert!(receiver.on_arrival());
        }
        assert_eq!(receiver.on_forwarded(), None);
        assert_eq!(receiver.on_check(sender.vs()), 1);
        assert_eq!(receiver.on_forwarded(), None);
        assert_eq!(receiver.on_forwarded(), Some(3)); // lost
        sender.on_credit(receiver.on_check(sender.vs()));
        assert_eq!(sender.credit(), 3);
    }

    proptest! {
        #[test]
        fn no_cell_is_ever_without_a_place(
            n2 in 1_u32..40, n3 in 0_u32..80, round_trip in 0_u64..200,
            slots in proptest::collection::vec((any::<bool>(), 0_u8..10, 0_u8..4), 1..800),
        ) {
            let mut run = Loop::new(n2, n3, round_trip);
            for (forward, cell, credit) in slots {
                run.step(forward, cell == 0, credit == 0);
                prop_assert_eq!(run.overflows, 0);
            }
        }

        #[test]
        fn without_losses_the_mean_rate_is_at_most_the_bound_and_never_zero(
            n2 in 1_u32..40, n3 in 0_u32..80, round_trip in 0_u64..200,
        ) {
            let mut run = Loop::new(n2, n3, round_trip);
            let period = round_trip + u64::from(n2);
            let sent = run.sent_in(20 * period);
            let bound = 20 * u64::from(n2 + n3);
            prop_assert!(sent >= u64::from(n2) * 10 && sent <= bound + u64::from(n2 + n3));
        }
    }
}
