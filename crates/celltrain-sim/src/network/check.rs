//! Checks of single values: what each section requires, whatever the others say.

mod control;
mod queue;
mod traffic;

use celltrain_proto::random::Stream;
use celltrain_proto::units::{Rate, Span};

use crate::scenario::{
    Abr, AckPolicy, Distance, Gfc, Host, LineRate, Link, MahimahiRate, Measure, OnRateChange,
    Problem, QueueManagement, RateProcess, Scenario, Scheduling, Service, Start, Tcp, TcpVariant,
};

/// Longest run: picoseconds fit a `u64` for 213 days.
const LONGEST_RUN: Span = Span::from_secs(200 * 86_400);
/// Longest delay of a link, so that what is under way when the run ends arrives at a time that fits, too, over a route
/// of 300 links.
const LONGEST_DELAY: Span = Span::from_secs(3_600);
/// Most parts of a measured interval.
const MOST_PARTS: u32 = 10_000;
/// Most members of a group.
const LARGEST_GROUP: u32 = 1_000_000;
/// Most cells of a buffer.
const LARGEST_BUFFER: u64 = 1 << 31;

type Check = Result<(), Problem>;

fn require(holds: bool, path: &str, message: impl Into<String>) -> Check {
    if holds {
        Ok(())
    } else {
        Err(Problem::at(path, message))
    }
}

