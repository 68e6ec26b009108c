//! A host with its daemon: what the daemon's threads do, done in virtual time with the same state machines.

use std::collections::BTreeMap;

use celltrain_dbs::datagram::{Datagrams, Header, token};
use celltrain_dbs::frame::{Decoder, LONGEST_GREETING, LONGEST_LINE};
use celltrain_dbs::limits::{Limits, Pool};
use celltrain_dbs::log::{Log, Part};
use celltrain_dbs::message::{
    Facts, FromDaemon, IntervalDatagrams, Peer, Ready, Refusal, Report, SocketFacts, ToDaemon,
    VERSION, What,
};
use celltrain_dbs::meter::{Interval, Meter};
use celltrain_dbs::nonce::Nonce;
use celltrain_dbs::order::{Kind, Order, Role};
use celltrain_dbs::patience::{LATEST_NS, Patience};
use celltrain_dbs::pattern::{Schedule, Step};
use celltrain_dbs::session::{Command, Session};

use crate::dice::{Clock, Dice};

const MS: u64 = 1_000_000;
/// As in `daemon/udp.rs`: numbers with a meaning.
const LAST: u64 = u64::MAX;
const CONFIRMED: u64 = u64::MAX - 1;
const SMALLEST: usize = 28;
/// As in `daemon/greet.rs`.
const TRIES: u32 = 10;
const BETWEEN_TRIES: u64 = 500 * MS;
const PATIENCE: u64 = 6_000 * MS;

/// What a daemon gives to the network.
#[derive(Debug)]
pub(crate) enum Act {
    /// To the controller.
    Say(FromDaemon),
    /// To the other end of a stream; TCP is reliable.
    Send {
        stream: u32,
        to: Role,
        kind: Kind,
        octets: Vec<u8>,
    },
    /// The session is over.
    Close,
}

/// One end of a stream.
struct End {
    order: Order,
    own: Nonce,
    peer: Option<Peer>,
    is_greeted: bool,
    tries: u32,
    next_try: u64,
    answered_at: u64,
    schedule: Schedule,
    next: u64,
    bytes: u64,
    last_ns: u64,
    open: BTreeMap<u64, u64>,
    datagrams: Datagrams,
    meter: Meter,
    patience: Patience,
    log: Log,
    /// What came before this host was told of the start, and when.
    early: Vec<(u64, Vec<u8>)>,
    is_done: bool,
}

pub(crate) struct Host {
    pub(crate) clock: Clock,
    pub(crate) pool: Pool,
    pub(crate) refusal: Option<String>,
    /// The common start, on this host's clock.
    pub(crate) start: Option<u64>,
    /// The most octets of a message that were held at once.
    pub(crate) held: usize,
    name: String,
    dice: Dice,
    session: Option<Session>,
    decoder: Decoder,
    ends: Vec<End>,
    awaited: Option<usize>,
    failed: Vec<Refusal>,
    reports: Vec<Report>,
    logs: Vec<(u32, Log)>,
}

impl Host {
    pub(crate) fn new(index: usize, dice: &mut Dice) -> Self {
        Self {
            clock: Clock::new(dice),
            pool: Pool::new(Limits::new([127, 0, 0, 1].into())),
            refusal: None,
            start: None,
            held: 0,
            name: format!("clock {index}"),
            dice: Dice::new(dice.next()),
            session: None,
            decoder: Decoder::new(LONGEST_GREETING),
            ends: Vec::new(),
            awaited: None,
            failed: Vec::new(),
            reports: Vec::new(),
            logs: Vec::new(),
        }
    }

    /// A controller has connected.
    pub(crate) fn connected(&mut self, now: u64) {
        self.session = Some(Session::new(self.pool.clone(), now));
    }

    /// The connection or the daemon has ended.
    pub(crate) fn close(&mut self) {
        self.session = None;
        self.ends.clear();
    }

