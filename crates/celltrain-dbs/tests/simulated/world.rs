//! The network between a controller and its hosts, and all that happens in it, in the order of time.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::atomic::AtomicBool;

use celltrain_dbs::controller::{Controller, Repetition};
use celltrain_dbs::controller_session::ControllerSession;
use celltrain_dbs::datagram::Header;
use celltrain_dbs::frame::{Decoder, LONGEST_LINE, encode};
use celltrain_dbs::message::{FromDaemon, PROTOCOL, ToDaemon, VERSION};
use celltrain_dbs::order::{Kind, Role};
use celltrain_dbs::plan::{Plan, Stream};
use celltrain_dbs::tables::tables;
use celltrain_language::Source;

use crate::dice::Dice;
use crate::host::{Act, Host};

const US: u64 = 1_000;
const MS: u64 = 1_000 * US;
const BEGIN: u64 = 1 << 40;
/// No run of these plans takes longer, whatever happens: the sum of all deadlines.
const LONGEST: u64 = 300_000 * MS;
const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

/// What the network did to a host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    /// Nothing but delays and losses.
    Good,
    /// Its connection was cut, its daemon restarted, or it vanished, before it had said all.
    Disturbed,
    /// It vanished after that.
    Late,
}

/// What happened to the data of a stream, as the network knows it.
#[derive(Debug, Default)]
pub(crate) struct Truth {
    arrived: BTreeSet<u64>,
    sent: BTreeSet<u64>,
    pub(crate) repeated: u64,
}

impl Truth {
    /// Data that never came.
    pub(crate) fn lost(&self) -> u64 {
        (self.sent.len() - self.arrived.len()) as u64
    }
}

/// What the network has seen.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) events: u64,
    pub(crate) lost: u64,
    pub(crate) repeated: u64,
    /// Data for a receiver that had ended its stream.
    pub(crate) late: BTreeMap<u32, u64>,
    /// Data from a sender whose receiver has not answered.
    pub(crate) without_consent: u64,
    pub(crate) most_held: usize,
    pub(crate) streams: BTreeMap<u32, Truth>,
    /// The common start by each host's clock, in true time.
    pub(crate) starts: Vec<(u64, usize)>,
    /// When the controller began, after all greetings.
    pub(crate) led_at: u64,
    /// What the controller and the daemons said, to be read after a failure.
    story: Vec<String>,
    consents: BTreeSet<u32>,
    collected: BTreeSet<usize>,
}

enum Event {
    ToHost(usize, Vec<u8>),
    ToController(usize, Vec<u8>),
    Eof(usize),
    Data {
        stream: u32,
        to: Role,
        octets: Vec<u8>,
    },
    Wake(usize),
    Disturb(usize),
}

/// A control connection.
struct Link {
    decoder: Decoder,
    delay: u64,
    /// When the last octets arrive in each direction: they do not overtake each other.
    last: [u64; 2],
    is_open: bool,
    has_vanished: bool,
    clock: Option<String>,
    why: String,
}

/// The path of the data between any two hosts.
struct Path {
    delay: u64,
    jitter: u64,
    lost_per_mille: u64,
    repeated_per_mille: u64,
}

pub(crate) struct World {
    pub(crate) hosts: Vec<Host>,
    pub(crate) outcomes: Vec<Outcome>,
    pub(crate) session: ControllerSession,
    pub(crate) seen: Seen,
    controller: Option<Controller>,
    streams: Vec<Stream>,
    links: Vec<Link>,
    path: Path,
    /// For each stream and direction, when its last data of TCP arrive.
    in_order: BTreeMap<(u32, bool), u64>,
    queue: BTreeMap<(u64, u64), Event>,
    serial: u64,
    wakes: Vec<Option<u64>>,
    is_led: bool,
    now: u64,
    dice: Dice,
}

/// Draws a plan.
fn plan(dice: &mut Dice, hosts: usize) -> Plan {
    let mut parts = vec!["[measure]\ninterval = \"50 ms\"\n[hosts]\n".to_owned()];
    parts.extend((0..hosts).map(|host| format!("h{host} = {{}}\n")));
    for flow in 0..dice.within(1, 4) {
        let from = dice.within(0, hosts as u64 - 1);
        let to = (from + dice.within(1, hosts as u64 - 1)) % hosts as u64;
        let ends = format!(
            "from = \"h{from}\"\nto = \"h{to}\"\nduration = \"{} ms\"\n",
            dice.within(1, 1_500)
        );
        let every = format!("{} us", dice.within(1_000, 50_000));
        parts.push(match dice.within(0, 3) {
            0 => format!("[probes.f{flow}]\n{ends}every = \"{every}\"\n"),
            1 => format!(
                "[flows.f{flow}]\n{ends}write = \"1000 bytes\"\npattern = {{ rate = \"2 Mbit/s\" }}\n"
            ),
            _ => format!(
                "[flows.f{flow}]\n{ends}protocol = \"udp\"\nwrite = \"{} bytes\"\npattern = {{ every = \"{every}\" }}\n",
                dice.within(28, 1_400)
            ),
        });
    }
    let text = parts.concat();
    Plan::read(&Source::toml(&text, "plan.toml"), &|_| Err(String::new())).unwrap()
}

