//! From a flow of the network to a connection.

use celltrain_proto::random::Stream;
use celltrain_proto::tcp::{self, TickClock};
use celltrain_proto::units::Span;

use super::source::{start, traffic};
use crate::engine::flow::{Connection, Flow, FlowKind};
use crate::engine::packets::Packets;
use crate::network::{self, Network};
use crate::scenario::{self, TcpVariant};

/// Octets of IP and UDP headers.
const UDP_HEADERS: u32 = 28;

/// Period of BSD's fast timer.
const FAST_TIMER: Span = Span::from_ms(200);

/// The flow that `flow` describes.
pub(super) fn flow(network: &Network, flow: &network::Flow, seed: u64) -> Flow {
    let Some(udp) = &flow.udp else {
        let connection = connection(network, flow, seed);
        return Flow::new(FlowKind::Tcp(Box::new(connection)));
    };
    let path = format!("flows.{}", flow.name);
    let octets = udp.packet.0.0;
    let encapsulation = network.vcs[flow.vc].encapsulation.0;
    Flow::new(FlowKind::Packets(Packets::new(
        traffic(&udp.traffic, 8 * octets, seed, &path),
        start(&flow.start, seed, &path),
        2 * flow.vc + flow.direction.index(),
        encapsulation.cells_for_ip(octets) as u32,
        octets as u32 - UDP_HEADERS,
    )))
}

fn connection(network: &Network, flow: &network::Flow, seed: u64) -> Connection {
    let path = format!("flows.{}", flow.name);
    let clock = |granularity: Span, timer: &str| {
        let mut stream = Stream::named(seed, &format!("{path}.{timer}"));
        TickClock::new(
            granularity,
            Span::from_ps(stream.uniform_in(0.0, granularity.as_ps() as f64) as u64),
        )
    };
    let written = &flow.tcp;
    let (mss, window) = (written.mss.0.0 as u32, written.window.0.0 as u32);
    let mut sender = tcp::SenderConfig::new(mss, clock(written.timer_granularity.0, "slow-timer"))
        .with_variant(variant(written));
    sender.max_window = window;
    sender.peer_window = window;
    sender.initial_ssthresh = window;
    if written.whole_segments {
        sender.output = tcp::OutputRule::WholeSegments;
    }
    if !written.gives_up {
        sender.backoff_limit = tcp::BackoffLimit::Hold;
    }
    if let Some(gain) = written.rto_gain {
        sender.rto.gain = match gain {
            2 => tcp::RtoGain::Two,
            _ => tcp::RtoGain::Four,
        };
    }
    match written.rto.timer {
        scenario::RtoTimer::Ticks => {
            if let Some(min) = written.rto.min {
                sender.rto.min = tcp::MinRto::Span(min.0);
            }
        }
        scenario::RtoTimer::Rfc6298 => {
            sender.rto_timer = tcp::RtoTimer::Continuous(rfc6298(&written.rto));
        }
    }
    sender.rearm = match written.rexmt_rearm {
        scenario::Rearm::Restart => tcp::Rearm::Restart,
        scenario::Rearm::OldestSegment => tcp::Rearm::OldestSegment,
    };
    let mut receiver = tcp::ReceiverConfig::new(mss, window, clock(FAST_TIMER, "fast-timer"));
    receiver.sack = sender.variant.uses_sack();
    receiver.ack = match written.ack {
        scenario::AckPolicy::Delayed => tcp::AckPolicy::EverySecondSegment,
        scenario::AckPolicy::Each => tcp::AckPolicy::EachSegment,
    };
    Connection {
        sender: tcp::Sender::new(sender),
        receiver: tcp::Receiver::new(receiver),
        start: start(&flow.start, seed, &path),
        data: 2 * flow.vc + flow.direction.index(),
        host_queue: written
            .host_queue_segments
            .map_or(usize::MAX, |segments| segments as usize),
        encapsulation: network.vcs[flow.vc].encapsulation.0,
    }
}

fn variant(written: &scenario::Tcp) -> tcp::Variant {
    let tahoe = |fast_retransmit| {
        tcp::Variant::Tahoe(tcp::TahoeOptions {
            fast_retransmit,
            go_back_n: written.tahoe_gbn,
        })
    };
    match written.variant {
        TcpVariant::Bsd43Reno | TcpVariant::Bsd44 => tcp::Variant::bsd43_reno(),
        TcpVariant::Bsd43Tahoe => tahoe(true),
        TcpVariant::Bsd43TahoeNoFastRetransmit => tahoe(false),
        TcpVariant::Bsd44Lite2 => tcp::Variant::bsd44_lite2(),
        TcpVariant::NewReno => tcp::Variant::NewReno,
        TcpVariant::Sack => tcp::Variant::Sack,
        TcpVariant::Cubic => tcp::Variant::Cubic(tcp::CubicOptions::default()),
    }
}

fn rfc6298(written: &scenario::Rto) -> tcp::Rfc6298 {
    let defaults = tcp::Rfc6298::default();
    tcp::Rfc6298 {
        min: written.min.map_or(defaults.min, |min| min.0),
        floor: match written.floor {
            scenario::RtoFloor::Rto => tcp::RtoFloor::Rto,
            scenario::RtoFloor::Variance => tcp::RtoFloor::Variance,
        },
        ..defaults
    }
}
