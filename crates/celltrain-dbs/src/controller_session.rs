//! Runs one repetition of a plan: a state machine over all hosts, without a clock or connections.
//!
//! ```text
//! Clocks -> Preparing -> Connecting -> Running -> ClocksAgain -> Collecting -> Over
//! ```
//!
//! Each phase ends when every remaining host has answered, or at its deadline; hosts that have not answered by then are
//! lost. The streams of a lost host are reported as missing, and everything else continues.

mod host;
mod logs;

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use crate::clock::{Exchange, Offset};
use crate::message::{FromDaemon, Peer, Ready, Refusal, Report, ToDaemon};
use crate::order::Role;
use crate::plan::Stream;
pub use host::HostState;
pub use logs::Logs;

/// Exchanges per clock estimate, before and after a run.
const EXCHANGES: u32 = 16;
/// How long a host may take to answer, in ns; greeting a peer takes up to 15 s.
const ANSWER_NS: u64 = 20_000_000_000;
/// The lead time from the last greeting to the common start, in ns, so that every host is told in time.
const LEAD_NS: u64 = 300_000_000;
/// How long after the scheduled end of the last stream a host may take to report it, in ns.
const GRACE_NS: u64 = 20_000_000_000;
/// The interval between keep-alive pings during a run, in ns.
const KEEP_ALIVE_NS: u64 = 5_000_000_000;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Phase {
    Clocks,
    Preparing,
    Connecting,
    Running,
    ClocksAgain,
    Collecting,
    Over,
}

/// What the controller knows of its hosts during one repetition.
#[derive(Debug)]
pub struct ControllerSession {
    phase: Phase,
    deadline: u64,
    /// All hosts, in the order of the plan.
    pub hosts: Vec<HostState>,
    streams: Vec<Stream>,
    waiting: BTreeSet<usize>,
    ready: BTreeMap<(u32, usize), Ready>,
    /// Why streams did not run, in the order of the reports: stream, host, reason.
    pub failed: Vec<(u32, usize, String)>,
    /// The measurements: host and report.
    pub reports: Vec<(usize, Report)>,
    /// The log of each write and read.
    pub logs: Logs,
    outbox: Vec<(usize, ToDaemon)>,
    next_ping: u64,
    keep_alive: u64,
    /// The common start, on the controller's clock.
    pub started_at: Option<u64>,
}

impl ControllerSession {
    /// Starts at `now`. `hosts` contains each host's data address and clock, or why it cannot be reached; `first_ping`
    /// is greater than all ping numbers that earlier repetitions have used.
    pub fn new(
        now: u64,
        streams: Vec<Stream>,
        hosts: Vec<Result<(IpAddr, String), String>>,
        first_ping: u64,
    ) -> Self {
        let hosts = hosts.into_iter().map(|host| match host {
            Ok((address, clock)) => HostState {
                address: Some(address),
                clock,
                ..HostState::default()
            },
            Err(why) => HostState {
                lost: Some(why),
                ..HostState::default()
            },
        });
        let mut session = Self {
            phase: Phase::Clocks,
            deadline: now + ANSWER_NS,
            hosts: hosts.collect(),
            streams,
            waiting: BTreeSet::new(),
            ready: BTreeMap::new(),
            failed: Vec::new(),
            reports: Vec::new(),
            logs: Logs::default(),
            outbox: Vec::new(),
            next_ping: first_ping,
            keep_alive: 0,
            started_at: None,
        };
        session.enter(Phase::Clocks, now);
        session
    }

    /// Messages to send, host by host. Changes after every other call.
    pub fn take_messages(&mut self) -> Vec<(usize, ToDaemon)> {
        std::mem::take(&mut self.outbox)
    }

    /// Whether the repetition is over.
    pub fn is_over(&self) -> bool {
        self.phase == Phase::Over
    }

    /// The next unused ping number.
    pub fn next_ping(&self) -> u64 {
        self.next_ping
    }

    /// The latest time at which [`Self::on_time`] must be called. Changes after every other call.
    #[must_use]
    pub fn deadline(&self) -> u64 {
        if self.phase.needs_keep_alive() {
            self.deadline.min(self.keep_alive)
        } else {
            self.deadline
        }
    }

