//! Messages on a stream of octets: JSON, one message per line, with a maximum line length.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Maximum first line, before the other end is known.
pub const LONGEST_GREETING: usize = 1 << 10;
/// Maximum line: a plan of the largest size fits.
pub const LONGEST_LINE: usize = 8 << 20;

/// Why a line is not a valid message.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FrameError {
    /// It is longer than the cap.
    #[error("a message of more than {0} octets")]
    TooLong(usize),
    /// It is not a message of the protocol.
    #[error("not a message of the protocol: {0}")]
    Malformed(String),
}

/// Splits a stream of octets into lines. It never holds more than the cap plus one read.
#[derive(Debug)]
pub struct Decoder {
    buffer: Vec<u8>,
    searched: usize,
    cap: usize,
}

impl Decoder {
    /// Creates a decoder for lines of up to `cap` octets.
    pub fn new(cap: usize) -> Self {
        Self {
            buffer: Vec::new(),
            searched: 0,
            cap,
        }
    }

    /// Changes the cap.
    pub fn set_cap(&mut self, cap: usize) {
        self.cap = cap;
    }

    /// Adds octets. Call [`Self::take`] until it returns `None` before adding more.
    pub fn push(&mut self, octets: &[u8]) {
        self.buffer.extend_from_slice(octets);
    }

    /// The number of octets held.
    pub fn held(&self) -> usize {
        self.buffer.len()
    }

    /// The next complete message.
    pub fn take<T: DeserializeOwned>(&mut self) -> Result<Option<T>, FrameError> {
        let found = self.buffer[self.searched..]
            .iter()
            .position(|&octet| octet == b'\n');
        let Some(found) = found else {
            self.searched = self.buffer.len();
            return if self.buffer.len() > self.cap {
                Err(FrameError::TooLong(self.cap))
            } else {
                Ok(None)
            };
        };
        let end = self.searched + found;
        if end > self.cap {
            return Err(FrameError::TooLong(self.cap));
        }
        let message = serde_json::from_slice(&self.buffer[..end])
            .map_err(|error| FrameError::Malformed(error.to_string()));
        self.buffer.drain(..=end);
        self.searched = 0;
        message.map(Some)
    }
}

/// Encodes a message as a line.
pub fn encode<T: Serialize>(message: &T) -> Vec<u8> {
    let mut line =
        serde_json::to_vec(message).expect("messages have string keys and finite numbers");
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::message::{FromDaemon, ToDaemon};

    #[test]
    fn a_line_above_the_cap_is_refused_before_it_ends() {
        let mut decoder = Decoder::new(10);
        decoder.push(&[b'x'; 11]);
        assert_eq!(decoder.take::<ToDaemon>(), Err(FrameError::TooLong(10)));
    }

    #[test]
    fn a_deeply_nested_message_is_an_error_and_no_overflow_of_the_stack() {
        let mut decoder = Decoder::new(LONGEST_LINE);
        decoder.push(&vec![b'['; 1 << 20]);
        decoder.push(b"\n");
        assert!(matches!(
            decoder.take::<ToDaemon>(),
            Err(FrameError::Malformed(_))
        ));
    }

    proptest! {
        #[test]
        fn messages_survive_any_cutting(ids in prop::collection::vec(any::<u64>(), 0..20), cut in 1..40_usize) {
            let sent: Vec<ToDaemon> = ids.iter().map(|&id| ToDaemon::Ping { id }).collect();
            let octets: Vec<u8> = sent.iter().flat_map(encode).collect();
            let (mut decoder, mut received) = (Decoder::new(LONGEST_GREETING), Vec::<ToDaemon>::new());
            for part in octets.chunks(cut) {
                decoder.push(part);
                while let Some(message) = decoder.take()? {
                    received.push(message);
                }
            }
            prop_assert_eq!(received, sent);
        }

        #[test]
        fn no_octets_make_the_decoder_panic_or_grow(parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 0..20)) {
            let mut decoder = Decoder::new(64);
            for part in parts {
                decoder.push(&part);
                loop {
                    match decoder.take::<FromDaemon>() {
                        Ok(None) => break,
                        Err(FrameError::TooLong(_)) => return Ok(()),
                        Ok(Some(_)) | Err(FrameError::Malformed(_)) => {}
                    }
                }
                prop_assert!(decoder.held() <= 64);
            }
        }
    }
}