    /// Octets came from the controller.
    pub(crate) fn on_octets(&mut self, now: u64, octets: &[u8], acts: &mut Vec<Act>) {
        self.decoder.push(octets);
        self.held = self.held.max(self.decoder.held());
        while self.session.is_some() {
            let message: ToDaemon = match self.decoder.take() {
                Ok(Some(message)) => message,
                Ok(None) => break,
                Err(error) => return self.refuse(&error.to_string(), acts),
            };
            let command = self.session.as_mut().map(|it| it.on_message(now, message));
            match command {
                Some(Ok(command)) => self.carry_out(command, now, acts),
                Some(Err(why)) => return self.refuse(&why, acts),
                None => {}
            }
        }
    }

    fn refuse(&mut self, why: &str, acts: &mut Vec<Act>) {
        self.refusal = Some(why.to_owned());
        acts.push(Act::Say(FromDaemon::Refused {
            why: why.to_owned(),
        }));
        acts.push(Act::Close);
        self.close();
    }

    fn carry_out(&mut self, command: Command, now: u64, acts: &mut Vec<Act>) {
        match command {
            Command::Welcome => {
                self.decoder.set_cap(LONGEST_LINE);
                let clock = self.name.clone();
                let facts = Facts {
                    version: VERSION,
                    clock,
                    ..Facts::default()
                };
                acts.push(Act::Say(FromDaemon::Welcome(Box::new(facts))));
            }
            Command::Pong(id) => {
                acts.push(Act::Say(FromDaemon::Pong {
                    id,
                    received_ns: now,
                    sent_ns: now,
                }));
            }
            Command::Open(orders, refused) => {
                self.ends = orders
                    .into_iter()
                    .map(|order| End::new(order, &mut self.dice))
                    .collect();
                let ready = self.ends.iter().map(|end| Ready {
                    stream: end.order.stream,
                    port: (end.order.role == Role::Receive).then_some(7),
                    nonce: end.own,
                });
                acts.push(Act::Say(FromDaemon::Prepared {
                    ready: ready.collect(),
                    refused,
                }));
            }
            Command::Connect(peers, refused) => self.connect(now, peers, refused),
            Command::Start(at) => {
                self.start = Some(at);
                for index in 0..self.ends.len() {
                    let is_tcp = self.ends[index].order.kind == Kind::Tcp;
                    for (came, octets) in std::mem::take(&mut self.ends[index].early) {
                        // The kernel keeps the data of TCP until they are read.
                        self.receive(index, if is_tcp { now } else { came }, &octets);
                    }
                }
            }
            Command::Stop => {
                for index in 0..self.ends.len() {
                    self.finish(index, acts);
                }
            }
            Command::Collect => self.send_logs(acts),
            Command::Close => {
                acts.push(Act::Close);
                self.close();
            }
        }
    }

    fn connect(&mut self, now: u64, peers: Vec<Peer>, refused: Vec<Refusal>) {
        for peer in peers {
            if let Some(end) = self
                .ends
                .iter_mut()
                .find(|it| it.order.stream == peer.stream)
            {
                end.next_try = now;
                end.answered_at = now;
                end.peer = Some(peer);
            }
        }
        self.ends.retain(|end| end.peer.is_some());
        self.awaited = Some(self.ends.len());
        self.failed = refused;
    }

    fn send_logs(&mut self, acts: &mut Vec<Act>) {
        for (stream, log) in self.logs.drain(..) {
            let mut before = 0;
            for block in log.into_blocks() {
                acts.push(Act::Say(FromDaemon::Log(Part::new(
                    stream, 0, before, &block,
                ))));
                before = block.last().map_or(before, |entry| entry.at_ns);
            }
        }
        if let Some(session) = &mut self.session {
            session.collected();
        }
        acts.push(Act::Say(FromDaemon::Collected));
    }

