//! One end of a flow: one host or several.

use std::fmt;

use schemars::JsonSchema;
use serde::de::value::SeqAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};

/// One host or several.
#[derive(Clone, PartialEq, Debug, serde::Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Ends {
    /// A single host.
    One(String),
    /// Several hosts: a separate flow for each pair of a sender and a receiver.
    Many(Vec<String>),
}

impl Ends {
    /// The names of the hosts.
    pub fn names(&self) -> &[String] {
        match self {
            Self::One(name) => std::slice::from_ref(name),
            Self::Many(names) => names,
        }
    }
}

impl<'de> Deserialize<'de> for Ends {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EndsVisitor;
        impl<'de> Visitor<'de> for EndsVisitor {
            type Value = Ends;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a host, or an array of names")
            }
            fn visit_str<E: Error>(self, name: &str) -> Result<Ends, E> {
                Ok(Ends::One(name.to_owned()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, names: A) -> Result<Ends, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(names)).map(Ends::Many)
            }
        }
        deserializer.deserialize_any(EndsVisitor)
    }
}
