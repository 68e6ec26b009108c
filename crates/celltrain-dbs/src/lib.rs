//! Distributed measurement between real hosts, modelled on the field trial's *Distributed Benchmark System*.
//!
//! A [`controller`] executes a [`plan`] using [`daemon`]s, one on each host; they communicate over control connections
//! ([`message`], [`frame`]) that ssh, TLS with pinned keys ([`tls`]) or the machine itself authenticates. The protocol,
//! the write schedule and the counting are state machines without a clock or sockets: [`session`],
//! [`controller_session`], [`pattern`], [`meter`], [`mod@log`], [`datagram`], [`patience`], [`clock`]. The rest is I/O.

pub mod clock;
pub mod daemon;
pub mod datagram;
pub mod frame;
pub mod key;
pub mod limits;
pub mod log;
pub mod message;
pub mod meter;
pub mod nonce;
pub mod order;
pub mod patience;
pub mod pattern;
pub mod plan;
pub mod session;
pub mod tcp_info;
pub mod wire;

pub mod child;
pub mod controller;
pub mod controller_session;
mod os;
pub mod tables;
pub mod tls;