    /// Octets came from the other end of a stream to the end with this role. Returns whether they were data for an end
    /// that is still there.
    pub(crate) fn on_datagram(
        &mut self,
        now: u64,
        (stream, role): (u32, Role),
        octets: &[u8],
        acts: &mut Vec<Act>,
    ) -> bool {
        let wanted =
            |end: &End| end.order.stream == stream && end.order.role == role && !end.is_done;
        let Some(index) = self.ends.iter().position(wanted) else {
            return false;
        };
        let end = &mut self.ends[index];
        let Some(peer) = end.peer.clone() else {
            return false;
        };
        let kind = end.order.kind;
        if end.own.greeted(octets) == Some(0) {
            let is_first = !std::mem::replace(&mut end.is_greeted, true);
            if role == Role::Receive {
                if is_first {
                    end.answered_at = now;
                }
                let octets = peer.nonce.greeting(0).to_vec();
                acts.push(Act::Send {
                    stream,
                    to: Role::Send,
                    kind,
                    octets,
                });
            } else if is_first {
                end.patience.on_round_trip(now - end.answered_at);
                for _ in 0..3 {
                    let octets = datagram(token(peer.nonce), CONFIRMED, now, SMALLEST);
                    acts.push(Act::Send {
                        stream,
                        to: Role::Receive,
                        kind,
                        octets,
                    });
                }
            }
            if is_first && let Some(awaited) = &mut self.awaited {
                *awaited -= 1;
            }
            return false;
        }
        let Some(header) = Header::read(octets) else {
            return false;
        };
        if role == Role::Send {
            return self.on_answer(index, now, header);
        }
        if header.token != token(end.own) {
            return false;
        }
        if kind == Kind::Probe {
            if header.sequence == LAST {
                self.finish(index, acts);
            } else if header.sequence != CONFIRMED {
                let octets = octets.to_vec();
                acts.push(Act::Send {
                    stream,
                    to: Role::Send,
                    kind,
                    octets,
                });
            }
            return false;
        }
        self.receive(index, now, octets);
        header.sequence < CONFIRMED
    }

    fn on_answer(&mut self, index: usize, now: u64, header: Header) -> bool {
        let (end, start) = (&mut self.ends[index], self.start.unwrap_or(now));
        if let Some(at) = end.open.remove(&header.sequence) {
            end.patience.on_arrival(now, 0);
            let what = What::RoundTrip {
                at_ns: at.saturating_sub(start),
                rtt_ns: Some(now - at),
            };
            let stream = end.order.stream;
            self.reports.push(Report {
                stream,
                connection: 0,
                what,
            });
        }
        false
    }

    /// Data at a receiver, as in `daemon/udp.rs`.
    fn receive(&mut self, index: usize, now: u64, octets: &[u8]) {
        let end = &mut self.ends[index];
        let Some(header) = Header::read(octets) else {
            return;
        };
        if header.sequence == CONFIRMED {
            end.patience.on_round_trip(now - end.answered_at);
            return;
        }
        let Some(start) = self.start else {
            end.early.push((now, octets.to_vec()));
            return;
        };
        if header.sequence == LAST {
            end.patience.on_end(now);
            return;
        }
        let offset = end.peer.as_ref().map_or(0, |it| it.clock_offset_ns);
        let delay = (i128::from(now) - i128::from(header.sent_ns) + i128::from(offset)) as i64;
        let at = now.saturating_sub(start);
        let over: Vec<_> = end.meter.catch_up(at).collect();
        self.tell(index, &over);
        let end = &mut self.ends[index];
        if end.datagrams.add(header.sequence, delay) {
            end.log.add(at, octets.len() as u64);
            end.meter.add(at, octets.len() as u64).for_each(drop);
            let shortest = end.datagrams.counts().delays.least;
            end.patience.on_arrival(now, delay.abs_diff(shortest));
        }
    }

