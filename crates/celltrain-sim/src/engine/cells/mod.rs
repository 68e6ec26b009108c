//! Cells one by one: each arrival is an event. The plain way, against which trains are checked.

mod coupling;
mod forward;
mod loss;
