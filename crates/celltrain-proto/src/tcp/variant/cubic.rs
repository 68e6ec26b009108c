//! CUBIC: after a loss the window returns to where it was along a cubic function of time.
//!
//! Windows are in segments here, times in seconds. Losses are repaired by `sack` or `newreno`. While the window does not
//! limit the outstanding data, it does not grow, and the clock of the cubic function stops.
//!
//! Source: RFC 9438 4.1 to 4.9, 5.8; 4.10 is the sender's (`hystart`). Linux computes the growth in another way
//! (`counted`).

mod counted;

use super::facts::{ControlOptions, Facts, WindowRules};
use super::law::{self, MakeLaw, WindowLaw};
use super::{Event, Window};
use crate::units::Time;
use counted::Counted;

/// The constant of the cubic function in segments / s^3.
const C: f64 = 0.4;
/// The part of the window that a loss leaves; in Linux 717 / 1024.
const BETA: f64 = 0.7;
const LINUX_BETA: f64 = 717.0 / 1_024.0;
/// Growth of the Reno-friendly window, in segments for each window acknowledged.
const ALPHA: f64 = 3.0 * (1.0 - BETA) / (1.0 + BETA);

parameters! {
    /// The parameters of CUBIC.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct CubicParameters {
        /// Whether a connection that loses below its last maximum gives way to others.
        pub fast_convergence: bool = true;
    }
}

/// CUBIC's state.
#[derive(Clone, Debug)]
pub(in crate::tcp) struct Cubic {
    parameters: CubicParameters,
    /// The window before the last reduction, possibly lowered; zero after a time-out.
    w_max: f64,
    /// The window before the last reduction, unmodified.
    cwnd_prior: f64,
    epoch: Option<Epoch>,
    /// Congestion avoidance by the rules of Linux.
    counted: Option<Counted>,
}

/// Congestion avoidance since a reduction.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    start: Time,
    /// Seconds from its start to `w_max`.
    k: f64,
    /// `cwnd` with fractions; the window holds whole octets.
    cwnd: f64,
    /// The window that Reno would have (`W_est`).
    w_est: f64,
    /// When the window last stopped limiting the sender.
    held_since: Option<Time>,
}

impl MakeLaw for Cubic {
    type Parameters = CubicParameters;
    const FACTS: Facts = Facts {
        has_linux_hystart: true,
        ..Facts::LAW
    };

    fn new(parameters: &CubicParameters, options: &ControlOptions, _: &mut Window) -> Self {
        let is_linux = options.window_rules == WindowRules::Linux;
        Self {
            parameters: *parameters,
            w_max: 0.0,
            cwnd_prior: 0.0,
            epoch: None,
            counted: is_linux.then(Counted::default),
        }
    }
}

impl WindowLaw for Cubic {
    fn measure(&mut self, _: &Window, event: &Event) {
        if let (Some(counted), Some(rtt)) = (&mut self.counted, event.rtt) {
            counted.measure(event.now, rtt);
        }
    }

    fn reduce(&mut self, window: &mut Window, event: &Event) {
        let cwnd = window.cwnd as f64 / window.mss as f64;
        self.cwnd_prior = cwnd;
        let gives_way = self.parameters.fast_convergence && cwnd < self.w_max;
        self.w_max = if gives_way {
            cwnd * (1.0 + self.beta()) / 2.0
        } else {
            cwnd
        };
        window.ssthresh = self.share_left(window, event).max(2 * window.mss);
        self.end_epoch(window);
    }

    /// Also reduces the window, to at least one segment (RFC 9438 4.6).
    fn on_ecn(&mut self, window: &mut Window, event: &Event) {
        let left = self.share_left(window, event);
        self.reduce(window, event);
        window.cwnd = left.max(window.mss);
    }

    /// The next epoch starts on its plateau.
    fn on_timeout(&mut self, window: &mut Window, event: &Event, is_repairing: bool) {
        law::restart(self, window, event, is_repairing);
        self.w_max = 0.0;
        self.end_epoch(window);
        if let Some(counted) = &mut self.counted {
            *counted = Counted::default();
        }
    }

    fn on_idle(&mut self, window: &mut Window) {
        window.restart_after_idle();
        self.end_epoch(window);
    }

    fn on_ack(&mut self, window: &mut Window, acked: u64, limit: u64, event: &Event) {
        if event.is_cwnd_limited {
            self.grow(window, acked, limit, event);
            return;
        }
        // The window did not limit the outstanding data: time stops until it does (RFC 9438 4.2, 5.8).
        if let Some(epoch) = &mut self.epoch {
            epoch.held_since.get_or_insert(event.now);
        }
        if let Some(counted) = &mut self.counted {
            counted.hold(event.now);
        }
    }
}

impl Cubic {
    fn beta(&self) -> f64 {
        match self.counted {
            Some(_) => LINUX_BETA,
            None => BETA,
        }
    }

    /// What a loss leaves of the window in use.
    fn share_left(&self, window: &Window, event: &Event) -> u64 {
        let left = (window.in_use(event.flight()) as f64 * self.beta()) as u64;
        match self.counted {
            Some(_) => left / window.mss * window.mss,
            None => left,
        }
    }