    fn tell(&mut self, index: usize, over: &[Interval]) {
        let end = &mut self.ends[index];
        for interval in over {
            let delays = end.datagrams.take_interval();
            let datagrams = (end.order.kind == Kind::Udp).then(|| IntervalDatagrams {
                count: delays.count,
                delay_sum_ns: delays.sum,
                delay_least_ns: delays.least,
                delay_most_ns: delays.most,
                jitter_ns: end.datagrams.counts().jitter_ns,
                highest: end.datagrams.next(),
            });
            let what = What::Interval {
                index: interval.index,
                bytes: interval.bytes,
                datagrams,
            };
            self.reports.push(Report {
                stream: end.order.stream,
                connection: 0,
                what,
            });
        }
    }

    /// Does what is due, and returns when it must be called again, on this host's clock.
    pub(crate) fn poll(&mut self, now: u64, acts: &mut Vec<Act>) -> Option<u64> {
        let deadline = self.session.as_ref()?.deadline();
        if now > deadline {
            acts.push(Act::Close);
            self.close();
            return None;
        }
        let mut next = deadline + 1;
        for index in 0..self.ends.len() {
            if !self.ends[index].is_done {
                let due = match self.ends[index].order.role {
                    Role::Send => self.poll_sender(index, now, acts),
                    Role::Receive => self.poll_receiver(index, now, acts),
                };
                next = next.min(due);
            }
        }
        self.tell_news(acts);
        Some(next.max(now + 1))
    }

    fn tell_news(&mut self, acts: &mut Vec<Act>) {
        if !self.reports.is_empty() {
            let reports = std::mem::take(&mut self.reports);
            acts.push(Act::Say(FromDaemon::Measured { reports }));
        }
        if self.awaited == Some(0) {
            self.awaited = None;
            let failed = std::mem::take(&mut self.failed);
            acts.push(Act::Say(FromDaemon::Connected { failed }));
        }
        if self.start.is_some() && self.ends.iter().all(|end| end.is_done) {
            self.start = None;
            self.ends.clear();
            acts.push(Act::Say(FromDaemon::Finished));
            if let Some(session) = &mut self.session {
                session.finished();
            }
        }
    }

    fn give_up(&mut self, index: usize) -> u64 {
        let end = &mut self.ends[index];
        end.is_done = true;
        self.failed.push(Refusal {
            stream: end.order.stream,
            why: "no greeting".to_owned(),
        });
        if let Some(awaited) = &mut self.awaited {
            *awaited -= 1;
        }
        u64::MAX
    }

    fn poll_sender(&mut self, index: usize, now: u64, acts: &mut Vec<Act>) -> u64 {
        let end = &mut self.ends[index];
        let Some(peer) = end.peer.clone() else {
            return u64::MAX;
        };
        let (stream, kind) = (end.order.stream, end.order.kind);
        if !end.is_greeted {
            if now >= end.next_try {
                if end.tries == TRIES {
                    return self.give_up(index);
                }
                end.tries += 1;
                end.next_try = now + BETWEEN_TRIES;
                let octets = peer.nonce.greeting(0).to_vec();
                acts.push(Act::Send {
                    stream,
                    to: Role::Receive,
                    kind,
                    octets,
                });
            }
            return end.next_try;
        }
        let Some(start) = self.start else {
            return u64::MAX;
        };
        let (begin, last) = (start + end.order.start_ns, start + end.order.end_ns());
        loop {
            let due = match end.schedule.step(now.saturating_sub(begin)) {
                _ if now < begin => return begin,
                _ if now >= last => last,
                Step::Write(size) => {
                    let size = (size as usize).max(SMALLEST);
                    let octets = datagram(token(peer.nonce), end.next, now, size);
                    end.schedule.wrote(now - begin, now - begin, size as u32);
                    end.last_ns = now - start;
                    end.log.add(end.last_ns, size as u64);
                    if kind == Kind::Probe {
                        end.open.insert(end.next, now);
                    }
                    end.next += 1;
                    end.bytes += size as u64;
                    acts.push(Act::Send {
                        stream,
                        to: Role::Receive,
                        kind,
                        octets,
                    });
                    continue;
                }
                Step::WaitUntil(due) => (begin + due).min(last),
                Step::Finished => last,
            };
            if now < last {
                return due;
            }
            let waits = kind == Kind::Probe && !end.open.is_empty();
            if waits && now < end.patience.deadline(last) {
                return end.patience.deadline(last);
            }
            self.finish(index, acts);
            return u64::MAX;
        }
    }

