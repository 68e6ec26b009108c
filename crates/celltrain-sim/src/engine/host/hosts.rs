//! The passage of packets through hosts: the host's processing time and its LAN.
//!
//! A packet that leaves its TCP passes both before its cells can leave; a packet whose last cell has arrived passes them
//! in reverse before its TCP gets it. Order is kept, so the end of the passage is known at its start, except on a ring,
//! where stations send in turn.

use std::collections::{BTreeSet, VecDeque};

use celltrain_proto::lan::TokenRing;
use celltrain_proto::random::Stream;
use celltrain_proto::units::{Span, Time};

use crate::engine::host::flow::FlowKind;
use crate::engine::source::Pdu;
use crate::engine::state::end::End;
use crate::engine::state::room::{Exhausted, Room, make_room_in};
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

    /// The time that the frame of an IP packet of `octets` octets takes on the LAN, if there is one.
    fn frame_time(&self, octets: u64) -> Span {
        let lan = self.lan.as_ref();
        lan.map_or(Span::ZERO, |lan| lan.frame_time(octets))
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
    /// Where it is on a ring, which takes the place of a LAN of its own.
    pub(in crate::engine) station: Option<Station>,
}

/// A station of a ring.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::engine) struct Station {
    pub(in crate::engine) ring: usize,
    /// Its number along the ring. The first station is that of the router, which sends what comes from the network.
    pub(in crate::engine) number: usize,
}

/// The station of the router on a ring.
const ROUTER: usize = 0;

/// A packet that waits for the token, or crosses a ring: its end of its flow, and whether it leaves the host.
#[derive(Clone, Debug)]
pub(in crate::engine) struct OnRing {
    end: End,
    leaves: bool,
    pdu: Pdu,
}

/// Packets of an end on their way through its host, with the instants at which they leave it.
#[derive(Clone, Default, Debug)]
pub(in crate::engine) struct OnTheWay {
    /// Those that reach the ring of their host then, with the times of their frames.
    to_ring: VecDeque<(Time, (Pdu, Span))>,
    pub(in crate::engine) leaving: VecDeque<(Time, Pdu)>,
    pub(in crate::engine) arriving: VecDeque<(Time, Pdu)>,
}

impl OnTheWay {
    fn deadline(&self) -> Time {
        let own = first(&self.leaving).min(first(&self.arriving));
        own.min(first(&self.to_ring))
    }
}

fn first<T>(queue: &VecDeque<(Time, T)>) -> Time {
    queue.front().map_or(Time::NEVER, |it| it.0)
}

pub(in crate::engine) fn take_due<T>(queue: &mut VecDeque<(Time, T)>, now: Time) -> Option<T> {
    let is_due = queue.front().is_some_and(|first| first.0 <= now);
    is_due.then(|| queue.pop_front()).flatten().map(|it| it.1)
}

/// The hosts with processing times or LANs.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Hosts {
    accesses: Vec<Access>,
    rings: Vec<TokenRing<OnRing>>,
    /// By direction of a VC: the host where it starts and the host where it ends, if they take time; empty if no host
    /// does.
    ends: Vec<[Option<u32>; 2]>,
    /// By flow, first its sending end, then its receiving end.
    pub(in crate::engine) on_the_way: Vec<[OnTheWay; 2]>,
}

