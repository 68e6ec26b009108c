//! Keys by which daemons and controllers authenticate each other: pinned Ed25519 keys, without certificates.

use celltrain_language::canonical::hex;

/// A public key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PublicKey(pub [u8; 32]);

impl PublicKey {
    /// Parses 64 hexadecimal digits.
    pub fn parse(text: &str) -> Result<Self, String> {
        unhex(text.trim()).map(Self).ok_or_else(|| {
            "expected a public key of 64 hexadecimal digits, as `celltrain dbs key` prints them"
                .to_owned()
        })
    }

    /// Parses a list: one key per line, optionally followed by a comment; empty lines and lines that begin with # are
    /// ignored.
    pub fn parse_list(text: &str) -> Result<Vec<Self>, String> {
        let lines = text.lines().enumerate();
        let keys = lines.filter_map(|(index, line)| {
            let key = line.split_whitespace().next()?;
            (!key.starts_with('#')).then(|| {
                Self::parse(key).map_err(|problem| format!("line {}: {problem}", index + 1))
            })
        });
        keys.collect()
    }
}

impl std::fmt::Display for PublicKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

pub(crate) fn unhex<const N: usize>(text: &str) -> Option<[u8; N]> {
    if text.len() != 2 * N || !text.bytes().all(|c| c.is_ascii_hexdigit()) {
        return None;
    }
    let mut octets = [0; N];
    for (octet, pair) in octets.iter_mut().zip(text.as_bytes().chunks(2)) {
        let pair = std::str::from_utf8(pair).ok()?;
        *octet = u8::from_str_radix(pair, 16).ok()?;
    }
    Some(octets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_comments_and_names_the_line_of_a_mistake() {
        let key = "ab".repeat(32);
        let list = PublicKey::parse_list(&format!("# mine\n\n{key} laptop\n"));
        assert_eq!(list, Ok(vec![PublicKey([0xab; 32])]));
        let wrong = PublicKey::parse_list(&format!("{key}\n{}", &key[1..]));
        assert!(wrong.is_err_and(|problem| problem.starts_with("line 2: ")));
        assert_eq!(PublicKey::parse(&key).map(|it| it.to_string()), Ok(key));
    }
}