    fn poll_receiver(&mut self, index: usize, now: u64, acts: &mut Vec<Act>) -> u64 {
        let end = &mut self.ends[index];
        if end.peer.is_none() {
            return u64::MAX;
        }
        if !end.is_greeted {
            let deadline = end.answered_at + PATIENCE;
            return if now >= deadline {
                self.give_up(index)
            } else {
                deadline
            };
        }
        let Some(start) = self.start else {
            return u64::MAX;
        };
        let last = start + end.order.end_ns();
        let over: Vec<_> = end.meter.advance(now.saturating_sub(start)).collect();
        let deadline = match end.order.kind {
            Kind::Probe => last + LATEST_NS,
            _ => end.patience.deadline(last),
        };
        self.tell(index, &over);
        if now > deadline {
            self.finish(index, acts);
            return u64::MAX;
        }
        (now + 100 * MS).min(deadline + 1)
    }

    /// Ends one end of a stream, and reports its totals.
    fn finish(&mut self, index: usize, acts: &mut Vec<Act>) {
        let end = &mut self.ends[index];
        if std::mem::replace(&mut end.is_done, true) {
            return;
        }
        let (stream, kind, role) = (end.order.stream, end.order.kind, end.order.role);
        if role == Role::Send {
            if let Some(peer) = &end.peer {
                for _ in 0..3 {
                    let octets = datagram(token(peer.nonce), LAST, 0, SMALLEST);
                    acts.push(Act::Send {
                        stream,
                        to: Role::Receive,
                        kind,
                        octets,
                    });
                }
            }
        } else if let Some(last) = end.meter.finish() {
            self.tell(index, &[last]);
        }
        let end = &mut self.ends[index];
        let log = std::mem::replace(&mut end.log, Log::new(64, 1));
        let socket = SocketFacts::default();
        let what = match (role, kind) {
            (Role::Receive, Kind::Probe) => return,
            (Role::Receive, _) => What::Received {
                totals: end.meter.totals(),
                datagrams: (kind == Kind::Udp).then(|| end.datagrams.counts()),
                socket,
            },
            _ => What::Sent {
                bytes: end.bytes,
                writes: end.next,
                last_ns: end.last_ns,
                socket,
            },
        };
        self.reports.push(Report {
            stream,
            connection: 0,
            what,
        });
        if kind != Kind::Probe {
            self.logs.push((stream, log));
        }
    }
}

impl End {
    fn new(order: Order, dice: &mut Dice) -> Self {
        let mut own = [0; 16];
        own[..8].copy_from_slice(&dice.next().to_be_bytes());
        own[8..].copy_from_slice(&dice.next().to_be_bytes());
        Self {
            own: Nonce(own),
            peer: None,
            is_greeted: false,
            tries: 0,
            next_try: 0,
            answered_at: 0,
            schedule: Schedule::new(order.pattern.clone(), order.write, order.bytes),
            next: 0,
            bytes: 0,
            last_ns: 0,
            open: BTreeMap::new(),
            datagrams: Datagrams::default(),
            meter: Meter::new(
                order.start_ns,
                order.duration_ns,
                order.warm_up_ns,
                order.interval_ns,
            ),
            patience: Patience::new(None),
            log: Log::of(&order),
            early: Vec::new(),
            is_done: false,
            order,
        }
    }
}

fn datagram(token: [u8; 8], sequence: u64, now: u64, size: usize) -> Vec<u8> {
    let mut octets = vec![0; size];
    let header = Header {
        token,
        connection: 0,
        sequence,
        sent_ns: now,
    };
    header.write(&mut octets);
    octets
}
