//! Who acts next, and who has acted at the present instant.

pub(in crate::engine) mod calendar;
pub(in crate::engine) mod parts;
pub(in crate::engine) mod timed;
pub(in crate::engine) mod turns;