impl World {
    pub(crate) fn new(seed: u64) -> Self {
        let mut dice = Dice::new(seed.wrapping_mul(0x5851_f42d_4c95_7f2d));
        let count = dice.within(2, 4) as usize;
        let plan = plan(&mut dice, count);
        let nobody = (0..count).map(|_| Err("nobody".to_owned())).collect();
        let controller = Controller::connect(&plan, nobody, &AtomicBool::new(false)).unwrap();
        let far = dice.chance(300);
        let path = Path {
            delay: dice.within(50 * US, if far { 600 * MS } else { 20 * MS }),
            jitter: dice.within(0, 100 * MS),
            lost_per_mille: if dice.chance(400) {
                0
            } else {
                dice.within(0, 300)
            },
            repeated_per_mille: dice.within(0, 30),
        };
        let links = (0..count).map(|_| Link {
            decoder: Decoder::new(LONGEST_LINE),
            delay: dice.within(50 * US, if far { 800 * MS } else { 50 * MS }),
            last: [0; 2],
            is_open: true,
            has_vanished: false,
            clock: None,
            why: "no answer".to_owned(),
        });
        let links = links.collect();
        let hosts = (0..count)
            .map(|index| Host::new(index, &mut dice))
            .collect();
        let mut world = Self {
            hosts,
            outcomes: vec![Outcome::Good; count],
            session: ControllerSession::new(0, Vec::new(), Vec::new(), 1),
            seen: Seen::default(),
            streams: controller.streams().to_vec(),
            controller: Some(controller),
            links,
            path,
            in_order: BTreeMap::new(),
            queue: BTreeMap::new(),
            serial: 0,
            wakes: vec![None; count],
            is_led: false,
            now: BEGIN,
            dice,
        };
        world.begin();
        world
    }

    fn begin(&mut self) {
        for host in 0..self.hosts.len() {
            let local = self.hosts[host].clock.read(self.now);
            self.hosts[host].connected(local);
            let hello = ToDaemon::Hello {
                protocol: PROTOCOL.to_owned(),
                version: VERSION,
            };
            self.say(host, &hello);
            self.poll(host);
            if self.dice.chance(150) {
                let at = self.now + self.dice.within(0, 30_000 * MS);
                self.at(at, Event::Disturb(host));
            }
        }
    }

    fn at(&mut self, time: u64, event: Event) {
        self.serial += 1;
        self.queue.insert((time, self.serial), event);
    }

    fn tell(&mut self, what: &str) {
        let time = (self.now - BEGIN) / US;
        self.seen.story.push(format!("{time} us {what:.200}"));
    }

    /// Runs until everything has ended.
    pub(crate) fn run(&mut self) {
        let greeted_by = self.now + 20_000 * MS;
        loop {
            let next = self.queue.first_key_value().map_or(u64::MAX, |it| it.0.0);
            if !self.is_led && (self.is_greeted() || next > greeted_by) {
                self.lead();
                continue;
            }
            if self.is_led && !self.session.is_over() && self.session.deadline() <= next {
                self.now = self.now.max(self.session.deadline());
                self.session.on_time(self.now);
                self.deliver();
            } else if let Some(((time, _), event)) = self.queue.pop_first() {
                self.now = time;
                self.seen.events += 1;
                self.happen(event);
            } else {
                break;
            }
            assert!(self.now < BEGIN + LONGEST, "it never ends");
            assert!(self.seen.events < 2_000_000, "it does too much");
        }
        assert!(self.session.is_over());
        self.seen.most_held = self.hosts.iter().map(|it| it.held).max().unwrap_or(0);
    }

    fn is_greeted(&self) -> bool {
        self.links
            .iter()
            .all(|link| link.clock.is_some() || !link.is_open)
    }

    /// All daemons have answered, or will not: the plan begins.
    fn lead(&mut self) {
        let hosts = self.links.iter().map(|link| match &link.clock {
            Some(clock) if link.is_open => Ok((HERE, clock.clone())),
            _ => Err(link.why.clone()),
        });
        self.session = ControllerSession::new(self.now, self.streams.clone(), hosts.collect(), 1);
        self.is_led = true;
        self.seen.led_at = self.now;
        self.deliver();
    }

