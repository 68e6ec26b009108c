//! Greetings: no data flow before the other end has shown that it belongs to the session.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::time::Duration;

use socket2::{SockRef, Socket};

use super::shared::Shared;
use crate::nonce::{GREETING, Nonce};
use crate::os::now_ns;

/// A peer must have greeted within so long, in ns.
pub(super) const PATIENCE_NS: u64 = 5_000_000_000;
/// A connection that was accepted must greet within so long.
const STRANGER: Duration = Duration::from_secs(2);
/// Greetings by UDP: so many, so far apart.
const TRIES: u32 = 5;
const BETWEEN_TRIES: Duration = Duration::from_millis(500);
/// The longest segment that is filled.
const LONGEST_SEGMENT: usize = u16::MAX as usize;

/// The two nonces of a stream.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nonces {
    /// The one that this daemon made up: what the other end must show.
    pub(super) own: Nonce,
    /// The other end's: what this one shows.
    pub(super) peer: Nonce,
}

/// Connects to a receiver and exchanges nonces with it.
pub(super) fn connect_tcp(
    socket: Socket,
    to: SocketAddr,
    nonces: Nonces,
    connection: u32,
) -> Result<TcpStream, String> {
    let patience = Duration::from_nanos(PATIENCE_NS);
    socket
        .connect_timeout(&to.into(), patience)
        .map_err(|error| format!("cannot connect to {to}: {error}"))?;
    let stream: TcpStream = socket.into();
    let greet = || -> io::Result<[u8; GREETING]> {
        stream.set_read_timeout(Some(patience))?;
        stream.set_write_timeout(Some(patience))?;
        (&stream).write_all(&nonces.peer.greeting(connection))?;
        let mut answer = [0; GREETING];
        (&stream).read_exact(&mut answer)?;
        Ok(answer)
    };
    let silent = |error: io::Error| format!("{to} does not greet: {error}");
    let answer = greet().map_err(silent)?;
    if nonces.own.greeted(&answer) == Some(connection) {
        fill_segment(&stream).map_err(silent)?;
        Ok(stream)
    } else {
        Err(format!("{to} is not the daemon of this session"))
    }
}

/// Sends a segment whose octets mean nothing, behind their number.
///
/// A receiver offers whole segments (RFC 9293 3.8.6.2.2), and moves the edge of its window by whole segments. A
/// greeting alone would leave the window a greeting short for as long as the connection lasts, and with buffers of
/// a few segments the last one would be cut in two each time.
fn fill_segment(mut stream: &TcpStream) -> io::Result<()> {
    let octets = SockRef::from(stream).tcp_mss()?.min(LONGEST_SEGMENT as u32) as u16;
    stream.write_all(&octets.to_be_bytes())?;
    stream.write_all(&vec![0; usize::from(octets)])
}

/// Reads what [`fill_segment`] sends.
fn pass_filled_segment(stream: &TcpStream) -> io::Result<()> {
    let mut octets = [0; 2];
    let deadline = now_ns() + PATIENCE_NS;
    read_by(stream, &mut octets, deadline)?;
    let mut segment = vec![0; usize::from(u16::from_be_bytes(octets))];
    read_by(stream, &mut segment, deadline)
}

/// Fills `octets`. One deadline for all of them: octets that drip in one by one do not lengthen it.
fn read_by(mut stream: &TcpStream, octets: &mut [u8], deadline: u64) -> io::Result<()> {
    let mut filled = 0;
    while filled < octets.len() {
        if now_ns() > deadline {
            return Err(io::ErrorKind::TimedOut.into());
        }
        match stream.read(&mut octets[filled..])? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => filled += count,
        }
    }
    Ok(())
}

/// Greets who has connected; gives the number of the connection, if it belongs to the session.
pub(super) fn accept_tcp(stream: &TcpStream, nonces: Nonces) -> io::Result<Option<u32>> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(STRANGER))?;
    stream.set_write_timeout(Some(STRANGER))?;
    let mut greeting = [0; GREETING];
    read_by(stream, &mut greeting, now_ns() + STRANGER.as_nanos() as u64)?;
    let Some(connection) = nonces.own.greeted(&greeting) else {
        return Ok(None);
    };
    (&*stream).write_all(&nonces.peer.greeting(connection))?;
    pass_filled_segment(stream)?;
    Ok(Some(connection))
}

/// Greets a receiver of datagrams until it answers.
pub(super) fn connect_udp(
    socket: &UdpSocket,
    to: SocketAddr,
    nonces: Nonces,
    connection: u32,
) -> Result<(), String> {
    let greet = || -> io::Result<bool> {
        socket.connect(to)?;
        socket.set_read_timeout(Some(BETWEEN_TRIES))?;
        let mut answer = [0; GREETING + 1];
        for _ in 0..TRIES {
            socket.send(&nonces.peer.greeting(connection))?;
            match socket.recv(&mut answer) {
                Ok(count) if nonces.own.greeted(&answer[..count]) == Some(connection) => {
                    return Ok(true);
                }
                Ok(_) => {}
                Err(error) if is_timeout(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(false)
    };
    match greet() {
        Ok(true) => Ok(()),
        Ok(false) => Err(format!(
            "{to} does not answer by UDP: a firewall, or no way there?"
        )),
        Err(error) => Err(format!("cannot reach {to} by UDP: {error}")),
    }
}

/// Waits for the greeting of a sender of datagrams, answers, and takes nobody else's from then on.
pub(super) fn accept_udp(
    socket: &UdpSocket,
    from: std::net::IpAddr,
    nonces: Nonces,
    shared: &Shared,
) -> Result<u32, String> {
    let deadline = now_ns() + PATIENCE_NS + 1_000_000_000;
    let mut greeting = [0; GREETING + 1];
    let accept = |greeting: &mut [u8]| -> io::Result<Option<u32>> {
        socket.set_read_timeout(Some(Duration::from_millis(100)))?;
        while now_ns() < deadline && !shared.is_stopped() {
            match socket.recv_from(greeting) {
                Ok((count, sender)) if sender.ip() == from => {
                    if let Some(connection) = nonces.own.greeted(&greeting[..count]) {
                        socket.connect(sender)?;
                        socket.send(&nonces.peer.greeting(connection))?;
                        return Ok(Some(connection));
                    }
                }
                Ok(_) => {}
                Err(error) if is_timeout(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    };
    match accept(&mut greeting) {
        Ok(Some(connection)) => Ok(connection),
        Ok(None) => Err(format!("no greeting from {from}")),
        Err(error) => Err(format!("no greeting from {from}: {error}")),
    }
}

/// Whether a socket's call ended because its time was over.
pub(super) fn is_timeout(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted
    )
}
