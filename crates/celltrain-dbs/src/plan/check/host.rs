//! The requirements on a host of a plan.

use celltrain_language::Problem;

use super::value::needs;
use crate::key::PublicKey;
use crate::plan::Host;

impl Host {
    pub(super) fn check(&self, key: &str) -> Result<(), Problem> {
        let ways = [
            ("ssh", &self.ssh),
            ("netns", &self.netns),
            ("tls", &self.tls),
        ];
        let given: Vec<_> = ways.iter().filter(|(_, way)| way.is_some()).collect();
        if let [_, second, ..] = given[..] {
            let message = "expected at most one of ssh, netns and tls: a daemon is reached one way";
            return Err(Problem::at(&format!("{key}.{}", second.0), message));
        }
        if !given.is_empty() && self.address.is_none() {
            let message =
                "the key \"address\" is missing: where data are sent to, such as \"192.0.2.1\"";
            return Err(Problem::at(key, message));
        }
        needs(
            key,
            ["program", "ssh"],
            self.program.is_some(),
            self.ssh.is_some(),
        )?;
        needs(key, ["key", "tls"], self.key.is_some(), self.tls.is_some())?;
        needs(key, ["tls", "key"], self.tls.is_some(), self.key.is_some())?;
        // Arguments passed to another program must not look like an option or be split into several words.
        for (name, value, extra) in [
            ("ssh", &self.ssh, "._-@:%[]"),
            ("netns", &self.netns, "._-"),
            ("program", &self.program, "._-/~+"),
        ] {
            let good = |text: &str| {
                let of_its_kind = |c: char| c.is_ascii_alphanumeric() || extra.contains(c);
                !text.is_empty() && !text.starts_with('-') && text.chars().all(of_its_kind)
            };
            if let Some(text) = value.as_deref().filter(|text| !good(text)) {
                let message = format!(
                    "expected letters, digits and any of \"{extra}\", not beginning with \"-\"; found \"{text}\""
                );
                return Err(Problem::at(&format!("{key}.{name}"), message));
            }
        }
        if let Some(problem) = self
            .key
            .as_deref()
            .and_then(|text| PublicKey::parse(text).err())
        {
            return Err(Problem::at(&format!("{key}.key"), problem));
        }
        Ok(())
    }
}