    /// Processes a message received from a host at `now`.
    pub fn on_message(&mut self, now: u64, host: usize, message: FromDaemon) {
        match message {
            FromDaemon::Pong {
                id,
                received_ns,
                sent_ns,
            } => self.on_pong(now, host, id, received_ns, sent_ns),
            FromDaemon::Prepared { ready, refused } if self.phase == Phase::Preparing => {
                for ready in ready {
                    self.ready.insert((ready.stream, host), ready);
                }
                self.refuse(host, refused);
                self.answered(now, host);
            }
            FromDaemon::Connected { failed } if self.phase == Phase::Connecting => {
                self.refuse(host, failed);
                self.answered(now, host);
            }
            FromDaemon::Measured { reports } => {
                let of_host = |it: &Report| {
                    let stream = self.streams.get(it.stream as usize);
                    stream.is_some_and(|it| it.from == host || it.to == host)
                };
                let reports = reports.into_iter().filter(of_host);
                self.reports.extend(reports.map(|report| (host, report)));
            }
            FromDaemon::Finished if self.phase == Phase::Running => self.answered(now, host),
            FromDaemon::Log(part)
                if self.phase == Phase::Collecting && self.waiting.contains(&host) =>
            {
                match self.logs.add(&self.streams, host, &part) {
                    // Each part takes its time; their number is bounded.
                    Ok(()) => self.deadline = now + ANSWER_NS,
                    Err(why) => self.on_lost(now, host, &format!("a log that it sent {why}")),
                }
            }
            FromDaemon::Collected if self.phase == Phase::Collecting => self.answered(now, host),
            FromDaemon::Refused { why } => {
                self.on_lost(now, host, &format!("the daemon refused: {why}"));
            }
            _ => self.on_lost(now, host, "the daemon sent a message out of turn"),
        }
    }

    /// A host is lost.
    pub fn on_lost(&mut self, now: u64, host: usize, why: &str) {
        if self.hosts[host].lost.is_none() {
            self.hosts[host].lost = Some(why.to_owned());
        }
        self.answered(now, host);
    }

    /// Time has passed.
    pub fn on_time(&mut self, now: u64) {
        if self.phase.needs_keep_alive() && now >= self.keep_alive {
            self.keep_alive = now + KEEP_ALIVE_NS;
            for host in self.present() {
                self.ping(now, host);
            }
        }
        if now >= self.deadline && !self.is_over() {
            for host in std::mem::take(&mut self.waiting) {
                // Over a long path, all exchanges take longer than a host may take for an answer: some will do.
                let is_slow = self.phase.measures_clocks() && self.hosts[host].exchanges > 0;
                if !is_slow {
                    let why = format!("no answer ({})", self.phase.doing());
                    self.hosts[host].lost.get_or_insert(why);
                }
            }
            self.advance(now);
        }
    }

    /// Ends all streams now; the measurements so far are still collected.
    pub fn stop(&mut self, now: u64) {
        for host in self.present() {
            self.outbox.push((host, ToDaemon::Stop));
        }
        if self.phase == Phase::Running {
            self.deadline = self.deadline.min(now + 2_000_000_000);
        } else {
            self.phase = Phase::Over;
        }
    }

    fn on_pong(&mut self, now: u64, host: usize, id: u64, t2: u64, t3: u64) {
        let state = &mut self.hosts[host];
        let Some((_, t1)) = state.ping.take_if(|ping| ping.0 == id) else {
            return;
        };
        let exchange = Exchange {
            t1,
            t2,
            t3,
            t4: now,
        };
        match self.phase {
            Phase::Clocks => state.before.add(exchange),
            Phase::ClocksAgain => state.after.add(exchange),
            _ => return,
        }
        state.exchanges += 1;
        if state.exchanges < EXCHANGES {
            self.ping(now, host);
        } else {
            self.answered(now, host);
        }
    }

    fn ping(&mut self, now: u64, host: usize) {
        let id = self.next_ping;
        self.next_ping += 1;
        self.hosts[host].ping = Some((id, now));
        self.outbox.push((host, ToDaemon::Ping { id }));
    }

    fn refuse(&mut self, host: usize, refused: Vec<Refusal>) {
        let refused = refused.into_iter().map(|it| (it.stream, host, it.why));
        self.failed.extend(refused);
    }

    fn present(&self) -> Vec<usize> {
        let hosts = 0..self.hosts.len();
        hosts.filter(|&it| self.hosts[it].lost.is_none()).collect()
    }

    fn answered(&mut self, now: u64, host: usize) {
        if self.waiting.remove(&host) && self.waiting.is_empty() {
            self.advance(now);
        }
    }

