//! The actors other than sources and virtual ends.

/// An actor that is neither a source nor a virtual end.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) enum Timed {
    Link(u32),
    Channel(u32),
    /// The arrivals at the port of a tunnel VC.
    Port(u32),
}
