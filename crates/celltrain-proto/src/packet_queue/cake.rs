//! CAKE: flows take turns, hosts have equal shares, and traffic of several classes has tins.
//!
//! ```text
//! tins:    the highest one with packets that is within its share of the rate, else the one that is next; see [`diffserv`]
//! flows:   DRR++ with a turn of 300 to 1514 octets, shorter for a host with several flows that have standing queues;
//!          see [`tin`]. 1024 queues in sets of 8, so that two flows seldom share one; see [`ways`]
//! packets: COBALT, which is `CoDel` and BLUE; see [`cobalt`]. Packets that can be marked are marked
//! too many: the longest queue of all tins loses its first packet
//! ```
//!
//! Sources: T. Hoeiland-Joergensen, D. Taht, J. Morton, *Piece of CAKE: A comprehensive queue management solution for home
//! gateways* (IEEE LANMAN 2018), and `tc-cake(8)`, whose names and defaults the keys have. The shaper is the line itself:
//! its rate is the `bandwidth`, also after it changes, and its framing is what `overhead`, `mpu`, `atm` and `ptm` stand for.
//! `memlimit` is the buffer. Fractions of octets in turns are kept, not rounded at random. Left out: the filter of ACKs,
//! `diffserv8`, `precedence`, `ingress`, `autorate-ingress`, `nat` and `fwmark`.

mod cobalt;
mod diffserv;
mod isolation;
mod tin;
mod ways;

use alloc::vec::Vec;

use super::discipline::{Build, Discipline, Port};
use super::hashing::Hashing;
use super::packet::Packet;
use super::store::Store;
use crate::parameters::Bounds;
use crate::random::Stream;
use crate::units::{Bytes, Rate, Span, Time};
use diffserv::Diffserv;
use isolation::Isolation;
use tin::Tin;

parameters! {
    /// The parameters of CAKE.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub struct CakeParameters {
        /// The usual round-trip time: COBALT acts on delays above a twentieth of it that last as long.
        pub rtt: Span = Span::from_ms(100), in Bounds::POSITIVE;
        /// Between whom the line is shared.
        pub isolation: Isolation = Isolation::TripleIsolate;
        /// The classes of traffic, by the `dscp` of its flows.
        pub diffserv: Diffserv = Diffserv::Diffserv3;
    }
}

impl Build for CakeParameters {
    type Queue<T> = Cake<T>;

    fn queues(&self) -> u32 {
        self.diffserv.shares().len() as u32 * ways::QUEUES as u32
    }

    fn build<T>(&self, mut port: Port) -> Cake<T> {
        let hashing = Hashing::new(ways::QUEUES as u32, &mut port.stream);
        let tin = |&share: &f64| Tin::new(share, hashing.clone(), self.isolation);
        let mut cake = Cake {
            diffserv: self.diffserv,
            rtt: self.rtt,
            longest: port.longest,
            stream: port.stream,
            store: Store::default(),
            tins: self.diffserv.shares().iter().map(tin).collect(),
        };
        cake.on_rate(port.rate);
        cake
    }
}

/// CAKE.
#[derive(Clone, Debug)]
pub struct Cake<T> {
    diffserv: Diffserv,
    rtt: Span,
    longest: Bytes,
    stream: Stream,
    store: Store<T>,
    tins: Vec<Tin>,
}

impl<T> Cake<T> {
    /// The tin that is served at `now`, if any has a flow.
    fn tin(&self, now: Time) -> Option<usize> {
        let mut best = None;
        for (number, tin) in self.tins.iter().enumerate() {
            let is_better = |best: &(usize, Time)| tin.due() <= now || tin.due() <= best.1;
            if tin.is_active() && best.as_ref().is_none_or(is_better) {
                best = Some((number, tin.due()));
            }
        }
        best.map(|(number, _)| number)
    }
}

impl<T> Discipline<T> for Cake<T> {
    fn enqueue(&mut self, packet: Packet<T>, _: bool, _: impl FnMut(Packet<T>)) {
        let tin = self.diffserv.tin(packet.label.dscp);
        self.tins[tin].enqueue(&mut self.store, packet);
    }

    fn dequeue(&mut self, now: Time, mut drop: impl FnMut(Packet<T>)) -> Option<Packet<T>> {
        // Flows that have just had their last packet are looked at once for each packet that leaves.
        let mut looks_at_decaying = true;
        while self.tins.iter().any(|tin| tin.octets() > 0) {
            let tin = self.tin(now)?;
            let served = self.tins[tin].serve(
                &mut self.store,
                now,
                core::mem::take(&mut looks_at_decaying),
                &mut self.stream,
                &mut drop,
            );
            if served.is_some() {
                return served;
            }
        }
        None
    }

    fn drop_some(&mut self, now: Time, drop: impl FnMut(Packet<T>)) {
        let mut longest = (0, 0, 0);
        for (number, tin) in self.tins.iter().enumerate() {
            let (flow, octets) = tin.longest();
            if octets > longest.0 {
                longest = (octets, number, flow);
            }
        }
        let (_, tin, flow) = longest;
        let dropped = self.tins[tin].drop_first(&mut self.store, flow, now);
        dropped.into_iter().for_each(drop);
    }

    fn on_rate(&mut self, rate: Rate) {
        // While nothing is sent, the last rate counts.
        if rate > Rate::ZERO {
            for tin in &mut self.tins {
                tin.on_rate(rate, self.longest, self.rtt);
            }
        }
    }

    fn store(&self) -> &Store<T> {
        &self.store
    }
}

#[cfg(test)]
mod tests;