    fn advance(&mut self, now: u64) {
        let next = match self.phase {
            _ if self.present().is_empty() => Phase::Over,
            Phase::Clocks => Phase::Preparing,
            Phase::Preparing => Phase::Connecting,
            Phase::Connecting => Phase::Running,
            Phase::Running => Phase::ClocksAgain,
            Phase::ClocksAgain => Phase::Collecting,
            Phase::Collecting | Phase::Over => Phase::Over,
        };
        self.enter(next, now);
    }

    fn enter(&mut self, phase: Phase, now: u64) {
        self.phase = phase;
        self.deadline = now + ANSWER_NS;
        self.waiting = self.present().into_iter().collect();
        let hosts = self.present();
        match phase {
            Phase::Clocks | Phase::ClocksAgain => {
                for &host in &hosts {
                    self.hosts[host].exchanges = 0;
                    self.ping(now, host);
                }
            }
            Phase::Preparing => {
                for &host in &hosts {
                    let message = self.prepare(host);
                    self.outbox.push((host, message));
                }
            }
            Phase::Connecting => {
                for &host in &hosts {
                    let message = self.connect(host);
                    self.outbox.push((host, message));
                }
            }
            Phase::Running => self.start(now, &hosts),
            Phase::Collecting => {
                self.keep_alive = now + KEEP_ALIVE_NS;
                let messages = hosts.iter().map(|&host| (host, ToDaemon::Collect));
                self.outbox.extend(messages);
            }
            Phase::Over => self.waiting.clear(),
        }
        if self.waiting.is_empty() && phase != Phase::Over {
            self.enter(Phase::Over, now);
        }
    }

    fn prepare(&self, host: usize) -> ToDaemon {
        let order = |stream: &Stream, role| (stream.host(role) == host).then(|| stream.order(role));
        let orders = self.streams.iter().filter_map(|stream| {
            order(stream, Role::Send).or_else(|| order(stream, Role::Receive))
        });
        ToDaemon::Prepare {
            orders: orders.collect(),
        }
    }

    fn connect(&self, host: usize) -> ToDaemon {
        let peers = self.streams.iter().filter_map(|stream| {
            let other = if stream.from == host {
                stream.to
            } else if stream.to == host {
                stream.from
            } else {
                return None;
            };
            let number = stream.order.stream;
            self.ready.get(&(number, host))?;
            let ready = self.ready.get(&(number, other))?;
            Some(Peer {
                stream: number,
                address: self.hosts[other].address?,
                port: ready.port,
                nonce: ready.nonce,
                clock_offset_ns: self.between(other, host).map_or(0, |it| it.ns),
            })
        });
        ToDaemon::Connect {
            peers: peers.collect(),
        }
    }

    fn start(&mut self, now: u64, hosts: &[usize]) {
        let round_trips = hosts
            .iter()
            .filter_map(|&it| self.hosts[it].round_trip_ns());
        let at = now + LEAD_NS + 2 * round_trips.max().unwrap_or(0);
        for &host in hosts {
            let offset = self.hosts[host].before.offset().unwrap_or(Offset::NONE);
            let at_ns = offset.to_daemon(at);
            self.outbox.push((host, ToDaemon::Start { at_ns }));
        }
        let last = self.streams.iter().map(|it| it.order.end_ns()).max();
        self.started_at = Some(at);
        self.keep_alive = now + KEEP_ALIVE_NS;
        self.deadline = at
            .saturating_add(last.unwrap_or(0))
            .saturating_add(GRACE_NS);
    }

    /// The clock of `host` minus that of `other`, with its bound; `None` if one of them is unknown.
    pub fn between(&self, host: usize, other: usize) -> Option<Offset> {
        let (one, two) = (&self.hosts[host], &self.hosts[other]);
        if !one.clock.is_empty() && one.clock == two.clock {
            return Some(Offset::NONE);
        }
        Some(one.offset()?.minus(two.offset()?))
    }
}

impl Phase {
    /// Whether hosts may have nothing to answer for longer than they wait for the controller.
    fn needs_keep_alive(self) -> bool {
        matches!(self, Self::Running | Self::Collecting)
    }

    fn measures_clocks(self) -> bool {
        matches!(self, Self::Clocks | Self::ClocksAgain)
    }

    fn doing(self) -> &'static str {
        match self {
            Self::Clocks | Self::ClocksAgain => "while its clock was measured",
            Self::Preparing => "while sockets were made",
            Self::Connecting => "while connections were made",
            Self::Running => "after the end of all streams",
            Self::Collecting => "while logs were collected",
            Self::Over => "after the run",
        }
    }
}

#[cfg(test)]
mod tests;
