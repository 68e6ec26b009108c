//! What serde cannot check: undefined names, mutually exclusive keys, ranges.

mod flow;
mod host;
mod value;

use celltrain_language::{Problem, suggestion};
use celltrain_proto::units::Span;

use self::value::{LONGEST, MOST, SHORTEST, check_name, octets, size, span, start_and_duration};
use super::{Plan, Probe};
use crate::log::{LONGEST as LONGEST_LOG, SHORTEST as SHORTEST_LOG};
use crate::order::{LARGEST_DATAGRAM, SMALLEST_DATAGRAM};

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
        if measure.log != 0 {
            let range = SHORTEST_LOG as usize..=LONGEST_LOG as usize;
            size("measure.log", measure.log as usize, range).map_err(|it| {
                Problem::at("measure.log", format!("{}; 0 for no log", it.message))
            })?;
        }
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

impl Probe {
    fn check(&self, key: &str) -> Result<(), Problem> {
        span(&format!("{key}.every"), self.every, SHORTEST..=LONGEST)?;
        start_and_duration(key, self.start, self.duration)?;
        let sizes = u64::from(SMALLEST_DATAGRAM)..=u64::from(LARGEST_DATAGRAM);
        octets(&format!("{key}.size"), self.size, sizes)
    }
}

fn to_itself(key: &str, name: &str) -> Problem {
    let message = format!(
        "\"{name}\" would send to itself; give this machine a second name in [hosts] for that"
    );
    Problem::at(key, message)
}
