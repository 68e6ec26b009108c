//! What traffic and its contracts require.

use celltrain_language::Text;
use celltrain_proto::traffic::TrafficSource;
use celltrain_proto::units::{Bytes, Cells, Rate, Span};

use super::value::{Check, allowed, buffer, positive, require, start};
use crate::scenario::{
    Application, AtEnd, Back, Direction, DynamicGcra, Flow, Police, Problem, RouteCache, RtoTimer,
    Service, Shape, Sockets, Vbr, Vc,
};

/// The most segments in a socket buffer that counts segments.
const MAX_SEGMENTS: u64 = 1 << 20;
/// The most writes that such a buffer holds: they come at one instant, one by one.
const MAX_WRITES: u64 = 1 << 24;

/// The longest feedback delay for which a policer remembers rates.
const LONGEST_FEEDBACK: Span = Span::from_secs(10);

/// Checks variable bit rate.
pub(super) fn vbr(path: &str, vbr: &Vbr) -> Check {
    positive(&format!("{path}.pcr"), vbr.pcr.0)?;
    sustained(path, vbr.pcr.0, vbr.scr.map(|scr| scr.0), Some(vbr.mbs.0))
}

fn sustained(path: &str, pcr: Rate, scr: Option<Rate>, mbs: Option<Cells>) -> Check {
    let Some(scr) = scr else { return Ok(()) };
    let scr_path = format!("{path}.scr");
    positive(&scr_path, scr)?;
    let message = format!("expected at most pcr, {pcr}, found {scr}");
    require(scr <= pcr, &scr_path, message)?;
    let message = "the sustainable rate needs a burst size of at least 1 cell: `mbs`";
    require(
        mbs.is_some_and(|mbs| mbs >= Cells(1)),
        &format!("{path}.mbs"),
        message,
    )
}

/// Checks the contract of a VC.
pub(super) fn contract(path: &str, vc: &Vc) -> Check {
    let weight = vc.weight.0;
    let message = format!("expected a weight above 0, found {weight}");
    require(weight > 0.0, &format!("{path}.weight"), message)?;
    for (number, shape) in vc.shape.iter().enumerate() {
        self::shape(&format!("{path}.shape.{number}"), shape)?;
    }
    let Some(police) = &vc.police else {
        return Ok(());
    };
    let path = format!("{path}.police");
    buckets(&path, police.pcr, police.scr, police.mbs)?;
    let service = match police.direction {
        Direction::Forward => &vc.forward,
        Direction::Backward => &vc.backward,
    };
    police.dynamic.map_or(Ok(()), |dynamic| {
        dynamic_gcra(&path, police, dynamic, service)
    })
}

/// Checks a peak rate, and a sustainable rate with its burst size.
fn buckets(
    path: &str,
    pcr: Text<Rate>,
    scr: Option<Text<Rate>>,
    mbs: Option<Text<Cells>>,
) -> Check {
    positive(&format!("{path}.pcr"), pcr.0)?;
    let message = "`scr` and `mbs` must be given together";
    require(scr.is_some() == mbs.is_some(), path, message)?;
    sustained(path, pcr.0, scr.map(|scr| scr.0), mbs.map(|mbs| mbs.0))
}

/// Checks a shaper within the network.
fn shape(path: &str, shape: &Shape) -> Check {
    buckets(path, shape.pcr, shape.scr, shape.mbs)?;
    buffer(&format!("{path}.buffer"), shape.buffer.0.0)
}

/// Checks the policing of a direction with this `service` at the rate that its source is allowed.
fn dynamic_gcra(path: &str, police: &Police, dynamic: DynamicGcra, service: &Service) -> Check {
    let Service::Abr(abr) = service else {
        let message = format!(
            "only an ABR source has a rate that RM cells change; the {} direction of the VC is not `service = \"abr\"`",
            police.direction.as_str()
        );
        return Err(Problem::at(&format!("{path}.dynamic"), message));
    };
    let message = "it follows the RM cells that pass the first node after the source; leave it out";
    require(police.at.is_none(), &format!("{path}.at"), message)?;
    for (key, is_present) in [("scr", police.scr.is_some()), ("frames", police.frames)] {
        let message = "an ABR source is policed cell by cell at one rate; leave it out, or leave out `dynamic`";
        require(!is_present, &format!("{path}.{key}"), message)?;
    }
    let mcr = abr.mcr.map_or(Rate::ZERO, |mcr| mcr.0);
    let message = format!(
        "expected at least mcr, {mcr}, which the source may always use; found {}",
        police.pcr.0
    );
    require(police.pcr.0 >= mcr, &format!("{path}.pcr"), message)?;
    let (longest, shortest) = (dynamic.tau_2.0, dynamic.tau_3.0);
    let message = format!("expected tau_3, {shortest}, to {LONGEST_FEEDBACK}, found {longest}");
    require(
        (shortest..=LONGEST_FEEDBACK).contains(&longest),
        &format!("{path}.dynamic.tau_2"),
        message,
    )
}

