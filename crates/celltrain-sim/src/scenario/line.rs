//! The rate of a line.

use std::fmt;

use celltrain_language::{Text, read_by_kind};
use celltrain_proto::line;
use celltrain_proto::random::Stream;
use celltrain_proto::units::{Rate, Span, Time};
use schemars::JsonSchema;
use serde::de::value::{BorrowedStrDeserializer, MapAccessDeserializer};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize as DeriveDeserialize, Serialize};

use super::dmt::Dmt;
use super::rate_range::RateRange;

/// A constant rate, or a process by which it changes.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum LineRate {
    /// A constant rate.
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
    /// A list of rates, with the times from which they apply.
    List(ListedRates),
    /// A Mahimahi trace of packet-delivery opportunities.
    Mahimahi(MahimahiRate),
    /// A good and a bad rate, each held for exponential times.
    Markov(MarkovRate),
    /// An ADSL line: loop, noise and margin determine the bits per carrier and the rate.
    Dmt(Box<Dmt>),
}
read_by_kind!(RateProcess, "process", {
    "uniform" => Uniform,
    "list" => List,
    "mahimahi" => Mahimahi,
    "markov" => Markov,
    "dmt" => Dmt,
});

/// A rate redrawn at fixed intervals.
#[derive(Clone, PartialEq, Debug, Serialize, DeriveDeserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UniformRate {
    /// Lowest rate, above 0.
    pub low: Text<Rate>,
    /// Highest rate.
    pub high: Text<Rate>,
    /// Time between two draws, at least 1 us.
    pub every: Text<Span>,
}

/// Rates with their times.
#[derive(Clone, PartialEq, Debug, Serialize, DeriveDeserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListedRates {
    /// The first at `"0 s"`, each later than the previous one; `"0 bit/s"` is an outage.
    pub rates: Vec<ListedRate>,
    /// The list repeats after this time. Allowed: after the last `at`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeat: Option<Text<Span>>,
}

/// A rate and the time from which it applies.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, DeriveDeserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListedRate {
    /// Time after the start of the run.
    pub at: Text<Span>,
    /// The rate from then on; "0 bit/s" is an outage.
    pub rate: Text<Rate>,
}

/// A packet-delivery trace in Mahimahi's format: each line gives the millisecond at which the 32 cells of a packet of
/// 1500 octets can leave; unused opportunities are lost. The trace repeats after its last line.
#[derive(Clone, PartialEq, Debug, Serialize, DeriveDeserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MahimahiRate {
    /// The trace itself; to read it from a file, use `file = "..."`. Allowed: at most ten million lines.
    pub trace: String,
    /// Gives the line a rate instead: for each interval of this length, the rate of its opportunities. Allowed: at least
    /// 1 ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bin: Option<Text<Span>>,
}

/// Two alternating rates.
#[derive(Clone, PartialEq, Debug, Serialize, DeriveDeserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MarkovRate {
    /// The rate in the good state.
    pub good: Text<Rate>,
    /// The rate in the bad state; "0 bit/s" is an outage. Allowed: up to `good`.
    pub bad: Text<Rate>,
    /// Mean time in the good state, exponential. Allowed: at least 1 us.
    pub mean_good: Text<Span>,
    /// Mean time in the bad state, exponential. Allowed: at least 1 us.
    pub mean_bad: Text<Span>,
}

impl LineRate {
    /// The process of the line's rate, with the random numbers of `stream`.
    ///
    /// # Errors
    ///
    /// If a list or a trace is invalid, with the reason in words.
    pub fn process(&self, stream: Stream) -> Result<line::RateProcess, String> {
        Ok(match self {
            Self::Constant(rate) => line::RateProcess::Constant(rate.0),
            Self::Process(RateProcess::Uniform(it)) => line::RateProcess::Uniform {
                low: it.low.0,
                high: it.high.0,
                every: it.every.0,
                stream,
            },
            Self::Process(RateProcess::List(it)) => line::RateProcess::List(it.list()?),
            Self::Process(RateProcess::Mahimahi(it)) => line::RateProcess::List(it.list()?),
            Self::Process(RateProcess::Dmt(it)) => {
                line::RateProcess::Dmt(Box::new(it.line(stream)))
            }
            Self::Process(RateProcess::Markov(it)) => line::RateProcess::Markov(
                line::MarkovRate::new(it.good.0, it.bad.0, it.mean_good.0, it.mean_bad.0, stream),
            ),
        })
    }

    /// The lowest and the highest rate that the line can have, and the most changes per second, or their mean number if
    /// changes are random.
    pub fn range(&self) -> RateRange {
        let range = |low: Rate, high: Rate, changes_per_s| RateRange {
            low,
            high,
            changes_per_s,
        };
        match self {
            Self::Constant(rate) => range(rate.0, rate.0, 0.0),
            Self::Process(RateProcess::Uniform(it)) => {
                range(it.low.0, it.high.0, 1.0 / it.every.0.as_secs())
            }
            Self::Process(RateProcess::Markov(it)) => {
                let cycle = it.mean_good.0.as_secs() + it.mean_bad.0.as_secs();
                range(
                    it.good.0.min(it.bad.0),
                    it.good.0.max(it.bad.0),
                    2.0 / cycle,
                )
            }
            Self::Process(RateProcess::Dmt(it)) => it.range(),
            Self::Process(RateProcess::List(it)) => it.list().map_or_else(
                |_| range(Rate::ZERO, Rate::ZERO, 0.0),
                |list| RateRange::of_list(&list),
            ),
            Self::Process(RateProcess::Mahimahi(it)) => it.list().map_or_else(
                |_| range(Rate::ZERO, Rate::ZERO, 0.0),
                |list| RateRange::of_list(&list),
            ),
        }
    }
}

impl LineRate {
    /// The highest sustained rate; for delivery opportunities, which come in bursts, over 10 ms.
    pub fn highest_lasting(&self) -> Rate {
        match self {
            Self::Process(RateProcess::Mahimahi(it)) if it.bin.is_none() => {
                it.delivery_trace().map_or(Rate::ZERO, |trace| {
                    RateRange::of_list(&trace.rates(Span::from_ms(10))).high
                })
            }
            _ => self.range().high,
        }
    }

    /// The mean rate of a line of delivery opportunities, which has no rate in the strict sense.
    pub fn mean_of_opportunities(&self) -> Option<Rate> {
        match self {
            Self::Process(RateProcess::Mahimahi(it)) if it.bin.is_none() => {
                it.delivery_trace().ok().map(|trace| trace.mean_rate())
            }
            _ => None,
        }
    }
}

impl ListedRates {
    fn list(&self) -> Result<line::RateList, String> {
        let steps = self
            .rates
            .iter()
            .map(|step| (Time::ZERO + step.at.0, step.rate.0))
            .collect();
        line::RateList::new(steps, self.repeat.map(|repeat| repeat.0))
            .map_err(|error| error.to_string())
    }
}

impl MahimahiRate {
    fn delivery_trace(&self) -> Result<line::DeliveryTrace, String> {
        line::DeliveryTrace::parse(&self.trace).map_err(|error| error.to_string())
    }

    fn list(&self) -> Result<line::RateList, String> {
        let trace = self.delivery_trace()?;
        Ok(match self.bin {
            Some(bin) => trace.rates(bin.0),
            None => trace.opportunities(),
        })
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
