//! End systems: connections, applications, the processing times of hosts, and their counts.

pub(in crate::engine) mod application;
pub(in crate::engine) mod cell_delays;
pub(in crate::engine) mod connection;
pub(in crate::engine) mod external;
pub(in crate::engine) mod flow;
pub(in crate::engine) mod fragments;
pub(in crate::engine) mod hosts;
pub(in crate::engine) mod law;
pub(in crate::engine) mod losses;
pub(in crate::engine) mod packets;
pub(in crate::engine) mod processing;
pub(in crate::engine) mod sink;
pub(in crate::engine) mod slots;
pub(in crate::engine) mod socket;
pub(in crate::engine) mod standstill;
pub(in crate::engine) mod telnet;
pub(in crate::engine) mod terminal;

use crate::engine::host::flow::Flow;
use crate::engine::host::hosts::Hosts;
use crate::engine::host::sink::Sink;
use crate::engine::host::terminal::Terminal;
use crate::engine::state::by_direction::ByDirection;

/// The receiving ends of all directions, the flows between them, and the hosts on which they run.
#[derive(Clone, Debug)]
pub(in crate::engine) struct EndSystems {
    pub(in crate::engine) sinks: ByDirection<Sink>,
    pub(in crate::engine) flows: Vec<Flow>,
    /// The flows whose senders wait for room at their host, sorted by the direction of their data, which comes first in
    /// each pair.
    pub(in crate::engine) waiting: Box<[(usize, usize)]>,
    pub(in crate::engine) hosts: Hosts,
    /// The end systems under generic flow control.
    pub(in crate::engine) terminals: Vec<Terminal>,
}
