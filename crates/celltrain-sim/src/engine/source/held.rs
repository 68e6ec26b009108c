//! A source under generic flow control.

use celltrain_proto::flow::gfc::Group;
use celltrain_proto::units::Time;

/// What generic flow control lets a source do.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Held {
    /// The number of the terminal to which it belongs.
    pub(in crate::engine) terminal: u32,
    /// The group of its VC; `None` if that is uncontrolled.
    pub(in crate::engine) group: Option<Group>,
    /// The instant from which it may send; [`Time::NEVER`] while its group waits for SET, or it for its turn.
    pub(in crate::engine) until: Time,
}

impl Held {
    /// A source that no command has reached yet.
    pub(in crate::engine) fn new(terminal: u32, group: Option<Group>) -> Self {
        Self {
            terminal,
            group,
            until: Time::ZERO,
        }
    }
}
