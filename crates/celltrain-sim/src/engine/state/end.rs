//! The end of a flow.

/// An end of a flow: the sender of its data, or the receiver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::engine) enum End {
    Sending,
    Receiving,
}
