//! Counts which keys and values of the language networks have had, alone and in pairs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serde_json::Value;

use crate::schema::{Shape, below};

/// All keys and values of `shape`, as paths; names are `*`, and kinds of tables are in braces.
pub fn leaves(shape: &Shape) -> Vec<String> {
    let mut all = Vec::new();
    walk(shape, "", &mut all);
    all
}

fn walk(shape: &Shape, path: &str, all: &mut Vec<String>) {
    match shape {
        Shape::Table(keys) => {
            if keys.is_empty() {
                all.push(path.to_owned());
            }
            for key in keys {
                walk(&key.shape, &below(path, &key.name), all);
            }
        }
        Shape::Map(inner) => walk(inner, &below(path, "*"), all),
        Shape::OneOf(shapes) => {
            for shape in shapes {
                walk(shape, &shape.variant_path(path), all);
            }
        }
        Shape::Names(names) => all.extend(names.iter().map(|name| format!("{path} = \"{name}\""))),
        Shape::Truth => all.extend([true, false].map(|truth| format!("{path} = {truth}"))),
        Shape::List(item, _) if matches!(**item, Shape::Table(_)) => walk(item, path, all),
        _ => all.push(path.to_owned()),
    }
}

/// The keys and values of `scenario`, as paths.
pub fn met(shape: &Shape, scenario: &Value) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    find(shape, scenario, "", &mut all);
    all
}

fn find(shape: &Shape, value: &Value, path: &str, all: &mut BTreeSet<String>) {
    match (shape, value) {
        (Shape::Table(keys), Value::Object(table)) => {
            if keys.is_empty() {
                all.insert(path.to_owned());
            }
            for key in keys {
                if let Some(value) = table.get(&key.name) {
                    find(&key.shape, value, &below(path, &key.name), all);
                }
            }
        }
        (Shape::Map(inner), Value::Object(table)) => {
            for value in table.values() {
                find(inner, value, &below(path, "*"), all);
            }
        }
        (Shape::OneOf(shapes), value) => {
            if let Some(shape) = Shape::variant(shapes, value) {
                find(shape, value, &shape.variant_path(path), all);
            }
        }
        (Shape::Names(_) | Shape::Truth, value) => {
            all.insert(format!("{path} = {value}"));
        }
        (Shape::List(item, _), Value::Array(items)) if matches!(**item, Shape::Table(_)) => {
            for value in items {
                find(item, value, path, all);
            }
        }
        _ => {
            all.insert(path.to_owned());
        }
    }
}

/// How many networks had each key and value, and each pair of them.
#[derive(Clone, Default, Debug)]
pub struct Coverage {
    /// The number of networks counted.
    pub networks: usize,
    alone: BTreeMap<String, usize>,
    pairs: BTreeMap<(u16, u16), u32>,
}

impl Coverage {
    /// Counts a network with these keys and values, which must be among `leaves`.
    pub fn add(&mut self, leaves: &[String], met: &BTreeSet<String>) {
        self.networks += 1;
        let numbers: Vec<u16> = (0..)
            .zip(leaves)
            .filter(|(_, leaf)| met.contains(*leaf))
            .map(|(number, _)| number)
            .collect();
        for path in met {
            *self.alone.entry(path.clone()).or_default() += 1;
        }
        for (index, &one) in numbers.iter().enumerate() {
            for &other in &numbers[index + 1..] {
                *self.pairs.entry((one, other)).or_default() += 1;
            }
        }
    }

    /// How many networks had the key or value at `path`.
    pub fn of(&self, path: &str) -> usize {
        self.alone.get(path).copied().unwrap_or_default()
    }

    /// The `leaves` that no network had.
    pub fn missing<'a>(&self, leaves: &'a [String]) -> Vec<&'a str> {
        let missing = leaves.iter().filter(|leaf| self.of(leaf) == 0);
        missing.map(String::as_str).collect()
    }

    /// How many pairs of `leaves` occurred together in a network, and how many there are.
    pub fn pairs(&self, leaves: &[String]) -> (usize, usize) {
        (self.pairs.len(), leaves.len() * (leaves.len() - 1) / 2)
    }

    /// A line for each pair of `leaves` with the number of networks that had both.
    pub fn pairs_csv(&self, leaves: &[String]) -> String {
        let mut text = String::from("networks,key,other\n");
        let quoted = |leaf: &str| leaf.replace('"', "\"\"");
        for (one, key) in (0_u16..).zip(leaves) {
            for (other, other_key) in (one + 1..).zip(&leaves[usize::from(one) + 1..]) {
                let networks = self.pairs.get(&(one, other)).copied().unwrap_or_default();
                let (key, other_key) = (quoted(key), quoted(other_key));
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{networks},\"{key}\",\"{other_key}\"");
            }
        }
        text
    }

    /// A line for each of `leaves` with the number of networks that had it, and the number of other leaves it occurred
    /// with.
    pub fn csv(&self, leaves: &[String]) -> String {
        let mut partners = vec![0_usize; leaves.len()];
        for &(one, other) in self.pairs.keys() {
            partners[usize::from(one)] += 1;
            partners[usize::from(other)] += 1;
        }
        let mut text = String::from("networks,partners,key\n");
        for (leaf, partners) in leaves.iter().zip(partners) {
            let quoted = leaf.replace('"', "\"\"");
            let networks = self.of(leaf);
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{networks},{partners},\"{quoted}\"");
        }
        text
    }
}
