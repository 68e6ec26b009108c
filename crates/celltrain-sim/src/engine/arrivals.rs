//! When the next cells come to a port, by input.

use std::ops::Range;

use celltrain_proto::units::Time;

use super::calendar::Calendar;

/// A calendar of the inputs of a port, those of its crowd left out.
#[derive(Debug)]
pub(super) struct Arrivals {
    calendar: Calendar,
    /// The first input that is left out, and how many are.
    gap: usize,
    missing: usize,
}

impl Arrivals {
    /// So many inputs.
    pub(super) fn new(inputs: usize) -> Self {
        Self::without(inputs, &(inputs..inputs))
    }

    /// So many inputs, but for a crowd.
    pub(super) fn without(inputs: usize, crowd: &Range<usize>) -> Self {
        Self {
            calendar: Calendar::new(inputs - crowd.len()),
            gap: crowd.start,
            missing: crowd.len(),
        }
    }

    /// The number of an input among those that are not left out.
    #[inline]
    fn number(&self, input: usize) -> usize {
        if input < self.gap {
            input
        } else {
            input - self.missing
        }
    }

    /// The other way round.
    #[inline]
    fn input(&self, number: usize) -> usize {
        if number < self.gap {
            number
        } else {
            number + self.missing
        }
    }

    /// The earliest arrival and its input.
    #[inline]
    pub(super) fn next(&self) -> (Time, usize) {
        let (at, number) = self.calendar.next();
        (at, self.input(number))
    }

    /// The earliest arrival but that by `input`, which is the earliest of all, and its input.
    #[inline]
    pub(super) fn runner_up(&self, input: usize) -> (Time, usize) {
        let (at, number) = self.calendar.runner_up(self.number(input));
        (at, self.input(number))
    }

    /// When the next cell comes by `input`.
    #[inline]
    pub(super) fn of(&self, input: usize) -> Time {
        self.calendar.deadline(self.number(input))
    }

    /// The next cell by `input` comes at `arrival`.
    #[inline]
    pub(super) fn set(&mut self, input: usize, arrival: Time) {
        self.calendar.set(self.number(input), arrival);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_keep_their_numbers_where_some_are_left_out() {
        let mut arrivals = Arrivals::without(6, &(1..4));
        for (input, at) in [(0, 30), (4, 20), (5, 10)] {
            arrivals.set(input, Time::from_ps(at));
        }
        assert_eq!(arrivals.next(), (Time::from_ps(10), 5));
        assert_eq!(arrivals.runner_up(5), (Time::from_ps(20), 4));
        assert_eq!(arrivals.of(0), Time::from_ps(30));
    }
}
