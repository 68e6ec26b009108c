//! What a recording says of a link, and what then may not be said again.

use super::table::Table;

/// The header of the recording that a link follows, after removing the keys of what it has a column for.
pub(super) fn header(link: &mut Table) -> String {
    let trace = link.get("schedule").and_then(|it| it["trace"].as_str());
    let header = trace.and_then(|it| it.lines().next()).unwrap_or_default();
    let header = header.to_owned();
    for (column, keys) in [
        ("rate", &["rate"][..]),
        ("delay", &["delay", "distance", "distance_to_last"]),
        ("loss", &["loss"]),
    ] {
        if header.contains(column) {
            for key in keys {
                link.remove(*key);
            }
        }
    }
    header
}
