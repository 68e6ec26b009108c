//! All that reads input from outside in Rust, each as a function `one` that takes any octets and must return: soon, in
//! bounded memory, and without a panic. Each also checks what must hold of what it read.
//!
//! `make fuzz` runs them under cargo-fuzz, which needs a nightly compiler; `tests/mutated.rs` runs the same functions on
//! mutations of the same seeds (`fuzz/seeds`) with any compiler. What reads in Python has `tests/python/test_fuzz.py`.

pub mod controller;
pub mod daemon;
pub mod datagrams;
pub mod plan;
pub mod scenario;
pub mod traces;

/// A function to be fuzzed.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name, which is that of its folder of seeds.
    pub name: &'static str,
    /// Reads octets; panics if something does not hold.
    pub one: fn(&[u8]),
}

/// All functions.
pub const TARGETS: [Target; 6] = [
    Target {
        name: "controller",
        one: controller::one,
    },
    Target {
        name: "daemon",
        one: daemon::one,
    },
    Target {
        name: "datagrams",
        one: datagrams::one,
    },
    Target {
        name: "plan",
        one: plan::one,
    },
    Target {
        name: "scenario",
        one: scenario::one,
    },
    Target {
        name: "traces",
        one: traces::one,
    },
];
