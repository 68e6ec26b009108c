//! What serde cannot see: names that stand for nothing, keys that exclude each other, ranges.

use std::ops::RangeInclusive;

use celltrain_proto::units::{Bytes, Rate, Span};
use celltrain_sim::scenario::{Problem, Text, suggestion};

use super::trace_file::Entry;
use super::{Flow, Host, Message, Pattern, Plan, Probe, Protocol, Socket};
use crate::key::PublicKey;
use crate::order::{LARGEST_DATAGRAM, LARGEST_WRITE, SMALLEST_DATAGRAM};

/// Most members of each section, and connections of a flow.
const MOST: usize = 1_000;
/// Longest start, duration or pause.
const LONGEST: Span = Span::from_secs(7 * 24 * 3_600);
/// Most entries of a trace.
const LONGEST_TRACE: usize = 100_000;
/// Shortest interval of anything measured.
const SHORTEST: Span = Span::from_ms(1);

impl Plan {
    pub(super) fn check(&self) -> Result<(), Problem> {
        self.check_measure()?;
        size("hosts", self.hosts.len(), 1..=MOST)?;
        size("flows", self.flows.len(), 0..=MOST)?;
        size("probes", self.probes.len(), 0..=MOST)?;
        if self.flows.is_empty() && self.probes.is_empty() {
            return Err(Problem::at(
                "",
                "there is nothing to do: expected [flows.NAME] or [probes.NAME]",
            ));
        }
        for (name, host) in &self.hosts {
            check_name(&format!("hosts.{name}"), name)?;
            host.check(&format!("hosts.{name}"))?;
        }
        for (name, flow) in &self.flows {
            let key = format!("flows.{name}");
            check_name(&key, name)?;
            for (end, names) in [("from", flow.from.names()), ("to", flow.to.names())] {
                size(&format!("{key}.{end}"), names.len(), 1..=MOST)?;
                names
                    .iter()
                    .try_for_each(|name| self.check_host(&format!("{key}.{end}"), name))?;
            }
            if let Some(name) = flow
                .from
                .names()
                .iter()
                .find(|it| flow.to.names().contains(it))
            {
                return Err(to_itself(&format!("{key}.to"), name));
            }
            flow.check(&key)?;
        }
        for (name, probe) in &self.probes {
            let key = format!("probes.{name}");
            check_name(&key, name)?;
            self.check_host(&format!("{key}.from"), &probe.from)?;
            self.check_host(&format!("{key}.to"), &probe.to)?;
            if probe.from == probe.to {
                return Err(to_itself(&format!("{key}.to"), &probe.to));
            }
            probe.check(&key)?;
        }
        let streams: usize = self.streams().len();
        size("flows", streams, 1..=10 * MOST)
    }

    fn check_measure(&self) -> Result<(), Problem> {
        let measure = &self.measure;
        span("measure.interval", measure.interval, SHORTEST..=LONGEST)?;
        span("measure.tcp_info", measure.tcp_info, SHORTEST..=LONGEST)?;
        span("measure.warm_up", measure.warm_up, Span::ZERO..=LONGEST)?;
        span("measure.pause", measure.pause, Span::ZERO..=LONGEST)?;
        size(
            "measure.repetitions",
            measure.repetitions as usize,
            1..=10_000,
        )
    }

    fn check_host(&self, key: &str, name: &str) -> Result<(), Problem> {
        if self.hosts.contains_key(name) {
            return Ok(());
        }
        let known = self.hosts.keys().map(String::as_str);
        Err(Problem::at(
            key,
            format!("no host \"{name}\" in [hosts]{}", suggestion(name, known)),
        ))
    }
}

impl Host {
    fn check(&self, key: &str) -> Result<(), Problem> {
        let ways = [
            ("ssh", &self.ssh),
            ("netns", &self.netns),
            ("tls", &self.tls),
        ];
        let given: Vec<_> = ways.iter().filter(|(_, way)| way.is_some()).collect();
        if let [_, second, ..] = given[..] {
            let message = "expected at most one of ssh, netns and tls: a daemon is reached one way";
            return Err(Problem::at(&format!("{key}.{}", second.0), message));
        }
        if !given.is_empty() && self.address.is_none() {
            let message =
                "the key \"address\" is missing: where data are sent to, such as \"192.0.2.1\"";
            return Err(Problem::at(key, message));
        }
        needs(
            key,
            ["program", "ssh"],
            self.program.is_some(),
            self.ssh.is_some(),
        )?;
        needs(key, ["key", "tls"], self.key.is_some(), self.tls.is_some())?;
        needs(key, ["tls", "key"], self.tls.is_some(), self.key.is_some())?;
        // What reaches another program's arguments must not look like an option or be taken for more than one word.
        for (name, value, extra) in [
            ("ssh", &self.ssh, "._-@:%[]"),
            ("netns", &self.netns, "._-"),
            ("program", &self.program, "._-/~+"),
        ] {
            let good = |text: &str| {
                let of_its_kind = |c: char| c.is_ascii_alphanumeric() || extra.contains(c);
                !text.is_empty() && !text.starts_with('-') && text.chars().all(of_its_kind)
            };
            if let Some(text) = value.as_deref().filter(|text| !good(text)) {
                let message = format!(
                    "expected letters, digits and any of \"{extra}\", not beginning with \"-\"; found \"{text}\""
                );
                return Err(Problem::at(&format!("{key}.{name}"), message));
            }
        }
        if let Some(problem) = self
            .key
            .as_deref()
            .and_then(|text| PublicKey::parse(text).err())
        {
            return Err(Problem::at(&format!("{key}.key"), problem));
        }
        Ok(())
    }
}

