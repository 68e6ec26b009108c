//! The rate and the delay of a line.

use std::fmt;

use celltrain_language::Text;
use celltrain_proto::line::{self, VaryingRate};
use celltrain_proto::random::Stream;
use celltrain_proto::units::{Bytes, Rate, Span};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::value::{BorrowedStrDeserializer, MapAccessDeserializer};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};

pub use celltrain_proto::line::{
    DelayParameters as DelayProcess, RateParameters as RateProcess, RateRange,
    ScheduleParameters as Schedule,
};

/// A constant rate, or a process by which it changes.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum LineRate {
    /// A constant rate.
    Constant(Text<Rate>),
    /// A random process.
    Process(RateProcess),
}

impl LineRate {
    /// The process of the line's rate, with the random numbers of `stream`. The rate must be valid.
    pub fn process(&self, stream: Stream) -> line::RateProcess {
        match self {
            Self::Constant(rate) => line::RateProcess::Constant(rate.0),
            Self::Process(process) => process.start(stream),
        }
    }

    /// The lowest and the highest rate that the line can have, and the most changes per second, or their mean number if
    /// changes are random.
    pub fn range(&self) -> RateRange {
        match self {
            Self::Constant(rate) => RateRange::constant(rate.0),
            Self::Process(process) => process.range(),
        }
    }

    /// The highest sustained rate; for delivery opportunities, which come in bursts, over 10 ms.
    pub fn highest_lasting(&self) -> Rate {
        match self {
            Self::Constant(rate) => rate.0,
            Self::Process(process) => process.highest_lasting(),
        }
    }

    /// This rate, with delivery opportunities that carry so many octets each unless they are given.
    #[must_use]
    pub fn carrying_packets(mut self, octets: Bytes) -> Self {
        if let Self::Process(process) = &mut self {
            process.carry_packets(octets);
        }
        self
    }

    /// The mean rate of a line of delivery opportunities, which has no rate in the strict sense.
    pub fn mean_of_opportunities(&self) -> Option<Rate> {
        match self {
            Self::Constant(_) => None,
            Self::Process(process) => process.mean_of_opportunities(),
        }
    }

    /// The one-way delay that the line adds to its propagation, as by interleaving.
    pub fn delay(&self) -> Span {
        match self {
            Self::Constant(_) => Span::ZERO,
            Self::Process(process) => process.delay(),
        }
    }

    /// Whether the rate depends on random numbers.
    pub fn is_random(&self) -> bool {
        match self {
            Self::Constant(_) => false,
            Self::Process(process) => process.is_random(),
        }
    }

    /// Whether modems train on the line, which takes it down now and then.
    pub fn trains(&self) -> bool {
        match self {
            Self::Constant(_) => false,
            Self::Process(process) => process.trains(),
        }
    }
}

impl<'de> Deserialize<'de> for LineRate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ConstantOrProcess {
            expected: "a rate such as \"8 Mbit/s\" or a table such as { process = \"uniform\", .. }",
            constant: Self::Constant,
            process: Self::Process,
        })
    }
}

/// A constant delay, or a process by which it changes.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum LineDelay {
    /// A constant delay.
    Constant(Text<Span>),
    /// A process.
    Process(DelayProcess),
}

impl LineDelay {
    /// The shortest delay.
    pub fn shortest(&self) -> Span {
        match self {
            Self::Constant(delay) => delay.0,
            Self::Process(process) => process.shortest(),
        }
    }

    /// The longest delay.
    pub fn longest(&self) -> Span {
        match self {
            Self::Constant(delay) => delay.0,
            Self::Process(process) => process.longest(),
        }
    }

    /// The process of a delay that changes.
    pub fn process(&self) -> Option<&DelayProcess> {
        match self {
            Self::Constant(_) => None,
            Self::Process(process) => Some(process),
        }
    }
}

impl<'de> Deserialize<'de> for LineDelay {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ConstantOrProcess {
            expected: "a time such as \"5 ms\" or a table such as { process = \"list\", .. }",
            constant: Self::Constant,
            process: Self::Process,
        })
    }
}

/// Reads a quantity, or a table with the process by which it changes.
struct ConstantOrProcess<T, C, P> {
    expected: &'static str,
    constant: fn(Text<C>) -> T,
    process: fn(P) -> T,
}

impl<'de, T, C, P> Visitor<'de> for ConstantOrProcess<T, C, P>
where
    Text<C>: Deserialize<'de>,
    P: Deserialize<'de>,
{
    type Value = T;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)
    }
    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<T, E> {
        Text::deserialize(BorrowedStrDeserializer::new(text)).map(self.constant)
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        P::deserialize(MapAccessDeserializer::new(map)).map(self.process)
    }
}
