//! A TCP sender and a receiver joined by a small network.

mod losses;
mod pair;
mod properties;
mod reno;
