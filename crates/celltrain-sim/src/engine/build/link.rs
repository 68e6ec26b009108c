//! Links: rates, queues, delays and impairments.

use celltrain_proto::discard::{Discard, Port};
use celltrain_proto::flow::{credit, gfc};
use celltrain_proto::frame::LONGEST_PACKET;
use celltrain_proto::packet_queue;
use celltrain_proto::random::Stream;
use celltrain_proto::schedule::{Class, Queues};
use celltrain_proto::switch::SwitchAlgorithm;
use celltrain_proto::units::Bytes;

use crate::engine::link::{CellErrors, Control, Line, Link, Misinsertion, Path};
use crate::engine::queue::Queue;
use crate::engine::queue::flow_queue::FlowQueue;
use crate::engine::queue::frame_fifo::FrameFifo;
use crate::engine::queue::gauge::Gauge;
use crate::engine::queue::managed::{Buffers, Managed, ONE_PACKET, PortVc};
use crate::network::{self, Network};
use crate::scenario::{self, PriorityLoad, Scheduling};

/// Link number `index`, with its errors. `crossing` has the directions that cross it, in the order of their numbers there, each with the
/// place of the link on its path.
pub(super) fn link(network: &Network, index: usize, crossing: &[(u32, u32)], seed: u64) -> Link {
    let described = &network.links[index];
    let link = sound(network, index, crossing, seed);
    if described.errors.is_none() && described.misinsertion.is_none() {
        return link;
    }
    let stream =
        |what: &str| Stream::named(seed, &format!("links.{}.{what}", described.unique_name()));
    let corruption = described.errors.as_ref();
    let misinsertion = described.misinsertion;
    link.with_errors(CellErrors::new(
        corruption.map(|written| written.build(stream("errors"))),
        misinsertion.map(|it| Misinsertion::new(it.rate.0, stream("misinsertion"))),
        crossing.len(),
    ))
}

/// A link without errors.
fn sound(network: &Network, index: usize, crossing: &[(u32, u32)], seed: u64) -> Link {
    let described = &network.links[index];
    let stream =
        |what: &str| Stream::named(seed, &format!("links.{}.{what}", described.unique_name()));
    let path = Path {
        delay: described.delay,
        varying: described
            .has_varying_delay()
            .then(|| Box::new(described.varying_delay(seed))),
    };
    let loss = described
        .loss
        .as_ref()
        .map(|written| written.build(stream("loss")));
    let Some(line) = &described.line else {
        return Link::new(path, None, loss);
    };
    let process = line.rate.process(stream("rate"));
    let control = line.control.as_ref().map(|written| {
        let algorithm = written.build();
        Control {
            is_followed: algorithm.follows_queue(),
            algorithm,
            queue: (line.scheduling.queues() == Queues::PerClass).then_some(Class::Abr as u32),
            counts_departures: line.priority_load == PriorityLoad::Departures,
        }
    });
    let unit = line.unit;
    let gfc = line
        .gfc
        .as_ref()
        .map(|gfc| gfc::Controlling::new(gfc.high.0, gfc.low.0, gfc.thresholds()));
    let managed = is_managed(line).then(|| managed(network, described, line, crossing, &stream));
    let line = Line::new(
        process,
        line.buffer,
        line.on_rate_change,
        control,
        gfc,
        managed,
        (network.parts > 0).then(Gauge::default),
    );
    let line = line.in_units(unit);
    let line = match described.line.as_ref().and_then(|line| line.frames) {
        None => line,
        Some(frames) => line.with_frames(frame_queue(described, frames, crossing.len(), &stream)),
    };
    Link::new(path, Some(line), loss)
}

/// The queue of a link that carries frames of so many VCs.
fn frame_queue(
    wire: &network::Link,
    frames: network::Frames,
    vcs: usize,
    stream: &dyn Fn(&str) -> Stream,
) -> Queue {
    let framing = frames.framing;
    let line = wire.line.as_ref();
    let Some((line, written)) = line.and_then(|line| Some((line, line.packet_queue.as_ref()?)))
    else {
        return Queue::Frames(Box::new(FrameFifo::new(framing, frames.room)));
    };
    let longest = framing.octets(wire.mtu.unwrap_or(LONGEST_PACKET));
    let queues = written.build(packet_queue::Port {
        longest: Bytes(longest.into()),
        rate: line.highest_lasting,
        stream: stream("queue"),
    });
    let queue = FlowQueue::new(framing, (line.buffer, frames.room), queues, vcs);
    Queue::Flows(Box::new(queue))
}

