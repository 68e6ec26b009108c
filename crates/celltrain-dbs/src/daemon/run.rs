//! One run of a daemon's orders: sockets, then greetings, then data.

use std::collections::HashMap;
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use socket2::Socket;

use super::greet::{self, GREETING_NS, Nonces};
use super::logs::Logs;
use super::shared::{News, Shared};
use super::udp::{self, Peering};
use super::{probe, socket, tcp};
use crate::limits::Limits;
use crate::message::{Peer, Ready, Refusal, Report};
use crate::nonce::Nonce;
use crate::order::{Kind, Order, Role};
use crate::os::{nonce, now_ns};

/// The maximum number of reports in one message.
const REPORTS: usize = 4_000;
/// How many unknown peers a listener examines in addition to the connections it expects.
const STRANGERS: usize = 8;
const STACK: usize = 128 << 10;

/// An order whose sockets have been opened.
struct Opened {
    order: Order,
    nonce: Nonce,
    sockets: Vec<Socket>,
}

/// One run.
pub(super) struct Run {
    shared: Arc<Shared>,
    from_threads: Receiver<News>,
    opened: Vec<Opened>,
    threads: Vec<JoinHandle<()>>,
    /// Connections that have not greeted yet, while greetings are in progress, and the failures so far.
    awaited: Option<(usize, Vec<Refusal>)>,
    begun: bool,
    logs: Logs,
}

/// The news of a run's threads.
pub(super) struct AllNews {
    pub(super) reports: Vec<Report>,
    /// Set when all greetings are over; these failed.
    pub(super) connected: Option<Vec<Refusal>>,
    /// All threads have ended.
    pub(super) finished: bool,
}

impl Run {
    pub(super) fn new() -> Self {
        let (news, from_threads) = channel();
        Self {
            shared: Arc::new(Shared::new(news)),
            from_threads,
            opened: Vec::new(),
            threads: Vec::new(),
            awaited: None,
            begun: false,
            logs: Logs::default(),
        }
    }

    /// Opens the sockets of orders.
    pub(super) fn open(
        &mut self,
        orders: Vec<Order>,
        limits: &Limits,
    ) -> (Vec<Ready>, Vec<Refusal>) {
        let (mut ready, mut refused) = (Vec::new(), Vec::new());
        for order in orders {
            let stream = order.stream;
            match open(order, limits) {
                Ok((opened, port)) => {
                    let nonce = opened.nonce;
                    ready.push(Ready {
                        stream,
                        port,
                        nonce,
                    });
                    self.opened.push(opened);
                }
                Err(why) => refused.push(Refusal { stream, why }),
            }
        }
        (ready, refused)
    }

    /// Starts the greetings. Orders without a peer are dropped.
    pub(super) fn connect(&mut self, peers: Vec<Peer>, refused: Vec<Refusal>) {
        let mut awaited = 0;
        for peer in peers {
            let Some(place) = self
                .opened
                .iter()
                .position(|it| it.order.stream == peer.stream)
            else {
                continue;
            };
            let opened = self.opened.swap_remove(place);
            awaited += opened.order.connections as usize;
            let shared = self.shared.clone();
            match (opened.order.role, opened.order.kind) {
                (Role::Receive, Kind::Tcp) => {
                    self.spawn(move || accept_all(opened, &peer, &shared));
                }
                (Role::Receive, _) => self.receive_datagrams(opened, &peer),
                (Role::Send, Kind::Tcp) => self.spawn(move || connect_all(opened, &peer, &shared)),
                (Role::Send, _) => self.send_datagrams(opened, &peer),
            }
        }
        self.opened.clear();
        self.awaited = Some((awaited, refused));
    }

    /// Sets the common start.
    pub(super) fn begin(&mut self, at_ns: u64) {
        self.begun = true;
        self.shared.begin(at_ns);
    }

    /// Stops all threads.
    pub(super) fn stop(&self) {
        self.shared.stop.store(true, Ordering::Relaxed);
    }