/// The first value that its section does not allow.
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
    for (name, host) in &scenario.hosts {
        let path = format!("hosts.{name}");
        identifier(&path, name)?;
        let count = host.count.unwrap_or(1);
        let range = format!("expected a count from 1 to {LARGEST_GROUP}, found {count}");
        require(
            (1..=LARGEST_GROUP).contains(&count),
            &format!("{path}.count"),
            range,
        )?;
        self::host(&path, host)?;
    }
    nodes(scenario)?;
    for (name, link) in &scenario.links {
        let path = format!("links.{name}");
        identifier(&path, name)?;
        self::link(&path, link)?;
    }
    for (name, vc) in &scenario.vcs {
        let path = format!("vcs.{name}");
        identifier(&path, name)?;
        service(&format!("{path}.forward"), &vc.forward)?;
        service(&format!("{path}.backward"), &vc.backward)?;
        traffic::contract(&path, vc)?;
        if let Some(cells) = vc.source_buffer {
            buffer(&format!("{path}.source_buffer"), cells.0.0)?;
        }
    }
    for (name, flow) in &scenario.flows {
        let path = format!("flows.{name}");
        identifier(&path, name)?;
        start(&format!("{path}.start"), &flow.start)?;
        tcp(&format!("{path}.tcp"), &flow.tcp)?;
        traffic::flow(&path, flow)?;
    }
    for (name, background) in &scenario.backgrounds {
        let path = format!("backgrounds.{name}");
        identifier(&path, name)?;
        start(&format!("{path}.start"), &background.start)?;
        traffic::traffic(&format!("{path}.traffic"), &background.traffic)?;
    }
    for (name, probe) in &scenario.probes {
        let path = format!("probes.{name}");
        identifier(&path, name)?;
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

/// The way of packets through a host.
fn host(path: &str, host: &Host) -> Check {
    if let Some(rate) = host.ethernet {
        positive(&format!("{path}.ethernet"), rate.0)?;
    }
    let Some(processing) = host.processing else {
        return Ok(());
    };
    let [least, most] = processing.uniform.map(|bound| bound.0);
    let message = format!("expected two rising times of at most 1 s, found {least} and {most}");
    let good = least <= most && most <= Span::from_secs(1);
    require(good, &format!("{path}.processing.uniform"), message)
}

/// Switches, LANs and routers.
fn nodes(scenario: &Scenario) -> Check {
    for (name, switch) in &scenario.switches {
        let path = format!("switches.{name}");
        identifier(&path, name)?;
        for (key, delay) in [
            ("input_delay", switch.input_delay),
            ("output_delay", switch.output_delay),
        ] {
            let delay = delay.map_or(Span::ZERO, |delay| delay.0);
            self::delay(&format!("{path}.{key}"), delay)?;
        }
    }
    for (name, lan) in &scenario.lans {
        let path = format!("lans.{name}");
        identifier(&path, name)?;
        line_rate(&format!("{path}.rate"), &lan.rate)?;
        delay(&format!("{path}.delay"), lan.delay.0)?;
        if let Some(buffer) = lan.buffer {
            self::buffer(&format!("{path}.buffer"), buffer.0.0)?;
        }
    }
    for name in scenario.routers.keys() {
        identifier(&format!("routers.{name}"), name)?;
    }
    Ok(())
}

/// The size of a buffer in cells.
fn buffer(path: &str, cells: u64) -> Check {
    let message = format!("expected 1 to {LARGEST_BUFFER} cells, found {cells}");
    require((1..=LARGEST_BUFFER).contains(&cells), path, message)
}

/// Names appear in files, columns and on terminals: letters, digits, `_` and `-`, a letter first.
fn identifier(path: &str, name: &str) -> Check {
    let good = name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    let printable: String = name.chars().filter(|c| !c.is_control()).take(64).collect();
    let message = format!(
        "the name \"{printable}\" must be a letter, then up to 63 letters, digits, \"_\" or \"-\""
    );
    require(good, path, message)
}

fn measure(measure: &Measure) -> Check {
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

/// A delay of a link, or a part of it.
fn delay(path: &str, delay: Span) -> Check {
    let message = format!("expected a delay of at most {LONGEST_DELAY}, found {delay}");
    require(delay <= LONGEST_DELAY, path, message)
}

fn positive(path: &str, rate: Rate) -> Check {
    require(
        rate > Rate::ZERO,
        path,
        format!("expected a rate above zero, found {rate}"),
    )
}

fn link(path: &str, link: &Link) -> Check {
    let ends = match (&link.from, &link.to, &link.between) {
        (Some(_), Some(_), None) | (None, None, Some(_)) => Ok(()),
        _ => Err("expected either `from` and `to` (one way) or `between` (both ways)"),
    };
    ends.map_err(|message| Problem::at(path, message))?;
    require(
        link.distance.is_some() != link.delay.is_some(),
        path,
        "expected either `distance` (such as \"1 km\") or `delay` (such as \"5 us\")",
    )?;
    require(
        link.distance_to_last.is_none() || link.distance.is_some(),
        &format!("{path}.distance_to_last"),
        "the last member has a distance only if the first one has: `distance`",
    )?;
    let distances = [
        ("distance", link.distance),
        ("distance_to_last", link.distance_to_last),
    ];
    let distances = distances.map(|(key, it)| (key, it.map(Distance::delay)));
    let spans = distances
        .into_iter()
        .chain([("delay", link.delay.map(|delay| delay.0))]);
    for (key, span) in spans {
        delay(&format!("{path}.{key}"), span.unwrap_or_default())?;
    }
    queue::impairments(path, link)?;
    let Some(rate) = &link.rate else {
        let only_with_rate = [
            ("buffer", link.buffer.is_some()),
            ("scheduling", link.scheduling != Scheduling::Fifo),
            ("discard", link.discard.is_some()),
            ("queue_management", link.queue_management.is_some()),
            ("clp_threshold", link.clp_threshold.is_some()),
            ("credit", link.credit.is_some()),
            ("control", link.control.is_some()),
            ("gfc", link.gfc.is_some()),
        ];
        for (key, present) in only_with_rate {
            let message = "a link without `rate` is a pure delay and has no queue; give it a rate";
            require(!present, &format!("{path}.{key}"), message)?;
        }
        return Ok(());
    };
    line_rate(&format!("{path}.rate"), rate)?;
    let missing =
        "the key \"buffer\" is missing; a link with a rate has a queue, such as \"1024 cells\"";
    let cells = link.buffer.ok_or_else(|| Problem::at(path, missing))?.0.0;
    buffer(&format!("{path}.buffer"), cells)?;
    queue::queue(path, link)?;
    opportunities(path, link)?;
    if let Some(control) = &link.control {
        control::control(&format!("{path}.control"), control)?;
    }
    link.gfc
        .as_ref()
        .map_or(Ok(()), |gfc| self::gfc(&format!("{path}.gfc"), gfc))
}

/// Delivery opportunities are no rate: what reckons with one cannot stand on such a line.
fn opportunities(path: &str, link: &Link) -> Check {
    let Some(LineRate::Process(RateProcess::Mahimahi(MahimahiRate { bin: None, .. }))) = &link.rate
    else {
        return Ok(());
    };
    let reckons_with_rates = [
        (
            "on_rate_change",
            link.on_rate_change == OnRateChange::FinishAtOldRate,
        ),
        ("control", link.control.is_some()),
        (
            "queue_management",
            matches!(link.queue_management, Some(QueueManagement::Pie(_))),
        ),
    ];
    for (key, is_present) in reckons_with_rates {
        let message = "this needs a rate, and the line has delivery opportunities; gather them into rates, \
                       such as rate.bin = \"10 ms\"";
        require(!is_present, &format!("{path}.{key}"), message)?;
    }
    Ok(())
}

fn line_rate(path: &str, rate: &LineRate) -> Check {
    match rate {
        LineRate::Constant(rate) => positive(path, rate.0),
        LineRate::Process(RateProcess::Markov(it)) => {
            let good_above_bad = it.good.0 >= it.bad.0;
            let message = format!(
                "the good rate, {}, is below the bad one, {}",
                it.good.0, it.bad.0
            );
            require(good_above_bad, &format!("{path}.good"), message)?;
            positive(&format!("{path}.good"), it.good.0)?;
            for (key, mean) in [("mean_good", it.mean_good.0), ("mean_bad", it.mean_bad.0)] {
                let message = format!("expected at least 1 us, found {mean}");
                require(mean >= Span::from_us(1), &format!("{path}.{key}"), message)?;
            }
            Ok(())
        }
        LineRate::Process(RateProcess::Dmt(it)) => it.problem().map_or(Ok(()), |(key, message)| {
            Err(Problem::at(&format!("{path}.{key}"), message))
        }),
        LineRate::Process(RateProcess::List(_) | RateProcess::Mahimahi(_)) => {
            if let LineRate::Process(RateProcess::Mahimahi(MahimahiRate {
                bin: Some(bin), ..
            })) = rate
            {
                let message = format!("expected at least 1 ms, found {}", bin.0);
                let is_long = bin.0 >= Span::from_ms(1);
                require(is_long, &format!("{path}.bin"), message)?;
            }
            let made = rate.process(Stream::named(0, ""));
            made.map_err(|message| Problem::at(path, message))?;
            positive(path, rate.range().high)
        }
        LineRate::Process(RateProcess::Uniform(uniform)) => {
            let (low, high) = (uniform.low.0, uniform.high.0);
            positive(&format!("{path}.low"), low)?;
            let message = format!("the highest rate, {high}, is below the lowest, {low}");
            require(low <= high, &format!("{path}.high"), message)?;
            let every = uniform.every.0;
            let message = format!("expected at least 1 us between two changes, found {every}");
            require(every >= Span::from_us(1), &format!("{path}.every"), message)
        }
    }
}

fn gfc(path: &str, gfc: &Gfc) -> Check {
    let (low, high) = (gfc.low.0, gfc.high.0);
    let message = format!("HALT would end at {low}, above {high} where it begins");
    require(low <= high, &format!("{path}.low"), message)?;
    require(
        gfc.timeout.0 > Span::ZERO,
        &format!("{path}.timeout"),
        "expected a time above zero",
    )
}

fn service(path: &str, service: &Service) -> Check {
    match service {
        Service::Ubr(ubr) => ubr
            .pcr
            .map_or(Ok(()), |pcr| positive(&format!("{path}.pcr"), pcr.0)),
        Service::Abr(abr) => self::abr(path, abr),
        Service::Cbr(cbr) => positive(&format!("{path}.pcr"), cbr.pcr.0),
        Service::RtVbr(vbr) | Service::NrtVbr(vbr) => traffic::vbr(path, vbr),
    }
}

fn abr(path: &str, abr: &Abr) -> Check {
    let at = |key: &str| format!("{path}.{key}");
    let pcr = abr.pcr.0;
    positive(&at("pcr"), pcr)?;
    for (key, rate) in [("mcr", abr.mcr), ("icr", abr.icr)] {
        let Some(rate) = rate else { continue };
        require(
            rate.0 <= pcr,
            &at(key),
            format!("expected at most pcr, {pcr}, found {}", rate.0),
        )?;
    }
    for (key, fraction) in [("rif", abr.rif), ("rdf", abr.rdf), ("cdf", abr.cdf)] {
        let message = format!("expected a fraction from 0 to 1, found {}", fraction.0);
        require(fraction.0 <= 1.0, &at(key), message)?;
    }
    let message = format!("expected 2 to 256 cells, found {}", abr.nrm);
    require((2..=256).contains(&abr.nrm), &at("nrm"), message)?;
    let parameters = super::abr_parameters(abr);
    let checked = if abr.standard_ranges {
        parameters.validate_standard()
    } else {
        parameters.validate()
    };
    checked.map_err(|error| Problem::at(&at(&error.name.to_lowercase()), error.to_string()))
}

fn start(path: &str, start: &Start) -> Check {
    match start {
        Start::At(_) => Ok(()),
        Start::Random(random) => {
            let [from, to] = random.uniform;
            let message = format!("expected two rising times, found {} and {}", from.0, to.0);
            require(from.0 <= to.0, path, message)
        }
    }
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
    let message = "the opening of the connection tells it; give `handshake = true`, too";
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
        let message = "with this `ack` no acknowledgment waits by a timer of its own; leave it out, or set `ack = \"delayed\"`";
        // A preset's own delay does not matter to one who asks for an acknowledgment each.
        require(waits || tcp.preset.is_some(), &at("ack_delay"), message)?;
    }
    tcp_variant(&at, tcp)?;
    require(
        tcp.host_queue_segments != Some(0),
        &at("host_queue_segments"),
        "expected at least 1, found 0",
    )
}

/// What does not fit the variant.
fn tcp_variant(at: &dyn Fn(&str) -> String, tcp: &Tcp) -> Check {
    if tcp.variant == TcpVariant::Linux1999 {
        let message =
            "linux-1999 is modelled without Nagle's rule, as with TCP_NODELAY; expected false";
        require(!tcp.nagle, &at("nagle"), message)?;
    }
    let message = "only CUBIC repairs losses in two ways: \"newreno\" is \"sack\" without selective acknowledgments";
    let has_choice = tcp.sack || tcp.variant == TcpVariant::Cubic;
    require(has_choice, &at("sack"), message)?;
    if let Some(gain) = tcp.rto_gain {
        let message = format!("expected 2 or 4, found {gain}");
        require(matches!(gain, 2 | 4), &at("rto_gain"), message)?;
    }
    Ok(())
}