    /// Sends what the session says, and closes the connections of hosts that it has given up.
    fn deliver(&mut self) {
        for (host, message) in self.session.take_messages() {
            self.say(host, &message);
        }
        for host in 0..self.links.len() {
            if self.links[host].is_open && self.session.hosts[host].lost.is_some() {
                self.links[host].is_open = false;
                let at = self.arrival(host, 0);
                self.at(at, Event::Eof(host));
            }
        }
        if self.session.is_over() {
            for host in 0..self.links.len() {
                self.say(host, &ToDaemon::Bye);
                self.links[host].is_open = false;
            }
        }
    }

    /// When octets that leave now arrive: after those before them, and now and then after a retransmission.
    fn arrival(&mut self, host: usize, direction: usize) -> u64 {
        let mut delay = self.links[host].delay + self.dice.within(0, 10 * MS);
        if self.dice.chance(20) {
            delay += self.dice.within(200 * MS, 1_500 * MS);
        }
        let last = &mut self.links[host].last[direction];
        *last = (self.now + delay).max(*last);
        *last
    }

    /// Sends a message to a daemon, in pieces.
    fn say(&mut self, host: usize, message: &ToDaemon) {
        if !self.links[host].is_open {
            return;
        }
        self.tell(&format!("to {host}: {message:?}"));
        for piece in self.pieces(&encode(message)) {
            let at = self.arrival(host, 0);
            self.at(at, Event::ToHost(host, piece));
        }
    }

