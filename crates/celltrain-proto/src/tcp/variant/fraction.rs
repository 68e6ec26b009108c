//! Window changes by fractions of an octet.

use super::window::Window;

/// The part of an octet by which a window exceeds its integer value.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Fraction(f64);

impl Fraction {
    /// Grows a window after `acked` octets were acknowledged: in slow start by at most `limit`, and beyond by `segments` for
    /// each window acknowledged.
    pub(super) fn grow(&mut self, window: &mut Window, acked: u64, limit: u64, segments: f64) {
        let left = if window.is_slow_start() {
            window.grow_in_slow_start(acked, limit)
        } else {
            acked
        };
        let share = window.most_of_a_window(left) as f64 / window.cwnd as f64;
        self.add(window, segments * share * window.mss as f64, window.cwnd);
    }

    /// Adds `octets`, which may be negative, within `least` and the window's maximum. A shrinking window lowers the
    /// threshold too, because a window below its threshold would be in slow start.
    pub(super) fn add(&mut self, window: &mut Window, octets: f64, least: u64) {
        let sum = (window.cwnd as f64 + self.0 + octets).max(0.0);
        let whole = sum as u64;
        window.cwnd = whole.max(least).min(window.max);
        if octets < 0.0 {
            window.ssthresh = window.ssthresh.min(window.cwnd);
        }
        self.0 = if window.cwnd == whole {
            sum - whole as f64
        } else {
            0.0
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_octets_add_up_within_the_bounds() {
        let mut window = Window::new(1_000, 10_000, 10_000);
        let mut fraction = Fraction::default();
        for _ in 0..8 {
            fraction.add(&mut window, 0.25, 0);
        }
        assert_eq!((window.cwnd, fraction.0), (1_002, 0.0));
        assert_eq!(window.ssthresh, 10_000);
        fraction.add(&mut window, -2.5, 0);
        assert_eq!((window.cwnd, fraction.0), (999, 0.5));
        assert_eq!(window.ssthresh, 999);
        fraction.add(&mut window, -1e6, 2_000);
        assert_eq!((window.cwnd, fraction.0), (2_000, 0.0));
        fraction.add(&mut window, 1e6, 2_000);
        assert_eq!((window.cwnd, fraction.0), (10_000, 0.0));
    }
}
