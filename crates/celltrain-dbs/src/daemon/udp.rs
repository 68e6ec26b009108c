//! Both ends of a datagram stream.

use std::io;
use std::net::UdpSocket;
use std::ops::ControlFlow;
use std::time::Duration;

use super::greet::{Nonces, is_timeout};
use super::payload::payload;
use super::shared::Shared;
use super::{pace, socket};
use crate::datagram::{Datagrams, Header, token};
use crate::log::Log;
use crate::message::{IntervalDatagrams, What};
use crate::meter::{Interval, Meter};
use crate::order::{LARGEST_DATAGRAM, Order, SMALLEST_DATAGRAM};
use crate::os::now_ns;
use crate::patience::{LATEST_NS, Patience};

/// The sequence number of the datagrams that announce the end.
pub(super) const LAST: u64 = u64::MAX;
/// How many of them are sent, as some may be lost.
const LASTS: usize = 3;
/// The sequence number of the datagrams that confirm a greeting: the receiver derives the round trip from them.
const CONFIRMED: u64 = u64::MAX - 1;
/// How many of them are sent, as some may be lost.
const CONFIRMATIONS: usize = 3;
/// How many datagrams that come before the start is known are kept: within what the limits count for a connection.
const MOST_EARLY: usize = 4_096;

/// Confirms the receiver's answer to a greeting at once.
pub(super) fn confirm(connection: u32, socket: &UdpSocket, nonces: Nonces) {
    for _ in 0..CONFIRMATIONS {
        // Without one, the receiver waits longer at the end than necessary.
        let _ = socket.send(&without_data(token(nonces.peer), connection, CONFIRMED));
    }
}

/// A datagram that carries nothing but a number with a meaning.
fn without_data(
    token: [u8; 8],
    connection: u32,
    sequence: u64,
) -> [u8; SMALLEST_DATAGRAM as usize] {
    let mut datagram = [0; SMALLEST_DATAGRAM as usize];
    let header = Header {
        token,
        connection,
        sequence,
        sent_ns: now_ns(),
    };
    header.write(&mut datagram);
    datagram
}

/// Sends datagrams according to the order's pattern.
pub(super) fn send(
    order: &Order,
    connection: u32,
    socket: &UdpSocket,
    nonces: Nonces,
    shared: &Shared,
) {
    let Some(start) = shared.wait_for_start() else {
        return;
    };
    let mut sender = Sender::new(order, connection, nonces);
    let mut log = Log::of(order);
    if let Err(error) = sender.send_all(order, socket, start, shared, &mut log) {
        shared.failed(order.stream, connection, &error);
    }
    sender.say_end(socket);
    let what = What::Sent {
        bytes: sender.bytes,
        writes: sender.next,
        last_ns: sender.last_ns,
        socket: socket::facts(socket, order.kind),
    };
    shared.report(order.stream, connection, what);
    shared.keep_log(order, connection, log);
}

/// Numbers datagrams and sends them.
pub(super) struct Sender {
    data: Vec<u8>,
    pub(super) token: [u8; 8],
    connection: u32,
    pub(super) next: u64,
    pub(super) bytes: u64,
    pub(super) last_ns: u64,
}

impl Sender {
    pub(super) fn new(order: &Order, connection: u32, nonces: Nonces) -> Self {
        let mut data = payload(order);
        data.resize(data.len().max(SMALLEST_DATAGRAM as usize), 0);
        Self {
            data,
            token: token(nonces.peer),
            connection,
            next: 0,
            bytes: 0,
            last_ns: 0,
        }
    }

    fn send_all(
        &mut self,
        order: &Order,
        socket: &UdpSocket,
        start: u64,
        shared: &Shared,
        log: &mut Log,
    ) -> io::Result<()> {
        pace::carry_out(order, start, shared, |size, now| {
            let before = self.bytes;
            self.send_one(socket, size, now)?;
            self.last_ns = now.saturating_sub(start);
            log.add(self.last_ns, self.bytes - before);
            Ok(ControlFlow::Continue(()))
        })
    }

