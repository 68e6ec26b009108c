//! Checks of single values: what each section requires, independently of the others.

mod admission;
mod frames;
mod link;
mod node;
mod queue;
mod service;
mod traffic;
mod value;
mod vp;

use celltrain_proto::tcp::Repair;
use celltrain_proto::units::Span;

use self::value::{Check, allowed, buffer, identifier, mtu, require, start};
use crate::scenario::{AckPolicy, Measure, RtoTimer, Scenario, Tcp};

/// The longest run: a `u64` of picoseconds holds 213 days.
const LONGEST_RUN: Span = Span::from_secs(200 * 86_400);
/// The most parts of a measured interval.
const MOST_PARTS: u32 = 10_000;
/// The most ticks added to a time in ticks, and the largest minimum in ticks.
const MOST_TICKS: u16 = 1_000;
/// The tables that results have besides traces.
pub(crate) const TABLES: [&str; 12] = [
    "flows",
    "fairness",
    "vcs",
    "links",
    "link_vcs",
    "link_parts",
    "cell_delays",
    "cell_errors",
    "frames",
    "responses",
    "admission",
    "shapers",
];
/// The most members of a group.
const LARGEST_GROUP: u32 = 1_000_000;

/// Finds the first value that its section does not allow.
pub(super) fn values(scenario: &Scenario) -> Check {
    measure(&scenario.measure)?;
    require(
        !scenario.hosts.is_empty(),
        "hosts",
        "there is no host; a VC needs one at each end",
    )?;
    require(
        !scenario.vcs.is_empty(),
        "vcs",
        "there is no VC; nothing could be sent",
    )?;
    hosts(scenario)?;
    node::nodes(scenario)?;
    for (name, link) in &scenario.links {
        let path = format!("links.{name}");
        identifier(&path, name)?;
        link::link(&path, link)?;
        mtu(&path, link.mtu)?;
    }
    for (name, vc) in &scenario.vcs {
        let path = format!("vcs.{name}");
        identifier(&path, name)?;
        service::service(&format!("{path}.forward"), &vc.forward)?;
        service::service(&format!("{path}.backward"), &vc.backward)?;
        traffic::contract(&path, vc)?;
        mtu(&path, vc.mtu)?;
        if let Some(cells) = vc.source_buffer {
            buffer(&format!("{path}.source_buffer"), cells.0.0)?;
        }
    }
    for (name, vp) in &scenario.vps {
        let path = format!("vps.{name}");
        identifier(&path, name)?;
        vp::vp(&path, vp)?;
    }
    if let Some(admission) = &scenario.admission {
        admission::admission(admission)?;
    }
    for (name, flow) in &scenario.flows {
        let path = format!("flows.{name}");
        identifier(&path, name)?;
        group_size(&format!("{path}.per_vc"), flow.per_vc)?;
        start(&format!("{path}.start"), &flow.start)?;
        tcp(&format!("{path}.tcp"), &flow.tcp)?;
        traffic::flow(&path, flow)?;
    }
    for (name, background) in &scenario.backgrounds {
        let path = format!("backgrounds.{name}");
        identifier(&path, name)?;
        start(&format!("{path}.start"), &background.start)?;
        allowed(&format!("{path}.traffic"), background.traffic.check())?;
    }
    probes(scenario)
}

fn hosts(scenario: &Scenario) -> Check {
    for (name, host) in &scenario.hosts {
        let path = format!("hosts.{name}");
        identifier(&path, name)?;
        group_size(&format!("{path}.count"), host.count)?;
        node::host(&path, host)?;
    }
    Ok(())
}

/// Checks the number of members of a group, if it is given.
fn group_size(path: &str, size: Option<u32>) -> Check {
    let size = size.unwrap_or(1);
    let message = format!("expected 1 to {LARGEST_GROUP}, found {size}");
    require((1..=LARGEST_GROUP).contains(&size), path, message)
}

fn probes(scenario: &Scenario) -> Check {
    for (name, probe) in &scenario.probes {
        let path = format!("probes.{name}");
        identifier(&path, name)?;
        let message = "this is the name of a table of results, whose file the trace would replace; give the probe another";
        require(!TABLES.contains(&name.as_str()), &path, message)?;
        require(
            probe.every.is_none_or(|every| every.0 > Span::ZERO),
            &format!("{path}.every"),
            "expected a time above zero",
        )?;
        require(
            !probe.record.is_empty(),
            &format!("{path}.record"),
            "there is nothing to record",
        )?;
    }
    Ok(())
}

fn measure(measure: &Measure) -> Check {
    if let Some(delays) = &measure.cell_delays {
        let alpha = delays.alpha;
        let message = format!("expected above 0 and below 1, found {alpha}");
        let is_within = alpha > 0.0 && alpha < 1.0;
        require(is_within, "measure.cell_delays.alpha", message)?;
    }
    let (warm_up, duration) = (measure.warm_up.0, measure.duration.0);
    require(
        warm_up < duration,
        "measure.duration",
        format!("nothing would be measured: the run lasts {duration}, its warm-up {warm_up}"),
    )?;
    let message = format!("{duration} is longer than {LONGEST_RUN}, the longest run");
    require(duration <= LONGEST_RUN, "measure.duration", message)?;
    let parts = measure.parts.unwrap_or(1);
    let message = format!("expected 1 to {MOST_PARTS} parts, found {parts}");
    require((1..=MOST_PARTS).contains(&parts), "measure.parts", message)?;
    let measured = duration - warm_up;
    let message = format!(
        "{measured} has no {parts} parts of a picosecond or more; make it longer, or have fewer parts"
    );
    require(
        u64::from(parts) <= measured.as_ps(),
        "measure.parts",
        message,
    )
}