/// Whether the queue does more than FIFO service and tail drop.
fn is_managed(line: &network::Line) -> bool {
    line.scheduling != Scheduling::default()
        || line.discard.is_some()
        || line.clp_threshold.is_some()
        || line.queue_management.is_some()
}

fn managed(
    network: &Network,
    wire: &network::Link,
    line: &network::Line,
    crossing: &[(u32, u32)],
    stream: &dyn Fn(&str) -> Stream,
) -> Managed {
    let is_background = |number: u32| {
        let carries = |it: &network::Background| it.feeds() == number as usize;
        network.backgrounds.iter().any(carries)
    };
    let vcs = crossing.iter().enumerate().map(|(at, crossing)| {
        let queue = match line.scheduling.queues() {
            Queues::One => 0,
            Queues::PerClass => class_of(network, *crossing),
            Queues::PerVc => at as u32,
        };
        let credit = line.credit.map(|written| {
            let (n2, n3) = credits(&written, wire, line);
            credit::Sender::new(n2, n3)
        });
        PortVc::new(queue, !is_background(crossing.0), credit)
    });
    let weights = weights(network, crossing);
    let (buffers, order) = match line.scheduling.queues() {
        Queues::One => (Buffers::Shared(line.buffer), line.scheduling.build(&[1.0])),
        Queues::PerClass => {
            let buffer = |class| line.class_buffers.of(class);
            let buffers =
                Class::ALL.map(|class| buffer(class).map_or(line.buffer, |it| it.0 as u32));
            let order = line.scheduling.build(&Class::ALL.map(|_| 1.0));
            (Buffers::Each(buffers.to_vec()), order)
        }
        Queues::PerVc => (
            Buffers::Shared(line.buffer),
            line.scheduling.build(&weights),
        ),
    };
    let sum: f64 = weights.iter().sum();
    let shares: Vec<f64> = weights.iter().map(|weight| weight / sum).collect();
    let policy = line.discard.as_ref().map(|written| {
        written.build(&Port {
            frame: ONE_PACKET,
            frame_time: line.highest_lasting.span_of(ONE_PACKET),
            weights: &shares,
            stream: stream("discard"),
        })
    });
    let discard = Discard::new(policy, line.clp_threshold, crossing.len());
    let aqm = line
        .queue_management
        .as_ref()
        .map(|written| written.build(stream("queue-management")));
    Managed::new(order, buffers, vcs.collect(), discard, aqm)
}

/// The queue of the class in which a link serves the cells of a direction.
fn class_of(network: &Network, (number, at): (u32, u32)) -> u32 {
    network.service_at(number as usize, at as usize).class() as u32
}

/// The weight of each direction. Cells carried by a tunnel VC have its weight.
fn weights(network: &Network, crossing: &[(u32, u32)]) -> Vec<f64> {
    let server = |&(number, at): &(u32, u32)| network.tunnel_at(number as usize, at as usize);
    let weight = |it: &(u32, u32)| network.vcs[server(it) / 2].weight;
    crossing.iter().map(weight).collect()
}

/// N2 and N3 of a link's credits.
pub(super) fn credits(
    written: &scenario::Credit,
    wire: &network::Link,
    line: &network::Line,
) -> (u32, u32) {
    let cell_time = line.highest_lasting.time_of(line.unit);
    // At rate zero the transmission of a cell never ends.
    let round_trip = (wire.longest_delay() + wire.delay).saturating_add(cell_time);
    let n3 = written.n3.map_or_else(
        || credit::n3(line.highest_lasting, round_trip).max(1),
        |n3| n3.0.0 as u32,
    );
    (written.n2.0.0 as u32, n3)
}
