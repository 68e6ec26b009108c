//! A queue manager's decision about a packet.

/// What happens to a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It passes.
    Pass,
    /// It is dropped.
    Drop,
    /// It passes with ECN's CE mark.
    Mark,
}
