//! Distributed measurement between real hosts, after the field trial's *Distributed Benchmark System*.
//!
//! A [`controller`] carries out a [`plan`] by means of [`daemon`]s, one on each host; they talk over control
//! connections ([`message`], [`frame`]) that ssh, TLS with pinned keys ([`tls`]) or the machine itself
//! authenticates. What may come when, what is written when and what is counted are state machines without
//! clock or socket: [`session`], [`conductor`], [`pattern`], [`meter`], [`datagram`], [`clock`]. The rest
//! moves octets.

pub mod clock;
pub mod daemon;
pub mod datagram;
pub mod frame;
pub mod key;
pub mod limits;
pub mod message;
pub mod meter;
pub mod nonce;
pub mod order;
pub mod pattern;
pub mod plan;
pub mod session;
pub mod tcp_info;
pub mod wire;

pub mod child;
pub mod conductor;
pub mod controller;
mod os;
pub mod tables;
pub mod tls;
