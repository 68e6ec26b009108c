//! The end of a flow.

/// The end of a flow that sends its data, or that receives them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::engine) enum End {
    Sending,
    Receiving,
}
