//! Cells one by one: each arrival is an event. The plain way, against which trains are checked.

mod coupling;
mod deliver;
mod forward;
mod loss;

pub(in crate::engine) mod paths;
pub(in crate::engine) mod virtual_end;
