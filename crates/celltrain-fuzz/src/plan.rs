//! Plans of measurements in TOML.

use celltrain_dbs::plan::Plan;
use celltrain_language::Source;

/// Reads any octets.
pub fn one(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    let no_file = |_: &str| Err("there are no files here".to_owned());
    let Ok(plan) = Plan::read(&Source::toml(text, "plan.toml"), &no_file) else {
        return;
    };
    let again = Plan::read(&Source::json(&plan.to_json(), "again"), &no_file);
    let again = again.expect("the canonical form is a plan");
    assert_eq!(again.hash(), plan.hash());
    for (number, stream) in plan.streams().iter().enumerate() {
        assert_eq!(stream.order.stream as usize, number);
        assert!(stream.from.max(stream.to) < plan.hosts.len());
    }
}
