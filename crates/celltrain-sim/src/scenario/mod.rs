//! The scenario language: what a user writes, read strictly.
//!
//! The Rust types here define its keys: TOML and JSON are read into them, the JSON Schema is generated from them, and the
//! canonical form (every default written out) is hashed for provenance. What is independent of the keys (text, quantities
//! and problems) is in [`celltrain_language`].

mod abr;
mod admission;
mod application;
mod becn;
mod control;
mod default;
mod direction;
mod encapsulation;
mod flow;
mod gfc;
mod impairment;
mod line;
mod node;
mod preset;
mod queue;
mod rto;
mod service;
mod shape;
mod start;
mod tcp;
mod traffic;
mod types;
mod vp;
mod warning;

// The building blocks of the types below, and the code that reads them.
pub use celltrain_language::{Fraction, Named, Problem, Source, SourceError, Text};

pub use abr::{Abr, BackwardRm, OlderBackwardRm, Starved};
pub use admission::{Admission, AdmissionRule, OnRefusal};
pub use application::{Application, Files, Greedy, Sizes, Sockets, Telnet, Thinks, Udp, Wake};
pub use becn::{Becn, BecnMark};
pub use control::Control;
pub use direction::Direction;
pub use encapsulation::{Aal, Encapsulation};
pub use flow::{AtEnd, Back, Flow};
pub use gfc::{Gfc, GfcCounter, GfcEquipment, GfcGroup, GfcScope};
pub use impairment::{Jitter, Loss, Misinsertion};
pub use line::{DelayProcess, LineDelay, LineRate, RateProcess, RateRange, Schedule};
pub use node::{Host, HostLan, HostProcessing, Lan, Processing, ProcessingLaw, Router, Switch};
pub use preset::Preset;
pub use queue::{ClassBuffers, Credit, Discard, PacketQueue, QueueManagement, Scheduling};
pub use rto::{Rto, RtoFloor, RtoTimer};
pub use service::{
    Cbr, DynamicGcra, Police, PoliceAction, Service, SourceDrop, SustainedOn, Ubr, Vbr, Vc,
    VirtualEnds,
};
pub use shape::Shape;
pub use start::{RandomStart, Start};
pub use tcp::{
    AckPolicy, Deflation, HyStart, InitialWindow, LossWindow, Rearm, RetransmitTimer, RouteCache,
    SlowStartLimit, Tcp, TcpVariant, WindowRules, WindowUpdate,
};
pub use traffic::{Background, Traffic};
pub use types::{
    CellDelays, Limits, Link, Measure, OnExcess, OnRateChange, PriorityLoad, Probe, Scenario,
};
pub use vp::{PolicedPath, ShapedPath, Vp};
pub use warning::WarningCode;

use celltrain_language::{Document, canonical};
use serde_json::Value;

impl Document for Scenario {
    fn expand(data: &mut Value) {
        preset::apply(data);
    }
}

impl Scenario {
    /// The canonical form: JSON with every default written out, in the order of the text.
    pub fn to_json(&self) -> String {
        canonical::json(self)
    }

    /// SHA-256 of the canonical form, as 64 hexadecimal digits.
    pub fn hash(&self) -> String {
        canonical::hash(self)
    }
}

/// The JSON Schema of a scenario, pretty-printed.
pub fn schema() -> String {
    canonical::schema::<Scenario>()
}
