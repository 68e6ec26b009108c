//! What a manager decides of a packet.

/// What becomes of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It goes on.
    Pass,
    /// It is lost.
    Drop,
    /// It goes on with the CE mark of ECN.
    Mark,
}