/// Checks applications and packets.
pub(super) fn flow(path: &str, flow: &Flow) -> Check {
    duration(path, flow)?;
    let message = "nothing ends the connection; give a `duration`, too";
    let aborts = flow.at_end == AtEnd::Abort;
    require(
        !aborts || (flow.duration.is_some() && flow.udp.is_none()),
        &format!("{path}.at_end"),
        message,
    )?;
    if let Some(udp) = &flow.udp {
        let message = "packets without TCP have no connection; leave it out";
        require(flow.back.is_none(), &format!("{path}.back"), message)?;
        let path = format!("{path}.udp");
        let octets = udp.packet.0.0;
        let message = format!("expected 28 (the headers) to 65535 bytes, found {octets}");
        require(
            (28..=65_535).contains(&octets),
            &format!("{path}.packet"),
            message,
        )?;
        let path = format!("{path}.traffic");
        let message = "a greedy process has no rate of its own for packets; expected another one";
        require(
            !udp.traffic.is_greedy(),
            &format!("{path}.process"),
            message,
        )?;
        let message = "cells of AAL1 carry a circuit, not packets; expected another process";
        require(
            !udp.traffic.is_circuit(),
            &format!("{path}.process"),
            message,
        )?;
        return allowed(&path, udp.traffic.check());
    }
    application(path, flow)?;
    route_cache(&format!("{path}.tcp.route_cache"), flow)?;
    sockets(&format!("{path}.sockets"), flow, &flow.sockets)?;
    flow.back.as_ref().map_or(Ok(()), |back| {
        self::back(&format!("{path}.back"), flow, back)
    })
}

/// Checks the application of a connection.
fn application(path: &str, flow: &Flow) -> Check {
    let at = |key: &str| format!("{path}.application.{key}");
    match &flow.application {
        Application::Greedy(_) => Ok(()),
        Application::Files(files) => {
            let message = "expected files of at least 1 byte";
            require(files.size.0 >= Bytes(1), &at("size"), message)
        }
        Application::Telnet(telnet) => {
            let message = "expected messages of at least 1 byte";
            require(telnet.size.0 >= Bytes(1), &at("size"), message)?;
            let shape = telnet.shape;
            let message = format!("expected an exponent from 0.1 to 10, found {shape}");
            require((0.1..=10.0).contains(&shape), &at("shape"), message)?;
            let [shortest, longest] = [telnet.shortest_gap.0, telnet.longest_gap.0];
            let message = format!("expected at least 1 us, found {shortest}");
            require(shortest >= Span::from_us(1), &at("shortest_gap"), message)?;
            let message = format!("expected more than shortest_gap, {shortest}, found {longest}");
            require(longest > shortest, &at("longest_gap"), message)?;
            let sockets = &flow.sockets;
            let paced = [
                ("write", sockets.write.is_some()),
                ("write_rate", sockets.write_rate.is_some()),
                ("segment_memory", sockets.segment_memory.is_some()),
            ];
            paced.into_iter().try_for_each(|(key, is_present)| {
                let message =
                    "each message of a telnet application is written at once; leave it out";
                require(!is_present, &format!("{path}.sockets.{key}"), message)
            })
        }
    }
}

/// Checks what a connection leaves for later ones.
fn route_cache(path: &str, flow: &Flow) -> Check {
    let is_on = flow.tcp.route_cache != RouteCache::Off;
    let is_followed = matches!(flow.application, Application::Files(_));
    let message = "no connection of this flow follows another; leave it out, or set `application = { kind = \"files\" }`";
    require(!is_on || is_followed, path, message)?;
    let has_ticks = flow.tcp.rto.timer == RtoTimer::Ticks;
    let message = "round trips are remembered in BSD's ticks; leave it out, or set `rto = { timer = \"ticks\" }`";
    require(!is_on || has_ticks, path, message)
}

/// Checks the data in the other direction of a connection.
fn back(path: &str, flow: &Flow, back: &Back) -> Check {
    let is_greedy = matches!(flow.application, Application::Greedy(_));
    let message = "only a connection of a greedy application has data both ways; expected `kind = \"greedy\"`";
    require(is_greedy, path, message)?;
    let message = "acknowledgments that travel with data do not wait for a host; expected no `tcp.ack_processing`";
    require(flow.tcp.ack_processing.is_none(), path, message)?;
    start(&format!("{path}.start"), &back.start)?;
    let has_time = back.duration.is_none_or(|duration| duration.0 > Span::ZERO);
    require(
        has_time,
        &format!("{path}.duration"),
        "expected a time above zero",
    )?;
    sockets(&format!("{path}.sockets"), flow, &back.sockets)
}

