//! Builds connections and packet flows from the flows of a network.

use celltrain_proto::random::Stream;
use celltrain_proto::tcp::{self, TickClock};
use celltrain_proto::units::{Bytes, Span, Time};

use crate::engine::build::source::{start, traffic};
use crate::engine::host::application::{Files, Greedy, Session};
use crate::engine::host::connection::{Connection, FlowEnds};
use crate::engine::host::flow::{Flow, FlowKind};
use crate::engine::host::fragments::Fragments;
use crate::engine::host::law::Law;
use crate::engine::host::packets::Packets;
use crate::engine::host::processing::{Server, ServiceTime};
use crate::engine::host::slots::Slots;
use crate::engine::host::socket::{Reader, Writer};
use crate::engine::host::telnet::{Gaps, Telnet};
use crate::network::{self, Network};
use crate::scenario::{self, Application, ProcessingLaw, Sizes, Thinks};

/// The octets of the timestamps option.
const TIMESTAMPS: u32 = 12;

/// The octets of IP and UDP headers.
const UDP_HEADERS: u32 = 28;

/// The initial slow-start threshold of Linux.
const LINUX_SSTHRESH: u32 = 65_535;

/// Builds the flow that `flow` describes.
pub(super) fn flow(network: &Network, flow: &network::Flow, seed: u64) -> Flow {
    let kind = match &flow.udp {
        Some(udp) => FlowKind::Packets(packets(network, flow, udp, seed)),
        None => FlowKind::Tcp(Box::new(connection(network, flow, seed))),
    };
    let data = 2 * flow.vc + flow.direction.index();
    let fragments = flow.is_cut().then(|| {
        let mtus = [data, data ^ 1].map(|direction| network.mtus(direction));
        Fragments::new(network.vcs[flow.vc].adaptation, mtus)
    });
    Flow::new(kind).with_fragments(fragments.flatten())
}

fn packets(network: &Network, flow: &network::Flow, udp: &scenario::Udp, seed: u64) -> Packets {
    let path = format!("flows.{}", flow.name);
    let octets = udp.packet.0.0;
    let adaptation = network.vcs[flow.vc].adaptation;
    Packets::new(
        traffic(&udp.traffic, 8 * octets, seed, &path, network.end)
            .expect("greedy packets were refused when the scenario was checked"),
        interval(network, flow, seed, &path),
        2 * flow.vc + flow.direction.index(),
        adaptation.cells_for_ip(octets) as u32,
        octets as u32 - UDP_HEADERS,
    )
}

/// The period of the delayed-acknowledgment timer: BSD's fast timer, or Linux's clock tick.
fn ack_timer(written: &scenario::Tcp) -> Span {
    let own = match written.ack {
        scenario::AckPolicy::Ticks => Span::from_ms(10),
        _ => Span::from_ms(200),
    };
    written.ack_timer.map_or(own, |period| period.0)
}

/// When a flow starts and when it stops. One on a VC that is not admitted never starts.
fn interval(network: &Network, flow: &network::Flow, seed: u64, path: &str) -> [Time; 2] {
    if !network.vcs[flow.vc].is_admitted() {
        return [Time::NEVER; 2];
    }
    let start = start(&flow.start, seed, path);
    let stop = flow.duration.map(|duration| start.saturating_add(duration));
    [start, stop.unwrap_or(Time::NEVER)]
}

fn connection(network: &Network, flow: &network::Flow, seed: u64) -> Connection {
    let (sender, mut receiver) = tcp_configs(flow, seed);
    if let Some(partner) = flow.partner {
        // The receiving end has a sender, which is closed by the FIN and has a clock of its own.
        receiver.close = tcp::CloseMode::Manual;
        let path = format!("flows.{}", network.flows[partner.flow].name);
        receiver.slow_timer = clock(seed, &path, flow.tcp.timer_granularity.0, "slow-timer");
    }
    Connection::new(
        sender,
        receiver,
        ends(network, flow, seed, &format!("flows.{}", flow.name)),
        2 * flow.vc + flow.direction.index(),
        network.vcs[flow.vc].adaptation,
    )
}

/// The ticks of a timer; its phase is drawn from `seed` and its name.
fn clock(seed: u64, path: &str, granularity: Span, timer: &str) -> TickClock {
    let mut stream = Stream::named(seed, &format!("{path}.{timer}"));
    TickClock::new(
        granularity,
        Span::from_ps(stream.uniform_in(0.0, granularity.as_ps() as f64) as u64),
    )
}