    fn end_epoch(&mut self, window: &mut Window) {
        self.epoch = None;
        if let Some(counted) = &mut self.counted {
            counted.end_epoch();
            window.clear_credit();
        }
    }

    /// `acked` octets of new data are acknowledged; slow start grows by `limit` at most.
    fn grow(&mut self, w: &mut Window, mut acked: u64, limit: u64, event: &Event) {
        if w.is_slow_start() {
            acked = w.grow_in_slow_start(acked, limit);
            if acked == 0 {
                return;
            }
        }
        if let Some(counted) = &mut self.counted {
            let count = counted.next_count(w, acked, self.w_max as u64, event);
            w.grow_by_segments(acked, count * w.mss);
            return;
        }
        let mss = w.mss as f64;
        let segments = w.cwnd as f64 / mss;
        let mut epoch = match self.epoch {
            Some(epoch) => epoch,
            None => Epoch::new(event.now, segments, &mut self.w_max),
        };
        if let Some(since) = epoch.held_since.take() {
            epoch.start += event.now - since;
        }
        let acked = w.most_of_a_window(acked) as f64 / mss;
        let t = event.now.saturating_since(epoch.start).as_secs();
        let ahead = t + event.srtt.as_secs();
        let target = w_cubic(ahead, epoch.k, self.w_max).clamp(epoch.cwnd, 1.5 * epoch.cwnd);
        let alpha = if epoch.w_est >= self.cwnd_prior {
            1.0
        } else {
            ALPHA
        };
        epoch.w_est += alpha * acked / epoch.cwnd;
        if w_cubic(t, epoch.k, self.w_max) < epoch.w_est {
            epoch.cwnd = epoch.cwnd.max(epoch.w_est);
        } else {
            // Per segment acknowledged, however many one acknowledgment covers.
            epoch.cwnd += (target - epoch.cwnd) * (acked / epoch.cwnd).min(1.0);
        }
        epoch.cwnd = epoch.cwnd.min(w.max as f64 / mss);
        w.cwnd = ((epoch.cwnd * mss) as u64).max(w.cwnd).min(w.max);
        self.epoch = Some(epoch);
    }
}

impl Epoch {
    fn new(start: Time, cwnd: f64, w_max: &mut f64) -> Self {
        *w_max = w_max.max(cwnd);
        Self {
            start,
            k: libm::cbrt((*w_max - cwnd) / C),
            cwnd,
            w_est: cwnd,
            held_since: None,
        }
    }
}