    /// Sends one datagram of `size` octets; one dropped by this host counts as sent and lost.
    pub(super) fn send_one(&mut self, socket: &UdpSocket, size: u32, now: u64) -> io::Result<()> {
        let size = size.max(SMALLEST_DATAGRAM) as usize;
        let header = Header {
            token: self.token,
            connection: self.connection,
            sequence: self.next,
            sent_ns: now,
        };
        header.write(&mut self.data[..size]);
        match socket.send(&self.data[..size]) {
            Ok(_) => {}
            Err(error) if is_full(&error) => {}
            Err(error) => return Err(error),
        }
        self.next += 1;
        self.bytes += size as u64;
        Ok(())
    }

    pub(super) fn say_end(&mut self, socket: &UdpSocket) {
        let datagram = without_data(self.token, self.connection, LAST);
        for _ in 0..LASTS {
            // The receiver has a deadline of its own, so these sends may fail.
            let _ = socket.send(&datagram);
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// The sender whose greeting was answered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peering {
    pub(super) connection: u32,
    pub(super) nonces: Nonces,
    /// When the greeting was answered.
    pub(super) answered_ns: u64,
    /// The sender's clock minus this host's, in ns.
    pub(super) clock_offset_ns: i64,
}

/// Receives datagrams until the sender has announced its end and none can be on its way.
pub(super) fn receive(order: &Order, socket: &UdpSocket, from: Peering, shared: &Shared) {
    let connection = from.connection;
    let mut receiver = Receiver::new(order, from);
    if let Err(error) = receiver.receive_all(order, socket, shared) {
        shared.failed(order.stream, connection, &error);
    }
    let what = What::Received {
        totals: receiver.meter.totals(),
        datagrams: Some(receiver.datagrams.counts()),
        socket: socket::facts(socket, order.kind),
    };
    shared.report(order.stream, connection, what);
    shared.keep_log(order, connection, receiver.log);
}

struct Receiver {
    meter: Meter,
    datagrams: Datagrams,
    log: Log,
    from: Peering,
    patience: Patience,
    early: Early,
}

/// A datagram, and when it arrived.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    header: Header,
    bytes: u64,
    now: u64,
}

/// Datagrams that came before this host was told of the common start: over a slow control connection, that may take
/// longer than the data.
#[derive(Debug, Default)]
struct Early {
    kept: Vec<Arrival>,
    /// Those beyond [`MOST_EARLY`], whose losses nobody could tell from those of the network.
    dropped: u64,
}

impl Early {
    fn keep(&mut self, arrival: Arrival) {
        if self.kept.len() < MOST_EARLY {
            self.kept.push(arrival);
        } else {
            self.dropped += 1;
        }
    }
}

impl Receiver {
    fn new(order: &Order, from: Peering) -> Self {
        Self {
            meter: Meter::new(
                order.start_ns,
                order.duration_ns,
                order.warm_up_ns,
                order.interval_ns,
            ),
            datagrams: Datagrams::default(),
            log: Log::of(order),
            from,
            patience: Patience::new(None),
            early: Early::default(),
        }
    }

    fn receive_all(
        &mut self,
        order: &Order,
        socket: &UdpSocket,
        shared: &Shared,
    ) -> io::Result<()> {
        let mut buffer = vec![0; LARGEST_DATAGRAM as usize];
        socket.set_read_timeout(Some(Duration::from_millis(20)))?;
        // Until the start, late greetings of the sender are answered; then data follow.
        let mut start = None;
        while !shared.is_stopped() {
            start = start.or_else(|| shared.start());
            let received = socket.recv(&mut buffer);
            let now = now_ns();
            match received {
                Ok(count) => self.take(&buffer[..count], now, start, socket, (order, shared)),
                Err(error) if is_timeout(&error) => {}
                Err(error) => return Err(error),
            }
            if let Some(at) = start {
                for arrival in std::mem::take(&mut self.early.kept) {
                    self.count(arrival, at, (order, shared));
                }
                let over = self.meter.advance(now.saturating_sub(at));
                self.tell(over, (order, shared));
                let end = at + order.end_ns();
                if now > self.patience.deadline(end) {
                    self.check_cut(end, (order, shared));
                    self.check_early((order, shared));
                    break;
                }
            }
        }
        let last = self.meter.finish();
        self.tell(last.into_iter(), (order, shared));
        Ok(())
    }

