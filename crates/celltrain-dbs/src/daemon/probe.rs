//! Both ends of a probe: datagrams that are echoed.

use std::collections::BTreeMap;
use std::io;
use std::net::UdpSocket;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};

use super::greet::{Nonces, is_timeout};
use super::shared::Shared;
use super::socket;
use super::udp::{LAST, Sender, is_full};
use crate::datagram::{Header, token};
use crate::message::What;
use crate::order::{LARGEST_DATAGRAM, Order, SMALLEST_DATAGRAM};
use crate::os::{now_ns, sleep_until};
use crate::patience::{LATEST_NS, Patience};
use crate::pattern::{Schedule, Step};
use crate::wire::timespec;

/// Sends probes according to the order's pattern and reports the round-trip time of each. `round_trip` is that of the
/// greeting, in ns.
pub(super) fn ask(
    order: &Order,
    socket: &UdpSocket,
    nonces: Nonces,
    round_trip: u64,
    shared: &Shared,
) {
    let Some(start) = shared.wait_for_start() else {
        return;
    };
    let mut asked = Asked {
        sender: Sender::new(order, 0, nonces),
        open: BTreeMap::new(),
        start,
        round_trip,
        patience: Patience::new(Some(round_trip)),
    };
    if let Err(error) = asked.run(order, socket, shared) {
        shared.failed(order.stream, 0, &error);
    }
    asked.sender.say_end(socket);
    for at in std::mem::take(&mut asked.open).into_values() {
        asked.tell(order, at, None, shared);
    }
    let what = What::Sent {
        bytes: asked.sender.bytes,
        writes: asked.sender.next,
        last_ns: asked.sender.last_ns,
        socket: socket::facts(socket, order.kind),
    };
    shared.report(order.stream, 0, what);
}

/// Sends probes and keeps those not yet answered: number and send time.
struct Asked {
    sender: Sender,
    open: BTreeMap<u64, u64>,
    start: u64,
    round_trip: u64,
    patience: Patience,
}

impl Asked {
    fn run(&mut self, order: &Order, socket: &UdpSocket, shared: &Shared) -> io::Result<()> {
        let (begin, end) = (self.start + order.start_ns, self.start + order.end_ns());
        let mut schedule = Schedule::new(order.pattern.clone(), order.write, None);
        socket.set_nonblocking(true)?;
        sleep_until(begin, &shared.stop);
        while !shared.is_stopped() {
            let now = now_ns();
            let due = match schedule.step(now - begin.min(now)) {
                _ if now >= end => self.patience.deadline(end),
                Step::Write(size) => {
                    self.open.insert(self.sender.next, now);
                    self.sender.send_one(socket, size, now)?;
                    schedule.wrote(now - begin, now - begin, size);
                    continue;
                }
                Step::WaitUntil(due) => (begin + due).min(end),
                Step::Finished => end,
            };
            if now >= end && (self.open.is_empty() || now >= self.patience.deadline(end)) {
                return Ok(());
            }
            self.await_answers(order, socket, due.min(now + 50_000_000), shared)?;
        }
        Ok(())
    }

    fn await_answers(
        &mut self,
        order: &Order,
        socket: &UdpSocket,
        until: u64,
        shared: &Shared,
    ) -> io::Result<()> {
        let mut interest = [PollFd::new(socket, PollFlags::IN)];
        let nap = until.saturating_sub(now_ns());
        match poll(&mut interest, Some(&timespec(nap))) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let mut datagram = [0; SMALLEST_DATAGRAM as usize];
        loop {
            match socket.recv(&mut datagram) {
                Ok(count) => {
                    let header =
                        Header::read(&datagram[..count]).filter(|it| it.token == self.sender.token);
                    let sent = header.and_then(|it| self.open.remove(&it.sequence));
                    if let Some(at) = sent {
                        let now = now_ns();
                        let queueing = (now - at).saturating_sub(self.round_trip);
                        self.patience.on_arrival(now, queueing);
                        self.tell(order, at, Some(now - at), shared);
                    }
                }
                Err(error) if is_timeout(&error) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
    }

    fn tell(&self, order: &Order, at: u64, rtt_ns: Option<u64>, shared: &Shared) {
        let at_ns = at.saturating_sub(self.start);
        shared.report(order.stream, 0, What::RoundTrip { at_ns, rtt_ns });
    }
}

/// Echoes what the peer sends, no more and no less, until the peer announces the end.
pub(super) fn answer(order: &Order, socket: &UdpSocket, nonces: Nonces, shared: &Shared) {
    let result = || -> io::Result<()> {
        let mut buffer = vec![0; LARGEST_DATAGRAM as usize];
        socket.set_read_timeout(Some(Duration::from_millis(50)))?;
        let mut end = u64::MAX;
        while !shared.is_stopped() && now_ns() < end {
            if let (Some(start), u64::MAX) = (shared.start(), end) {
                end = start + order.end_ns() + LATEST_NS;
            }
            let count = match socket.recv(&mut buffer) {
                Ok(count) => count,
                Err(error) if is_timeout(&error) => continue,
                Err(error) => return Err(error),
            };
            let datagram = &buffer[..count];
            if nonces.own.greeted(datagram).is_some() {
                socket.send(&nonces.peer.greeting(0))?;
                continue;
            }
            match Header::read(datagram).filter(|it| it.token == token(nonces.own)) {
                Some(header) if header.sequence == LAST => return Ok(()),
                Some(_) => match socket.send(datagram) {
                    Err(error) if !is_full(&error) => return Err(error),
                    _ => {}
                },
                None => {}
            }
        }
        Ok(())
    };
    if let Err(error) = result() {
        shared.failed(order.stream, 0, &error);
    }
}
