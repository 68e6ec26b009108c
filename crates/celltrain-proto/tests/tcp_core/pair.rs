//! Two ends, a line that serves one segment at a time, a delay in each direction, and losses and late segments by
//! number. The clock jumps to the next wake-up; timers come before arrivals of the same instant.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use celltrain_proto::tcp::{
    Available, Receiver, ReceiverConfig, Segment, Sender, SenderConfig, TickClock, Variant,
};
use celltrain_proto::units::{Span, Time};

pub(crate) const fn ms(ms: u64) -> Time {
    Time::from_ps(ms * 1_000_000_000)
}

/// BSD's slow-timer and fast-timer clocks, with phases that coincide with no round number.
pub(crate) fn slow(granularity: Span) -> TickClock {
    TickClock::new(granularity, Span::from_ps(granularity.as_ps() / 3))
}
pub(crate) fn fast() -> TickClock {
    TickClock::new(Span::from_ms(200), Span::from_ms(70))
}

pub(crate) struct Pair {
    pub(crate) sender: Sender,
    pub(crate) receiver: Receiver,
    pub(crate) now: Time,
    /// Delay in each direction.
    pub(crate) latency: Span,
    /// Transmission time of a segment with data.
    pub(crate) service: Span,
    /// Numbers, from zero, of the transmissions that the network loses.
    pub(crate) lost_data: BTreeSet<u64>,
    pub(crate) lost_acks: BTreeSet<u64>,
    /// How much later than others these transmissions arrive.
    pub(crate) late_data: BTreeMap<u64, Span>,
    /// Data that the application writes later.
    pub(crate) writes: VecDeque<(Time, Available)>,
    pub(crate) steps: u64,
    line_free_at: Time,
    data: VecDeque<(Time, Segment)>,
    acks: VecDeque<(Time, Segment)>,
    data_sent: u64,
    acks_sent: u64,
    /// Each transmission of data: time, first octet, the octet after the last.
    pub(crate) sent: Vec<(Time, u64, u64)>,
    threshold: Threshold,
    /// Octets that have arrived, in sequence order; the oracle of `delivered`.
    arrived: Vec<bool>,
    contiguous: u64,
}

impl Pair {
    pub(crate) fn new(sender: SenderConfig, receiver: ReceiverConfig) -> Self {
        let variant = sender.variant;
        Self {
            sender: logging(sender),
            receiver: Receiver::new(receiver),
            now: Time::ZERO,
            latency: Span::from_ms(50),
            service: Span::ZERO,
            lost_data: BTreeSet::new(),
            lost_acks: BTreeSet::new(),
            late_data: BTreeMap::new(),
            writes: VecDeque::new(),
            steps: 0,
            line_free_at: Time::ZERO,
            data: VecDeque::new(),
            acks: VecDeque::new(),
            data_sent: 0,
            acks_sent: 0,
            sent: Vec::new(),
            threshold: Threshold {
                is_inflated: is_reno(variant),
                has_none: variant.facts().has_model,
                ..Threshold::default()
            },
            arrived: Vec::new(),
            contiguous: 0,
        }
    }

    /// Advances to the next wake-up; returns false when there is none.
    pub(crate) fn step(&mut self) -> bool {
        let Some(next) = self.next_wake_up() else {
            return false;
        };
        assert!(next >= self.now, "time went back to {next}");
        self.now = next;
        self.steps += 1;
        self.watch(|sender| sender.on_timer(next));
        self.drain_sender();
        self.receiver.on_timer(next);
        self.drain_receiver();
        if let Some(data) = pop_due(&mut self.writes, next) {
            self.sender.write(next, data);
            self.drain_sender();
        }
        if let Some(segment) = pop_due(&mut self.data, next) {
            self.receiver.on_segment(next, &segment);
            self.check_delivery(&segment);
            self.drain_receiver();
        }
        if let Some(ack) = pop_due(&mut self.acks, next) {
            self.watch(|sender| sender.on_segment(next, &ack));
            self.drain_sender();
        }
        true
    }

    /// Lets the sender `act`, and checks what losses and round-trip samples must not do.
    fn watch(&mut self, act: impl FnOnce(&mut Sender)) {
        let window = self.sender.cwnd().min(self.sender.snd_wnd());
        let losses = self.sender.losses();
        act(&mut self.sender);
        if self.sender.losses() > losses {
            self.threshold.on_loss(&self.sender, window);
        }
        while let Some(event) = self.sender.take_timer_event() {
            let Some(rtt) = event.rtt else { continue };
            let left_then = |&&(at, start, end): &&(Time, u64, u64)| {
                let copies = self
                    .sent
                    .iter()
                    .filter(|other| other.1 < end && start < other.2);
                at + rtt == self.now && copies.count() == 1
            };
            assert!(
                self.sent.iter().find(left_then).is_some(),
                "a round trip of {rtt} belongs to no segment sent once"
            );
        }
    }

    pub(crate) fn run_until(&mut self, end: Time) {
        while self.next_wake_up().is_some_and(|at| at <= end) {
            self.step();
        }
    }