    fn take(
        &mut self,
        datagram: &[u8],
        now: u64,
        start: Option<u64>,
        socket: &UdpSocket,
        to: (&Order, &Shared),
    ) {
        let Peering {
            connection, nonces, ..
        } = self.from;
        if nonces.own.greeted(datagram) == Some(connection) {
            let _ = socket.send(&nonces.peer.greeting(connection));
            return;
        }
        let Some(header) = Header::read(datagram) else {
            return;
        };
        if header.token != token(nonces.own) || header.connection != connection {
            return;
        }
        if header.sequence == CONFIRMED {
            self.patience.on_round_trip(now - self.from.answered_ns);
            return;
        }
        let bytes = datagram.len() as u64;
        let arrival = Arrival { header, bytes, now };
        match start {
            Some(start) => self.count(arrival, start, to),
            None => self.early.keep(arrival),
        }
    }

    fn count(&mut self, arrival: Arrival, start: u64, to: (&Order, &Shared)) {
        let Arrival { header, bytes, now } = arrival;
        if header.sequence == LAST {
            self.patience.on_end(now);
            return;
        }
        let delay =
            i128::from(now) - i128::from(header.sent_ns) + i128::from(self.from.clock_offset_ns);
        let delay = delay.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64;
        // The previous interval is reported first: its delays are those up to now.
        let over = self.meter.catch_up(now.saturating_sub(start));
        self.tell(over, to);
        if self.datagrams.add(header.sequence, delay) {
            let at_ns = now.saturating_sub(start);
            self.log.add(at_ns, bytes);
            self.meter.add(at_ns, bytes).for_each(drop);
            let shortest = self.datagrams.counts().delays.least;
            self.patience.on_arrival(now, delay.abs_diff(shortest));
        }
    }

    /// Reports that datagrams still arrived when the wait for them was over: how many are lost is unknown.
    fn check_cut(&self, end: u64, (order, shared): (&Order, &Shared)) {
        if self.patience.is_cut(end) {
            let why = format!(
                "datagrams still arrived {} s after its end: its losses are unknown",
                LATEST_NS / 1_000_000_000
            );
            let error = io::Error::new(io::ErrorKind::TimedOut, why);
            shared.failed(order.stream, self.from.connection, &error);
        }
    }

    /// Reports that not all datagrams that came before the start was known could be kept.
    fn check_early(&self, (order, shared): (&Order, &Shared)) {
        if self.early.dropped > 0 {
            let why = format!(
                "{} datagrams came before this host was told of the start, and are not counted: its losses are unknown",
                self.early.dropped
            );
            let error = io::Error::other(why);
            shared.failed(order.stream, self.from.connection, &error);
        }
    }

    fn tell(&mut self, over: impl Iterator<Item = Interval>, (order, shared): (&Order, &Shared)) {
        for interval in over {
            let delays = self.datagrams.take_interval();
            let datagrams = IntervalDatagrams {
                count: delays.count,
                delay_sum_ns: delays.sum,
                delay_least_ns: delays.least,
                delay_most_ns: delays.most,
                jitter_ns: self.datagrams.counts().jitter_ns,
                highest: self.datagrams.next(),
            };
            let what = What::Interval {
                index: interval.index,
                bytes: interval.bytes,
                datagrams: Some(datagrams),
            };
            shared.report(order.stream, self.from.connection, what);
        }
    }
}

/// Whether this host currently has no room for a datagram.
pub(super) fn is_full(error: &io::Error) -> bool {
    is_timeout(error) || error.raw_os_error() == Some(libc::ENOBUFS)
}
