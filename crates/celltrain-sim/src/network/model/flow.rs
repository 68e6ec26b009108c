//! Flows: connections and packets, each one direction of data.

use std::sync::Arc;

use celltrain_proto::ip::Dscp;
use celltrain_proto::units::Span;

use crate::scenario::{Application, AtEnd, Direction, Sockets, Start, Tcp, Udp};

/// Packets of a connection, or of an application without a connection.
#[derive(Clone, PartialEq, Debug)]
pub struct Flow {
    /// Its name, with the member's number in a group.
    pub name: String,
    /// The name of its group, which is its own outside a group.
    pub group: Arc<str>,
    /// The VC.
    pub vc: usize,
    /// The direction of the data.
    pub direction: Direction,
    /// The code point of its packets.
    pub dscp: Dscp,
    /// When it starts.
    pub start: Start,
    /// How long it sends.
    pub duration: Option<Span>,
    /// How it ends then.
    pub at_end: AtEnd,
    /// The TCP at either end.
    pub tcp: Tcp,
    /// What the application sends.
    pub application: Application,
    /// Socket buffers, and how fast the applications fill and empty them.
    pub sockets: Sockets,
    /// Packets without TCP, in place of a connection.
    pub udp: Option<Udp>,
    /// The flow in the other direction, if the connection has data both ways.
    pub partner: Option<Partner>,
}

impl Flow {
    /// The most segments of a connection that can be outstanding: those of its window, or of its send buffer.
    pub fn most_outstanding(&self) -> f64 {
        let buffer = self.sockets.send_buffer;
        let buffer = buffer.map_or(u64::MAX, |buffer| buffer.0.0);
        let window = self.tcp.window.0.0.min(buffer);
        window as f64 / self.tcp.agreed_mss().0 as f64
    }
}

/// The other direction of a connection with data both ways.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Partner {
    /// Its flow.
    pub flow: usize,
    /// Whether this direction opens the connection.
    pub opens: bool,
}
