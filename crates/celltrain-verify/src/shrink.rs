//! Reduces a failing scenario for as long as it still fails.
//!
//! It knows only that scenarios are tables of tables, that quantities are numbers with a unit, and that tables are
//! referred to by name. A candidate that cannot be read does not fail, so it is not kept.

mod lines;
mod place;

use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use self::place::{Step, get, get_mut, paths, remove};

/// The effort to spend.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// The time limit.
    pub time: Duration,
    /// The most scenarios to try.
    pub steps: usize,
}

/// The smallest scenario found for which `still_fails` is true. Tables, keys and items are removed and values are made
/// simpler until nothing more can go or the budget is spent. `scenario` itself is assumed to fail.
pub fn shrink(
    scenario: &Value,
    still_fails: &mut dyn FnMut(&Value) -> bool,
    budget: Budget,
) -> Value {
    let mut search = Search {
        best: scenario.clone(),
        still_fails,
        until: Instant::now() + budget.time,
        steps: budget.steps,
    };
    loop {
        let before = search.best.clone();
        search.shorten();
        search.leave_out();
        search.contract();
        search.lines();
        search.simplify();
        if search.best == before || search.is_spent() {
            return search.best;
        }
    }
}

struct Search<'a> {
    best: Value,
    still_fails: &'a mut dyn FnMut(&Value) -> bool,
    until: Instant,
    steps: usize,
}

impl Search<'_> {
    fn is_spent(&self) -> bool {
        self.steps == 0 || Instant::now() >= self.until
    }

    /// Keeps `candidate` if it fails and is not the current best.
    fn attempt(&mut self, candidate: Value) -> bool {
        if self.is_spent() || candidate == self.best {
            return false;
        }
        self.steps -= 1;
        let fails = (self.still_fails)(&candidate);
        if fails {
            self.best = candidate;
        }
        fails
    }

    /// Shortens the run first, which makes all later steps cheaper.
    fn shorten(&mut self) {
        let path = [
            Step::Key("measure".to_owned()),
            Step::Key("duration".to_owned()),
        ];
        while self.simpler_at(&path) {}
    }

    /// Removes what can be removed, large parts first. A named table is removed with everything that refers to it.
    fn leave_out(&mut self) {
        let mut at = 0;
        let mut depth = 1;
        loop {
            let paths = paths(&self.best, depth);
            if paths.is_empty() || self.is_spent() {
                return;
            }
            let Some(path) = paths.get(at) else {
                (at, depth) = (0, depth + 1);
                continue;
            };
            let mut without = self.best.clone();
            remove(&mut without, path);
            let gone = self.attempt(without) || self.leave_out_name(path);
            // The next path has moved into the gap.
            at += usize::from(!gone);
        }
    }

    /// Removes a named table with everything that refers to it.
    fn leave_out_name(&mut self, path: &[Step]) -> bool {
        let [Step::Key(_), Step::Key(name)] = path else {
            return false;
        };
        let mut without = self.best.clone();
        remove(&mut without, path);
        forget(&mut without, name);
        self.attempt(without)
    }

    /// Merges two named tables of one section: what refers to the first then refers to the second.
    fn contract(&mut self) {
        let Some(sections) = self.best.as_object() else {
            return;
        };
        let sections: Vec<String> = sections.keys().cloned().collect();
        for section in sections {
            let names = self.best[&section]
                .as_object()
                .map(|it| it.keys().cloned().collect());
            let names: Vec<String> = names.unwrap_or_default();
            for gone in &names {
                let others = names.iter().filter(|kept| *kept != gone);
                for kept in others {
                    if self.best[&section].get(gone).is_none() || self.is_spent() {
                        break;
                    }
                    let mut merged = self.best.clone();
                    remove(
                        &mut merged,
                        &[Step::Key(section.clone()), Step::Key(gone.clone())],
                    );
                    rename(&mut merged, gone, kept);
                    self.attempt(merged);
                }
            }
        }
    }

    /// Makes lines simpler, some of them together.
    fn lines(&mut self) {
        while lines::simpler(&self.best)
            .into_iter()
            .any(|it| self.attempt(it))
        {}
    }

    /// Makes values simpler, one at a time.
    fn simplify(&mut self) {
        let mut depth = 1;
        loop {
            let paths = paths(&self.best, depth);
            if paths.is_empty() || self.is_spent() {
                return;
            }
            for path in paths {
                while self.simpler_at(&path) {}
            }
            depth += 1;
        }
    }

    /// Makes the value at `path` simpler by one step.
    fn simpler_at(&mut self, path: &[Step]) -> bool {
        let Some(value) = get(&self.best, path) else {
            return false;
        };
        simpler(value).into_iter().any(|simple| {
            let mut candidate = self.best.clone();
            if let Some(place) = get_mut(&mut candidate, path) {
                *place = simple;
            }
            self.attempt(candidate)
        })
    }
}

/// Whether a text is `name`, or a path such as `vcs.NAME.forward` that contains it.
fn refers(text: &str, name: &str) -> bool {
    text.split('.').any(|part| part == name)
}

/// Whether anything in `value` refers to `name`.
fn mentions(value: &Value, name: &str) -> bool {
    match value {
        Value::String(text) => refers(text, name),
        Value::Array(items) => items.iter().any(|item| mentions(item, name)),
        Value::Object(table) => table.values().any(|value| mentions(value, name)),
        _ => false,
    }
}

