//! What may depend on an entry of a scenario. Too much is taken rather than too little.

use serde_json::Value;

/// Sections whose entries have names of their own.
const SECTIONS: [&str; 10] = [
    "hosts",
    "switches",
    "lans",
    "routers",
    "links",
    "vcs",
    "vps",
    "flows",
    "backgrounds",
    "probes",
];

/// An entry by its section and its name.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) section: String,
    pub(super) name: String,
}

impl Entry {
    /// The entry that a key belongs to, if it belongs to one.
    pub(super) fn of(path: &[String]) -> Option<Self> {
        let [section, name, ..] = path else {
            return None;
        };
        SECTIONS.contains(&section.as_str()).then(|| Self {
            section: section.clone(),
            name: name.clone(),
        })
    }
}

/// Takes out an entry and all that may depend on it; returns whether it was there. `text` is the data as written.
pub(super) fn drop_with(data: &mut Value, text: &Value, first: &Entry) -> bool {
    let mut todo = vec![first.clone()];
    let mut was_there = false;
    while let Some(entry) = todo.pop() {
        let section = data.get_mut(&entry.section).and_then(Value::as_object_mut);
        was_there |= section.is_some_and(|section| section.remove(&entry.name).is_some());
        let joined = joined(text, &entry);
        todo.extend(entries(data).filter_map(|(other, value)| {
            // A VC needs the links of its route, and the VCs that carry its cells between routers.
            let passes = joined.as_ref().is_some_and(|nodes| {
                other.section == "vcs" && nodes.iter().all(|node| mentions(value, node))
            });
            (passes || mentions(value, &entry.name)).then_some(other)
        }));
    }
    was_there
}

fn entries(data: &Value) -> impl Iterator<Item = (Entry, &Value)> {
    let named = |section: &'static str| {
        let table = data.get(section).and_then(Value::as_object);
        table.into_iter().flatten().map(move |(name, value)| {
            let (section, name) = (section.to_owned(), name.clone());
            (Entry { section, name }, value)
        })
    };
    SECTIONS.into_iter().flat_map(named)
}

/// The nodes that a link joins, or a VC between routers; none that are known if it does not say. `None` for all others.
fn joined(text: &Value, entry: &Entry) -> Option<Vec<String>> {
    let written = text.get(&entry.section)?.get(&entry.name)?;
    let list = |key| written.get(key).and_then(Value::as_array);
    let end = |key| written.get(key);
    let ends = match entry.section.as_str() {
        "links" => list("between").map_or([end("from"), end("to")], |it| [it.first(), it.last()]),
        "vcs" => list("route").map_or([None, None], |it| [it.first(), it.last()]),
        _ => return None,
    };
    let ends = ends.into_iter().flatten().filter_map(Value::as_str);
    let ends: Vec<_> = ends.map(str::to_owned).collect();
    let routers = text.get("routers").and_then(Value::as_object);
    let is_router = |end: &String| {
        let mut names = routers.into_iter().flatten();
        names.any(|(name, _)| is_member(end, name))
    };
    (entry.section == "links" || ends.iter().all(is_router)).then_some(ends)
}

/// Whether a key or a text in `value` names an entry, a member of it, or entries by a pattern.
fn mentions(value: &Value, name: &str) -> bool {
    let in_text = |text: &str| {
        let mut words = text.split(|letter: char| letter.is_whitespace() || letter == '.');
        words.any(|word| word.contains('*') || is_member(word, name))
    };
    match value {
        Value::String(text) => in_text(text),
        Value::Array(items) => items.iter().any(|item| mentions(item, name)),
        Value::Object(table) => table
            .iter()
            .any(|(key, inner)| in_text(key) || mentions(inner, name)),
        _ => false,
    }
}

/// Whether a word is a name, or that of a member of a group with this name.
fn is_member(word: &str, name: &str) -> bool {
    let number = word.strip_prefix(name);
    number.is_some_and(|it| it.bytes().all(|digit| digit.is_ascii_digit()))
}