    /// The news of the threads since the last call.
    pub(super) fn news(&mut self) -> AllNews {
        // Checked first, so that no report of a finished thread is missed.
        let over = self.begun && !self.shared.is_live();
        let mut reports = Vec::new();
        while reports.len() < REPORTS {
            match self.from_threads.try_recv() {
                Ok(News::Report(report)) => reports.push(report),
                Ok(News::Greeted(stream, result)) => {
                    if let Some((awaited, failed)) = &mut self.awaited {
                        *awaited = awaited.saturating_sub(1);
                        failed.extend(result.err().map(|why| Refusal { stream, why }));
                    }
                }
                Ok(News::Log(stream, connection, log)) => self.logs.add(stream, connection, log),
                Err(_) => break,
            }
        }
        let connected = match self.awaited.take() {
            Some((0, failed)) => Some(failed),
            still => {
                self.awaited = still;
                None
            }
        };
        let finished = over && reports.len() < REPORTS;
        AllNews {
            reports,
            connected,
            finished,
        }
    }

    /// The logs of the connections that have ended.
    pub(super) fn take_logs(&mut self) -> Logs {
        std::mem::take(&mut self.logs)
    }

    fn spawn(&mut self, work: impl FnOnce() + Send + 'static) {
        let thread = spawn(&self.shared, work);
        self.threads.extend(thread);
    }

    fn receive_datagrams(&mut self, opened: Opened, peer: &Peer) {
        let nonces = opened.nonces(peer);
        for socket in opened.sockets {
            let (order, peer, shared) = (opened.order.clone(), peer.clone(), self.shared.clone());
            self.spawn(move || {
                let socket: UdpSocket = socket.into();
                let greeted = greet::accept_udp(&socket, peer.address, nonces, &shared);
                shared.greeted(order.stream, greeted.clone().map(drop));
                match (greeted, order.kind) {
                    (Ok(_), Kind::Probe) => probe::answer(&order, &socket, nonces, &shared),
                    (Ok((connection, answered_ns)), _) => {
                        let from = Peering {
                            connection,
                            nonces,
                            answered_ns,
                            clock_offset_ns: peer.clock_offset_ns,
                        };
                        udp::receive(&order, &socket, from, &shared);
                    }
                    (Err(_), _) => {}
                }
            });
        }
    }

    fn send_datagrams(&mut self, opened: Opened, peer: &Peer) {
        let nonces = opened.nonces(peer);
        for (connection, socket) in (0..).zip(opened.sockets) {
            let (order, shared) = (opened.order.clone(), self.shared.clone());
            let port = peer.port.unwrap_or(0).saturating_add(connection as u16);
            let to = SocketAddr::new(peer.address, port);
            self.spawn(move || {
                let socket: UdpSocket = socket.into();
                let greeted = greet::connect_udp(&socket, to, nonces, connection);
                if greeted.is_ok() && order.kind == Kind::Udp {
                    udp::confirm(connection, &socket, nonces);
                }
                shared.greeted(order.stream, greeted.clone().map(drop));
                match (greeted, order.kind) {
                    (Err(_), _) => {}
                    (Ok(rtt), Kind::Probe) => probe::ask(&order, &socket, nonces, rtt, &shared),
                    _ => udp::send(&order, connection, &socket, nonces, &shared),
                }
            });
        }
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.stop();
        for thread in self.threads.drain(..) {
            // A thread that panicked has reported it on stderr; the session continues.
            let _ = thread.join();
        }
    }
}

impl Opened {
    fn nonces(&self, peer: &Peer) -> Nonces {
        Nonces {
            own: self.nonce,
            peer: peer.nonce,
        }
    }
}

fn open(order: Order, limits: &Limits) -> Result<(Opened, Option<u16>), String> {
    let nonce = nonce().map_err(|error| error.to_string())?;
    let one_port = order.kind == Kind::Tcp && order.role == Role::Receive;
    let count = if one_port { 1 } else { order.connections };
    let (mut sockets, mut first) = (Vec::new(), None);
    let mut consecutive = order.clone();
    for number in 0..count {
        if order.role == Role::Send {
            sockets.push(socket::sender(&order, limits)?);
            continue;
        }
        let (socket, port) = socket::receiver(&consecutive, limits, number as u16)?;
        // Additional connections use the ports after the first.
        first.get_or_insert(port);
        consecutive.port = first;
        sockets.push(socket);
    }
    let opened = Opened {
        order,
        nonce,
        sockets,
    };
    Ok((opened, first))
}

