//! The canonical form of a document: one text for all equivalent texts.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// JSON with all defaults written out, in the order of the text.
///
/// The order of members is part of a document (that of VCs breaks ties), so the form keeps it.
///
/// # Panics
///
/// If a number is not finite or a key is not a string; the types of the language allow neither.
pub fn json(document: &impl Serialize) -> String {
    serde_json::to_string(document).expect("a document has only string keys and finite numbers")
}

/// SHA-256 of the canonical form, as 64 hexadecimal digits.
pub fn hash(document: &impl Serialize) -> String {
    hex(&Sha256::digest(json(document)))
}

/// The JSON Schema of a kind of document, pretty-printed. A key has a description if its field or variant has one.
///
/// # Panics
///
/// Never: a schema is plain JSON.
pub fn schema<T: JsonSchema>() -> String {
    let mut schema = serde_json::json!(schemars::schema_for!(T));
    describe_tags(&mut schema);
    serde_json::to_string_pretty(&schema).expect("a schema is plain JSON")
}

/// Describes each key that selects a variant, such as `process = "list"`: it has no field, only the variant itself.
fn describe_tags(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            let chosen = members.get("description").cloned();
            let keys = members.get_mut("properties").and_then(Value::as_object_mut);
            if let (Some(Value::String(chosen)), Some(keys)) = (chosen, keys) {
                for key in keys.values_mut().filter_map(Value::as_object_mut) {
                    if key.contains_key("const") && !key.contains_key("description") {
                        let text = format!("Chooses this: {chosen}");
                        key.insert("description".to_owned(), text.into());
                    }
                }
            }
            members.values_mut().for_each(describe_tags);
        }
        Value::Array(members) => members.iter_mut().for_each(describe_tags),
        _ => {}
    }
}

/// Octets as hexadecimal digits, two per octet.
pub fn hex(octets: &[u8]) -> String {
    octets
        .iter()
        .fold(String::new(), |text, octet| text + &format!("{octet:02x}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Fraction, Named, Text};
    use celltrain_proto::units::Span;

    #[test]
    fn quantities_and_fractions_have_one_form() {
        let parts: Named<_> = [
            ("b".to_owned(), Fraction(0.25)),
            ("a".to_owned(), Fraction(1.0)),
        ]
        .into();
        assert_eq!(
            json(&(Text(Span::from_ms(1_500)), parts)),
            r#"["1500 ms",{"b":0.25,"a":1.0}]"#
        );
    }

    #[test]
    fn a_key_that_chooses_a_variant_is_described_by_the_variant() {
        /// How.
        #[derive(JsonSchema)]
        #[serde(tag = "way")]
        #[expect(dead_code, reason = "only its schema is used")]
        enum Way {
            /// The short way.
            #[serde(rename = "short")]
            Short {
                /// Its length.
                length: u32,
            },
        }
        let schema: Value = serde_json::from_str(&schema::<Way>()).expect("it is JSON");
        let keys = &schema["oneOf"][0]["properties"];
        assert_eq!(keys["way"]["description"], "Chooses this: The short way.");
        assert_eq!(keys["length"]["description"], "Its length.");
    }

    #[test]
    fn the_hash_is_that_of_the_canonical_form() {
        // FIPS 180-4 has no example for these two octets; `printf '""' | sha256sum` prints this.
        assert_eq!(
            hash(&""),
            "12ae32cb1ec02d01eda3581b127c1fee3b0dc53572ed6baf239721a03d82e126"
        );
    }
}
