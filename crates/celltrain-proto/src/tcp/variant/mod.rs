//! Congestion control: one file for each variant, and one row in the registry.
//!
//! A variant sets `cwnd` and `ssthresh` and chooses the reaction to a duplicate acknowledgment. The sender handles
//! timers, sequence numbers and segments.
//!
//! Each system of the 1990s has its own loss recovery. A modern variant combines the law of a window (`law`), which
//! defines its reduction and growth, with one of two methods of loss repair: selective acknowledgments (`sack`) or
//! partial ones (`newreno`).

pub mod bbr;
mod by_law;
mod congestion_control;
mod control;
mod copa;
mod cubic;
mod dctcp;
#[cfg(test)]
mod drive;
mod episode;
mod facts;
mod fraction;
mod htcp;
mod illinois;
mod law;
mod ledbat;
mod linux;
mod newreno;
#[macro_use]
mod registry;
mod reno;
mod round;
mod sack;
mod standard;
mod systems;
mod tahoe;
mod vegas;
mod westwood;
mod window;

pub use facts::{ControlOptions, Facts, Repair, WindowRules};
pub use law::NoParameters;
pub use reno::Deflation;

pub(super) use congestion_control::{
    AckReaction, CongestionControl, DUPLICATES, Delivery, Event, Reaction,
};
pub(super) use window::Window;

use alloc::vec::Vec;

use crate::units::{Rate, Span, Time};
use law::{MakeLaw, WindowLaw};
use systems::System;

tcp_variants! {
    systems {
        /// 4.3BSD-Reno (1990): fast retransmit and fast recovery.
        "4.3bsd-reno", "4.3BSD-Reno" => Bsd43Reno;
        /// 4.3BSD-Tahoe (1988): fast retransmit, then slow start.
        "4.3bsd-tahoe", "4.3BSD-Tahoe" => Bsd43Tahoe;
        /// 4.3BSD-Tahoe that ignores duplicate ACKs.
        "4.3bsd-tahoe-no-fast-retransmit", "4.3BSD-Tahoe without fast retransmit" => Bsd43TahoeNoFastRetransmit;
        /// 4.4BSD and 4.4BSD-Lite (1993): Reno, but windows and acknowledgments count the 12 octets of `timestamps` in segments
        /// as data, so that every third segment is acknowledged. Scaling and timestamps are in the preset of this name.
        "4.4bsd", "4.4BSD" => Bsd44;
        /// 4.4BSD-Lite2 (1995): as 4.4BSD, but congestion avoidance does not add an eighth of a segment.
        "4.4bsd-lite2", "4.4BSD-Lite2" => Bsd44Lite2;
        /// Linux 2.0 (1996 to 1999): Reno that counts segments of any length and sends only whole ones.
        "linux-1999", "Linux 2.0" => Linux1999;
    }
    laws {
        /// Fast recovery that survives partial ACKs (RFC 6582).
        "newreno", "NewReno" => NewReno(standard::NewRenoParameters) by standard::Standard<false>;
        /// Selective acknowledgments at both ends (RFC 2018, 6675).
        "sack", "SACK" => Sack by standard::Standard<true>;
        /// CUBIC (RFC 9438) with selective acknowledgments.
        "cubic", "CUBIC" => Cubic(cubic::CubicParameters) by cubic::Cubic;
        /// BBR version 1 with selective acknowledgments: paced by a model of the network.
        "bbr", "BBR" => Bbr by bbr::BbrLaw;
        /// Vegas: keeps `alpha` to `beta` segments in the bottleneck queue, estimated from round-trip times.
        "vegas", "Vegas" => Vegas(vegas::VegasParameters) by vegas::Vegas;
        /// Westwood+: after a loss the window fills the path without a queue, at the measured bandwidth.
        "westwood", "Westwood+" => Westwood by westwood::Westwood;
        /// H-TCP: growth increases with the time since the last loss.
        "htcp", "H-TCP" => HTcp by htcp::HTcp;
        /// Illinois: the queueing delay sets the amounts of growth and reduction.
        "illinois", "Illinois" => Illinois by illinois::Illinois;
        /// LEDBAT (RFC 6817): keeps the queueing delay at its target, for transfers that yield to all others.
        "ledbat", "LEDBAT" => Ledbat(ledbat::LedbatParameters) by ledbat::Ledbat;
        /// Copa: keeps 1 / `delta` segments in the bottleneck queue, estimated from round-trip times; paced.
        "copa", "Copa" => Copa(copa::CopaParameters) by copa::Copa;
        /// DCTCP (RFC 8257): reduces the window in proportion to the part of the data that queues mark. Both ends use ECN.
        "dctcp", "DCTCP" => Dctcp(dctcp::DctcpParameters) by dctcp::Dctcp;
    }
}

/// The state of a variant.
pub(in crate::tcp) type Control = control::Control<Law>;

impl Copy for Variant {}

impl Default for Variant {
    fn default() -> Self {
        Self::Bsd43Reno(NoParameters {})
    }
}

impl Variant {
    /// Whether the sender uses selective acknowledgments.
    pub fn uses_sack(&self, options: &ControlOptions) -> bool {
        self.facts().repair.is_selective(options)
    }
}