/// The configurations of both ends of the connection that `flow` describes; the phases of their timers are drawn from
/// `seed`.
pub fn tcp_configs(flow: &network::Flow, seed: u64) -> (tcp::SenderConfig, tcp::ReceiverConfig) {
    let path = format!("flows.{}", flow.name);
    let clock = |granularity: Span, timer: &str| clock(seed, &path, granularity, timer);
    let written = &flow.tcp;
    let window = written.window.0.0 as u32;
    let options = if written.timestamps { TIMESTAMPS } else { 0 };
    let mss = written.mss.0.0 as u32 - options;
    let transfers = matches!(flow.application, Application::Files(_));
    // Named after the first variant that acted by chance.
    let control_seed = Stream::named(seed, &format!("{path}.bbr"))
        .uniform()
        .to_bits();
    let mut sender = tcp::SenderConfig::new(mss, clock(written.timer_granularity.0, "slow-timer"))
        .with_variant(written.variant);
    sender.control = control(written, control_seed);
    sender.max_window = window;
    sender.peer_window = window;
    sender.initial_ssthresh = window;
    set_rules(&mut sender, written);
    sender.handshake = written.handshake || transfers;
    sender.negotiates_mss = true;
    sender.nagle = written.nagle;
    sender.window_scale = written.window_scale;
    sender.timestamps = written.timestamps;
    if written.variant.facts().counts_options {
        sender.counted_options = options;
    }
    sender.ecn = written.ecn || written.variant.facts().needs_exact_marks;
    sender.header_prediction = written.header_prediction;
    if let Some(segments) = flow.sockets.segments() {
        sender.writes = tcp::Writes::KeepBounds;
        sender.send_segments = Some(segments as u32);
    } else {
        sender.send_buffer = flow.sockets.send_buffer.map(|buffer| buffer.0.0 as u32);
    }
    sender.initial_window = match written.initial_window {
        scenario::InitialWindow::OneSegment => tcp::InitialWindow::OneSegment,
        scenario::InitialWindow::TwoSegments => tcp::InitialWindow::TwoSegments,
        scenario::InitialWindow::Rfc3390 => tcp::InitialWindow::Rfc3390,
        scenario::InitialWindow::Rfc6928 => tcp::InitialWindow::Rfc6928,
    };
    if written.slow_start_limit == scenario::SlowStartLimit::Unlimited {
        sender.slow_start_limit = tcp::SlowStartLimit::Unlimited;
    }
    if written.loss_window == scenario::LossWindow::Cwnd {
        sender.loss_window = tcp::LossWindow::Cwnd;
    }
    sender.recovery = recovery(written);
    let receiver = receiver(flow, &sender, clock(ack_timer(written), "fast-timer"));
    (sender, receiver)
}