/// The window `t` seconds into an epoch.
fn w_cubic(t: f64, k: f64, w_max: f64) -> f64 {
    let since = t - k;
    C * since * since * since + w_max
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Span;

    /// Equal to four decimals.
    fn assert_close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 6e-5, "{found} {expected}");
    }

    /// CUBIC and its window.
    struct Windowed {
        law: Cubic,
        window: Window,
    }

    impl Windowed {
        fn reduce(&mut self, flight: u64) {
            let event = Event {
                snd_max: flight,
                ..Event::default()
            };
            self.law.reduce(&mut self.window, &event);
        }
        fn grow(&mut self, acked: u64, limit: u64, event: &Event) {
            self.law.grow(&mut self.window, acked, limit, event);
        }
    }

    fn cubic(segments: u64) -> Windowed {
        let mut window = Window::new(1_000, 100_000_000, 100_000_000);
        window.cwnd = segments * 1_000;
        let parameters = CubicParameters {
            fast_convergence: true,
        };
        let law = Cubic::new(&parameters, &ControlOptions::default(), &mut window);
        Windowed { law, window }
    }

    fn at_ms(ms: u64, srtt: u64) -> Event {
        Event {
            now: Time::ZERO + Span::from_ms(ms),
            srtt: Span::from_ms(srtt),
            ..Event::default()
        }
    }

    #[test]
    fn the_time_to_the_old_maximum_is_the_cube_root_of_the_distance_over_c() {
        for (mut w_max, k) in [
            (10.0, 1.9574),
            (100.0, 4.2172),
            (1_000.0, 9.0856),
            (10_000.0, 19.5743),
        ] {
            let epoch = Epoch::new(Time::ZERO, w_max * BETA, &mut w_max);
            assert_close(epoch.k, k);
        }
    }

    #[test]
    fn the_window_follows_the_cubic_function_of_time() {
        let mut w_max = 100.0;
        let k = Epoch::new(Time::ZERO, 70.0, &mut w_max).k;
        for (t, w) in [
            (0.0, 70.0),
            (1.0, 86.6808),
            (2.0, 95.6403),
            (3.0, 99.2787),
            (4.0, 99.9959),
            (5.0, 100.1919),
            (6.0, 102.2667),
            (8.0, 121.6527),
            (10.0, 177.3540),
        ] {
            assert_close(w_cubic(t, k, w_max), w);
        }
    }

    #[test]
    fn a_loss_leaves_seven_tenths_of_what_is_outstanding_and_at_least_two_segments() {
        let mut c = cubic(100);
        c.reduce(100_000);
        assert_eq!((c.window.ssthresh, c.law.w_max), (70_000, 100.0));
        c.reduce(1_000);
        assert_eq!(c.window.ssthresh, 2_000);
    }

    #[test]
    fn a_loss_below_the_last_maximum_lowers_it_further_with_fast_convergence() {
        for (fast_convergence, w_max) in [(true, 76.5), (false, 90.0)] {
            let mut c = cubic(100);
            c.law.parameters.fast_convergence = fast_convergence;
            c.reduce(100_000);
            c.window.cwnd = 90_000;
            c.reduce(90_000);
            assert_close(c.law.w_max, w_max);
        }
    }

    #[test]
    fn an_acknowledgment_moves_the_window_to_where_it_should_be_a_round_trip_later() {
        let mut c = cubic(100);
        c.reduce(100_000);
        c.window.cwnd = 70_000;
        c.grow(1_000, 2_000, &at_ms(0, 1_000)); // the epoch begins: 0.5294 / 70 of a segment, as Reno
        assert_eq!(c.window.cwnd, 70_007);
        // W(3 s) is 99.2787 segments: (99.2787 - 70.0076) / 70.0076 = 0.4181 of a segment.
        c.grow(1_000, 2_000, &at_ms(2_000, 1_000));
        assert_eq!(c.window.cwnd, 70_425);
    }

    #[test]
    fn the_target_is_at_most_one_and_a_half_windows() {
        let mut c = cubic(1_000);
        c.reduce(1_000_000);
        c.window.cwnd = 700_000;
        c.grow(1_000, 2_000, &at_ms(0, 0));
        assert_eq!(c.window.cwnd, 700_000);
        // W(30 s) is far above: growth by half a window per window of acknowledgments.
        c.grow(1_000, 2_000, &at_ms(30_000, 0));
        assert_eq!(c.window.cwnd, 700_000 + 500);
    }

    #[test]
    fn on_short_paths_the_window_is_what_reno_would_have() {
        let mut c = cubic(10);
        c.reduce(10_000);
        c.window.cwnd = 7_000;
        // With a round-trip time of zero the cubic function does not advance: alpha / cwnd per acknowledgment.
        c.grow(1_000, 2_000, &at_ms(0, 0));
        assert_eq!(c.window.cwnd, 7_000 + 75);
    }

    #[test]
    fn after_a_time_out_the_next_epoch_starts_on_its_plateau() {
        let mut c = cubic(100);
        c.reduce(100_000);
        c.law.on_timeout(&mut c.window, &Event::default(), true);
        assert_eq!((c.window.ssthresh, c.window.cwnd), (70_000, 1_000));
        c.window.cwnd = 70_000;
        c.grow(1_000, 2_000, &at_ms(0, 0));
        let k = c.law.epoch.expect("congestion avoidance has begun").k;
        assert_eq!((k, c.law.w_max), (0.0, 70.0));
    }

    #[test]
    fn rfc_9438_4_3_the_reno_friendly_window_grows_by_segments_acknowledged_and_beyond_the_old_one_as_reno()
     {
        // With a round-trip time of zero the cubic function does not advance, and only that window grows.
        let estimate = |acked: u64, acks: u64| {
            let mut c = cubic(10);
            c.reduce(10_000);
            c.window.cwnd = 7_000;
            for _ in 0..acks {
                c.grow(acked, 2_000, &at_ms(0, 0));
            }
            c.law.epoch.expect("congestion avoidance has begun").w_est
        };
        assert_close(estimate(2_000, 1), 7.0 + 2.0 * ALPHA / 7.0);
        assert!((estimate(2_000, 10) - estimate(1_000, 20)).abs() < 0.02);
        // From 7 to 10 segments by ALPHA per window, then by a segment per window.
        let growth = |from: u64| estimate(1_000, from + 20) - estimate(1_000, from);
        assert!(growth(20) < 2.0 * 20.0 / 8.0 * ALPHA);
        assert!(growth(60) > 20.0 / 12.0);
    }

    #[test]
    fn rfc_9438_4_9_a_reduction_without_a_loss_leaves_the_old_maximum_and_its_epoch() {
        use super::super::congestion_control::CongestionControl;
        use super::super::sack::Sack;
        let Windowed { law, mut window } = cubic(100);
        window.ssthresh = 70_000;
        window.cwnd = 70_000;
        let mut sack = Sack::new(law, window);
        sack.on_ack(1_000, &at_ms(0, 0));
        let before = sack.clone();
        let loss = Event {
            snd_max: 70_000,
            ..at_ms(10, 0)
        };
        sack.on_duplicate_ack(3, &loss);
        assert_eq!(sack.window().ssthresh, 49_000);
        sack.undo(before.clone());
        assert_eq!(sack.window(), before.window());
        // The epoch is the same, so W(10 s) is as without the loss.
        let later = |mut it: Sack<Cubic>| {
            it.on_ack(1_000, &at_ms(10_000, 0));
            it.window().cwnd
        };
        assert_eq!(later(sack), later(before));
    }
}
