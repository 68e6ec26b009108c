//! The distributions of lengths and times of applications.

use celltrain_proto::random::Stream;

/// The distribution of a random length or time, in octets or seconds.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) enum Law {
    /// Constant.
    Fixed(f64),
    /// Exponential with this mean.
    Exponential(f64),
    /// Geometric on 1, 2, 3 ... with this mean.
    Geometric(f64),
}

impl Law {
    pub(super) fn draw(self, stream: &mut Stream) -> f64 {
        match self {
            Self::Fixed(value) => value,
            Self::Exponential(mean) => stream.exponential(mean),
            Self::Geometric(mean) => stream.geometric(mean),
        }
    }
}