/// Starts a thread that counts as live; returns `None`, with a note on stderr, if the system has no more threads.
fn spawn(shared: &Arc<Shared>, work: impl FnOnce() + Send + 'static) -> Option<JoinHandle<()>> {
    let alive = shared.enter();
    let thread = thread::Builder::new().stack_size(STACK).spawn(move || {
        work();
        drop(alive);
    });
    thread.ok()
}

/// Opens all connections of a stream, and sends on each.
fn connect_all(opened: Opened, peer: &Peer, shared: &Arc<Shared>) {
    let nonces = opened.nonces(peer);
    let order = Arc::new(opened.order);
    let to = SocketAddr::new(peer.address, peer.port.unwrap_or(0));
    let mut streams = Vec::new();
    let mut senders = Vec::new();
    for (connection, socket) in (0..).zip(opened.sockets) {
        let stream = greet::connect_tcp(socket, to, nonces, connection);
        shared.greeted(
            order.stream,
            stream.as_ref().map(drop).map_err(Clone::clone),
        );
        let Ok(stream) = stream else { continue };
        let stream = Arc::new(stream);
        streams.push((connection, stream.clone()));
        let (order, to_all) = (order.clone(), shared.clone());
        senders.extend(spawn(shared, move || {
            tcp::send(&order, connection, &stream, &to_all);
        }));
    }
    tcp::watch(&order, &streams, shared);
    drop(streams);
    for sender in senders {
        let _ = sender.join();
    }
}

/// Accepts all connections of a stream, and receives on each.
fn accept_all(opened: Opened, peer: &Peer, shared: &Arc<Shared>) {
    let nonces = opened.nonces(peer);
    let order = Arc::new(opened.order);
    let mut free = vec![true; order.connections as usize];
    let mut receivers = Vec::new();
    let expected = Arc::new(Expected::default());
    let deadline = now_ns() + GREETING_NS + 1_000_000_000;
    let mut strangers: Vec<JoinHandle<()>> = Vec::new();
    let listeners = opened.sockets.into_iter().map(TcpListener::from);
    for listener in listeners {
        let _ = listener.set_nonblocking(true);
        while free.contains(&true) && now_ns() < deadline && !shared.is_stopped() {
            strangers.retain(|it| !it.is_finished());
            let full = strangers.len() >= order.connections as usize + STRANGERS;
            let (stream, from) = match listener.accept() {
                Ok((stream, from)) if from.ip() == peer.address => (stream, from),
                // An unknown peer: the connection is closed without reading.
                Ok(_) => continue,
                Err(_) => {
                    thread::sleep(Duration::from_millis(2));
                    continue;
                }
            };
            let introduced = lock(&expected).remove(&from.port());
            let Some(connection) = introduced else {
                // Too many at once are also closed without reading.
                if !full {
                    let expected = expected.clone();
                    strangers.extend(spawn(shared, move || look_at(&stream, nonces, &expected)));
                }
                continue;
            };
            let Some(free) = free.get_mut(connection as usize).filter(|it| **it) else {
                continue;
            };
            *free = false;
            shared.greeted(order.stream, Ok(()));
            let (order, to_all) = (order.clone(), shared.clone());
            receivers.extend(spawn(shared, move || {
                tcp::receive(&order, connection, &stream, &to_all);
            }));
        }
    }
    for _ in free.iter().filter(|it| **it) {
        let why = format!("no connection from {}", peer.address);
        shared.greeted(order.stream, Err(why));
    }
    for thread in strangers.into_iter().chain(receivers) {
        let _ = thread.join();
    }
}

/// The numbers of introduced connections, by the source port of their data.
type Expected = Mutex<HashMap<u16, u32>>;

fn lock(expected: &Expected) -> MutexGuard<'_, HashMap<u16, u32>> {
    expected.lock().unwrap_or_else(PoisonError::into_inner)
}

fn look_at(stream: &TcpStream, nonces: Nonces, expected: &Expected) {
    // A peer that does not greet is dropped without an answer.
    let _ = greet::accept_introduction(stream, nonces, |connection, port| {
        lock(expected).insert(port, connection);
    });
}
