//! What a daemon accepts from its controller, and when: a state machine without a clock or sockets.
//!
//! ```text
//! Greeting --Hello--> Ready --Prepare--> Prepared --Connect--> Connected --Start--> Running
//! Running --finished()--> Finished --Collect--> Collecting --collected()--> Ready
//! ```
//!
//! `Ping`, `Stop` and `Bye` may arrive at any time after the greeting. A message that arrives twice or out of turn ends
//! the session: over an authenticated control connection that preserves order, it can only be a bug or an attack.

use crate::limits::{Grant, Pool};
use crate::message::{PROTOCOL, Peer, Refusal, ToDaemon, VERSION};
use crate::order::Order;

/// How long a controller may take to greet, in ns.
pub const GREETING_NS: u64 = 10 * 1_000_000_000;
/// Maximum time between messages from a controller that has greeted, in ns.
pub const SILENCE_NS: u64 = 30 * 1_000_000_000;
/// Maximum time until a common start, in ns.
const FARTHEST_START_NS: u64 = 60 * 1_000_000_000;

/// What a daemon does in response to a message.
#[derive(Clone, PartialEq, Debug)]
pub enum Command {
    /// Answer with the host's facts.
    Welcome,
    /// Answer with the time.
    Pong(u64),
    /// Open the sockets of these orders; these others are refused.
    Open(Vec<Order>, Vec<Refusal>),
    /// Greet these peers, or await their greeting; these others are refused.
    Connect(Vec<Peer>, Vec<Refusal>),
    /// Start at this time.
    Start(u64),
    /// End all streams.
    Stop,
    /// Send the logs.
    Collect,
    /// End the session.
    Close,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Greeting,
    Ready,
    Prepared,
    Connected,
    Running,
    Finished,
    Collecting,
}

/// A session with a controller.
#[derive(Debug)]
pub struct Session {
    state: State,
    pool: Pool,
    /// What the orders of the run use of the pool.
    grant: Option<Grant>,
    last_heard: u64,
    last_ping: Option<u64>,
    ordered: Vec<u32>,
}

impl Session {
    /// A session that starts at `now`, and shares `pool` with the daemon's other sessions.
    pub fn new(pool: Pool, now: u64) -> Self {
        Self {
            state: State::Greeting,
            pool,
            grant: None,
            last_heard: now,
            last_ping: None,
            ordered: Vec::new(),
        }
    }

    /// When the session ends for lack of messages. Changes with each message.
    #[must_use]
    pub fn deadline(&self) -> u64 {
        let patience = if self.state == State::Greeting {
            GREETING_NS
        } else {
            SILENCE_NS
        };
        self.last_heard.saturating_add(patience)
    }

    /// Whether the controller has greeted.
    pub fn is_greeted(&self) -> bool {
        self.state != State::Greeting
    }

    /// All streams have ended: their logs may be requested.
    pub fn finished(&mut self) {
        if self.state == State::Running {
            self.state = State::Finished;
        }
    }

    /// All logs have been sent: the next streams may be requested, and what the last ones used is available to other
    /// sessions.
    pub fn collected(&mut self) {
        if self.state == State::Collecting {
            self.state = State::Ready;
            self.grant = None;
        }
    }

    /// Processes a message that arrived at `now`. An error ends the session; its text is sent to the controller.
    pub fn on_message(&mut self, now: u64, message: ToDaemon) -> Result<Command, String> {
        self.last_heard = now;
        match (self.state, message) {
            (State::Greeting, ToDaemon::Hello { protocol, version }) => {
                if protocol != PROTOCOL || version != VERSION {
                    return Err(format!(
                        "this daemon speaks {PROTOCOL} {VERSION}, the controller {protocol:.32} {version}; install one version of celltrain on all hosts"
                    ));
                }
                self.state = State::Ready;
                Ok(Command::Welcome)
            }
            (State::Greeting, _) => Err("the first message must be hello".to_owned()),
            (_, ToDaemon::Ping { id }) => {
                if self.last_ping.is_some_and(|last| id <= last) {
                    return Err(format!("ping {id} came again, or late"));
                }
                self.last_ping = Some(id);
                Ok(Command::Pong(id))
            }
            (State::Ready, ToDaemon::Prepare { orders }) => self.prepare(orders),
            (State::Prepared, ToDaemon::Connect { peers }) => self.connect(peers),
            (State::Connected, ToDaemon::Start { at_ns }) => {
                if at_ns.saturating_sub(now) > FARTHEST_START_NS {
                    return Err("the common start is more than a minute ahead".to_owned());
                }
                self.state = State::Running;
                Ok(Command::Start(at_ns))
            }
            (State::Finished, ToDaemon::Collect) => {
                self.state = State::Collecting;
                Ok(Command::Collect)
            }
            (_, ToDaemon::Stop) => Ok(Command::Stop),
            (_, ToDaemon::Bye) => Ok(Command::Close),
            (state, message) => Err(format!("{} out of turn, while {state:?}", name(&message))),
        }
    }

    fn prepare(&mut self, orders: Vec<Order>) -> Result<Command, String> {
        let mut streams: Vec<_> = orders.iter().map(|order| order.stream).collect();
        streams.sort_unstable();
        if streams.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err("a stream is ordered twice".to_owned());
        }
        self.state = State::Prepared;
        let (mut open, mut refused) = (Vec::new(), Vec::new());
        for order in orders {
            match self.pool.limits().check(&order) {
                Ok(()) => open.push(order),
                Err(why) => refused.push(Refusal {
                    stream: order.stream,
                    why,
                }),
            }
        }
        match self.pool.grant(&mut open) {
            Ok(grant) => self.grant = Some(grant),
            Err(why) => refused.extend(open.drain(..).map(|order| Refusal {
                stream: order.stream,
                why: why.clone(),
            })),
        }
        self.ordered = open.iter().map(|order| order.stream).collect();
        Ok(Command::Open(open, refused))
    }

    fn connect(&mut self, peers: Vec<Peer>) -> Result<Command, String> {
        self.state = State::Connected;
        let (mut good, mut refused) = (Vec::new(), Vec::new());
        for peer in peers {
            let Some(place) = self.ordered.iter().position(|&it| it == peer.stream) else {
                return Err(format!(
                    "a peer for stream {}, which was not ordered, or has one",
                    peer.stream
                ));
            };
            self.ordered.swap_remove(place);
            match self.pool.limits().check_peer(peer.address) {
                Ok(()) => good.push(peer),
                Err(why) => refused.push(Refusal {
                    stream: peer.stream,
                    why,
                }),
            }
        }
        Ok(Command::Connect(good, refused))
    }
}

fn name(message: &ToDaemon) -> &'static str {
    match message {
        ToDaemon::Hello { .. } => "hello",
        ToDaemon::Ping { .. } => "ping",
        ToDaemon::Prepare { .. } => "prepare",
        ToDaemon::Connect { .. } => "connect",
        ToDaemon::Start { .. } => "start",
        ToDaemon::Stop => "stop",
        ToDaemon::Collect => "collect",
        ToDaemon::Bye => "bye",
    }
}

#[cfg(test)]
mod tests;
