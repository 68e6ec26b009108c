//! The engine: one run of a network.
//!
//! Every actor (probe, TCP timer, source, virtual end, shaper, link, channel, tunnel VC) has one deadline in the calendar.
//! The loop takes the earliest, lets that actor act, and sets new deadlines for it and for all actors it affected. At one
//! instant probes come first, then timers, sources, virtual ends and shapers, each in the order of the network, and last
//! links, channels and tunnel VCs, in the order of the links that their cells cross (`plan/order.rs`).

mod advance;
mod build;
mod cells;
mod clock;
mod ends;
mod error;
mod exchange;
mod explain;
mod host;
mod link;
mod observe;
mod plan;
mod queue;
mod record;
mod run;
mod schedule;
mod simulation;
mod source;
mod state;
mod threads;
mod trains;

pub use build::tcp_configs;
pub use error::{Limit, Passed, RunError};
pub use explain::{Explanation, Stage, explain};
pub use host::external::{Arrival, Damage};
pub use record::capture::{CaptureRecord, Load as SeenLoad, Packet as SeenPacket, Seen};
pub use record::watch::Progress;
pub use run::{RunOptions, run, run_captured, run_in_steps, run_with};
pub use simulation::{Engine, Simulation};
pub use state::loss_cause::LossCause;
pub use threads::Threads;
