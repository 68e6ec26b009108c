//! Sources of VCs: services, and processes of cells.

use celltrain_proto::abr::Parameters;
use celltrain_proto::adaptation::Aal;
use celltrain_proto::police::{self, AbrPolicer, DgcraDelays, Policer};
use celltrain_proto::random::Stream;
use celltrain_proto::traffic::{Arrivals, Run, Traffic, TrafficSource};
use celltrain_proto::units::{CELL_BITS, Span, Time};

use crate::engine::source::{Pace, Process, Source};
use crate::engine::state::by_direction::ByDirection;
use crate::engine::state::upc::Upc;
use crate::engine::state::ways::Ways;
use crate::network::{Network, PathPolice, abr_parameters};
use crate::scenario::{self, PoliceAction, Service, Start, SustainedOn};

pub(super) fn sources(network: &Network, ways: &Ways, seed: u64) -> ByDirection<Source> {
    let mut sources = ByDirection::new(&ways.places, |number| source(network, ways, number));
    for number in (0..ways.len()).filter(|&number| !ways.of(number).is_empty()) {
        for carried in network.direction(number).carried() {
            sources[carried.by].make_tunnel();
        }
    }
    let is_admitted = |vc: u32| network.vcs[vc as usize].is_admitted();
    for background in network.backgrounds.iter().filter(|it| is_admitted(it.vc)) {
        let path = format!("backgrounds.{}", background.name());
        let direction = background.feeds();
        let start = start(&background.group.start, seed, &path);
        let written = &background.group.traffic;
        let Some(mut traffic) = traffic(written, CELL_BITS, seed, &path, network.end) else {
            sources[direction].be_greedy(start);
            continue;
        };
        let start = start.saturating_add(traffic.first());
        sources[direction] = Source::new(
            Pace::Process(Process::new(traffic)),
            ways.of(direction).start as u32,
            start,
        );
    }
    for direction in network.timed_directions() {
        if !ways.of(direction).is_empty() {
            sources[direction].is_timed = true;
        }
    }
    sources
}

/// The source of direction `number`, without background traffic.
fn source(network: &Network, ways: &Ways, number: usize) -> Source {
    let (vc, direction) = (&network.vcs[number / 2], network.direction(number));
    // Nothing is sent on a VC that is not admitted, not even RM cells.
    let pace = if vc.is_admitted() {
        Pace::of(&direction.service)
    } else {
        Pace::Ubr { gap: Span::ZERO }
    };
    let mut source = Source::new(pace, ways.of(number).start as u32, Time::ZERO);
    source.limit(vc.source_buffer, vc.source_drop);
    if vc.adaptation.aal == Aal::Frame {
        source.send_frames();
    }
    source
}

/// The process of arrivals of `bits` bits each, up to `end`, with the random numbers of `path`; `None` if it is greedy.
pub(super) fn traffic(
    written: &scenario::Traffic,
    bits: u64,
    seed: u64,
    path: &str,
    end: Time,
) -> Option<Traffic> {
    written.start(Run {
        bits,
        stream: Stream::named(seed, &format!("{path}.traffic")),
        horizon: end - Time::ZERO,
    })
}

fn action(written: PoliceAction) -> police::Action {
    match written {
        PoliceAction::Discard => police::Action::Discard,
        PoliceAction::Tag => police::Action::Tag,
    }
}

fn scope(written: SustainedOn) -> police::Scope {
    match written {
        SustainedOn::All => police::Scope::Clp01,
        SustainedOn::HighPriority => police::Scope::Clp0,
    }
}

/// The policer of a virtual path with this `service`; `None` if that is no contract.
pub(super) fn path_policer(written: &PathPolice, service: &Service) -> Option<Upc> {
    let demand = service.demand();
    let sustained = (demand.mean < demand.peak).then_some(police::Sustained {
        scr: demand.mean,
        mbs: demand.burst,
        scope: scope(written.sustained),
    });
    let action = action(written.action);
    let policer = Policer::new(service.pcr()?, written.cdvt, sustained, action);
    Some(Upc::Constant(policer))
}

/// The policer of a contract with a source of this `service`.
pub(super) fn policer(written: &scenario::Police, service: &Service) -> Upc {
    let action = action(written.action);
    if let (Some(dynamic), Service::Abr(abr)) = (&written.dynamic, service) {
        let parameters = abr_parameters(abr);
        let contract = Parameters {
            pcr: written.pcr.0,
            icr: parameters.icr.min(written.pcr.0),
            ..parameters
        };
        let delays = DgcraDelays {
            tolerance: written.cdvt.0,
            longest: dynamic.tau_2.0,
            shortest: dynamic.tau_3.0,
            out_of_rate_tolerance: written.cdvt.0,
        };
        return Upc::Dynamic(Box::new(AbrPolicer::new(contract, delays, action)));
    }
    let sustained = written
        .scr
        .zip(written.mbs)
        .map(|(scr, mbs)| police::Sustained {
            scr: scr.0,
            mbs: mbs.0,
            scope: scope(written.sustained),
        });
    let policer = Policer::new(written.pcr.0, written.cdvt.0, sustained, action);
    Upc::Constant(if written.frames {
        policer.per_frame()
    } else {
        policer
    })
}

pub(super) fn start(start: &Start, seed: u64, path: &str) -> Time {
    let span = match start {
        Start::At(span) => span.0,
        Start::Random(random) => {
            let [from, to] = random.uniform.map(|bound| bound.0.as_ps() as f64);
            let mut stream = Stream::named(seed, &format!("{path}.start"));
            Span::from_ps(stream.uniform_in(from, to) as u64)
        }
    };
    Time::ZERO + span
}
