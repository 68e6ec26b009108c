//! BLUE (Feng et al. 2002) of whole packets, all flows in one queue; its state machine is [`crate::aqm::Blue`]. Only losses
//! raise its probability, not the length of the queue.

use super::discipline::{Build, Port};
use super::management::OnArrival;
use super::single::Single;
use crate::aqm::{Blue, BlueParameters, Manager};
use crate::parameters::Bounds;
use crate::units::Span;

parameters! {
    /// The parameters of BLUE of packets.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct PacketBlueParameters {
        /// Increment of the probability when a packet finds no room.
        pub increment: f64 = 0.0025, in Bounds::PART;
        /// Decrement of the probability when the line is idle.
        pub decrement: f64 = 0.00025, in Bounds::PART;
        /// Minimum time between two changes of the probability.
        pub freeze_time: Span = Span::from_ms(100), in Bounds::INTERVAL;
        /// Whether packets of ECN-capable connections are marked instead of dropped.
        pub ecn: bool = false;
    }
}

impl Build for PacketBlueParameters {
    type Queue<T> = Single<T, OnArrival<Blue>>;

    fn queues(&self) -> u32 {
        1
    }

    fn build<T>(&self, port: Port) -> Self::Queue<T> {
        let parameters = BlueParameters {
            increment: self.increment,
            decrement: self.decrement,
            freeze_time: self.freeze_time,
            length: None,
            ecn: self.ecn,
        };
        let manager = Blue::build(parameters, port.stream);
        Single::new(OnArrival::new(manager, port.longest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet_queue::testing::{Bench, at};
    use crate::packet_queue::{Label, Parameters};

    #[test]
    fn losses_raise_the_probability_and_idle_time_lowers_it() {
        let mut port = Bench::new(&Parameters::Blue(PacketBlueParameters {
            increment: 0.5,
            decrement: 0.5,
            ecn: true,
            freeze_time: Span::from_ms(1),
        }));
        // Two losses 10 ms apart, while the line is busy: a probability of one.
        let first = port.comes(1, 1_500, at(5));
        for ms in [10, 20] {
            port.takes(Label::default(), 1_500, true, at(ms), false);
        }
        let second = port.takes(Label::default(), 1_500, true, at(30), true);
        port.takes(Label::default(), 1_500, false, at(30), true);
        assert_eq!(port.all(at(33)), [first, second]);
        assert_eq!((&port.marked[..], port.dropped.len()), (&[second][..], 3));
        // From 33 ms on each ms of idle time takes a half: nothing is marked.
        port.takes(Label::default(), 1_500, true, at(40), true);
        port.leaves(at(41));
        assert_eq!(port.marked.len(), 1);
    }
}
