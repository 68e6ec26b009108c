//! The passage of packets through hosts: the host's processing time and its LAN.
//!
//! A packet that leaves its TCP passes both before its cells can leave; a packet whose last cell has arrived passes them
//! in reverse before its TCP gets it. Order is kept, so the end of the passage is known at its start.

use std::collections::{BTreeSet, VecDeque};

use celltrain_proto::random::Stream;
use celltrain_proto::units::{Span, Time};

use crate::engine::host::flow::FlowKind;
use crate::engine::source::Pdu;
use crate::engine::state::end::End;
use crate::scenario::HostLan;

/// Octets of IP and UDP headers; then of IP and TCP headers without options.
const UDP_HEADERS: u64 = 28;
const TCP_HEADERS: u64 = 40;

/// The passage through a host in one direction.
#[derive(Clone, Debug)]
pub(in crate::engine) struct HostTimes {
    /// The bounds of the processing time in picoseconds, and its random numbers.
    processing: Option<([f64; 2], Stream)>,
    lan: Option<HostLan>,
    /// When the last packet was processed; then, when it had passed the LAN.
    processed: Time,
    transmitted: Time,
}

impl HostTimes {
    pub(in crate::engine) fn new(
        processing: Option<([Span; 2], Stream)>,
        lan: Option<HostLan>,
    ) -> Self {
        let ps = |bounds: [Span; 2]| bounds.map(|bound| bound.as_ps() as f64);
        Self {
            processing: processing.map(|(bounds, stream)| (ps(bounds), stream)),
            lan,
            processed: Time::ZERO,
            transmitted: Time::ZERO,
        }
    }

    /// Processes a packet from `now` on; returns when that is done, never earlier than for the packets before it.
    fn process(&mut self, now: Time) -> Time {
        if let Some(([least, most], stream)) = &mut self.processing {
            let time = Span::from_ps(stream.uniform_in(*least, *most) as u64);
            self.processed = self.processed.max(now.saturating_add(time));
            self.processed
        } else {
            now
        }
    }

    /// Sends an IP packet of `octets` octets over the LAN from `now` on; returns when its frame ends.
    fn transmit(&mut self, now: Time, octets: u64) -> Time {
        if let Some(lan) = &self.lan {
            let start = self.transmitted.max(now);
            self.transmitted = start.saturating_add(lan.frame_time(octets));
            self.transmitted
        } else {
            now
        }
    }
}

/// The passages out of a host and into it.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Access {
    pub(in crate::engine) out: HostTimes,
    pub(in crate::engine) into: HostTimes,
}

/// Packets of an end on their way through its host, with the instants at which they leave it.
#[derive(Clone, Default, Debug)]
pub(in crate::engine) struct OnTheWay {
    pub(in crate::engine) leaving: VecDeque<(Time, Pdu)>,
    pub(in crate::engine) arriving: VecDeque<(Time, Pdu)>,
}

impl OnTheWay {
    fn deadline(&self) -> Time {
        let first = |queue: &VecDeque<(Time, Pdu)>| queue.front().map_or(Time::NEVER, |it| it.0);
        first(&self.leaving).min(first(&self.arriving))
    }
}

pub(in crate::engine) fn take_due(queue: &mut VecDeque<(Time, Pdu)>, now: Time) -> Option<Pdu> {
    let is_due = queue.front().is_some_and(|first| first.0 <= now);
    is_due.then(|| queue.pop_front()).flatten().map(|it| it.1)
}

/// The hosts with processing times or LANs.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Hosts {
    accesses: Vec<Access>,
    /// By direction of a VC: the host where it starts and the host where it ends, if they take time; empty if no host
    /// does.
    ends: Vec<[Option<u32>; 2]>,
    /// By flow, first its sending end, then its receiving end.
    pub(in crate::engine) on_the_way: Vec<[OnTheWay; 2]>,
}

impl Hosts {
    pub(in crate::engine) fn new(
        accesses: Vec<Access>,
        ends: Vec<[Option<u32>; 2]>,
        flows: usize,
    ) -> Self {
        let flows = if accesses.is_empty() { 0 } else { flows };
        Self {
            accesses,
            ends,
            on_the_way: vec![<[OnTheWay; 2]>::default(); flows],
        }
    }

    /// The host where a direction of a VC starts and the host where it ends, if they take time.
    fn ends_of(&self, direction: usize) -> [Option<u32>; 2] {
        self.ends.get(direction).copied().unwrap_or_default()
    }

    /// The hosts at the ends of a direction that take time.
    pub(in crate::engine) fn accesses_of(&self, direction: usize) -> impl Iterator<Item = u32> {
        self.ends_of(direction).into_iter().flatten()
    }

    /// Swaps the packets of these flows, and the state of these hosts, with their counterparts in `other`.
    pub(in crate::engine) fn exchange(
        &mut self,
        other: &mut Self,
        flows: &[u32],
        accesses: &BTreeSet<u32>,
    ) {
        for access in accesses.iter().map(|&access| access as usize) {
            std::mem::swap(&mut self.accesses[access], &mut other.accesses[access]);
        }
        for flow in flows.iter().map(|&flow| flow as usize) {
            if let Some(on_the_way) = self.on_the_way.get_mut(flow) {
                std::mem::swap(on_the_way, &mut other.on_the_way[flow]);
            }
        }
    }