impl Flow {
    fn check(&self, key: &str) -> Result<(), Problem> {
        start_and_duration(key, self.start, self.duration)?;
        size(
            &format!("{key}.connections"),
            self.connections as usize,
            1..=MOST,
        )?;
        if let Some(bytes) = self.bytes {
            octets(&format!("{key}.bytes"), bytes, 1..=1 << 50)?;
        }
        let writes = self.writes();
        let write = Text(Bytes(u64::from(self.write_octets())));
        octets(
            &format!("{key}.write"),
            self.write.unwrap_or(write),
            writes.clone(),
        )?;
        octets(
            &format!("{key}.read"),
            self.read,
            1..=u64::from(LARGEST_WRITE),
        )?;
        self.pattern.check(&format!("{key}.pattern"), writes)?;
        self.check_trace(&format!("{key}.pattern.trace"))?;
        self.socket.check(&format!("{key}.socket"))?;
        if self.protocol == Protocol::Udp {
            self.check_udp(key)?;
        }
        Ok(())
    }

    /// Octets that a write may have.
    fn writes(&self) -> RangeInclusive<u64> {
        match self.protocol {
            Protocol::Tcp => 1..=u64::from(LARGEST_WRITE),
            Protocol::Udp => u64::from(SMALLEST_DATAGRAM)..=u64::from(LARGEST_DATAGRAM),
        }
    }

    fn check_trace(&self, key: &str) -> Result<(), Problem> {
        let Some(trace) = &self.pattern.trace else {
            return Ok(());
        };
        size(key, trace.len(), 1..=LONGEST_TRACE)?;
        let mut before = Span::ZERO;
        for (index, entry) in trace.iter().enumerate() {
            let key = format!("{key}.{index}");
            span(&key, entry.0, before..=LONGEST)?;
            self.check_entry(entry)
                .map_err(|message| Problem::at(&key, message))?;
            before = *entry.0;
        }
        Ok(())
    }

    /// What is wrong with an entry of a trace, whatever stands beside it.
    pub(super) fn check_entry(&self, (at, bytes): &Entry) -> Result<(), String> {
        span("", *at, Span::ZERO..=LONGEST)
            .and_then(|()| octets("", *bytes, self.writes()))
            .map_err(|problem| problem.message)?;
        let write = self.write_octets();
        if self.protocol == Protocol::Udp && !is_cut_well(*bytes, u64::from(write)) {
            return Err(format!(
                "{} in datagrams of {write} bytes leave less than the {SMALLEST_DATAGRAM} bytes of the smallest one for the last",
                bytes.0
            ));
        }
        Ok(())
    }

    /// Nothing slows datagrams down but their pattern.
    fn check_udp(&self, key: &str) -> Result<(), Problem> {
        let write = self.write_octets();
        let streams = self.pattern_is_bounded(write);
        if !streams {
            let message = "UDP needs a pattern that bounds its rate, such as { rate = \"10 Mbit/s\" } or { every = \"20 ms\" }";
            return Err(Problem::at(&format!("{key}.pattern"), message));
        }
        let socket = &self.socket;
        let of_tcp = [
            ("mss", socket.mss.is_some()),
            ("congestion_control", socket.congestion_control.is_some()),
            ("nagle", socket.nagle.is_some()),
        ];
        match of_tcp.iter().find(|(_, given)| *given) {
            Some((name, _)) => Err(Problem::at(
                &format!("{key}.socket.{name}"),
                "UDP has no such option; it is TCP's",
            )),
            None => Ok(()),
        }
    }

    fn pattern_is_bounded(&self, write: u32) -> bool {
        let pattern = &self.pattern;
        let messages = pattern.messages.as_deref().unwrap_or_default();
        let waits = |it: &Message| *it.interval > Span::ZERO || *it.wait > Span::ZERO;
        let fits = |it: &Message| {
            let write = it.write.map_or(u64::from(write), |write| write.0.0);
            is_cut_well(it.message, write)
        };
        pattern.rate.is_some()
            || pattern.every.is_some()
            || pattern.trace.is_some()
            || (messages.iter().any(waits) && messages.iter().all(fits))
    }
}