impl Hosts {
    pub(in crate::engine) fn new(
        accesses: Vec<Access>,
        rings: Vec<TokenRing<OnRing>>,
        ends: Vec<[Option<u32>; 2]>,
        flows: usize,
    ) -> Self {
        let flows = if accesses.is_empty() { 0 } else { flows };
        Self {
            accesses,
            rings,
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
        let stations = accesses
            .iter()
            .map(|&access| self.accesses[access as usize].station);
        let rings: BTreeSet<usize> = stations.flatten().map(|station| station.ring).collect();
        for ring in rings {
            std::mem::swap(&mut self.rings[ring], &mut other.rings[ring]);
        }
        for access in accesses.iter().map(|&access| access as usize) {
            std::mem::swap(&mut self.accesses[access], &mut other.accesses[access]);
        }
        for flow in flows.iter().map(|&flow| flow as usize) {
            if let Some(on_the_way) = self.on_the_way.get_mut(flow) {
                std::mem::swap(on_the_way, &mut other.on_the_way[flow]);
            }
        }
    }

    /// When the next packet of an end of a flow, whose packets leave in `direction`, leaves its host or its ring.
    pub(in crate::engine) fn deadline(&self, flow: usize, end: End, direction: usize) -> Time {
        let Some(both) = self.on_the_way.get(flow) else {
            return Time::NEVER;
        };
        let own = both[end as usize].deadline();
        let ring = self.ring_at(direction);
        let ring = ring.filter(|ring| ring.next().is_some_and(|it| it.is_of(flow, end)));
        ring.map_or(own, |ring| own.min(ring.deadline()))
    }

    /// The ring of the host where a direction starts.
    fn ring_at(&self, direction: usize) -> Option<&TokenRing<OnRing>> {
        let station = self.station_at(direction)?;
        Some(&self.rings[station.ring])
    }

    fn station_at(&self, direction: usize) -> Option<Station> {
        let host = self.ends_of(direction)[0]?;
        self.accesses[host as usize].station
    }

    /// The end of a flow whose packet is the next to leave the ring of the host where a direction starts.
    pub(in crate::engine) fn next_on_ring(&self, direction: usize) -> Option<(usize, End)> {
        let next = self.ring_at(direction)?.next()?;
        Some((next.pdu.flow as usize, next.end))
    }

    /// Moves the packets of an end of a flow that are due at `now` to its ring, and from there. Returns whether there is a
    /// ring.
    pub(in crate::engine) fn pass_ring(
        &mut self,
        now: Time,
        flow: usize,
        end: End,
        direction: usize,
    ) -> bool {
        let Some(station) = self.station_at(direction) else {
            return false;
        };
        let ring = &mut self.rings[station.ring];
        let way = &mut self.on_the_way[flow][end as usize];
        while let Some((pdu, takes)) = take_due(&mut way.to_ring, now) {
            let leaves = true;
            ring.push(now, station.number, takes, OnRing { end, leaves, pdu });
        }
        if ring.deadline() <= now
            && ring.next().is_some_and(|next| next.is_of(flow, end))
            && let Some(passed) = ring.finish(now)
        {
            if passed.leaves {
                way.leaving.push_back((now, passed.pdu));
            } else if let Some(host) = self.ends_of(direction)[0] {
                let at = self.accesses[host as usize].into.process(now);
                let way = &mut self.on_the_way[flow][end as usize];
                way.arriving.push_back((at, passed.pdu));
            }
        }
        true
    }

    /// The time that the LANs at both ends of a VC's direction need for a packet that waits for no other.
    pub(in crate::engine) fn lan_time(&self, direction: usize, octets: u64) -> Span {
        let hosts = self.accesses_of(direction);
        let times = hosts.map(|host| self.accesses[host as usize].out.frame_time(octets));
        times.fold(Span::ZERO, |sum, time| sum + time)
    }

    /// Takes a packet that leaves its end of the flow at `now`; true if its host takes no time, so that it goes on at once.
    pub(in crate::engine) fn leave(
        &mut self,
        now: Time,
        direction: usize,
        octets: u64,
        end: End,
        pdu: &Pdu,
    ) -> bool {
        let [Some(host), _] = self.ends_of(direction) else {
            return true;
        };
        let access = &mut self.accesses[host as usize];
        let done = access.out.process(now);
        let way = &mut self.on_the_way[pdu.flow as usize][end as usize];
        if access.station.is_some() {
            way.to_ring
                .push_back((done, (*pdu, access.out.frame_time(octets))));
            return false;
        }
        let at = access.out.transmit(done, octets);
        way.leaving.push_back((at, *pdu));
        false
    }

    /// Takes a packet that has arrived at the host of its end of the flow; true if the host takes no time, so that it is
    /// there at once.
    pub(in crate::engine) fn arrive(
        &mut self,
        now: Time,
        direction: usize,
        octets: u64,
        end: End,
        pdu: &Pdu,
    ) -> bool {
        let [_, Some(host)] = self.ends_of(direction) else {
            return true;
        };
        let access = &mut self.accesses[host as usize];
        if let Some(station) = access.station {
            let leaves = false;
            let ring = &mut self.rings[station.ring];
            let takes = access.into.frame_time(octets);
            let pdu = *pdu;
            ring.push(now, ROUTER, takes, OnRing { end, leaves, pdu });
            return false;
        }
        let way = &mut access.into;
        let over = way.transmit(now, octets);
        let at = way.process(over);
        let both = &mut self.on_the_way[pdu.flow as usize];
        both[end as usize].arriving.push_back((at, *pdu));
        false
    }
}

impl OnRing {
    fn is_of(&self, flow: usize, end: End) -> bool {
        self.pdu.flow as usize == flow && self.end == end
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

impl Room for OnTheWay {
    fn make_room(&mut self) -> Result<u64, Exhausted> {
        Ok(self.to_ring.make_room()? + self.leaving.make_room()? + self.arriving.make_room()?)
    }
}

impl Hosts {
    /// The octets of the packets of a flow on their way through its hosts, rings not counted.
    pub(in crate::engine) fn make_room(&mut self, flow: usize) -> Result<u64, Exhausted> {
        make_room_in(self.on_the_way.get_mut(flow).into_iter().flatten())
    }

    /// The octets of the packets that wait for the token of any ring.
    pub(in crate::engine) fn on_rings(&self) -> u64 {
        let packets: usize = self.rings.iter().map(TokenRing::waiting).sum();
        (packets * size_of::<OnRing>()) as u64
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
            station: None,
        };
        let mut hosts = Hosts::new(
            vec![access],
            Vec::new(),
            vec![[Some(0), None], [None, Some(0)]],
            1,
        );
        let pdu = Pdu::new(US(0), 0, true, 1, Segment::default());
        for _ in 0..2 {
            assert!(!hosts.leave(US(0), 0, 462, End::Sending, &pdu)); // 500 octets: 400 us
            assert!(!hosts.arrive(US(0), 1, 462, End::Sending, &pdu));
        }
        let at = |queue: &VecDeque<(Time, Pdu)>| queue.iter().map(|it| it.0).collect::<Vec<_>>();
        let way = &hosts.on_the_way[0][0];
        assert_eq!(at(&way.leaving), [US(500), US(900)]);
        assert_eq!(at(&way.arriving), [US(500), US(900)]);
        assert_eq!(hosts.deadline(0, End::Sending, 0), US(500));
        assert!(hosts.leave(US(0), 1, 40, End::Receiving, &pdu));
    }
}