fn tcp(path: &str, tcp: &Tcp) -> Check {
    let at = |key: &str| format!("{path}.{key}");
    let (mss, window) = (tcp.mss.0.0, tcp.window.0.0);
    let message = format!("expected 1 to 65495 bytes (65535 less 40 of headers), found {mss}");
    require((1..=65_495).contains(&mss), &at("mss"), message)?;
    let message = format!(
        "timestamps take 12 bytes of each segment; expected at least 13 bytes, found {mss}"
    );
    require(!tcp.timestamps || mss > 12, &at("mss"), message)?;
    let negotiates = tcp.receiver_mss.is_some() || !tcp.mss_option;
    let told = tcp.told_mss().0;
    let message = format!("expected 13 to 65495 bytes, found {told}");
    require((13..=65_495).contains(&told), &at("receiver_mss"), message)?;
    let key = if tcp.mss_option {
        "receiver_mss"
    } else {
        "mss_option"
    };
    let message = "it is negotiated when the connection opens; give `handshake = true`, too";
    require(!negotiates || tcp.handshake, &at(key), message)?;
    let message = format!("expected {mss} (one segment) to 1073725440 bytes, found {window}");
    require(
        (mss..=65_535 << 14).contains(&window),
        &at("window"),
        message,
    )?;
    let granularity = tcp.timer_granularity.0;
    let range = Span::from_us(10)..=Span::from_secs(1);
    let message = format!("expected 10 us to 1 s, found {granularity}");
    require(
        range.contains(&granularity),
        &at("timer_granularity"),
        message,
    )?;
    if let Some(period) = tcp.ack_timer {
        let message = format!("expected 10 us to 1 s, found {}", period.0);
        require(range.contains(&period.0), &at("ack_timer"), message)?;
    }
    if let Some(delay) = tcp.ack_delay {
        let message = format!("expected 10 us to 1 s, found {}", delay.0);
        require(range.contains(&delay.0), &at("ack_delay"), message)?;
        let waits = matches!(tcp.ack, AckPolicy::Delayed | AckPolicy::Bsd);
        let message = "with this `ack` no acknowledgment waits for a timer of its own; leave it out, or set `ack = \"delayed\"`";
        // A delay set by a preset does not matter if each segment is acknowledged.
        require(waits || tcp.preset.is_some(), &at("ack_delay"), message)?;
    }
    tcp_variant(&at, tcp)?;
    require(
        tcp.host_queue_segments != Some(0),
        &at("host_queue_segments"),
        "expected at least 1, found 0",
    )
}

/// Checks the keys that depend on the variant.
fn tcp_variant(at: &dyn Fn(&str) -> String, tcp: &Tcp) -> Check {
    allowed(&at("variant"), tcp.variant.check())?;
    if tcp.variant.facts().counts_segments {
        let message =
            "linux-1999 is modelled without Nagle's rule, as with TCP_NODELAY; expected false";
        require(!tcp.nagle, &at("nagle"), message)?;
    }
    let message = "this variant repairs losses in one way; \"newreno\" is \"sack\" without selective acknowledgments";
    let has_choice = tcp.sack || tcp.variant.facts().repair == Repair::Either;
    require(has_choice, &at("sack"), message)?;
    if let Some(gain) = tcp.rto_gain {
        let message = format!("expected 2 or 4, found {gain}");
        require(matches!(gain, 2 | 4), &at("rto_gain"), message)?;
    }
    tick_slack(at, tcp)
}

/// Checks what is added to times in ticks, and the smallest of them.
fn tick_slack(at: &dyn Fn(&str) -> String, tcp: &Tcp) -> Check {
    let has_ticks = matches!(tcp.rto.timer, RtoTimer::Ticks | RtoTimer::RealTicks);
    for (key, ticks) in [
        ("rto_slack_ticks", tcp.rto_slack_ticks),
        ("rtt_slack_ticks", tcp.rtt_slack_ticks),
    ] {
        let message = format!("expected 0 to {MOST_TICKS} ticks, found {ticks}");
        require(ticks <= MOST_TICKS, &at(key), message)?;
        let message =
            "this `rto.timer` has no ticks; leave it out, or set `rto = { timer = \"ticks\" }`";
        require(ticks == 0 || has_ticks, &at(key), message)?;
    }
    if let Some(ticks) = tcp.rto.min_ticks {
        let key = at("rto.min_ticks");
        let message = format!("expected 1 to {MOST_TICKS} ticks, found {ticks}");
        require((1..=MOST_TICKS).contains(&ticks), &key, message)?;
        let message = "this `rto.timer` has no ticks; give `rto.min`, or `timer = \"ticks\"`";
        require(has_ticks, &key, message)?;
        let message = "`rto.min` is given, too; leave one of them out";
        require(tcp.rto.min.is_none(), &key, message)?;
    }
    Ok(())
}