/// Sets the rules of a sender that are not the default: its output, its timer, what it times.
fn set_rules(sender: &mut tcp::SenderConfig, written: &scenario::Tcp) {
    if written.whole_segments {
        sender.output = tcp::OutputRule::WholeSegments;
    }
    if written.variant.facts().counts_segments {
        sender.output = tcp::OutputRule::CountedSegments;
        sender.rtt_timing = tcp::RttTiming::LastCovered;
        sender.initial_ssthresh = LINUX_SSTHRESH;
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
    sender.rto.slack = tcp::RtoSlack {
        sample: written.rtt_slack_ticks.into(),
        expiry: written.rto_slack_ticks.into(),
    };
    set_timer(sender, &written.rto);
    sender.route_cache = match written.route_cache {
        scenario::RouteCache::Off => tcp::RouteCache::Off,
        scenario::RouteCache::RoundTrip => tcp::RouteCache::RoundTrip,
        scenario::RouteCache::RoundTripAndThreshold => tcp::RouteCache::RoundTripAndThreshold,
    };
    sender.rearm = match written.rexmt_rearm {
        scenario::Rearm::Restart => tcp::Rearm::Restart,
        scenario::Rearm::OldestSegment => tcp::Rearm::OldestSegment,
    };
    if written.retransmit_timer == scenario::RetransmitTimer::PerSegment {
        sender.rtt_timing = tcp::RttTiming::EverySegment;
        sender.rearm = tcp::Rearm::OldestSegment;
    }
}

fn recovery(written: &scenario::Tcp) -> tcp::LossRecovery {
    tcp::LossRecovery {
        limited_transmit: written.limited_transmit,
        rack: written.rack,
        tail_loss_probe: written.tail_loss_probe,
        prr: written.prr,
        hystart: match written.hystart {
            scenario::HyStart::Off => tcp::SlowStartExit::Loss,
            scenario::HyStart::Rfc9406 => tcp::SlowStartExit::Rfc9406,
            scenario::HyStart::Linux => tcp::SlowStartExit::Linux,
        },
        undo: written.undo,
        frto: written.frto,
    }
}

/// Sets the clock of the retransmission time-out and its minimum.
fn set_timer(sender: &mut tcp::SenderConfig, rto: &scenario::Rto) {
    match rto.timer {
        scenario::RtoTimer::Ticks | scenario::RtoTimer::RealTicks => {
            if rto.timer == scenario::RtoTimer::RealTicks {
                sender.rto_timer = tcp::RtoTimer::RealTicks;
            }
            if let Some(min) = rto.min {
                sender.rto.min = tcp::MinRto::Span(min.0);
            }
            if let Some(ticks) = rto.min_ticks {
                sender.rto.min = tcp::MinRto::Ticks(ticks.into());
            }
        }
        scenario::RtoTimer::Rfc6298 => {
            let defaults = tcp::Rfc6298::default();
            sender.rto_timer = tcp::RtoTimer::Continuous(rfc6298(rto, defaults));
        }
        scenario::RtoTimer::Rfc793 => {
            let defaults = tcp::Rfc6298::original();
            sender.rto_timer = tcp::RtoTimer::Continuous(rfc6298(rto, defaults));
        }
        scenario::RtoTimer::Jiffies => {
            let defaults = tcp::Rfc6298::linux();
            sender.rto_timer = tcp::RtoTimer::Jiffies(rfc6298(rto, defaults));
        }
    }
}

fn receiver(
    flow: &network::Flow,
    sender: &tcp::SenderConfig,
    fast_timer: TickClock,
) -> tcp::ReceiverConfig {
    let written = &flow.tcp;
    let window = written.window.0.0 as u32;
    // Both ends use the agreed MSS.
    let agreed = written.agreed_mss().0 as u32;
    let options = written.mss.0.0 as u32 - sender.mss;
    let mss = agreed - options + sender.counted_options;
    let mut receiver = tcp::ReceiverConfig::new(mss, window, fast_timer);
    receiver.told_mss = written.mss_option.then_some(written.told_mss().0 as u16);
    receiver.sack = sender.uses_sack();
    receiver.dsack = written.dsack;
    receiver.ack = match written.ack {
        scenario::AckPolicy::Delayed => tcp::AckPolicy::EverySecondSegment,
        scenario::AckPolicy::Each => tcp::AckPolicy::EachSegment,
        scenario::AckPolicy::Bsd => tcp::AckPolicy::Bsd,
        scenario::AckPolicy::Ticks => tcp::AckPolicy::AtTicks,
    };
    receiver.quick_acks = written.quick_acks;
    receiver.ack_delay = written.ack_delay.map(|delay| delay.0);
    receiver.window_update = match written.window_update {
        scenario::WindowUpdate::Bsd => tcp::WindowUpdate::Bsd,
        scenario::WindowUpdate::Tahoe => tcp::WindowUpdate::Tahoe,
        scenario::WindowUpdate::Rfc1122 => tcp::WindowUpdate::Rfc1122,
        scenario::WindowUpdate::Doubled => tcp::WindowUpdate::Doubled,
    };
    if flow.sockets.read_rate.is_some() {
        receiver.application = tcp::ReadMode::Manual;
    }
    receiver.window_scale = written.window_scale;
    receiver.timestamps = written.timestamps;
    let exactly = written.variant.facts().needs_exact_marks;
    receiver.ecn = written.ecn || exactly;
    receiver.echoes_exactly = exactly;
    // The timers of both hosts have the same granularity; the receiver's only guards its SYN and its FIN.
    receiver.slow_timer = sender.slow_timer;
    receiver.rto_timer = sender.rto_timer;
    receiver.rto = sender.rto;
    receiver
}

/// The application that sends the data of a flow in this interval.
fn session(
    flow: &network::Flow,
    [start, stop]: [Time; 2],
    stream: &dyn Fn(&str) -> Stream,
) -> Session {
    let size = |sizes: Sizes, mean: Bytes| match sizes {
        Sizes::Geometric => Law::Geometric(mean.0 as f64),
        Sizes::Fixed => Law::Fixed(mean.0 as f64),
    };
    match &flow.application {
        Application::Greedy(_) => Session::Greedy(Greedy::new(start, stop)),
        Application::Files(files) => {
            let size = size(files.sizes, files.size.0);
            let mean = files.think.0.as_secs();
            let think = match files.thinks {
                Thinks::Exponential => Law::Exponential(mean),
                Thinks::Fixed => Law::Fixed(mean),
            };
            let first = files.first_think.map(|first| first.0);
            Session::Files(Files::new(size, think, first, stream("files"), start))
        }
        Application::Telnet(it) => {
            let gaps = Gaps {
                shape: it.shape,
                shortest: it.shortest_gap.0,
                longest: it.longest_gap.0,
            };
            let streams = ["message-sizes", "messages"].map(stream);
            let size = size(it.sizes, it.size.0);
            let telnet = Telnet::new(size, gaps, streams, [start, stop]);
            Session::Telnet(Box::new(telnet))
        }
    }
}

fn ends(network: &Network, flow: &network::Flow, seed: u64, path: &str) -> FlowEnds {
    let stream = |what: &str| Stream::named(seed, &format!("{path}.{what}"));
    let [start, stop] = interval(network, flow, seed, path);
    let session = session(flow, [start, stop], &stream);
    let sockets = &flow.sockets;
    let server = |written: &Option<scenario::Processing>, what: &str| {
        written.map(|written| {
            Server::new(match written.law {
                ProcessingLaw::Fixed => ServiceTime::Fixed(written.mean.0),
                ProcessingLaw::Exponential => ServiceTime::Exponential {
                    mean_s: written.mean.0.as_secs(),
                    stream: stream(what),
                },
            })
        })
    };
    FlowEnds {
        session,
        at_end: flow.at_end,
        writer: writer(sockets),
        reader: sockets
            .read_rate
            .map(|rate| Reader::new(sockets.read.map(|read| read.0.0), rate.0)),
        segment_server: server(&flow.tcp.segment_processing, "segment-processing"),
        ack_server: server(&flow.tcp.ack_processing, "ack-processing"),
        host_queue: flow
            .tcp
            .host_queue_segments
            .map_or(usize::MAX, |segments| segments as usize),
        partner: flow.partner,
    }
}

fn writer(sockets: &scenario::Sockets) -> Writer {
    let writer = Writer::new(
        sockets.write.map(|write| write.0.0),
        sockets.write_rate.map(|rate| rate.0),
    );
    let Some(segments) = sockets.segments() else {
        return writer;
    };
    let wake_at = sockets.wake.map_or(1.0, |wake| wake.at.0) * segments as f64;
    let after = sockets.wake.map_or(Span::ZERO, |wake| wake.after.0);
    // At most all but one, or a blocked write would continue while none is free.
    let wake_at = (wake_at as u64).min(segments - 1);
    writer.with_slots(Slots::new(wake_at as usize, after))
}

/// Options of congestion control that are keys of their own.
fn control(written: &scenario::Tcp, seed: u64) -> tcp::ControlOptions {
    tcp::ControlOptions {
        sack: written.sack,
        go_back_n: written.tahoe_gbn,
        avoids_from_ssthresh: written.avoids_from_ssthresh,
        deflation: match written.deflation {
            scenario::Deflation::AfterMoreThanThree => tcp::Deflation::AboveThree,
            scenario::Deflation::AfterThree => tcp::Deflation::FromThree,
        },
        window_rules: match written.window_rules.unwrap_or_default() {
            scenario::WindowRules::Published => tcp::WindowRules::Published,
            scenario::WindowRules::Linux => tcp::WindowRules::Linux,
        },
        seed,
    }
}

fn rfc6298(written: &scenario::Rto, defaults: tcp::Rfc6298) -> tcp::Rfc6298 {
    tcp::Rfc6298 {
        min: written.min.map_or(defaults.min, |min| min.0),
        floor: match written.floor {
            scenario::RtoFloor::Rto => tcp::RtoFloor::Rto,
            scenario::RtoFloor::Variance => tcp::RtoFloor::Variance,
        },
        ..defaults
    }
}
