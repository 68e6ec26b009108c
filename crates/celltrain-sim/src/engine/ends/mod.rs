//! The ends of paths: cells are delivered, segments pass through hosts, and connections outside hand over theirs.

mod deliver;
mod joined;
mod outside;
mod passage;
