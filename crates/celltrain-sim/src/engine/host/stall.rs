//! The longest stall of a connection.

use celltrain_proto::units::{Span, Time};

/// The longest time without progress since the last reading.
#[derive(Clone, Copy, Default, Debug)]
pub(in crate::engine) struct Stall {
    since: Time,
    longest: Span,
}

impl Stall {
    /// Notes progress at `now`.
    pub(in crate::engine) fn on_advance(&mut self, now: Time) {
        self.longest = self.longest.max(now - self.since);
        self.since = now;
    }

    /// The longest time without progress since the last reading, which counts as progress itself.
    pub(in crate::engine) fn read(&mut self, now: Time) -> Span {
        self.on_advance(now);
        std::mem::take(&mut self.longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: fn(u64) -> Time = |s| Time::ZERO + Span::from_secs(s);

    #[test]
    fn the_longest_stall_is_cut_at_readings() {
        let mut stall = Stall::default();
        stall.on_advance(S(3));
        stall.on_advance(S(4));
        assert_eq!(stall.read(S(6)), Span::from_secs(3));
        stall.on_advance(S(7));
        assert_eq!(stall.read(S(9)), Span::from_secs(2));
        assert_eq!(stall.read(S(19)), Span::from_secs(10));
    }
}
