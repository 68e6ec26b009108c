//! The requirements on a flow of a plan: its pattern, its trace, its sockets.

use std::ops::RangeInclusive;

use celltrain_language::{Problem, Text};
use celltrain_proto::units::{Bytes, Rate, Span};

use super::value::{LONGEST, MOST, check_name, needs, octets, size, span, start_and_duration};
use crate::order::{LARGEST_DATAGRAM, LARGEST_WRITE, SMALLEST_DATAGRAM};
use crate::plan::trace_file::Entry;
use crate::plan::{Flow, Message, Pattern, Protocol, Socket};

/// Maximum number of entries in a trace.
const LONGEST_TRACE: usize = 100_000;

impl Flow {
    pub(super) fn check(&self, key: &str) -> Result<(), Problem> {
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

    /// The allowed octets per write.
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

    /// What is wrong with an entry of a trace, regardless of the others.
    pub(in crate::plan) fn check_entry(&self, (at, bytes): &Entry) -> Result<(), String> {
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

    /// Datagrams are limited only by their pattern.
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

/// Whether datagrams of `write` octets leave no remainder that is too short for its header.
fn is_cut_well(message: Text<Bytes>, write: u64) -> bool {
    let rest = message.0.0 % write;
    rest == 0 || rest >= u64::from(SMALLEST_DATAGRAM)
}
