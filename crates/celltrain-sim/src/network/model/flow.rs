//! Flows: connections and packets, each one direction of data.

use celltrain_proto::units::Span;

use crate::scenario::{Application, AtEnd, Direction, Sockets, Start, Tcp, Udp};

/// Packets of a connection, or of an application that needs none.
#[derive(Clone, PartialEq, Debug)]
pub struct Flow {
    /// Its name, with the member's number in a group.
    pub name: String,
    /// The VC.
    pub vc: usize,
    /// The direction of the data.
    pub direction: Direction,
    /// When it starts.
    pub start: Start,
    /// How long it sends.
    pub duration: Option<Span>,
    /// How it ends after that.
    pub at_end: AtEnd,
    /// The TCP at both ends.
    pub tcp: Tcp,
    /// What the application sends.
    pub application: Application,
    /// Socket buffers, and how fast they are filled and emptied.
    pub sockets: Sockets,
    /// Packets without TCP, instead of a connection.
    pub udp: Option<Udp>,
    /// The flow of the other direction, if the connection has data both ways.
    pub partner: Option<Partner>,
}

/// The other direction of a connection with data both ways.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Partner {
    /// Its flow.
    pub flow: usize,
    /// Whether this direction opens the connection.
    pub opens: bool,
}
