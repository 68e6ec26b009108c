//! When a connection or a background starts.

use std::fmt;

use celltrain_language::Text;
use celltrain_proto::units::Span;
use schemars::JsonSchema;
use serde::de::value::{BorrowedStrDeserializer, MapAccessDeserializer};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize as DeriveDeserialize, Serialize};

/// A given instant, or a uniform random one from the component's own stream.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Start {
    /// At this instant.
    At(Text<Span>),
    /// At a random instant.
    Random(RandomStart),
}

/// A uniform random instant.
#[derive(Clone, PartialEq, Debug, Serialize, DeriveDeserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomStart {
    /// The interval, excluding its end.
    pub uniform: [Text<Span>; 2],
}

impl Default for Start {
    fn default() -> Self {
        Self::At(Text(Span::ZERO))
    }
}

impl<'de> Deserialize<'de> for Start {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct StartVisitor;
        impl<'de> Visitor<'de> for StartVisitor {
            type Value = Start;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a time such as \"1 s\" or { uniform = [\"0 s\", \"0.5 s\"] }")
            }
            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Start, E> {
                Text::deserialize(BorrowedStrDeserializer::new(text)).map(Start::At)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Start, A::Error> {
                RandomStart::deserialize(MapAccessDeserializer::new(map)).map(Start::Random)
            }
        }
        deserializer.deserialize_any(StartVisitor)
    }
}
