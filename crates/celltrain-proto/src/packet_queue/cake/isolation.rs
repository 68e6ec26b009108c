//! Between whom the line is shared: flows, hosts, or both.

use alloc::vec;
use alloc::vec::Vec;

use super::ways::{self, QUEUES};
use crate::packet_queue::hashing::Hashing;
use crate::packet_queue::packet::Label;

choice! {
    /// Between whom the line is shared, as in `tc-cake(8)`.
    pub enum Isolation {
        /// Equal shares for hosts at both ends, and for the flows of a host.
        #[default]
        TripleIsolate,
        /// Equal shares for hosts that send, and for the flows of a host.
        DualSrchost,
        /// Equal shares for hosts that receive, and for the flows of a host.
        DualDsthost,
        /// Equal shares for flows.
        Flows,
        /// Equal shares for pairs of hosts.
        Hosts,
        /// Equal shares for hosts that send.
        Srchost,
        /// Equal shares for hosts that receive.
        Dsthost,
        /// None: all packets are in one queue.
        Flowblind,
    }
}

impl Isolation {
    /// What tells the queue of a packet from others.
    pub(super) fn tag(self, label: &Label, hashing: &Hashing) -> u64 {
        let [from, to] = label.hosts.map(u64::from);
        match self {
            Self::Flowblind => 0,
            Self::Srchost => hashing.word(from),
            Self::Dsthost => hashing.word(to),
            Self::Hosts => hashing.word(from << 32 | to),
            Self::TripleIsolate | Self::DualSrchost | Self::DualDsthost | Self::Flows => {
                hashing.word(label.flow)
            }
        }
    }

    /// Whether flows of one host share: by the host that sends, and by the one that receives.
    fn counts(self) -> [bool; 2] {
        match self {
            Self::TripleIsolate => [true, true],
            Self::DualSrchost => [true, false],
            Self::DualDsthost => [false, true],
            _ => [false, false],
        }
    }
}

/// The hosts at one end, each with its number of flows that have standing queues.
#[derive(Clone, Debug)]
struct End {
    tags: Vec<u64>,
    flows: Vec<u32>,
}

/// The hosts at both ends.
#[derive(Clone, Debug)]
pub(super) struct Hosts {
    counts: [bool; 2],
    ends: [End; 2],
}

impl Hosts {
    pub(super) fn new(isolation: Isolation) -> Self {
        let counts = isolation.counts();
        Self {
            counts,
            ends: counts.map(|counts| {
                let places = if counts { QUEUES } else { 0 };
                End {
                    tags: vec![0; places],
                    flows: vec![0; places],
                }
            }),
        }
    }

    /// The places of the hosts of a packet.
    pub(super) fn places(&mut self, label: &Label, hashing: &Hashing) -> [u32; 2] {
        core::array::from_fn(|end| {
            if !self.counts[end] {
                return 0;
            }
            let End { tags, flows } = &mut self.ends[end];
            let tag = hashing.word(label.hosts[end].into());
            let (place, _) = ways::place(tags, tag, |at| flows[at] == 0);
            tags[place] = tag;
            place as u32
        })
    }

    /// Notes that a flow of these hosts has a standing queue, or no longer has.
    pub(super) fn count(&mut self, places: [u32; 2], stands: bool) {
        for (end, place) in places.into_iter().enumerate() {
            if self.counts[end] {
                let flows = &mut self.ends[end].flows[place as usize];
                *flows = if stands {
                    *flows + 1
                } else {
                    flows.saturating_sub(1)
                };
            }
        }
    }

    /// Among how many flows with standing queues a flow of these hosts shares: those of the host that has more.
    pub(super) fn load(&self, places: [u32; 2]) -> u32 {
        let of_end = |end: usize| {
            let flows = self.ends[end].flows.get(places[end] as usize);
            // None where the hosts at this end do not count.
            flows.copied().unwrap_or(0)
        };
        of_end(0).max(of_end(1)).max(1)
    }
}
