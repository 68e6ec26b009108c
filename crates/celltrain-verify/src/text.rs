//! The text of a scenario, as a user would write it.

use serde_json::Value;

/// The TOML text of a scenario; `None` if it holds what TOML cannot express, such as `null`.
///
/// ```
/// use celltrain_verify::text::toml;
/// let scenario = serde_json::json!({"measure": {"duration": "1 s"}});
/// assert_eq!(toml(&scenario).unwrap(), "[measure]\nduration = \"1 s\"\n");
/// ```
pub fn toml(scenario: &Value) -> Option<String> {
    toml::to_string_pretty(scenario).ok()
}

/// The content of a TOML text; `None` if it is not TOML.
pub fn parse(text: &str) -> Option<Value> {
    toml::from_str(text).ok()
}

#[cfg(test)]
mod tests {
    use super::{parse, toml};

    #[test]
    fn a_text_and_what_it_holds_keep_the_order_of_tables() {
        let text = "[vcs.w]\nroute = []\n\n[vcs.v]\nroute = []\n\n[hosts.h]\n";
        let scenario = parse(text).unwrap();
        assert_eq!(
            scenario.to_string(),
            r#"{"vcs":{"w":{"route":[]},"v":{"route":[]}},"hosts":{"h":{}}}"#
        );
        assert_eq!(toml(&scenario).unwrap(), text);
    }
}