/// Checks the socket buffers of one direction of a flow.
fn sockets(path: &str, flow: &Flow, sockets: &Sockets) -> Check {
    for (key, rate) in [
        ("write_rate", sockets.write_rate),
        ("read_rate", sockets.read_rate),
    ] {
        if let Some(rate) = rate {
            positive(&format!("{path}.{key}"), rate.0)?;
        }
    }
    let buffers = [
        ("write", sockets.write, sockets.send_buffer),
        ("read", sockets.read, Some(flow.tcp.window)),
    ];
    for (key, size, buffer) in buffers {
        let Some(size) = size else { continue };
        let most = buffer.map_or(Bytes(1 << 30), |buffer| buffer.0);
        let message = format!("expected 1 byte to {most} (the buffer), found {}", size.0);
        let good = (Bytes(1)..=most).contains(&size.0);
        require(good, &format!("{path}.{key}"), message)?;
    }
    let is_greedy = matches!(flow.application, Application::Greedy(_));
    let needs_bound = is_greedy && sockets.send_buffer.is_none();
    let message = "nothing bounds how much a greedy application writes at once; give `send_buffer` or `write_rate`, too";
    require(
        sockets.write.is_none() || sockets.write_rate.is_some() || !needs_bound,
        &format!("{path}.write"),
        message,
    )?;
    // A rate bounds nothing if writes are at one instant.
    if let Some(rate) = sockets.write_rate.filter(|_| needs_bound) {
        let write = sockets.write.map_or(Sockets::DEFAULT_LENGTH, |it| it.0.0);
        let apart = rate.0.span_of_bits(8.0 * write as f64);
        let message = format!(
            "writes of {} at {} are less than 1 ps apart; lower the rate, or give `send_buffer` instead",
            Bytes(write),
            rate.0
        );
        require(apart > Span::ZERO, &format!("{path}.write_rate"), message)?;
    }
    segments(path, flow, sockets)
}

/// Checks how long a flow sends.
fn duration(path: &str, flow: &Flow) -> Check {
    let Some(duration) = flow.duration else {
        return Ok(());
    };
    let path = format!("{path}.duration");
    let has_end = flow.udp.is_none() && matches!(flow.application, Application::Files(_));
    let message = "file transfers end by themselves; expected a greedy application or `udp`";
    require(!has_end, &path, message)?;
    require(duration.0 > Span::ZERO, &path, "expected a time above zero")
}

/// Checks a socket buffer that holds segments.
fn segments(path: &str, flow: &Flow, sockets: &Sockets) -> Check {
    let at = |key: &str| format!("{path}.{key}");
    if let Some(wake) = sockets.wake {
        let message = "only a write that `segment_memory` blocks is woken; give that too";
        require(sockets.segment_memory.is_some(), &at("wake"), message)?;
        let part = wake.at.0;
        let message = format!("expected a fraction from 0 to 1, found {part}");
        require((0.0..=1.0).contains(&part), &at("wake.at"), message)?;
    }
    let Some(memory) = sockets.segment_memory else {
        return Ok(());
    };
    let path = at("segment_memory");
    let message =
        "a BSD socket buffer counts octets, not segments; expected tcp.variant = \"linux-1999\"";
    require(flow.tcp.variant.facts().counts_segments, &path, message)?;
    let negotiates = flow.tcp.agreed_mss() < flow.tcp.mss.0;
    let message = "writes are cut into segments before the connection is open; expected `tcp.receiver_mss` no less than \
                   `tcp.mss`, and `tcp.mss_option = true`";
    require(!negotiates, &path, message)?;
    let needs = sockets.write.is_some() && sockets.send_buffer.is_some();
    let message = "it counts each `write` against `send_buffer`; expected both";
    require(needs, &path, message)?;
    let buffer = sockets.send_buffer.map_or(Bytes(0), |buffer| buffer.0);
    let message = format!(
        "expected 1 byte to {} (the send buffer), found {}",
        buffer, memory.0
    );
    require((Bytes(1)..=buffer).contains(&memory.0), &path, message)?;
    // Each segment in the buffer takes memory of the computer.
    let segments = sockets.segments().unwrap_or(0);
    let message = format!(
        "the send buffer holds 2 x {buffer} / {} = {segments} segments; expected at most {MAX_SEGMENTS}: a smaller \
         `send_buffer`, or more `segment_memory`",
        memory.0
    );
    require(segments <= MAX_SEGMENTS, &path, &message)?;
    // A write fills up the last segment, if it is short; all writes that fit come at one instant.
    let write = sockets.write.map_or(Bytes(1), |write| write.0);
    let writes = segments.saturating_mul(flow.tcp.mss.0.0.div_ceil(write.0));
    let message = format!(
        "the {segments} segments of the send buffer hold up to {writes} writes of {write}; expected at most {MAX_WRITES}: \
         longer writes, or a smaller `send_buffer`"
    );
    require(writes <= MAX_WRITES, &at("write"), &message)
}
