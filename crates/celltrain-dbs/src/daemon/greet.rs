//! Greetings: no data are sent before the other end has proved that it belongs to the session.

use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream, UdpSocket};
use std::time::Duration;

use socket2::{Domain, Protocol, Socket, Type};

use super::shared::Shared;
use crate::nonce::{GREETING, Nonce};
use crate::os::now_ns;

/// How long each round trip of a greeting may take, in ns.
const PATIENCE_NS: u64 = 5_000_000_000;
/// How long a peer may take to greet, in ns: three round trips of TCP, of which two precede the measured connection.
pub(super) const GREETING_NS: u64 = 3 * PATIENCE_NS;
const PATIENCE: Duration = Duration::from_nanos(PATIENCE_NS);
/// How long an accepted connection may take to greet.
const STRANGER: Duration = Duration::from_secs(2);
/// UDP greetings: their number and interval.
const TRIES: u32 = 10;
const BETWEEN_TRIES: Duration = Duration::from_millis(500);

/// The two nonces of a stream.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nonces {
    /// The one that this daemon generated: the other end must show it.
    pub(super) own: Nonce,
    /// The other end's: this end must show it.
    pub(super) peer: Nonce,
}

/// Octets with which a sender introduces a connection: the greeting, and the source port of its data.
const INTRODUCTION: usize = GREETING + 2;

/// Exchanges nonces with a receiver, and connects to it.
///
/// Greetings use a connection of their own: the measured one begins with data, so that its windows, round trips and
/// acknowledgments are those of a fresh connection.
pub(super) fn connect_tcp(
    socket: Socket,
    to: SocketAddr,
    nonces: Nonces,
    connection: u32,
) -> Result<TcpStream, String> {
    let cannot = |error: io::Error| format!("cannot connect to {to}: {error}");
    let from = socket.local_addr().map_err(cannot)?;
    let from = from.as_socket().ok_or("the socket has no address")?;
    let greeter = connected(from.ip(), to).map_err(cannot)?;
    let answer = introduce(greeter, nonces.peer.greeting(connection), from.port())
        .map_err(|error| format!("{to} does not greet: {error}"))?;
    if nonces.own.greeted(&answer) != Some(connection) {
        return Err(format!("{to} is not the daemon of this session"));
    }
    socket
        .connect_timeout(&to.into(), PATIENCE)
        .map_err(cannot)?;
    Ok(socket.into())
}

/// Connects from any port of the address `from`.
fn connected(from: IpAddr, to: SocketAddr) -> io::Result<TcpStream> {
    let socket = Socket::new(Domain::for_address(to), Type::STREAM, Some(Protocol::TCP))?;
    socket.bind(&SocketAddr::new(from, 0).into())?;
    socket.connect_timeout(&to.into(), PATIENCE)?;
    Ok(socket.into())
}

/// Introduces the sender and the source port of the data; returns the answer.
fn introduce(
    mut greeter: TcpStream,
    greeting: [u8; GREETING],
    port: u16,
) -> io::Result<[u8; GREETING]> {
    greeter.set_read_timeout(Some(PATIENCE))?;
    greeter.set_write_timeout(Some(PATIENCE))?;
    let mut introduction = [0; INTRODUCTION];
    introduction[..GREETING].copy_from_slice(&greeting);
    introduction[GREETING..].copy_from_slice(&port.to_be_bytes());
    greeter.write_all(&introduction)?;
    let mut answer = [0; GREETING];
    greeter.read_exact(&mut answer)?;
    Ok(answer)
}

/// Reads the introduction from a new connection. If it belongs to the session, `expect` receives the number of the
/// connection and the source port of its data before the answer permits it to connect.
pub(super) fn accept_introduction(
    mut stream: &TcpStream,
    nonces: Nonces,
    expect: impl FnOnce(u32, u16),
) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(STRANGER))?;
    stream.set_write_timeout(Some(STRANGER))?;
    let mut introduction = [0; INTRODUCTION];
    // One deadline for all of it: octets that arrive one by one do not extend it.
    let (mut filled, deadline) = (0, now_ns() + STRANGER.as_nanos() as u64);
    while filled < INTRODUCTION {
        let count = stream.read(&mut introduction[filled..])?;
        filled += count;
        if count == 0 || now_ns() > deadline {
            return Ok(());
        }
    }
    let (greeting, port) = introduction.split_at(GREETING);
    let Some(connection) = nonces.own.greeted(greeting) else {
        return Ok(());
    };
    expect(connection, u16::from_be_bytes([port[0], port[1]]));
    stream.write_all(&nonces.peer.greeting(connection))
}

/// Greets a datagram receiver until it answers; returns the round trip in ns, at most, since answers do not say which
/// greeting they answer.
pub(super) fn connect_udp(
    socket: &UdpSocket,
    to: SocketAddr,
    nonces: Nonces,
    connection: u32,
) -> Result<u64, String> {
    let greet = || -> io::Result<Option<u64>> {
        socket.connect(to)?;
        socket.set_read_timeout(Some(BETWEEN_TRIES))?;
        let mut answer = [0; GREETING + 1];
        let begin = now_ns();
        for _ in 0..TRIES {
            socket.send(&nonces.peer.greeting(connection))?;
            match socket.recv(&mut answer) {
                Ok(count) if nonces.own.greeted(&answer[..count]) == Some(connection) => {
                    return Ok(Some(now_ns() - begin));
                }
                Ok(_) => {}
                Err(error) if is_timeout(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    };
    match greet() {
        Ok(Some(round_trip)) => Ok(round_trip),
        Ok(None) => Err(format!(
            "{to} does not answer by UDP: a firewall, or no way there?"
        )),
        Err(error) => Err(format!("cannot reach {to} by UDP: {error}")),
    }
}

/// Waits for the greeting of a datagram sender, answers, and from then on accepts only that sender. Returns the number
/// of the connection, and when the answer was sent.
pub(super) fn accept_udp(
    socket: &UdpSocket,
    from: IpAddr,
    nonces: Nonces,
    shared: &Shared,
) -> Result<(u32, u64), String> {
    let deadline = now_ns() + PATIENCE_NS + 1_000_000_000;
    let mut greeting = [0; GREETING + 1];
    let accept = |greeting: &mut [u8]| -> io::Result<Option<(u32, u64)>> {
        socket.set_read_timeout(Some(Duration::from_millis(100)))?;
        while now_ns() < deadline && !shared.is_stopped() {
            match socket.recv_from(greeting) {
                Ok((count, sender)) if sender.ip() == from => {
                    if let Some(connection) = nonces.own.greeted(&greeting[..count]) {
                        socket.connect(sender)?;
                        socket.send(&nonces.peer.greeting(connection))?;
                        return Ok(Some((connection, now_ns())));
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
        Ok(Some(accepted)) => Ok(accepted),
        Ok(None) => Err(format!("no greeting from {from}")),
        Err(error) => Err(format!("no greeting from {from}: {error}")),
    }
}

/// Whether a socket call ended because of a time-out.
pub(super) fn is_timeout(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted
    )
}
