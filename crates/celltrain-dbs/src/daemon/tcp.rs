//! Both ends of a TCP connection.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use socket2::SockRef;

use super::greet::is_timeout;
use super::payload::payload;
use super::shared::Shared;
use super::{pace, socket};
use crate::log::Log;
use crate::message::What;
use crate::meter::{Interval, Meter};
use crate::order::Order;
use crate::os::{now_ns, sleep_until};
use crate::patience::LATEST_NS;
use crate::tcp_info::TcpInfo;

/// The interval at which a blocked call checks flags and deadlines.
const LOOK: Duration = Duration::from_millis(50);
/// The minimum time that data in flight at the end may take to arrive, in ns.
const DRAIN_NS: u64 = 5_000_000_000;

/// Sends according to the order's pattern, and waits until the receiver has everything.
pub(super) fn send(order: &Order, connection: u32, stream: &TcpStream, shared: &Shared) {
    let Some(start) = shared.wait_for_start() else {
        return;
    };
    let mut sent = Sent {
        bytes: 0,
        writes: 0,
        last_ns: 0,
        start,
        log: Log::of(order),
    };
    let result = write_all_of_it(order, stream, start, shared, &mut sent)
        .and_then(|()| drain(stream, shared));
    sample(order.stream, connection, stream, start, shared);
    if let Err(error) = result {
        shared.failed(order.stream, connection, &error);
    }
    let socket = socket::facts(stream, order.kind);
    // Nothing may continue after the end: what the receiver does not have by now is given up.
    let _ = SockRef::from(stream).set_linger(Some(Duration::ZERO));
    let what = What::Sent {
        bytes: sent.bytes,
        writes: sent.writes,
        last_ns: sent.last_ns,
        socket,
    };
    shared.report(order.stream, connection, what);
    shared.keep_log(order, connection, sent.log);
}

struct Sent {
    bytes: u64,
    writes: u64,
    last_ns: u64,
    start: u64,
    log: Log,
}

fn write_all_of_it(
    order: &Order,
    stream: &TcpStream,
    start: u64,
    shared: &Shared,
    sent: &mut Sent,
) -> io::Result<()> {
    let data = payload(order);
    let end = start + order.end_ns();
    stream.set_write_timeout(Some(LOOK))?;
    pace::carry_out(order, start, shared, |size, _| {
        let left = write_one(&data[..size as usize], stream, end, shared, sent)?;
        if left > 0 {
            return Ok(ControlFlow::Break(()));
        }
        sent.writes += 1;
        Ok(ControlFlow::Continue(()))
    })
}

/// Writes until everything is written, the time is over or the run is stopped; returns the number of octets left.
fn write_one(
    mut data: &[u8],
    mut stream: &TcpStream,
    end: u64,
    shared: &Shared,
    sent: &mut Sent,
) -> io::Result<usize> {
    while !data.is_empty() {
        match stream.write(data) {
            Ok(count) => {
                sent.bytes += count as u64;
                sent.last_ns = now_ns().saturating_sub(sent.start);
                sent.log.add(sent.last_ns, count as u64);
                data = &data[count..];
            }
            Err(error) if is_timeout(&error) => {}
            Err(error) => return Err(error),
        }
        if !data.is_empty() && (shared.is_stopped() || now_ns() >= end) {
            break;
        }
    }
    Ok(data.len())
}

