//! Transfers octets between a TLS connection and a local socket.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustls::Connection;

use crate::os::now_ns;
use crate::wire::timespec;

const BLOCK: usize = 64 << 10;
/// For how long, in ns, and how many remaining octets are read after the end.
const LINGER_NS: u64 = 1_000_000_000;
const MOST_LEFT_OVER: usize = 64 << 20;

/// A TLS connection, and the local socket that represents it.
pub(super) struct Carrier {
    tls: Connection,
    tls_is_open: bool,
    stream: TcpStream,
    plain: UnixStream,
    plain_is_open: bool,
    to_plain: Vec<u8>,
}

impl Carrier {
    /// Transfers between two non-blocking sockets.
    pub(super) fn new(tls: Connection, stream: TcpStream, plain: UnixStream) -> Self {
        Self {
            tls,
            tls_is_open: true,
            stream,
            plain,
            plain_is_open: true,
            to_plain: Vec::new(),
        }
    }

    /// Transfers until one of them ends, then closes both. The last message of each end is delivered.
    pub(super) fn run(mut self) -> io::Result<()> {
        let result = self.carry();
        drop(self.plain);
        // Closing with unread octets would reset the connection, and discard the last message to the other end.
        self.stream.shutdown(Shutdown::Write)?;
        let end = now_ns() + LINGER_NS;
        let (mut block, mut left) = (vec![0; BLOCK], MOST_LEFT_OVER);
        self.stream.set_nonblocking(false)?;
        self.stream
            .set_read_timeout(Some(Duration::from_nanos(LINGER_NS)))?;
        while now_ns() < end && left > 0 {
            match self.stream.read(&mut block) {
                Ok(count @ 1..) => left = left.saturating_sub(count),
                _ => break,
            }
        }
        result
    }

    fn carry(&mut self) -> io::Result<()> {
        let mut block = vec![0; BLOCK];
        // An authenticated peer may have sent its first message with its handshake.
        self.take_plaintext(&mut block)?;
        while self.tls_is_open || !self.to_plain.is_empty() {
            let (readable, plain) = self.wait()?;
            if readable && self.tls_is_open && self.to_plain.is_empty() {
                would_block(read_tls(&mut self.tls, &mut self.stream))?;
                self.take_plaintext(&mut block)?;
            }
            if plain && self.plain_is_open && !self.tls.wants_write() {
                self.read_plain(&mut block)?;
            }
            while self.tls.wants_write() {
                match self.tls.write_tls(&mut self.stream) {
                    Ok(_) => {}
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                    Err(error) => return Err(error),
                }
            }
            self.write_plain();
            if !self.plain_is_open && !self.tls.wants_write() {
                return Ok(());
            }
        }
        Ok(())
    }

    fn read_plain(&mut self, block: &mut [u8]) -> io::Result<()> {
        match self.plain.read(block) {
            Ok(0) => {
                self.plain_is_open = false;
                self.tls.send_close_notify();
                Ok(())
            }
            Ok(count) => self.tls.writer().write_all(&block[..count]),
            Err(error) => would_block(Err(error)),
        }
    }

    fn write_plain(&mut self) {
        while !self.to_plain.is_empty() {
            match self.plain.write(&self.to_plain) {
                Ok(count) => drop(self.to_plain.drain(..count)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                // There is no reader any more; what was sent from there is still to be transferred.
                Err(_) => self.to_plain.clear(),
            }
        }
    }

    /// Waits for work; returns whether the TLS connection and the local socket can be read.
    fn wait(&self) -> io::Result<(bool, bool)> {
        let when = |wanted: bool, flag| if wanted { flag } else { PollFlags::empty() };
        let idle = !self.tls.wants_write();
        let listens = self.tls_is_open && self.to_plain.is_empty();
        let stream = when(listens, PollFlags::IN) | when(!idle, PollFlags::OUT);
        let plain = when(idle && self.plain_is_open, PollFlags::IN)
            | when(!self.to_plain.is_empty(), PollFlags::OUT);
        let mut interests = [
            PollFd::new(&self.stream, stream),
            PollFd::new(&self.plain, plain),
        ];
        match poll(&mut interests, Some(&timespec(1_000_000_000))) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let ends = PollFlags::IN | PollFlags::HUP | PollFlags::ERR;
        Ok((
            interests[0].revents().intersects(ends),
            interests[1].revents().intersects(ends),
        ))
    }

    fn take_plaintext(&mut self, block: &mut [u8]) -> io::Result<()> {
        while self.tls_is_open {
            match self.tls.reader().read(block) {
                Ok(0) => self.tls_is_open = false,
                Ok(count) => self.to_plain.extend_from_slice(&block[..count]),
                Err(error) => return would_block(Err(error)),
            }
        }
        Ok(())
    }
}

/// Reads and decrypts what has arrived.
pub(super) fn read_tls(tls: &mut Connection, stream: &mut TcpStream) -> io::Result<()> {
    if tls.read_tls(stream)? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    if let Err(error) = tls.process_new_packets() {
        // The other end is told the reason, if it still reads.
        let _ = tls.write_tls(stream);
        return Err(io::Error::new(io::ErrorKind::InvalidData, error));
    }
    Ok(())
}

/// A time-out of a socket, or nothing to read or no room to write, is no failure.
pub(super) fn would_block(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
        other => other,
    }
}
