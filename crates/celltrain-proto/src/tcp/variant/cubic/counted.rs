//! Congestion avoidance of CUBIC as Linux computes it: whole segments, one for each `count` segments acknowledged.
//!
//! It differs from RFC 9438 in this:
//!
//! - Before the first loss, and after a time-out, the window grows by at least 5 % in a round trip: the plateau on which
//!   the function begins would otherwise keep the window of a slow start that ended early (`hystart`) for seconds.
//! - The window is to be where the function will be after the minimum round-trip time, not the smoothed one.
//! - The Reno-friendly window grows by the same share beyond the old maximum as below it, and is approached within a
//!   window of acknowledgments.
//! - The function is evaluated when the window has changed, otherwise 32 times a second.
//!
//! Source: Linux 6 `tcp_cubic.c` (`bictcp_update`).

use super::super::{Event, Window};
use crate::units::{Span, Time};

/// The constant of the cubic function in segments / s^3: 410 / 1024.
const C: f64 = 410.0 / 1024.0;
/// Segments acknowledged for each segment of growth: at least, at most while no maximum is known, and in windows on the
/// plateau.
const LEAST_COUNT: u64 = 2;
const FIRST_COUNT: u64 = 20;
const PLATEAU_WINDOWS: u64 = 100;
/// The Reno-friendly window grows by a segment for each 15 / 8 windows acknowledged.
const RENO_SHARE: (u64, u64) = (15, 8);
/// The function of an unchanged window is evaluated again after this time.
const EVALUATED_EVERY: Span = Span::from_us(31_250);
/// Round trips at the beginning of an epoch do not count: queues are still draining.
const SETTLING: Span = Span::from_secs(1);

/// The state of congestion avoidance.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counted {
    /// Segments acknowledged for each segment of growth (`cnt`).
    count: u64,
    epoch: Option<Epoch>,
    /// The window and the time of the last evaluation.
    evaluated: Option<(u64, Time)>,
    /// The minimum round-trip time (`delay_min`).
    least_rtt: Option<Span>,
}

/// Congestion avoidance since a reduction. Windows are in segments.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    start: Time,
    /// Seconds from its start to `origin`, where the function is flat.
    k: f64,
    origin: u64,
    /// Octets acknowledged that the Reno-friendly window has not used (`ack_cnt`).
    acked: u64,
    /// The window that Reno would have (`tcp_cwnd`).
    reno: u64,
    /// When the window last stopped limiting the sender.
    held_since: Option<Time>,
}

impl Counted {
    /// A round trip was measured outside a recovery.
    pub(super) fn measure(&mut self, now: Time, rtt: Span) {
        let is_settling = |epoch: Epoch| now.saturating_since(epoch.start) < SETTLING;
        if !self.epoch.is_some_and(is_settling) {
            self.least_rtt = Some(self.least_rtt.map_or(rtt, |least| least.min(rtt)));
        }
    }

    /// The window is reduced, or output resumes after an idle period.
    pub(super) fn end_epoch(&mut self) {
        self.epoch = None;
    }

    /// The window does not limit the outstanding data: time stops until it does.
    pub(super) fn hold(&mut self, now: Time) {
        if let Some(epoch) = &mut self.epoch {
            epoch.held_since.get_or_insert(now);
        }
    }

    /// `acked` octets of new data are acknowledged: returns how many segments must be for the window to grow by one.
    /// `w_max` is the window before the last reduction in segments, zero if unknown.
    pub(super) fn next_count(&mut self, w: &Window, acked: u64, w_max: u64, event: &Event) -> u64 {
        let segments = w.cwnd / w.mss;
        let mut epoch = match self.epoch {
            Some(epoch) => epoch.after(acked, event.now),
            None => Epoch::new(event.now, segments, w_max, acked),
        };
        let is_fresh = self.evaluated.is_some_and(|(window, at)| {
            window == segments && event.now.saturating_since(at) <= EVALUATED_EVERY
        });
        if is_fresh && self.epoch.is_some() {
            self.epoch = Some(epoch);
            return self.count;
        }
        self.evaluated = Some((segments, event.now));
        let target = epoch.target(event.now, self.least_rtt.unwrap_or_default());
        let mut count = match target.checked_sub(segments) {
            None | Some(0) => PLATEAU_WINDOWS * segments,
            Some(growth) => segments / growth,
        };
        if w_max == 0 {
            count = count.min(FIRST_COUNT);
        }
        epoch.advance_reno(segments, w.mss);
        if epoch.reno > segments {
            count = count.min(segments / (epoch.reno - segments));
        }
        self.epoch = Some(epoch);
        self.count = count.max(LEAST_COUNT);
        self.count
    }
}

impl Epoch {
    fn new(start: Time, segments: u64, w_max: u64, acked: u64) -> Self {
        let below = w_max.saturating_sub(segments);
        Self {
            start,
            k: libm::cbrt(below as f64 / C),
            origin: w_max.max(segments),
            acked,
            reno: segments,
            held_since: None,
        }
    }

    /// This epoch when `acked` more octets are acknowledged; the time in which it was held does not count.
    fn after(mut self, acked: u64, now: Time) -> Self {
        self.acked += acked;
        if let Some(since) = self.held_since.take() {
            self.start += now - since;
        }
        self
    }

    /// The window that the function has after `ahead`.
    fn target(&self, now: Time, ahead: Span) -> u64 {
        let t = now.saturating_since(self.start).as_secs() + ahead.as_secs() - self.k;
        let distance = (C * t * t * t).abs() as u64;
        if t < 0.0 {
            self.origin.saturating_sub(distance)
        } else {
            self.origin + distance
        }
    }