/// Closes the connection and waits until the other end has read everything and closes it too: four round trips, of
/// which retransmission may take some.
fn drain(mut stream: &TcpStream, shared: &Shared) -> io::Result<()> {
    stream.shutdown(Shutdown::Write)?;
    stream.set_read_timeout(Some(LOOK))?;
    let round_trip = TcpInfo::of(stream).map_or(0, |info| u64::from(info.rtt_us) * 1_000);
    let deadline = now_ns() + (4 * round_trip).clamp(DRAIN_NS, LATEST_NS);
    while now_ns() < deadline && !shared.is_stopped() {
        match stream.read(&mut [0; 64]) {
            Ok(0) => return Ok(()),
            Ok(_) => {}
            Err(error) if is_timeout(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Receives until the other end has sent everything.
pub(super) fn receive(order: &Order, connection: u32, stream: &TcpStream, shared: &Shared) {
    let Some(start) = shared.wait_for_start() else {
        return;
    };
    let mut received = Received {
        meter: Meter::new(
            order.start_ns,
            order.duration_ns,
            order.warm_up_ns,
            order.interval_ns,
        ),
        log: Log::of(order),
    };
    let tell = |interval: Interval| {
        let what = What::Interval {
            index: interval.index,
            bytes: interval.bytes,
            datagrams: None,
        };
        shared.report(order.stream, connection, what);
    };
    if let Err(error) = read_all(order, stream, start, shared, &mut received, &tell) {
        shared.failed(order.stream, connection, &error);
    }
    let over = received.meter.advance(now_ns().saturating_sub(start));
    over.for_each(tell);
    received.meter.finish().into_iter().for_each(tell);
    let what = What::Received {
        totals: received.meter.totals(),
        datagrams: None,
        socket: socket::facts(stream, order.kind),
    };
    shared.report(order.stream, connection, what);
    shared.keep_log(order, connection, received.log);
}

struct Received {
    meter: Meter,
    log: Log,
}

fn read_all(
    order: &Order,
    mut stream: &TcpStream,
    start: u64,
    shared: &Shared,
    received: &mut Received,
    tell: &impl Fn(Interval),
) -> io::Result<()> {
    let mut buffer = vec![0; order.read as usize];
    stream.set_read_timeout(Some(LOOK))?;
    let deadline = start + order.end_ns() + LATEST_NS + 1_000_000_000;
    loop {
        let read = stream.read(&mut buffer);
        let now = now_ns();
        match read {
            Ok(0) => return Ok(()),
            Ok(count) => {
                let (at_ns, bytes) = (now.saturating_sub(start), count as u64);
                received.log.add(at_ns, bytes);
                received.meter.add(at_ns, bytes).for_each(tell);
            }
            Err(error) if is_timeout(&error) => {
                let over = received.meter.advance(now.saturating_sub(start));
                over.for_each(tell);
            }
            // A sender that gives up data in flight after its end resets the connection.
            Err(error)
                if error.kind() == io::ErrorKind::ConnectionReset
                    && now >= start + order.end_ns() =>
            {
                return Ok(());
            }
            Err(error) => return Err(error),
        }
        if shared.is_stopped() {
            return Ok(());
        }
        if now > deadline {
            return Err(io::Error::new(
                io::ErrorKind::TimedOut,
                "the sender did not end the connection",
            ));
        }
    }
}

/// Reads the kernel's state of the sending connections of an order, every `info_ns`, until all have ended.
pub(super) fn watch(order: &Order, streams: &[(u32, Arc<TcpStream>)], shared: &Shared) {
    let Some(start) = shared.wait_for_start() else {
        return;
    };
    let begin = start + order.start_ns;
    for tick in 0.. {
        let due = begin + tick * order.info_ns;
        sleep_until(due, &shared.stop);
        // After a connection's sender has ended, there are no other references to it.
        let live: Vec<_> = streams
            .iter()
            .filter(|it| Arc::strong_count(&it.1) > 1)
            .collect();
        if live.is_empty() || shared.is_stopped() || due > start + order.end_ns() + LATEST_NS {
            return;
        }
        for (connection, stream) in live {
            sample(order.stream, *connection, stream, start, shared);
        }
    }
}

fn sample(stream: u32, connection: u32, socket: &TcpStream, start: u64, shared: &Shared) {
    if let Ok(info) = TcpInfo::of(socket) {
        let at_ns = now_ns().saturating_sub(start);
        shared.report(stream, connection, What::TcpInfo { at_ns, info });
    }
}
