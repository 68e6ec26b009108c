//! The memory that grows with the window of a connection.

use super::Sender;

impl Sender {
    /// The octets of memory that its outstanding segments take. What a loss or a write boundary adds is less.
    pub fn octets_held(&self) -> u64 {
        self.outstanding.octets()
    }
}
