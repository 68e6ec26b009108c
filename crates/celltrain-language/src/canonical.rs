//! The canonical form of a document: one text for all texts that say the same.

use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest, Sha256};

/// JSON with every default written out, in the order of the text.
///
/// The order of members is part of a document (that of VCs breaks ties), so it is part of the form.
///
/// # Panics
///
/// Where a number is not finite or a key no string; the types of the language allow neither.
pub fn json(document: &impl Serialize) -> String {
    serde_json::to_string(document).expect("a document has only string keys and finite numbers")
}

/// SHA-256 of the canonical form, as 64 hexadecimal digits.
pub fn hash(document: &impl Serialize) -> String {
    hex(&Sha256::digest(json(document)))
}

/// The JSON Schema of a kind of document, pretty-printed.
pub fn schema<T: JsonSchema>() -> String {
    serde_json::to_string_pretty(&schemars::schema_for!(T)).expect("a schema is plain JSON")
}

/// Octets as hexadecimal digits, two for each.
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
    fn the_hash_is_that_of_the_canonical_form() {
        // FIPS 180-4 has no example of these two octets; `printf '""' | sha256sum` gives this.
        assert_eq!(
            hash(&""),
            "12ae32cb1ec02d01eda3581b127c1fee3b0dc53572ed6baf239721a03d82e126"
        );
    }
}
