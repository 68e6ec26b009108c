//! Protocol state machines of TCP/IP over AAL5/ATM, free of I/O.
//!
//! Nothing here reads a clock, opens a file or seeds a random generator: time, cells, segments and random streams are
//! arguments; what to send and when to wake are return values. So the same machines run in simulated time and on real
//! packets. The crate is `no_std`, and its transcendental functions come from `libm`, so that one seed gives the same
//! bits on every machine.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

#[macro_use]
pub mod parameters;

pub mod aal34;
pub mod aal5;
pub mod abr;
pub mod adaptation;
pub mod admission;
pub mod aqm;
pub mod cell;
pub mod discard;
pub mod flow;
pub mod frame;
pub mod ip;
pub mod lan;
pub mod line;
pub mod packet_queue;
pub mod police;
pub mod quantity;
pub mod random;
pub mod schedule;
pub mod switch;
pub mod tcp;
pub mod traffic;
pub mod units;
