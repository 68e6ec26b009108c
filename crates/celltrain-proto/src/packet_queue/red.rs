//! RED (Floyd and Jacobson 1993) of whole packets, all flows in one queue; its state machine is that of [`crate::discard`], which
//! counts octets here, as `tc-red(8)` does.
//!
//! With ECN a mark replaces a drop. The mean queue falls with idle time as if packets of the greatest length had come. Defaults
//! are thresholds of 5 and 15 packets of 1500 octets, and the weight of 0.002 of the paper.

use super::discipline::{Build, Port};
use super::management::Management;
use super::single::Single;
use crate::aqm::Verdict;
use crate::discard::{RedOptions, RedState};
use crate::parameters::{Bounds, more_than};
use crate::random::Stream;
use crate::units::{Bytes, Rate, Time, Unit};

parameters! {
    /// The parameters of RED of packets.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct PacketRedParameters {
        /// Mean queue below which nothing is dropped.
        pub min: Bytes = Bytes(7_500), in Bounds::within(Bytes(1), Bytes(1 << 31));
        /// Mean queue at which `max_probability` is reached.
        pub max: Bytes = Bytes(22_500), in Bounds::within(Bytes(1), Bytes(1 << 31));
        /// Probability at `max`.
        pub max_probability: f64 = 0.1, in Bounds::at_most(1.0);
        /// Weight of a new sample in the mean queue.
        pub weight: f64 = 0.002, in Bounds::PART;
        /// Whether the probability continues to rise to 1 at twice `max`, instead of jumping there at `max`.
        pub gentle: bool = false;
        /// Whether packets of ECN-capable connections are marked instead of dropped.
        pub ecn: bool = false;
    }
    |it| more_than("max", it.max, "min", it.min)
}

impl Build for PacketRedParameters {
    type Queue<T> = Single<T, Early>;

    fn queues(&self) -> u32 {
        1
    }

    fn build<T>(&self, port: Port) -> Self::Queue<T> {
        let longest = Unit::octets(port.longest.0);
        Single::new(Early {
            options: RedOptions {
                min: self.min.0 as f64,
                max: self.max.0 as f64,
                p_max: self.max_probability,
                weight: self.weight,
                gentle: self.gentle,
                frame_time: port.rate.time_of(longest),
            },
            ecn: self.ecn,
            longest,
            state: RedState::default(),
            stream: port.stream,
        })
    }
}

/// RED of a queue of packets.
#[derive(Clone, Debug)]
pub struct Early {
    options: RedOptions,
    ecn: bool,
    longest: Unit,
    state: RedState,
    stream: Stream,
}

impl Early {
    /// Whether a packet that comes behind so many octets is rejected.
    fn rejects(&mut self, now: Time, backlog: Bytes) -> bool {
        self.state.on_arrival(now, &self.options);
        let queued = backlog.0 as f64;
        self.state.rejects(&self.options, queued, &mut self.stream)
    }
}

impl Management for Early {
    fn on_arrival(&mut self, now: Time, backlog: Bytes) -> Verdict {
        if !self.rejects(now, backlog) {
            self.state.on_admission();
            return Verdict::Pass;
        }
        if self.ecn {
            self.state.on_admission();
            Verdict::Mark
        } else {
            Verdict::Drop
        }
    }

    fn on_overflow(&mut self, now: Time, backlog: Bytes) {
        // The packet is lost anyway, but counts in the mean.
        self.rejects(now, backlog);
    }

    fn on_empty(&mut self, now: Time) {
        self.state.on_empty(now);
    }

    fn on_rate(&mut self, rate: Rate) {
        self.options.frame_time = rate.time_of(self.longest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet_queue::testing::{Bench, at};
    use crate::packet_queue::{Label, Parameters};

    fn red(change: impl Fn(&mut PacketRedParameters)) -> Bench {
        let mut parameters = PacketRedParameters::defaults().expect("each has a default");
        change(&mut parameters);
        Bench::new(&Parameters::Red(parameters))
    }

    #[test]
    fn thresholds_count_octets_and_from_the_second_one_on_all_is_dropped() {
        // With a weight of 1 the mean is the queue before each packet.
        let mut port = red(|it| {
            (it.weight, it.max_probability) = (1.0, 0.0);
        });
        for _ in 0..10 {
            port.comes(1, 5_000, at(0));
        }
        // 0 to 20,000 octets are below the second threshold of 22,500, 25,000 are above.
        assert_eq!(port.dropped, [5, 6, 7, 8, 9]);
    }

    #[test]
    fn between_the_thresholds_packets_are_dropped_or_marked_with_a_probability_that_rises() {
        // Of packets that find 15,000 octets, halfway, half of 0.1 is pb; the gap between two is uniform on 1 to 20.
        let mut port = red(|it| (it.weight, it.ecn) = (1.0, true));
        for _ in 0..10 {
            port.comes(1, 1_500, at(0));
        }
        let came = 10_000;
        for _ in 0..came {
            port.takes(Label::default(), 1_500, true, at(1), true);
            port.leaves(at(1));
        }
        let gap = f64::from(came) / port.marked.len() as f64;
        // 1000 gaps with a standard deviation of 5.8: a standard error of 0.18.
        assert!((gap - 10.5).abs() < 0.74, "{gap}");
    }

    #[test]
    fn the_mean_falls_while_the_line_is_idle() {
        let mut port = red(|it| (it.weight, it.max_probability) = (0.5, 0.0));
        for _ in 0..30 {
            port.comes(1, 5_000, at(0));
        }
        let before = port.dropped.len();
        assert!(before > 0);
        while port.leaves(at(0)).is_some() {}
        // The time of one packet, 1.2304 ms, halves the mean, which is at least 22,500: after 10 of them it is small.
        port.comes(1, 5_000, at(13));
        assert_eq!(port.dropped.len(), before);
    }
}
