//! The scenario language: what a user writes, read strictly.
//!
//! The Rust types here own the language: TOML and JSON are read into them, the JSON Schema is
//! generated from them, and the canonical form (every default written out) is hashed for provenance.

mod control;
mod distance;
mod encapsulation;
mod error;
mod line;
mod read;
mod start;
mod text;
mod traffic;
mod types;
mod value;

pub use control::{
    Binary, BinaryMarking, Capc, Capc2, CcrSource, Control, Eprca, Erica, EricaAllocation,
    EricaPlus, EricaPlusSmoothed, FairShare, Gfc, LoadAveraging, Marking, Phantom,
};
pub use distance::Distance;
pub use encapsulation::Encapsulation;
pub(crate) use error::suggestion;
pub use error::{Problem, ScenarioError};
pub use line::{LineRate, RateProcess, UniformRate};
pub use start::{RandomStart, Start};
pub use text::Source;
pub use traffic::{Abr, Background, CellProcess, Service, Traffic, Ubr, Vc};
pub use types::{
    AckPolicy, Direction, Flow, Host, Limits, Link, Measure, Named, OnRateChange, Probe, Rearm,
    Rto, RtoFloor, RtoTimer, Scenario, Switch, Tcp, TcpVariant,
};
pub use value::{Fraction, Text};

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