    /// When the next packet of an end of a flow leaves its host.
    pub(in crate::engine) fn deadline(&self, flow: usize, end: End) -> Time {
        let both = self.on_the_way.get(flow);
        both.map_or(Time::NEVER, |both| both[end as usize].deadline())
    }

    /// The time that the LANs at both ends of a VC's direction need for a packet that waits for no other.
    pub(in crate::engine) fn lan_time(&self, direction: usize, octets: u64) -> Span {
        let hosts = self.accesses_of(direction);
        let lans = hosts.filter_map(|host| self.accesses[host as usize].out.lan.as_ref());
        lans.fold(Span::ZERO, |sum, lan| sum + lan.frame_time(octets))
    }

    /// Takes a packet that leaves its end of the flow at `now`; returns it if its host takes no time.
    pub(in crate::engine) fn leave(
        &mut self,
        now: Time,
        direction: usize,
        octets: u64,
        end: End,
        pdu: Pdu,
    ) -> Option<Pdu> {
        let [Some(host), _] = self.ends_of(direction) else {
            return Some(pdu);
        };
        let way = &mut self.accesses[host as usize].out;
        let done = way.process(now);
        let at = way.transmit(done, octets);
        let both = &mut self.on_the_way[pdu.flow as usize];
        both[end as usize].leaving.push_back((at, pdu));
        None
    }

    /// Takes a packet that has arrived at the host of its end of the flow; returns it if the host takes no time.
    pub(in crate::engine) fn arrive(
        &mut self,
        now: Time,
        direction: usize,
        octets: u64,
        end: End,
        pdu: Pdu,
    ) -> Option<Pdu> {
        let [_, Some(host)] = self.ends_of(direction) else {
            return Some(pdu);
        };
        let way = &mut self.accesses[host as usize].into;
        let over = way.transmit(now, octets);
        let at = way.process(over);
        let both = &mut self.on_the_way[pdu.flow as usize];
        both[end as usize].arriving.push_back((at, pdu));
        None
    }
}

impl FlowKind {
    /// The octets of the IP packet, or of the fragment, that carries a segment.
    pub(in crate::engine) fn ip_octets(&self, pdu: &Pdu) -> u64 {
        if let Some((_, part)) = pdu.fragment {
            return part.octets().into();
        }
        let headers = match self {
            Self::Packets(_) => UDP_HEADERS,
            Self::Tcp(_) => TCP_HEADERS,
            // Packets handed over include their headers.
            Self::External(_) => 0,
        };
        u64::from(pdu.segment.len + pdu.segment.options_len()) + headers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use celltrain_proto::lan::EthernetParameters;
    use celltrain_proto::tcp::Segment;
    use celltrain_proto::units::Rate;

    const US: fn(u64) -> Time = |us| Time::ZERO + Span::from_us(us);

    fn ethernet() -> HostLan {
        let rate = Rate::bps(10e6);
        HostLan::Ethernet(EthernetParameters { rate })
    }

    #[test]
    fn frames_follow_each_other() {
        let mut way = HostTimes::new(None, Some(ethernet()));
        let first = way.transmit(US(0), 1_500);
        assert_eq!(
            way.transmit(US(100), 1_500),
            first + Span::from_ps(1_230_400_000)
        );
    }

    #[test]
    fn processing_takes_a_time_within_its_bounds_and_nothing_overtakes() {
        let bounds = [Span::from_us(50), Span::from_us(200)];
        let mut way = HostTimes::new(Some((bounds, Stream::named(1, "test"))), None);
        let mut last = Time::ZERO;
        for now in (0..1_000).map(|n| US(10 * n)) {
            let done = way.process(now);
            assert!(done >= last && done >= now + bounds[0] && done < now + bounds[1]);
            last = done;
        }
    }

    #[test]
    fn a_packet_out_is_processed_before_its_frame_and_one_in_after_it() {
        let fixed = |stream| Some(([Span::from_us(100); 2], stream));
        let way = || HostTimes::new(fixed(Stream::named(1, "test")), Some(ethernet()));
        let access = Access {
            out: way(),
            into: way(),
        };
        let mut hosts = Hosts::new(vec![access], vec![[Some(0), None], [None, Some(0)]], 1);
        let pdu = Pdu::new(US(0), 0, true, 1, Segment::default());
        for _ in 0..2 {
            assert!(hosts.leave(US(0), 0, 462, End::Sending, pdu).is_none()); // 500 octets: 400 us
            assert!(hosts.arrive(US(0), 1, 462, End::Sending, pdu).is_none());
        }
        let at = |queue: &VecDeque<(Time, Pdu)>| queue.iter().map(|it| it.0).collect::<Vec<_>>();
        let way = &hosts.on_the_way[0][0];
        assert_eq!(at(&way.leaving), [US(500), US(900)]);
        assert_eq!(at(&way.arriving), [US(500), US(900)]);
        assert_eq!(hosts.deadline(0, End::Sending), US(500));
        assert!(hosts.leave(US(0), 1, 40, End::Receiving, pdu).is_some());
    }
}
