//! The actors beyond sources and virtual ends.

/// An actor beyond the sources and virtual ends.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) enum Timed {
    Link(u32),
    Channel(u32),
    /// What comes to the port of a source that carries cells of other VCs.
    Port(u32),
}