/// Removes the named tables that refer to `name`, and what refers to those in turn. Lists of columns lose only the
/// columns.
fn forget(scenario: &mut Value, name: &str) {
    let mut names = vec![name.to_owned()];
    while let Some(name) = names.pop() {
        let Some(sections) = scenario.as_object_mut() else {
            return;
        };
        for tables in sections.values_mut().filter_map(Value::as_object_mut) {
            for table in tables.values_mut().filter_map(Value::as_object_mut) {
                if let Some(record) = table.get_mut("record").and_then(Value::as_array_mut) {
                    record.retain(|column| !mentions(column, &name));
                }
            }
            tables.retain(|own, table| {
                let goes = table.is_object() && mentions(table, &name);
                if goes {
                    names.push(own.clone());
                }
                let is_empty_probe = table["record"].as_array().is_some_and(Vec::is_empty);
                !goes && !is_empty_probe
            });
        }
    }
}

/// Makes everything that refers to `from` refer to `to`. Tables that then lead from a node to itself are removed, as are
/// nodes that follow themselves.
fn rename(value: &mut Value, from: &str, to: &str) {
    match value {
        Value::String(text) if refers(text, from) => {
            let parts = text
                .split('.')
                .map(|part| if part == from { to } else { part });
            *text = parts.collect::<Vec<_>>().join(".");
        }
        Value::Array(items) => {
            for item in items.iter_mut() {
                rename(item, from, to);
            }
            items.dedup();
        }
        Value::Object(table) => {
            for value in table.values_mut() {
                rename(value, from, to);
            }
            table.retain(|_, inner| !is_circle(inner));
        }
        _ => {}
    }
}

/// Whether a table leads from a node to itself.
fn is_circle(table: &Value) -> bool {
    let from_to = !table["from"].is_null() && table["from"] == table["to"];
    from_to
        || table["between"]
            .as_array()
            .is_some_and(|ends| ends.len() < 2)
}

/// Simpler values to try in place of `value`, the simplest first. All numbers among them are smaller.
fn simpler(value: &Value) -> Vec<Value> {
    match value {
        Value::String(text) => {
            let Some((number, unit)) = quantity(text) else {
                return Vec::new();
            };
            let smaller = smaller(number).into_iter().map(|number| (number, unit));
            let texts = smaller.chain(in_larger_unit(number, unit));
            texts
                .map(|(number, unit)| json!(format!("{number} {unit}")))
                .collect()
        }
        Value::Number(number) if number.is_u64() => {
            let smaller = smaller(number.as_f64().unwrap_or_default()).into_iter();
            let whole = smaller.filter(|it| it.fract() == 0.0);
            whole.map(|it| json!(it as u64)).collect()
        }
        Value::Number(number) => {
            let smaller = smaller(number.as_f64().unwrap_or_default());
            smaller.into_iter().map(|it| json!(it)).collect()
        }
        Value::Object(table) => quantities(table),
        _ => Vec::new(),
    }
}

/// The same quantity in the next unit, if it is 1000 or more and three digits suffice there.
fn in_larger_unit(number: f64, unit: &str) -> Option<(f64, &str)> {
    const UNITS: [&[&str]; 3] = [
        &["ps", "ns", "us", "ms", "s"],
        &["bit/s", "kbit/s", "Mbit/s", "Gbit/s"],
        &["m", "km"],
    ];
    let next = |units: &&[&'static str]| {
        let at = units.iter().position(|it| *it == unit)?;
        units.get(at + 1).copied()
    };
    let larger = UNITS.iter().find_map(next)?;
    let is_short = number % 10.0_f64.powi(number.max(1.0).log10() as i32 - 2) == 0.0;
    (number >= 1000.0 && is_short).then_some((number / 1000.0, larger))
}

/// The quantities of a table: a rate may replace a process of rates.
fn quantities(table: &Map<String, Value>) -> Vec<Value> {
    let texts = table
        .values()
        .filter(|value| value.as_str().is_some_and(|it| quantity(it).is_some()));
    texts.cloned().collect()
}

/// The number and the unit of a quantity.
fn quantity(text: &str) -> Option<(f64, &str)> {
    let (number, unit) = text.trim().split_once(' ')?;
    let number = number
        .parse()
        .ok()
        .filter(|number: &f64| number.is_finite())?;
    let is_unit = unit.chars().all(|c| c.is_alphabetic() || c == '/');
    (is_unit && !unit.is_empty()).then_some((number, unit))
}

/// Smaller numbers to try in place of a positive one: zero, one, fewer digits, a fraction of it. From one downwards only
/// digits are removed, because very small rates and times show other faults.
fn smaller(number: f64) -> Vec<f64> {
    let digits = |value: f64, digits: i32| {
        if value <= 0.0 {
            return 0.0;
        }
        let grain = 10_f64.powi(value.log10().floor() as i32 - digits + 1);
        let text = format!("{:.6}", (value / grain).floor() * grain);
        text.parse().unwrap_or(0.0)
    };
    let all = [
        0.0,
        1.0,
        digits(number, 1),
        digits(number / 10.0, 1),
        digits(number / 2.0, 1),
        digits(number, 2),
        digits(number / 2.0, 2),
    ];
    let least = if number >= 1.0 {
        1.0
    } else {
        10.0_f64.powf(number.log10().floor()) * (1.0 - 1e-9)
    };
    let fits = |it: &f64| *it < number && (*it == 0.0 || *it >= least);
    all.into_iter().filter(fits).collect()
}

#[cfg(test)]
mod tests;
