//! One sender and one receiver over a link that only delays and loses segments.
//!
//! The delay is the same in both directions. A segment occupies the link for `service`; zero means an infinite rate.
//! Losses are chosen by the number of the new segment: retransmissions always arrive. The clock jumps from event to
//! event; at one instant timers come first, then data, then acknowledgments.

use std::collections::VecDeque;

use celltrain_proto::tcp::{Available, Receiver, ReceiverConfig, Segment, Sender, SenderConfig};
use celltrain_proto::units::{Span, Time};

/// A connection, its link, and a log of segments and acknowledgments.
pub(crate) struct IdealLink {
    pub(crate) sender: Sender,
    pub(crate) receiver: Receiver,
    /// Each transmission of data: time, sequence number, octets.
    pub(crate) sent: Vec<(Time, u64, u32)>,
    /// Each arrival of an acknowledgment at the sender: time, acknowledgment number.
    pub(crate) acks: Vec<(Time, u64)>,
    one_way: Span,
    service: Span,
    loses: Box<dyn Fn(u64) -> bool>,
    now: Time,
    free_at: Time,
    new_segments: u64,
    to_receiver: VecDeque<(Time, Segment)>,
    to_sender: VecDeque<(Time, Segment)>,
}

impl IdealLink {
    /// A connection without data. `loses` says whether new segment number 0, 1, 2, ... is lost.
    pub(crate) fn new(
        ends: &(SenderConfig, ReceiverConfig),
        rtt: Span,
        service: Span,
        loses: impl Fn(u64) -> bool + 'static,
    ) -> Self {
        Self {
            sender: Sender::new(ends.0),
            receiver: Receiver::new(ends.1),
            sent: Vec::new(),
            acks: Vec::new(),
            one_way: rtt / 2,
            service,
            loses: Box::new(loses),
            now: Time::ZERO,
            free_at: Time::ZERO,
            new_segments: 0,
            to_receiver: VecDeque::new(),
            to_sender: VecDeque::new(),
        }
    }

    /// The application writes data now.
    pub(crate) fn write(&mut self, data: Available) {
        self.sender.write(self.now, data);
        self.send();
    }

    /// Runs while there is a next event and `goes_on` returns true for `self` and its instant.
    pub(crate) fn run_while(&mut self, goes_on: impl Fn(&Self, Time) -> bool) {
        while let Some(next) = self.next_event().filter(|&next| goes_on(self, next)) {
            self.now = next;
            self.step();
        }
    }

    fn next_event(&self) -> Option<Time> {
        let arrival = |queue: &VecDeque<(Time, Segment)>| queue.front().map(|head| head.0);
        let events = [
            self.sender.next_timeout(),
            self.receiver.next_timeout(),
            arrival(&self.to_receiver),
            arrival(&self.to_sender),
        ];
        events.into_iter().flatten().min()
    }

    fn step(&mut self) {
        let now = self.now;
        self.sender.on_timer(now);
        self.send();
        self.receiver.on_timer(now);
        self.acknowledge();
        if let Some(segment) = pop_due(&mut self.to_receiver, now) {
            self.receiver.on_segment(now, &segment);
            self.acknowledge();
        }
        if let Some(ack) = pop_due(&mut self.to_sender, now) {
            self.acks.push((now, ack.ack));
            self.sender.on_segment(now, &ack);
            self.send();
        }
    }

    fn send(&mut self) {
        loop {
            let old_max = self.sender.snd_max();
            let Some(segment) = self.sender.poll_transmit(self.now) else {
                break;
            };
            let is_new = segment.seq >= old_max;
            self.sent.push((self.now, segment.seq, segment.len));
            self.free_at = self.free_at.max(self.now) + self.service;
            let lost = is_new && (self.loses)(self.new_segments);
            self.new_segments += u64::from(is_new);
            if !lost {
                let arrival = self.free_at + self.one_way;
                self.to_receiver.push_back((arrival, segment));
            }
        }
    }

    fn acknowledge(&mut self) {
        while let Some(ack) = self.receiver.poll_transmit(self.now) {
            self.to_sender.push_back((self.now + self.one_way, ack));
        }
    }
}

fn pop_due(queue: &mut VecDeque<(Time, Segment)>, now: Time) -> Option<Segment> {
    let due = queue.front().is_some_and(|head| head.0 <= now);
    due.then(|| queue.pop_front())?.map(|head| head.1)
}
