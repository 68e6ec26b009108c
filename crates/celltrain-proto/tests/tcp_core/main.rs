//! A TCP sender and a receiver connected by a small network.

mod losses;
mod pair;
mod properties;
mod reno;
