//! Shapers within the network.

use celltrain_proto::units::{Cells, Rate, Span};

/// A shaper where cells enter a link within the network: they wait until they conform to a contract.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Shaper {
    /// The link that they enter: an index into the links of the path, at least 1.
    pub place: usize,
    /// Peak cell rate.
    pub pcr: Rate,
    /// Cell delay variation tolerance.
    pub cdvt: Span,
    /// Sustainable cell rate and maximum burst size.
    pub sustained: Option<(Rate, Cells)>,
    /// The most cells that wait.
    pub buffer: u64,
}

/// The cells that a shaper shapes together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ShapedCells {
    /// Those of a direction of a VC: 2 x VC + (0 forward, 1 backward).
    Vc(usize),
    /// Those of a direction of a virtual path: 2 x path + (0 forward, 1 backward).
    Path(usize),
}

/// A shaper and where it is.
#[derive(Clone, Copy, Debug)]
pub struct Shaped<'a> {
    /// What it shapes.
    pub of: ShapedCells,
    /// The node.
    pub node: usize,
    /// The shaper.
    pub shaper: &'a Shaper,
}
