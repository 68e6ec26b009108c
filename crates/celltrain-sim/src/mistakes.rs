//! All mistakes of a text at once.
//!
//! Reading a scenario and building its network stop at their first problem. The key at fault is taken out and the rest is
//! tried again, until nothing is left to complain of. An entry with a mistake is taken out with all that may depend on it:
//! a mistake may hide another, but nothing is reported that only follows from one.

mod dependents;

use celltrain_language::{Problem, Source, SourceError, from_data};
use serde_json::{Map, Value};

use self::dependents::Entry;
use crate::network::Network;
use crate::scenario::Scenario;

/// The most mistakes that are looked for; each takes another attempt.
const MOST: usize = 100;

/// A duration longer than times in most texts, so that nothing is blamed for being later.
const STAND_IN_DURATION: &str = "10000 s";

/// Finds the mistakes of a text, in their order in it; none if it describes a network.
///
/// # Arguments
///
/// * `source` - the text, for the places of the mistakes
/// * `data` - its content, or `None` if nothing was changed in it since
/// * `broken` - keys with mistakes that the caller has reported
pub fn mistakes(
    source: &Source<'_>,
    data: Option<Value>,
    broken: Vec<Vec<String>>,
) -> Vec<SourceError> {
    let data = match data.map_or_else(|| source.data(), Ok) {
        Ok(data) => data,
        Err(error) => return vec![error],
    };
    let mut search = Search {
        text: data.clone(),
        data,
        removed: Vec::new(),
        found: Vec::new(),
    };
    for path in broken {
        search.remove(path);
    }
    if search.read() && search.drop_touched() {
        search.build();
    }
    let mut errors: Vec<_> = search.found.iter().map(|it| source.locate(it)).collect();
    errors.sort_by_key(|error| error.position);
    errors
}

struct Search {
    /// The data as written.
    text: Value,
    /// What is left of the data.
    data: Value,
    /// Keys that were taken out.
    removed: Vec<Vec<String>>,
    found: Vec<Problem>,
}

impl Search {
    /// Collects the problems of single keys; returns whether what is left can be read.
    fn read(&mut self) -> bool {
        for _ in 0..MOST {
            let Err(problem) = from_data::<Scenario>(self.data.clone()) else {
                return true;
            };
            let path = problem.path.clone();
            // A table that lacks what was taken out of it is no mistake of its own.
            let follows = self.removed.iter().any(|it| it.starts_with(&path));
            let goes_on = if follows {
                match Entry::of(&path) {
                    Some(entry) => self.take_out(&entry),
                    None => self.stand_in(),
                }
            } else {
                self.found.push(problem);
                self.remove(path)
            };
            if !goes_on {
                return false;
            }
        }
        false
    }

    /// Takes out the entries that lost a key; returns whether the rest says enough to be built.
    fn drop_touched(&mut self) -> bool {
        for path in self.removed.clone() {
            match Entry::of(&path) {
                Some(entry) => {
                    dependents::drop_with(&mut self.data, &self.text, &entry);
                }
                // A section may be missing now, under its right name.
                None if path.len() < 2 => return false,
                None => {}
            }
        }
        true
    }

    /// Collects the problems of entries that do not fit together.
    fn build(&mut self) {
        for _ in 0..MOST {
            let Ok(scenario) = from_data::<Scenario>(self.data.clone()) else {
                return;
            };
            let Err(problem) = Network::new(&scenario) else {
                return;
            };
            let entry = Entry::of(&problem.path);
            // What remains may be too little for a network, which is no mistake of the text.
            if entry.is_some() || self.removed.is_empty() && self.found.is_empty() {
                self.found.push(problem);
            }
            if !entry.is_some_and(|entry| dependents::drop_with(&mut self.data, &self.text, &entry))
            {
                return;
            }
        }
    }

    /// Takes out the deepest key of `path` that is there and no item of an array; returns whether there was one.
    fn remove(&mut self, path: Vec<String>) -> bool {
        let taken = (1..=path.len()).rev().any(|length| {
            let (last, parents) = path[..length].split_last().expect("it has a key");
            table(&mut self.data, parents).is_some_and(|table| table.remove(last).is_some())
        });
        self.removed.push(path);
        taken
    }

    /// Puts a section that lost a key, or its name, in place with values that fit any text; returns whether it was not
    /// done before. `measure` is the only one that a text must have.
    fn stand_in(&mut self) -> bool {
        let measure = serde_json::json!({ "duration": STAND_IN_DURATION });
        let Some(sections) = self.data.as_object_mut() else {
            return false;
        };
        sections.insert("measure".to_owned(), measure.clone()) != Some(measure)
    }

    fn take_out(&mut self, entry: &Entry) -> bool {
        let section = self.data.get_mut(&entry.section);
        let section = section.and_then(Value::as_object_mut);
        section.is_some_and(|section| section.remove(&entry.name).is_some())
    }
}

/// The table at a path through tables.
fn table<'d>(data: &'d mut Value, path: &[String]) -> Option<&'d mut Map<String, Value>> {
    let mut inner = data.as_object_mut()?;
    for key in path {
        inner = inner.get_mut(key)?.as_object_mut()?;
    }
    Some(inner)
}
