//! Test driver: a law and its window on a path with round-trip times given by the test.

use super::congestion_control::Event;
use super::facts::ControlOptions;
use super::law::{MakeLaw, WindowLaw};
use super::window::Window;
use crate::units::{Span, Time};

pub(super) const MSS: u64 = 1_000;

/// A law, its window, and the clock and sequence number of its connection.
pub(super) struct Drive<L> {
    pub(super) law: L,
    pub(super) window: Window,
    pub(super) now: Time,
    una: u64,
}

impl<L: MakeLaw + WindowLaw> Drive<L> {
    /// A connection in congestion avoidance with a window of `segments`.
    pub(super) fn new(parameters: &L::Parameters, segments: u64) -> Self {
        let mut window = Window::new(MSS as u32, 1_000_000_000, 2_000);
        window.cwnd = segments * MSS;
        Self {
            law: L::new(parameters, &ControlOptions::default(), &mut window),
            window,
            now: Time::ZERO,
            una: 0,
        }
    }

    /// The sender's state with `outstanding` octets outstanding.
    pub(super) fn event(&self, rtt: Option<Span>, outstanding: u64) -> Event {
        Event {
            now: self.now,
            srtt: rtt.unwrap_or_default(),
            rtt,
            arrived: self.una,
            snd_una: self.una,
            snd_max: self.una + outstanding,
            snd_wnd: u64::MAX,
            is_cwnd_limited: true,
            ..Event::default()
        }
    }

    /// An acknowledgment of one segment with round-trip time `rtt`.
    pub(super) fn ack(&mut self, rtt: Span) {
        self.una += MSS;
        let event = self.event(Some(rtt), self.window.cwnd);
        self.law.measure(&self.window, &event);
        self.law.on_ack(&mut self.window, MSS, 2 * MSS, &event);
    }

    /// Acknowledges each segment of the window, evenly spaced over `rtt`.
    pub(super) fn round(&mut self, rtt: Span) {
        let segments = self.window.cwnd / MSS;
        let start = self.now;
        for acked in 1..=segments {
            self.now = start + rtt * acked / segments;
            self.ack(rtt);
        }
    }

    /// A loss, with all of the window outstanding.
    pub(super) fn lose(&mut self) {
        let event = self.event(None, self.window.cwnd);
        self.law.on_loss(&mut self.window, &event);
    }

    /// The window in segments.
    pub(super) fn segments(&self) -> f64 {
        self.window.cwnd as f64 / MSS as f64
    }
}
