//! Places in a scenario.

use serde_json::Value;

/// The path to a value: keys of tables and positions in lists, from the root.
pub(super) type Path = Vec<Step>;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Step {
    Key(String),
    Item(usize),
}

/// The paths of all values `depth` steps below the root, last ones first.
pub(super) fn paths(root: &Value, depth: usize) -> Vec<Path> {
    let mut level: Vec<Path> = vec![Vec::new()];
    for _ in 0..depth {
        level = level.iter().flat_map(|path| inside(root, path)).collect();
    }
    level.reverse();
    level
}

fn inside(root: &Value, path: &[Step]) -> Vec<Path> {
    let with = |step: Step| [path, &[step]].concat();
    match get(root, path) {
        Some(Value::Object(table)) => table
            .keys()
            .map(|key| with(Step::Key(key.clone())))
            .collect(),
        Some(Value::Array(items)) => (0..items.len())
            .map(|item| with(Step::Item(item)))
            .collect(),
        _ => Vec::new(),
    }
}

pub(super) fn get<'a>(root: &'a Value, path: &[Step]) -> Option<&'a Value> {
    path.iter().try_fold(root, |value, step| match step {
        Step::Key(key) => value.get(key),
        Step::Item(item) => value.get(item),
    })
}

pub(super) fn get_mut<'a>(root: &'a mut Value, path: &[Step]) -> Option<&'a mut Value> {
    path.iter().try_fold(root, |value, step| match step {
        Step::Key(key) => value.get_mut(key),
        Step::Item(item) => value.get_mut(item),
    })
}

pub(super) fn remove(root: &mut Value, path: &[Step]) {
    let Some((last, parents)) = path.split_last() else {
        return;
    };
    match (get_mut(root, parents), last) {
        (Some(Value::Object(table)), Step::Key(key)) => {
            table.shift_remove(key);
        }
        (Some(Value::Array(items)), Step::Item(item)) if *item < items.len() => {
            items.remove(*item);
        }
        _ => {}
    }
}
