//! Random octets known only to the two ends of a stream, which receive them over their control connections.
//!
//! A daemon sends data to a peer only after the peer has echoed the nonce that this daemon generated for the stream. A
//! third party never learns it, so no host can be made a target: the most that reaches an uninvolved address is a
//! connection attempt, or ten small datagrams, for each connection that is ordered.

use celltrain_language::canonical::hex;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::key::unhex;

/// Sixteen random octets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Nonce(pub [u8; 16]);

/// The beginning of each greeting.
const MAGIC: [u8; 8] = *b"ctdbs-hi";

/// Octets of a greeting.
pub const GREETING: usize = 28;

impl Nonce {
    /// The greeting of a connection: magic, the nonce of the greeted end, and the connection's number.
    ///
    /// The sender greets with the receiver's nonce, the receiver answers with the sender's.
    pub fn greeting(self, connection: u32) -> [u8; GREETING] {
        let mut octets = [0; GREETING];
        octets[..8].copy_from_slice(&MAGIC);
        octets[8..24].copy_from_slice(&self.0);
        octets[24..].copy_from_slice(&connection.to_be_bytes());
        octets
    }

    /// The connection's number, if `octets` are a greeting with this nonce.
    pub fn greeted(self, octets: &[u8]) -> Option<u32> {
        let octets: &[u8; GREETING] = octets.try_into().ok()?;
        let (known, number) = octets.split_at(24);
        // All octets are compared, so that the time reveals nothing about how many are correct.
        let differing = known
            .iter()
            .zip(MAGIC.iter().chain(&self.0))
            .fold(0, |all, (a, b)| all | (a ^ b));
        let number = number.try_into().ok()?;
        (differing == 0).then(|| u32::from_be_bytes(number))
    }
}

impl Serialize for Nonce {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hex(&self.0))
    }
}

impl<'de> Deserialize<'de> for Nonce {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let octets =
            unhex(&text).ok_or_else(|| de::Error::custom("a nonce is 32 hexadecimal digits"))?;
        Ok(Self(octets))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_nonce_is_an_echo() {
        let (one, other) = (Nonce([1; 16]), Nonce([2; 16]));
        assert_eq!(one.greeted(&one.greeting(7)), Some(7));
        assert_eq!(other.greeted(&one.greeting(7)), None);
        assert_eq!(one.greeted(&one.greeting(7)[..27]), None);
    }
}
