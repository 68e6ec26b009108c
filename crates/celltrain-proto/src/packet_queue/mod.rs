//! Queues of whole packets in front of a line: which packet goes next, and which are dropped or marked.
//!
//! The owner limits packets and octets: it says whether a packet that comes finds room, and asks for
//! [`PacketQueue::drop_some`] while there are too many. A queue is one file with its parameters, which implement [`Build`],
//! and a row in the registry below.

mod blue;
mod cake;
mod chain;
mod codel;
mod discipline;
mod drr;
mod flow_queues;
mod fq_codel;
mod fq_pie;
mod hashing;
mod management;
mod packet;
mod pi2;
mod pie;
mod red;
#[macro_use]
mod registry;
mod sfq;
mod single;
mod store;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use discipline::{Build, Discipline, Port};
pub use packet::{Label, Packet};

use crate::units::{Rate, Time};

packet_queues! {
    /// Flow queueing with `CoDel` for each flow (RFC 8290), as `fq_codel` of Linux.
    "fq-codel", "FQ-CoDel" => fq_codel::FqCodel(FqCodelParameters);
    /// Flow queueing with PIE for each flow, as `fq_pie` of Linux.
    "fq-pie", "FQ-PIE" => fq_pie::FqPie(FqPieParameters);
    /// Deficit round robin over flows, those that have just become active first (DRR++; RFC 8290, 3.1).
    "drr-plus-plus", "DRR++" => drr::DrrPlusPlus(DrrPlusPlusParameters);
    /// Stochastic fairness queueing (`McKenney` 1990), as `sfq` of Linux.
    "sfq", "SFQ" => sfq::Sfq(SfqParameters);
    /// Shares for hosts and flows, tins for classes, and COBALT: the queue of CAKE (Hoeiland-Joergensen et al. 2018).
    "cake", "CAKE" => cake::Cake(CakeParameters);
    /// All flows in one queue, with controlled delay (RFC 8289).
    "codel", "CoDel" => codel::CoDel(CoDelParameters);
    /// All flows in one queue, with a proportional integral controller, enhanced (RFC 8033).
    "pie", "PIE" => pie::Pie(PieParameters);
    /// All flows in one queue, with a proportional integral controller whose output is squared (De Schepper et al. 2016).
    "pi2", "PI2" => pi2::Pi2(Pi2Parameters);
    /// All flows in one queue, with random early detection (Floyd and Jacobson 1993).
    "red", "RED" => red::Red(PacketRedParameters);
    /// All flows in one queue, with a drop probability raised by losses and lowered by idle time (Feng et al. 2002).
    "blue", "BLUE" => blue::Blue(PacketBlueParameters);
}
