//! The rate of a line.

use std::fmt;

use celltrain_proto::units::{Rate, Span};
use schemars::JsonSchema;
use serde::de::value::{BorrowedStrDeserializer, MapAccessDeserializer};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize as DeriveDeserialize, Serialize};

use super::dmt::Dmt;
use super::read::read_by_kind;
use super::value::Text;

/// A constant rate, or a process by which it changes.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum LineRate {
    /// One rate for ever.
    Constant(Text<Rate>),
    /// A random process.
    Process(RateProcess),
}

/// A process by which a line's rate changes.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[serde(tag = "process", rename_all = "kebab-case")]
pub enum RateProcess {
    /// A new rate, uniform on [low, high), at every multiple of `every`.
    Uniform(UniformRate),
    /// A list of rates and the times from which they hold.
    List(ListedRates),
    /// A Mahimahi trace of packet-delivery opportunities.
    Mahimahi(MahimahiRate),
    /// A good and a bad rate, held for exponential times.
    Markov(MarkovRate),
    /// An ADSL line: loop, noise and margin give bits per carrier and the rate.
    Dmt(Dmt),
}
read_by_kind!(RateProcess, "process", {
    "uniform" => Uniform,
    "list" => List,
    "mahimahi" => Mahimahi,
    "markov" => Markov,
    "dmt" => Dmt,
});

/// A rate that is drawn anew at a fixed period.
#[derive(Clone, PartialEq, Debug, Serialize, DeriveDeserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UniformRate {
    /// Lowest rate.
    pub low: Text<Rate>,
    /// Highest rate.
    pub high: Text<Rate>,
    /// Time between two draws.
    pub every: Text<Span>,
}

/// Rates that are given with their times.
#[derive(Clone, PartialEq, Debug, Serialize, DeriveDeserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListedRates {
    /// The rates, in the order of their times; the first holds from "0 s" on.
    pub rates: Vec<ListedRate>,
    /// After this time the list starts again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeat: Option<Text<Span>>,
}

/// A rate and the time from which it holds.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, DeriveDeserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListedRate {
    /// Time after the start of the run.
    pub at: Text<Span>,
    /// The rate from then on; "0 bit/s" is an outage.
    pub rate: Text<Rate>,
}

/// A packet-delivery trace in Mahimahi's format: each line is the millisecond at which 1500 octets could
/// leave; the trace repeats after its last line.
#[derive(Clone, PartialEq, Debug, Serialize, DeriveDeserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MahimahiRate {
    /// The trace itself; in a file of its own with `file = "..."`.
    pub trace: String,
    /// Opportunities are gathered into rates over this time.
    #[serde(default = "ten_ms")]
    pub bin: Text<Span>,
}

/// Two rates that take turns.
#[derive(Clone, PartialEq, Debug, Serialize, DeriveDeserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MarkovRate {
    /// The rate in the good state.
    pub good: Text<Rate>,
    /// The rate in the bad state; "0 bit/s" is an outage.
    pub bad: Text<Rate>,
    /// Mean time in the good state.
    pub mean_good: Text<Span>,
    /// Mean time in the bad state.
    pub mean_bad: Text<Span>,
}

fn ten_ms() -> Text<Span> {
    Text(Span::from_ms(10))
}

impl<'de> Deserialize<'de> for LineRate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RateVisitor;
        impl<'de> Visitor<'de> for RateVisitor {
            type Value = LineRate;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "a rate such as \"8 Mbit/s\" or a table such as { process = \"uniform\", .. }",
                )
            }
            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<LineRate, E> {
                Text::deserialize(BorrowedStrDeserializer::new(text)).map(LineRate::Constant)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<LineRate, A::Error> {
                RateProcess::deserialize(MapAccessDeserializer::new(map)).map(LineRate::Process)
            }
        }
        deserializer.deserialize_any(RateVisitor)
    }
}