impl Pattern {
    fn check(&self, key: &str, writes: RangeInclusive<u64>) -> Result<(), Problem> {
        let kinds = [
            ("every", self.every.is_some()),
            ("on", self.on.is_some()),
            ("messages", self.messages.is_some()),
            ("trace", self.trace.is_some()),
            ("rate", self.rate.is_some() && self.on.is_none()),
        ];
        let given: Vec<_> = kinds.iter().filter(|(_, given)| *given).collect();
        if let [first, second, ..] = given[..] {
            let message = format!(
                "expected one kind of pattern: \"{}\" or \"{}\", not both",
                first.0, second.0
            );
            return Err(Problem::at(&format!("{key}.{}", second.0), message));
        }
        needs(key, ["on", "off"], self.on.is_some(), self.off.is_some())?;
        needs(key, ["off", "on"], self.off.is_some(), self.on.is_some())?;
        if let Some(rate) = self.rate
            && *rate < Rate::bps(1.0)
        {
            return Err(Problem::at(
                &format!("{key}.rate"),
                "expected a rate of at least 1 bit/s",
            ));
        }
        for (name, value) in [("every", self.every), ("on", self.on), ("off", self.off)] {
            if let Some(value) = value {
                span(&format!("{key}.{name}"), value, Span::from_us(10)..=LONGEST)?;
            }
        }
        if let Some(messages) = &self.messages {
            size(&format!("{key}.messages"), messages.len(), 1..=MOST)?;
            for (index, message) in messages.iter().enumerate() {
                message.check(&format!("{key}.messages.{index}"), writes.clone())?;
            }
        }
        Ok(())
    }
}

impl Message {
    fn check(&self, key: &str, writes: RangeInclusive<u64>) -> Result<(), Problem> {
        octets(
            &format!("{key}.message"),
            self.message,
            *writes.start()..=1 << 40,
        )?;
        if let Some(write) = self.write {
            octets(&format!("{key}.write"), write, writes)?;
        }
        span(
            &format!("{key}.interval"),
            self.interval,
            Span::ZERO..=LONGEST,
        )?;
        span(&format!("{key}.wait"), self.wait, Span::ZERO..=LONGEST)
    }
}

/// Whether datagrams of `write` octets leave none that is too short for its header.
fn is_cut_well(message: Text<Bytes>, write: u64) -> bool {
    let rest = message.0.0 % write;
    rest == 0 || rest >= u64::from(SMALLEST_DATAGRAM)
}

impl Socket {
    fn check(&self, key: &str) -> Result<(), Problem> {
        for (name, value, range) in [
            ("send_buffer", self.send_buffer, 1..=1 << 30),
            ("receive_buffer", self.receive_buffer, 1..=1 << 30),
            ("mss", self.mss, 88..=65_495),
        ] {
            if let Some(value) = value {
                octets(&format!("{key}.{name}"), value, range)?;
            }
        }
        match &self.congestion_control {
            Some(name) => check_name(&format!("{key}.congestion_control"), name),
            None => Ok(()),
        }
    }
}

impl Probe {
    fn check(&self, key: &str) -> Result<(), Problem> {
        span(&format!("{key}.every"), self.every, SHORTEST..=LONGEST)?;
        start_and_duration(key, self.start, self.duration)?;
        let sizes = u64::from(SMALLEST_DATAGRAM)..=u64::from(LARGEST_DATAGRAM);
        octets(&format!("{key}.size"), self.size, sizes)
    }
}

fn start_and_duration(key: &str, start: Text<Span>, duration: Text<Span>) -> Result<(), Problem> {
    span(&format!("{key}.start"), start, Span::ZERO..=LONGEST)?;
    span(&format!("{key}.duration"), duration, SHORTEST..=LONGEST)
}

fn to_itself(key: &str, name: &str) -> Problem {
    let message = format!(
        "\"{name}\" would send to itself; give this machine a second name in [hosts] for that"
    );
    Problem::at(key, message)
}

/// Names become parts of messages, tables and keys.
fn check_name(key: &str, name: &str) -> Result<(), Problem> {
    let good = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if !name.is_empty() && name.len() <= 64 && name.chars().all(good) {
        return Ok(());
    }
    let message = format!(
        "expected a name of up to 64 letters, digits, \".\", \"_\" and \"-\"; found \"{name}\""
    );
    Err(Problem::at(key, message))
}

fn needs(table: &str, [key, other]: [&str; 2], given: bool, has: bool) -> Result<(), Problem> {
    if given && !has {
        let message = format!("\"{key}\" needs the key \"{other}\" beside it");
        return Err(Problem::at(&format!("{table}.{key}"), message));
    }
    Ok(())
}

fn size(key: &str, found: usize, range: RangeInclusive<usize>) -> Result<(), Problem> {
    if range.contains(&found) {
        return Ok(());
    }
    let (least, most) = range.into_inner();
    Err(Problem::at(
        key,
        format!("expected {least} to {most}, found {found}"),
    ))
}

fn octets(key: &str, found: Text<Bytes>, range: RangeInclusive<u64>) -> Result<(), Problem> {
    if range.contains(&found.0.0) {
        return Ok(());
    }
    let (least, most) = range.into_inner();
    let message = format!("expected {least} to {most} bytes, found {}", found.0);
    Err(Problem::at(key, message))
}

fn span(key: &str, found: Text<Span>, range: RangeInclusive<Span>) -> Result<(), Problem> {
    if range.contains(&*found) {
        return Ok(());
    }
    let (least, most) = range.into_inner();
    let message = format!("expected {least} to {most}, found {}", found.0);
    Err(Problem::at(key, message))
}