    fn advance_reno(&mut self, segments: u64, mss: u64) {
        let (parts, of) = RENO_SHARE;
        let due = (segments * parts / of).max(1) * mss;
        // Strictly more than is due, as in the kernel.
        while self.acked > due {
            self.acked -= due;
            self.reno += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Cubic;
    use super::*;
    use crate::tcp::CubicParameters;
    use crate::tcp::variant::facts::{ControlOptions, WindowRules};
    use crate::tcp::variant::law::{MakeLaw, WindowLaw};

    const MSS: u64 = 1_000;

    struct Windowed {
        law: Cubic,
        window: Window,
    }

    impl Windowed {
        /// In congestion avoidance.
        fn new(segments: u64) -> Self {
            let mut window = Window::new(MSS as u32, 100_000_000, 2_000);
            window.cwnd = segments * MSS;
            let parameters = CubicParameters {
                fast_convergence: true,
            };
            let options = ControlOptions {
                window_rules: WindowRules::Linux,
                ..ControlOptions::default()
            };
            let law = Cubic::new(&parameters, &options, &mut window);
            Self { law, window }
        }

        fn lose(&mut self) {
            let event = Event {
                snd_max: self.window.cwnd,
                ..Event::default()
            };
            self.law.on_loss(&mut self.window, &event);
        }

        fn measure(&mut self, ms: u64, rtt_ms: u64) {
            let event = Event {
                rtt: Some(Span::from_ms(rtt_ms)),
                ..at(ms)
            };
            self.law.measure(&self.window, &event);
        }

        /// Segments of the window after this many more were acknowledged, one by one.
        fn after(&mut self, ms: u64, acked: u64) -> u64 {
            for _ in 0..acked {
                self.law.on_ack(&mut self.window, MSS, u64::MAX, &at(ms));
            }
            assert_eq!(self.window.cwnd % MSS, 0);
            self.window.cwnd / MSS
        }
    }

    /// The smoothed round trip is far from the least.
    fn at(ms: u64) -> Event {
        Event {
            now: Time::ZERO + Span::from_ms(ms),
            srtt: Span::from_secs(60),
            is_cwnd_limited: true,
            ..Event::default()
        }
    }

    #[test]
    fn linux_grows_by_5_percent_in_a_round_trip_while_no_maximum_is_known() {
        let mut c = Windowed::new(100);
        assert_eq!(
            [c.after(0, 19), c.after(0, 1), c.after(0, 80)],
            [100, 101, 105]
        );
        // A loss makes it known: 73 of 105 are left, on the plateau of the function.
        c.lose();
        assert_eq!(c.window.cwnd, 73 * MSS);
        // A time-out forgets it.
        c.law.on_timeout(&mut c.window, &at(0), true);
        c.window.cwnd = 100 * MSS;
        c.window.ssthresh = 100 * MSS;
        assert_eq!(c.after(0, 20), 101);
    }

    #[test]
    fn linux_grows_to_where_the_function_is_a_minimum_round_trip_later() {
        let mut c = Windowed::new(100);
        c.measure(0, 1_000);
        c.measure(0, 1_500);
        c.lose();
        assert_eq!(c.window.cwnd, 70 * MSS);
        // K = cbrt(30 / 0.4004) = 4.216 s; W(1 s) = 100 - 0.4004 x 3.216^3 = 86.7, in the kernel 100 - 13: a segment for each
        // 70 / 17 = 4 acknowledged.
        assert_eq!([c.after(0, 3), c.after(0, 1)], [70, 71]);
        // W(2 s) = 100 - 0.4004 x 2.216^3 = 95.6: 71 / 25 = 2 for each.
        assert_eq!([c.after(1_000, 1), c.after(1_000, 1)], [71, 72]);
    }

    #[test]
    fn linux_does_not_count_round_trips_of_the_first_second_of_an_epoch() {
        let least = |ms| {
            let mut c = Windowed::new(100);
            c.measure(0, 500);
            c.lose();
            c.after(0, 1);
            c.measure(ms, 100);
            c.law.counted.and_then(|counted| counted.least_rtt)
        };
        assert_eq!(least(999), Some(Span::from_ms(500)));
        assert_eq!(least(1_000), Some(Span::from_ms(100)));
    }

    #[test]
    fn linux_adds_to_the_reno_friendly_window_for_each_15_eighths_of_a_window() {
        let mut epoch = Epoch::new(Time::ZERO, 8, 0, 15 * MSS);
        epoch.advance_reno(8, MSS);
        assert_eq!(epoch.reno, 8);
        epoch.acked += 1;
        epoch.advance_reno(8, MSS);
        assert_eq!((epoch.reno, epoch.acked), (9, 1));
    }

    #[test]
    fn linux_leaves_717_of_1024_parts_of_a_window_in_whole_segments() {
        for (segments, left) in [(10, 7), (90, 63), (13, 9), (2, 2)] {
            let mut c = Windowed::new(segments);
            c.lose();
            assert_eq!(c.window.cwnd, left * MSS, "{segments}");
        }
    }

    #[test]
    fn the_clock_stops_while_the_window_does_not_limit_the_sender() {
        let start = |held: bool| {
            let mut c = Windowed::new(100);
            c.after(0, 1);
            let idle = Event {
                is_cwnd_limited: !held,
                ..at(1_000)
            };
            c.law.on_ack(&mut c.window, MSS, u64::MAX, &idle);
            c.after(3_000, 1);
            c.law
                .counted
                .and_then(|counted| counted.epoch)
                .map(|epoch| epoch.start)
        };
        assert_eq!(start(false), Some(Time::ZERO));
        assert_eq!(start(true), Some(Time::ZERO + Span::from_secs(2)));
    }
}