    fn pieces(&mut self, octets: &[u8]) -> Vec<Vec<u8>> {
        let (mut rest, mut pieces) = (octets, Vec::new());
        while !rest.is_empty() {
            let most = rest.len() as u64;
            let length = if self.dice.chance(800) {
                most
            } else {
                self.dice.within(1, most)
            };
            let (piece, after) = rest.split_at(length as usize);
            pieces.push(piece.to_vec());
            rest = after;
        }
        pieces
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::ToHost(host, octets) => {
                if !self.links[host].has_vanished {
                    self.tell(&format!(
                        "{host} reads {}",
                        String::from_utf8_lossy(&octets)
                    ));
                    let (mut acts, local) = (Vec::new(), self.local(host));
                    let before = self.hosts[host].start;
                    self.hosts[host].on_octets(local, &octets, &mut acts);
                    if let (None, Some(at)) = (before, self.hosts[host].start) {
                        let time = self.hosts[host].clock.when(at);
                        self.seen.starts.push((time, host));
                    }
                    self.act(host, acts);
                    self.poll(host);
                }
            }
            Event::ToController(host, octets) => self.hear(host, &octets),
            Event::Eof(host) => {
                if !self.links[host].has_vanished {
                    self.hosts[host].close();
                }
            }
            Event::Data { stream, to, octets } => self.arrive(stream, to, &octets),
            // Another one came in between, if this is not the one that is awaited.
            Event::Wake(host) if self.wakes[host] == Some(self.now) => {
                self.wakes[host] = None;
                self.poll(host);
            }
            Event::Wake(_) => {}
            Event::Disturb(host) => self.disturb(host),
        }
    }

    fn local(&self, host: usize) -> u64 {
        self.hosts[host].clock.read(self.now)
    }

    /// Octets reach the controller.
    fn hear(&mut self, host: usize, octets: &[u8]) {
        if !self.links[host].is_open || self.links[host].has_vanished {
            return;
        }
        self.links[host].decoder.push(octets);
        while let Some(message) = self.links[host].decoder.take::<FromDaemon>().unwrap() {
            if let FromDaemon::Welcome(facts) = message {
                self.links[host].clock = Some(facts.clock);
                continue;
            }
            if message == FromDaemon::Collected {
                self.seen.collected.insert(host);
            }
            self.session.on_message(self.now, host, message);
            self.deliver();
        }
    }

    /// A connection is cut, a daemon restarts, or a host vanishes.
    fn disturb(&mut self, host: usize) {
        if (self.is_led && self.session.is_over()) || !self.links[host].is_open {
            return;
        }
        self.outcomes[host] = Outcome::Disturbed;
        self.tell(&format!("{host} is disturbed"));
        match self.dice.within(0, 2) {
            0 => {
                self.links[host].has_vanished = true;
                if self.seen.collected.contains(&host) {
                    self.outcomes[host] = Outcome::Late;
                }
                return;
            }
            // The daemon learns of a cut; one that restarts forgets everything at once.
            1 => {
                let at = self.arrival(host, 0);
                self.at(at, Event::Eof(host));
            }
            _ => self.hosts[host].close(),
        }
        self.links[host].is_open = false;
        "cut".clone_into(&mut self.links[host].why);
        if self.is_led {
            self.session.on_lost(self.now, host, "cut");
            self.deliver();
        }
    }

    fn poll(&mut self, host: usize) {
        let (mut acts, local) = (Vec::new(), self.local(host));
        let next = self.hosts[host].poll(local, &mut acts);
        self.act(host, acts);
        if let Some(next) = next {
            let at = self.hosts[host].clock.when(next).max(self.now + 1);
            if self.wakes[host].is_none_or(|it| at < it) {
                self.wakes[host] = Some(at);
                self.at(at, Event::Wake(host));
            }
        }
    }

    /// Carries what a daemon says and sends.
    fn act(&mut self, host: usize, acts: Vec<Act>) {
        for act in acts {
            match act {
                Act::Say(message) => {
                    self.tell(&format!("from {host}: {message:?}"));
                    for piece in self.pieces(&encode(&message)) {
                        let at = self.arrival(host, 1);
                        self.at(at, Event::ToController(host, piece));
                    }
                }
                Act::Send {
                    stream,
                    to,
                    kind,
                    octets,
                } => self.send(stream, to, kind, octets),
                Act::Close => {}
            }
        }
    }

    /// Data leave an end of a stream.
    fn send(&mut self, stream: u32, to: Role, kind: Kind, octets: Vec<u8>) {
        let number = number(&octets).filter(|_| to == Role::Receive);
        if let Some(number) = number {
            if !self.seen.consents.contains(&stream) {
                self.seen.without_consent += 1;
            }
            self.seen
                .streams
                .entry(stream)
                .or_default()
                .sent
                .insert(number);
        }
        let sender = match to {
            Role::Receive => self.streams[stream as usize].from,
            Role::Send => self.streams[stream as usize].to,
        };
        if self.links[sender].has_vanished {
            return;
        }
        let travel = self.path.delay + self.dice.within(0, self.path.jitter);
        if kind == Kind::Tcp {
            let last = self.in_order.entry((stream, to == Role::Send)).or_default();
            *last = (self.now + travel).max(*last);
            let at = *last;
            return self.at(at, Event::Data { stream, to, octets });
        }
        if self.dice.chance(self.path.repeated_per_mille) {
            let more = self.path.delay + self.dice.within(0, self.path.jitter);
            self.seen.repeated += 1;
            let octets = octets.clone();
            self.at(self.now + more, Event::Data { stream, to, octets });
        }
        if self.dice.chance(self.path.lost_per_mille) {
            self.seen.lost += 1;
            return;
        }
        self.at(self.now + travel, Event::Data { stream, to, octets });
    }

    /// Data reach an end of a stream.
    fn arrive(&mut self, stream: u32, to: Role, octets: &[u8]) {
        let host = self.streams[stream as usize].host(to);
        if self.links[host].has_vanished {
            return;
        }
        if to == Role::Send {
            // Whatever the answer says: without one nothing may be sent.
            self.seen.consents.insert(stream);
        }
        let (mut acts, local) = (Vec::new(), self.local(host));
        let is_taken = self.hosts[host].on_datagram(local, (stream, to), octets, &mut acts);
        if let Some(number) = number(octets).filter(|_| to == Role::Receive) {
            let truth = self.seen.streams.entry(stream).or_default();
            if !is_taken {
                *self.seen.late.entry(stream).or_default() += 1;
            } else if !truth.arrived.insert(number) {
                truth.repeated += 1;
            }
        }
        self.act(host, acts);
        self.poll(host);
    }

    /// The streams of the plan.
    pub(crate) fn session_streams(&self) -> &[Stream] {
        &self.streams
    }

    /// Makes the tables, as for a user; returns how many there are.
    pub(crate) fn tables(&mut self) -> usize {
        let session = std::mem::replace(
            &mut self.session,
            ControllerSession::new(0, Vec::new(), Vec::new(), 1),
        );
        let repetition = Repetition {
            session,
            cancelled: false,
        };
        let made = self
            .controller
            .as_ref()
            .map_or(0, |it| tables(it, 1, &repetition).len());
        self.session = repetition.session;
        made
    }
}

/// The sequence number of data, which greetings, confirmations and announcements are not.
fn number(octets: &[u8]) -> Option<u64> {
    let header = Header::read(octets)?;
    (!octets.starts_with(b"ctdbs-hi") && header.sequence < u64::MAX - 1).then_some(header.sequence)
}

impl Drop for World {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let from = self.seen.story.len().saturating_sub(1_000);
            eprintln!("{}", self.seen.story[from..].join("\n"));
        }
    }
}
