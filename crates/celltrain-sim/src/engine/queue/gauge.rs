//! The minimum, mean and maximum of a queue over an interval.

use celltrain_proto::units::Time;

/// A queue whose length is observed.
#[derive(Clone, Copy, Default, Debug)]
pub(in crate::engine) struct Gauge {
    queue: u32,
    min: u32,
    max: u32,
    /// The integral of the queue from `start` to `since`, in cell picoseconds.
    area: u128,
    start: Time,
    /// When the queue last changed.
    since: Time,
}

/// The statistics of a queue over a batch, in cells.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(in crate::engine) struct GaugeBatch {
    pub(in crate::engine) min: u32,
    pub(in crate::engine) mean: f64,
    pub(in crate::engine) max: u32,
}

impl Gauge {
    /// Notes that the queue holds `queue` cells from `now` on.
    #[inline]
    pub(in crate::engine) fn set(&mut self, now: Time, queue: u32) {
        self.wait_until(now);
        self.queue = queue;
        self.min = self.min.min(queue);
        self.max = self.max.max(queue);
    }

    /// The statistics since the last call, up to `now`.
    pub(in crate::engine) fn take(&mut self, now: Time) -> GaugeBatch {
        self.wait_until(now);
        let length = (now - self.start).as_ps();
        let part = GaugeBatch {
            min: self.min,
            mean: self.area as f64 / length as f64,
            max: self.max,
        };
        *self = Self {
            queue: self.queue,
            min: self.queue,
            max: self.queue,
            area: 0,
            start: now,
            since: now,
        };
        part
    }

    fn wait_until(&mut self, now: Time) {
        self.area += u128::from(self.queue) * u128::from((now - self.since).as_ps());
        self.since = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_starts_with_the_queue_that_the_one_before_left() {
        let mut gauge = Gauge::default();
        let at = Time::from_ps;
        gauge.set(at(10), 6);
        gauge.set(at(30), 2);
        let part = gauge.take(at(40));
        // (10 · 0 + 20 · 6 + 10 · 2) / 40
        assert_eq!(
            part,
            GaugeBatch {
                min: 0,
                mean: 3.5,
                max: 6
            }
        );
        gauge.set(at(60), 5);
        assert_eq!(
            gauge.take(at(80)),
            GaugeBatch {
                min: 2,
                mean: 3.5,
                max: 5
            }
        );
    }
}
