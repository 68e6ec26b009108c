//! The adaptation layer of a VC and the encapsulation of IP packets in it, by their names in the protocol core.

use std::borrow::Cow;
use std::fmt;

use celltrain_language::suggestion;
use celltrain_proto::{aal5, adaptation};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, Error, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

/// An encapsulation of IP packets in AAL5 (RFC 2684, RFC 2364, RFC 2516).
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Encapsulation(pub aal5::Encapsulation);

fn names() -> impl Iterator<Item = &'static str> {
    aal5::Encapsulation::ALL.iter().map(|each| each.name())
}

impl Serialize for Encapsulation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.name())
    }
}

impl<'de> Deserialize<'de> for Encapsulation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;
        impl Visitor<'_> for Name {
            type Value = Encapsulation;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of an encapsulation, such as \"llc-snap\" or \"vc-mux\"")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Encapsulation, E> {
                let known = aal5::Encapsulation::ALL
                    .into_iter()
                    .find(|each| each.name() == text);
                let unknown = || {
                    format!(
                        "unknown encapsulation \"{text}\"{}",
                        suggestion(text, names())
                    )
                };
                known.map(Encapsulation).ok_or_else(|| E::custom(unknown()))
            }
        }
        deserializer.deserialize_str(Name)
    }
}

impl JsonSchema for Encapsulation {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Encapsulation".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": names().collect::<Vec<_>>() })
    }
}

/// The adaptation layer of the packets on a VC.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub enum Aal {
    /// AAL type 5: 48 octets a cell.
    #[default]
    #[serde(rename = "5")]
    Aal5,
    /// AAL type 3/4: 44 octets a cell.
    #[serde(rename = "3/4")]
    Aal34,
}

impl Aal {
    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde hands over a reference"
    )]
    pub(super) fn is_default(&self) -> bool {
        *self == Self::Aal5
    }
}

impl From<Aal> for adaptation::Aal {
    fn from(written: Aal) -> Self {
        match written {
            Aal::Aal5 => Self::Aal5,
            Aal::Aal34 => Self::Aal34,
        }
    }
}
