//! The controller: runs the daemons of a plan over their control connections.

use std::io;
use std::net::IpAddr;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::controller_session::ControllerSession;
use crate::frame::LONGEST_LINE;
use crate::message::{Facts, FromDaemon, PROTOCOL, ToDaemon, VERSION};
use crate::os::now_ns;
use crate::plan::{Plan, Stream};
use crate::wire::{Wire, wait};

/// The interval at which the loop checks deadlines and the cancel flag, in ns.
const LOOK_NS: u64 = 50_000_000;
/// The interval between pings between two repetitions, in ns.
const KEEP_ALIVE_NS: u64 = 5_000_000_000;
/// How long a daemon may take to send its welcome, in ns: ssh may first consult a slow server.
const WELCOME_NS: u64 = 20_000_000_000;

/// A host, its connection and what it has reported about itself.
#[derive(Debug)]
pub struct Link {
    /// Its name in the plan.
    pub name: String,
    /// The address of its data sockets.
    pub address: IpAddr,
    /// What it has reported about itself.
    pub facts: Facts,
    /// Why it is lost, if it is.
    pub lost: Option<String>,
    wire: Option<Wire>,
}

/// A controller of the hosts of one plan.
#[derive(Debug)]
pub struct Controller {
    streams: Vec<Stream>,
    /// All hosts, in the order of the plan.
    pub links: Vec<Link>,
    next_ping: u64,
}

/// A finished repetition, possibly incomplete.
#[derive(Debug)]
pub struct Repetition {
    /// Its final state and measurements.
    pub session: ControllerSession,
    /// Whether it was cancelled.
    pub cancelled: bool,
}

impl Controller {
    /// Greets the daemons of a plan over `connections`, one per host in the order of the plan: the two directions of
    /// the connection, or why there is none.
    pub fn connect(
        plan: &Plan,
        connections: Vec<Result<(OwnedFd, OwnedFd), String>>,
        cancel: &AtomicBool,
    ) -> io::Result<Self> {
        let links = plan
            .hosts
            .iter()
            .zip(connections)
            .map(|((name, host), connection)| {
                let wire = connection.and_then(|(input, output)| {
                    Wire::new(input, output, LONGEST_LINE).map_err(|error| error.to_string())
                });
                let (wire, lost) = match wire {
                    Ok(wire) => (Some(wire), None),
                    Err(why) => (None, Some(why)),
                };
                Link {
                    name: name.clone(),
                    address: host.data_address(),
                    facts: Facts::default(),
                    lost,
                    wire,
                }
            });
        let mut controller = Self {
            streams: plan.streams(),
            links: links.collect(),
            next_ping: 1,
        };
        controller.greet(cancel)?;
        Ok(controller)
    }

    /// The streams of the plan.
    pub fn streams(&self) -> &[Stream] {
        &self.streams
    }

    /// The name of host `index`.
    pub(crate) fn host(&self, index: usize) -> String {
        self.links[index].name.clone()
    }

    fn greet(&mut self, cancel: &AtomicBool) -> io::Result<()> {
        let hello = ToDaemon::Hello {
            protocol: PROTOCOL.to_owned(),
            version: VERSION,
        };
        for link in &mut self.links {
            link.send(&hello);
        }
        let deadline = now_ns() + WELCOME_NS;
        let silent = |link: &Link| link.wire.is_some() && link.facts.version == 0;
        while self.links.iter().any(silent)
            && now_ns() < deadline
            && !cancel.load(Ordering::Relaxed)
        {
            self.wait(LOOK_NS)?;
            for link in &mut self.links {
                match link.receive() {
                    Some(FromDaemon::Welcome(facts)) if facts.version == VERSION => {
                        link.facts = *facts;
                    }
                    Some(FromDaemon::Refused { why }) => link.lose(&why),
                    Some(_) => link.lose("it is not a daemon of this version"),
                    None => {}
                }
            }
        }
        for link in self.links.iter_mut().filter(|link| silent(link)) {
            link.lose("no answer: does the daemon run there?");
        }
        Ok(())
    }