    fn next_wake_up(&self) -> Option<Time> {
        let head = |queue: &VecDeque<(Time, Segment)>| queue.front().map(|x| x.0);
        let wake_ups = [
            self.sender.next_timeout(),
            self.sender.next_transmit().map(|at| at.max(self.now)),
            self.receiver.next_timeout(),
            self.writes.front().map(|x| x.0),
            head(&self.data),
            head(&self.acks),
        ];
        wake_ups.into_iter().flatten().min()
    }

    fn drain_sender(&mut self) {
        loop {
            let old_max = self.sender.snd_max();
            let probes = self.sender.stats().tail_probes;
            let Some(segment) = self.sender.poll_transmit(self.now) else {
                break;
            };
            assert!(segment.len > 0, "the sender sends data only");
            if segment.end() > old_max {
                self.check_window(self.sender.stats().tail_probes > probes);
                let outstanding = segment.end() - self.sender.snd_una();
                let offered = self.sender.snd_wnd();
                assert!(outstanding <= offered, "{outstanding} octets in {offered}");
            }
            self.line_free_at = self.line_free_at.max(self.now) + self.service;
            if !self.lost_data.contains(&self.data_sent) {
                let late = self.late_data.get(&self.data_sent).copied();
                let arrival = self.line_free_at + self.latency + late.unwrap_or(Span::ZERO);
                let at = self.data.partition_point(|other| other.0 <= arrival);
                self.data.insert(at, (arrival, segment));
            }
            self.data_sent += 1;
            self.sent.push((self.now, segment.seq, segment.end()));
        }
        let outstanding = self.sender.snd_max() > self.sender.snd_una();
        assert!(
            !outstanding || self.sender.next_timeout().is_some(),
            "data are outstanding, but no timer will wake the sender"
        );
    }

    /// New data were sent. A probe may exceed the congestion window (RFC 8985 7.3), and limited transmit may exceed it
    /// by two segments (RFC 3042 2).
    fn check_window(&self, is_probe: bool) {
        let limited_transmit = self.sender.config().recovery.limited_transmit;
        let extra = if limited_transmit {
            2 * self.sender.mss()
        } else {
            0
        };
        let (pipe, cwnd) = (self.sender.pipe(), self.sender.cwnd());
        assert!(is_probe || pipe <= cwnd + extra, "{pipe} octets in {cwnd}");
    }

    fn drain_receiver(&mut self) {
        while let Some(ack) = self.receiver.poll_transmit(self.now) {
            if !self.lost_acks.contains(&self.acks_sent) {
                self.acks.push_back((self.now + self.latency, ack));
            }
            self.acks_sent += 1;
        }
    }

    /// Exactly the data that have arrived without a hole are delivered.
    fn check_delivery(&mut self, segment: &Segment) {
        let (start, end) = (segment.seq as usize, segment.end() as usize);
        self.arrived.resize(self.arrived.len().max(end), false);
        self.arrived[start..end].fill(true);
        while self.arrived.get(self.contiguous as usize) == Some(&true) {
            self.contiguous += 1;
        }
        assert_eq!(self.receiver.delivered(), self.contiguous);
    }
}

fn logging(config: SenderConfig) -> Sender {
    let mut sender = Sender::new(config);
    sender.log_timer_events();
    sender
}

/// Time-outs and fast retransmits.
trait Losses {
    fn losses(&self) -> u64;
}

impl Losses for Sender {
    fn losses(&self) -> u64 {
        self.stats().timeouts + self.stats().fast_retransmits
    }
}

/// The allowed threshold: a loss must not leave it above the window before the first loss of its episode, which lasts
/// until all data sent when its last loss was detected are acknowledged (RFC 5681 3.1). Two segments are always
/// allowed.
#[derive(Default)]
struct Threshold {
    most: u64,
    /// The end of the episode.
    recover: u64,
    /// Reductions that were undone.
    undone: u64,
    /// Whether a time-out halves the window that duplicates have inflated, as in BSD's Reno: after a window full of
    /// duplicates, half of it is more than the original window.
    is_inflated: bool,
    /// Whether a model of the network stands in place of a threshold.
    has_none: bool,
}

/// Whether the system has BSD's Reno.
fn is_reno(variant: Variant) -> bool {
    matches!(
        variant,
        Variant::Bsd43Reno(_) | Variant::Bsd44(_) | Variant::Bsd44Lite2(_)
    )
}

impl Threshold {
    fn on_loss(&mut self, sender: &Sender, window: u64) {
        if self.has_none {
            return;
        }
        let undone = core::mem::replace(&mut self.undone, sender.stats().reductions_undone);
        if sender.snd_una() >= self.recover {
            self.most = window;
        } else if self.undone > undone {
            // Spurious losses left the window unchanged until this one.
            self.most = self.most.max(window);
        }
        self.recover = sender.snd_max();
        let (ssthresh, least) = (sender.ssthresh(), 2 * sender.mss());
        let inflated = if self.is_inflated { window / 2 } else { 0 };
        assert!(
            ssthresh <= self.most.max(least).max(inflated),
            "a loss left a threshold of {ssthresh} where the window was {}",
            self.most
        );
    }
}

fn pop_due<T>(queue: &mut VecDeque<(Time, T)>, now: Time) -> Option<T> {
    let due = queue.front().is_some_and(|head| head.0 <= now);
    due.then(|| queue.pop_front())?.map(|head| head.1)
}
