//! A control connection: messages over a pair of descriptors, without blocking.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::{Errno, read, write};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::frame::{Decoder, FrameError, encode};

/// Maximum number of octets waiting to be written; a peer that lets more accumulate is considered lost.
const MOST_WAITING: usize = 64 << 20;
/// Octets per read.
const READ: usize = 64 << 10;

/// A control connection.
#[derive(Debug)]
pub struct Wire {
    input: OwnedFd,
    output: OwnedFd,
    decoder: Decoder,
    waiting: VecDeque<u8>,
}

impl Wire {
    /// Creates a connection that reads lines of up to `cap` octets from `input` and writes to `output`, which may be
    /// the same socket. Both become non-blocking.
    pub fn new(input: OwnedFd, output: OwnedFd, cap: usize) -> io::Result<Self> {
        for descriptor in [&input, &output] {
            let flags = fcntl_getfl(descriptor)?;
            fcntl_setfl(descriptor, flags | OFlags::NONBLOCK)?;
        }
        Ok(Self {
            input,
            output,
            decoder: Decoder::new(cap),
            waiting: VecDeque::new(),
        })
    }

    /// Changes the maximum line length.
    pub fn set_cap(&mut self, cap: usize) {
        self.decoder.set_cap(cap);
    }

    /// Reads what is available. Returns whether the other end is still open.
    pub fn fill(&mut self) -> io::Result<bool> {
        let mut buffer = vec![0; READ];
        match read(&self.input, &mut buffer) {
            Ok(0) => Ok(false),
            Ok(count) => {
                self.decoder.push(&buffer[..count]);
                Ok(true)
            }
            Err(Errno::AGAIN | Errno::INTR) => Ok(true),
            Err(error) => Err(error.into()),
        }
    }

    /// The next complete message among the octets read.
    pub fn receive<T: DeserializeOwned>(&mut self) -> Result<Option<T>, FrameError> {
        self.decoder.take()
    }

    /// Queues a message and writes what can be written now.
    pub fn send<T: Serialize>(&mut self, message: &T) -> io::Result<()> {
        self.waiting.extend(encode(message));
        if self.waiting.len() > MOST_WAITING {
            return Err(io::Error::new(
                io::ErrorKind::TimedOut,
                "the other end does not read",
            ));
        }
        self.flush()
    }

    /// Writes what can be written now.
    pub fn flush(&mut self) -> io::Result<()> {
        while !self.waiting.is_empty() {
            match write(&self.output, self.waiting.as_slices().0) {
                Ok(count) => drop(self.waiting.drain(..count)),
                Err(Errno::AGAIN) => break,
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Whether everything queued is written.
    pub fn is_flushed(&self) -> bool {
        self.waiting.is_empty()
    }

    fn interests(&self) -> impl Iterator<Item = PollFd<'_>> {
        let output = (!self.waiting.is_empty()).then(|| self.output.as_fd());
        let reading = PollFd::from_borrowed_fd(self.input.as_fd(), PollFlags::IN);
        let writing = output.map(|it: BorrowedFd<'_>| PollFd::from_borrowed_fd(it, PollFlags::OUT));
        std::iter::once(reading).chain(writing)
    }
}

/// Waits until one of the wires can be read or, if something waits, written; at most `ns` nanoseconds.
pub fn wait<'a>(wires: impl Iterator<Item = &'a Wire>, ns: u64) -> io::Result<()> {
    let mut interests: Vec<_> = wires.flat_map(Wire::interests).collect();
    match poll(&mut interests, Some(&timespec(ns))) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Converts nanoseconds for system calls.
pub(crate) fn timespec(ns: u64) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(ns / 1_000_000_000).unwrap_or(i64::MAX),
        tv_nsec: i64::from((ns % 1_000_000_000) as u32),
    }
}