    /// Executes the plan once.
    pub fn repetition(&mut self, cancel: &AtomicBool) -> io::Result<Repetition> {
        let hosts = self.links.iter().map(|link| match &link.lost {
            Some(why) => Err(why.clone()),
            None => Ok((link.address, link.facts.clock.clone())),
        });
        let mut session = ControllerSession::new(
            now_ns(),
            self.streams.clone(),
            hosts.collect(),
            self.next_ping,
        );
        let mut cancelled = false;
        while !session.is_over() {
            if cancel.load(Ordering::Relaxed) && !cancelled {
                cancelled = true;
                session.stop(now_ns());
            }
            self.turn(&mut session)?;
        }
        self.next_ping = session.next_ping();
        Ok(Repetition { session, cancelled })
    }

    fn turn(&mut self, session: &mut ControllerSession) -> io::Result<()> {
        self.deliver(session);
        let left = session.deadline().saturating_sub(now_ns());
        self.wait(left.min(LOOK_NS))?;
        for host in 0..self.links.len() {
            while let Some(message) = self.links[host].receive() {
                session.on_message(now_ns(), host, message);
                self.deliver(session);
            }
            if let Some(why) = &self.links[host].lost {
                session.on_lost(now_ns(), host, why);
            }
            if let (Some(why), None) = (&session.hosts[host].lost, &self.links[host].lost) {
                let why = why.clone();
                self.links[host].lose(&why);
            }
        }
        session.on_time(now_ns());
        Ok(())
    }

    fn deliver(&mut self, session: &mut ControllerSession) {
        for (host, message) in session.take_messages() {
            self.links[host].send(&message);
        }
    }

    /// Keeps the sessions alive for `ns` nanoseconds.
    pub fn pause(&mut self, ns: u64, cancel: &AtomicBool) -> io::Result<()> {
        let (end, mut due) = (now_ns().saturating_add(ns), 0);
        while now_ns() < end && !cancel.load(Ordering::Relaxed) {
            if now_ns() >= due {
                due = now_ns() + KEEP_ALIVE_NS;
                let id = self.next_ping;
                self.next_ping += 1;
                for link in &mut self.links {
                    link.send(&ToDaemon::Ping { id });
                }
            }
            self.wait(LOOK_NS.min(end.saturating_sub(now_ns())))?;
            for link in &mut self.links {
                while link.receive().is_some() {}
            }
        }
        Ok(())
    }

    /// Closes the sessions.
    pub fn close(mut self) {
        for link in &mut self.links {
            link.send(&ToDaemon::Bye);
        }
    }

    fn wait(&self, ns: u64) -> io::Result<()> {
        wait(self.links.iter().filter_map(|link| link.wire.as_ref()), ns)
    }
}

impl Link {
    fn send(&mut self, message: &ToDaemon) {
        let sent = self.wire.as_mut().map(|wire| wire.send(message));
        if let Some(Err(error)) = sent {
            self.lose(&format!("the control connection has ended: {error}"));
        }
    }

    /// The next message, if one has arrived.
    fn receive(&mut self) -> Option<FromDaemon> {
        match read_one(self.wire.as_mut()?) {
            Ok(message) => message,
            Err(why) => {
                self.lose(&why);
                None
            }
        }
    }

    fn lose(&mut self, why: &str) {
        self.wire = None;
        self.lost.get_or_insert_with(|| why.to_owned());
    }
}

fn read_one(wire: &mut Wire) -> Result<Option<FromDaemon>, String> {
    let strange = |error| format!("{error}; do start-up files of the shell there print something?");
    if let Some(message) = wire.receive().map_err(strange)? {
        return Ok(Some(message));
    }
    let ended = |error: io::Error| format!("the control connection has ended: {error}");
    wire.flush().map_err(ended)?;
    let open = wire.fill().map_err(ended)?;
    match wire.receive().map_err(strange)? {
        Some(message) => Ok(Some(message)),
        None if open => Ok(None),
        None => Err("the control connection has ended: the daemon or its host has gone".to_owned()),
    }
}
