//! The scenario language: what a user writes, read strictly.
//!
//! The Rust types here own the language: TOML and JSON are read into them, the JSON Schema is
//! generated from them, and the canonical form (every default written out) is hashed for provenance.

mod abr;
mod application;
mod control;
mod default;
mod direction;
mod distance;
mod dmt;
mod encapsulation;
mod error;
mod flow;
mod impairment;
mod line;
mod node;
mod preset;
mod queue;
mod rate_range;
mod read;
mod rto;
mod service;
mod start;
mod tcp;
mod text;
mod traffic;
mod types;
mod value;
mod warning;

pub use abr::{Abr, BackwardRm, OlderBackwardRm, Starved};
pub use application::{Application, Files, Greedy, Sizes, Sockets, Thinks, Udp, Wake};
pub use control::{Control, Gfc};
pub use direction::Direction;
pub use distance::Distance;
pub use dmt::Dmt;
pub use encapsulation::Encapsulation;
pub use error::{Problem, ScenarioError, suggestion};
pub use flow::{AtEnd, Back, Flow};
pub use impairment::{Jitter, Loss};
pub use line::{LineRate, ListedRates, MahimahiRate, MarkovRate, RateProcess, UniformRate};
pub use node::{Host, HostProcessing, Lan, Processing, ProcessingLaw, Router, Switch};
pub use preset::Preset;
pub use queue::{ClassBuffers, Credit, Discard, QueueManagement, Scheduling};
pub use rate_range::RateRange;
pub use rto::{Rto, RtoFloor, RtoTimer};
pub use service::{
    Cbr, Police, PoliceAction, Service, SourceDrop, SustainedOn, Ubr, Vbr, Vc, VirtualEnds,
};
pub use start::{RandomStart, Start};
pub use tcp::{
    AckPolicy, Deflation, HyStart, InitialWindow, LossWindow, Rearm, RetransmitTimer,
    SlowStartLimit, Tcp, TcpVariant, WindowUpdate,
};
pub use text::Source;
pub use traffic::{
    Background, ConstantTraffic, GreedyTraffic, Lengths, MarkovState, MarkovTraffic, OnOff, Pulses,
    Replay, Traffic,
};
pub use types::{Limits, Link, Measure, Named, OnRateChange, PriorityLoad, Probe, Scenario};
pub use value::{Fraction, Text};
pub use warning::WarningCode;

use sha2::{Digest, Sha256};

impl Scenario {
    /// The canonical form: JSON with every default written out, in the order of the text.
    ///
    /// The order of VCs is part of the model (it breaks ties), so it is part of the form.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a scenario has only string keys and finite numbers")
    }

    /// SHA-256 of the canonical form, as 64 hexadecimal digits.
    pub fn hash(&self) -> String {
        hex(&Sha256::digest(self.to_json()))
    }
}

pub(crate) fn hex(octets: &[u8]) -> String {
    octets
        .iter()
        .fold(String::new(), |text, octet| text + &format!("{octet:02x}"))
}

/// The JSON Schema of a scenario, pretty-printed.
pub fn schema() -> String {
    let schema = schemars::schema_for!(Scenario);
    serde_json::to_string_pretty(&schema).expect("a schema is plain JSON")
}
