//! The rate of a line.

use std::fmt;

use celltrain_proto::units::{Rate, Span};
use schemars::JsonSchema;
use serde::de::value::{BorrowedStrDeserializer, MapAccessDeserializer};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize as DeriveDeserialize, Serialize};

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
}
read_by_kind!(RateProcess, "process", { "uniform" => Uniform });

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

impl LineRate {
    /// The highest rate that the line can have.
    pub fn highest(&self) -> Rate {
        match self {
            Self::Constant(rate) => rate.0,
            Self::Process(RateProcess::Uniform(uniform)) => uniform.high.0,
        }
    }
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
