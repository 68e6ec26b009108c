//! Values for the keys of the language: each by the shape of its key, within the limits of keys that have any.

use serde_json::{Map, Value, json};

use crate::dice::Dice;
use crate::palette::{self, Palette};
use crate::schema::{Kind, Shape, below};
use crate::traces;

/// Picoseconds per microsecond, millisecond and second.
const US: u64 = 1_000_000;
const MS: u64 = 1_000 * US;
const S: u64 = 1_000 * MS;

/// Keys of times that must be at least 1 us.
const FROM_US: [&str; 12] = [
    "coherence",
    "on",
    "off",
    "period",
    "mean",
    "mean_good",
    "mean_bad",
    "interval",
    "t0",
    "target",
    "update",
    "max",
];

/// The state from which the values of one network are drawn.
#[derive(Clone, Debug)]
pub struct Painter {
    /// Its random choices.
    pub dice: Dice,
    /// The quantities that recur.
    pub palette: Palette,
    /// Keys and values that this network must have, as paths.
    pub musts: Vec<String>,
    /// Determines which other keys the network has at all, and how often.
    salt: u64,
    density: f64,
}

impl Painter {
    /// For a network that must have `musts`, and about a fraction `density` of all other keys.
    pub fn new(mut dice: Dice, palette: Palette, musts: Vec<String>, density: f64) -> Self {
        let salt = dice.below(1 << 50) as u64;
        Self {
            dice,
            palette,
            musts,
            salt,
            density,
        }
    }

    /// Whether this network must have the key at `path`, or something in it.
    pub fn must(&self, path: &str) -> bool {
        let inside = |rest: &str| rest.is_empty() || rest.starts_with(['.', '{', ' ']);
        let leads = |must: &String| must.strip_prefix(path).is_some_and(inside);
        self.musts.iter().any(leads)
    }

    /// A number on [0, 1) that depends only on `path` and this network.
    fn fixed(&self, path: &str) -> f64 {
        let octets = self.salt.to_le_bytes().into_iter().chain(path.bytes());
        let word = octets.fold(0xcbf2_9ce4_8422_2325_u64, |hash, octet| {
            (hash ^ u64::from(octet)).wrapping_mul(0x0100_0000_01b3)
        });
        let mixed = (word ^ (word >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Whether to include an optional key of `shape`. Each network has some keys often and most not at all; large tables
    /// and tables with many names are included more often than small ones.
    pub fn includes(&mut self, shape: &Shape, path: &str) -> bool {
        if self.must(path) {
            return self.dice.chance(0.8);
        }
        let weight = match shape {
            Shape::Table(_) | Shape::OneOf(_) => 1.0 + shape.size().min(60) as f64 / 6.0,
            Shape::Names(names) => names.len() as f64 / 2.0,
            _ => 1.0,
        };
        let density = 1.0 - (1.0 - self.density).powf(weight);
        let place = self.fixed(path);
        let often = 0.3 + 0.7 * (1.0 - place / density);
        place < density && self.dice.chance(often)
    }

    /// Fills a table of `shape` at `path`, in addition to what `table` has already; `skip` lists keys to leave out.
    pub fn fill(
        &mut self,
        shape: &Shape,
        path: &str,
        table: &mut Map<String, Value>,
        skip: &[&str],
    ) {
        let Shape::Table(keys) = shape else { return };
        for key in keys {
            let path = below(path, &key.name);
            let known = table.contains_key(&key.name) || skip.contains(&key.name.as_str());
            if known || !(key.required || self.includes(&key.shape, &path)) {
                continue;
            }
            let value = self.value(&key.shape, &path);
            if !value.is_null() {
                table.insert(key.name.clone(), value);
            }
        }
    }

    /// A value of `shape` for the key at `path`; null if it depends on the network around it.
    pub fn value(&mut self, shape: &Shape, path: &str) -> Value {
        match shape {
            Shape::Table(_) => {
                let mut table = Map::new();
                self.fill(shape, path, &mut table, &[]);
                Value::Object(table)
            }
            Shape::OneOf(shapes) => {
                let shape = self.variant(shapes, path);
                self.value(shape, &shape.variant_path(path))
            }
            Shape::Names(names) => json!(self.name(names, path)),
            Shape::Quantity(kind) => json!(self.quantity(*kind, path)),
            Shape::Fraction => self.fraction(path),
            Shape::Number => json!(self.number(path)),
            Shape::Whole => json!(self.whole(path)),
            Shape::Truth => json!(self.truth(path)),
            Shape::List(item, fixed) => self.list(item, *fixed, path),
            Shape::Text if last(path) == "trace" => {
                let horizon_ms = self.palette.horizon / MS;
                json!(if path.contains("schedule") {
                    traces::recording(&mut self.dice, &self.palette)
                } else if path.contains("mahimahi") {
                    traces::opportunities(&mut self.dice, horizon_ms)
                } else {
                    traces::arrivals(&mut self.dice, horizon_ms)
                })
            }
            Shape::Text | Shape::Map(_) => Value::Null,
        }
    }

    fn variant<'a>(&mut self, shapes: &'a [Shape], path: &str) -> &'a Shape {
        let is_wanted = |shape: &&Shape| {
            if let Shape::Names(names) = shape {
                return names
                    .iter()
                    .any(|it| self.must(&format!("{path} = \"{it}\"")));
            }
            let inner = shape.variant_path(path);
            inner != path && self.must(&inner)
        };
        let wanted: Vec<&Shape> = shapes.iter().filter(is_wanted).collect();
        if !wanted.is_empty() && self.dice.chance(0.6) {
            return wanted[self.dice.below(wanted.len())];
        }
        // A rate is mostly a constant, and a start mostly a single instant.
        let plain = shapes.iter().find(|shape| shape.tag().is_none());
        if let Some(plain) = plain.filter(|_| !self.must(path) && self.dice.chance(0.8)) {
            return plain;
        }
        let favourite = (self.fixed(path) * 1e6) as usize % shapes.len();
        let index = self.dice.below(shapes.len());
        &shapes[if self.dice.chance(0.4) {
            favourite
        } else {
            index
        }]
    }

    fn name(&mut self, names: &[String], path: &str) -> String {
        let is_wanted = |name: &&String| self.must(&format!("{path} = \"{name}\""));
        let wanted: Vec<&String> = names.iter().filter(is_wanted).collect();
        if !wanted.is_empty() && self.dice.chance(0.8) {
            return (*self.dice.pick(&wanted)).clone();
        }
        let favourite = (self.fixed(path) * 1e6) as usize % names.len();
        let index = self.dice.below(names.len());
        names[if self.dice.chance(0.4) {
            favourite
        } else {
            index
        }]
        .clone()
    }

    fn truth(&mut self, path: &str) -> bool {
        let [yes, no] = [true, false].map(|truth| self.must(&format!("{path} = {truth}")));
        self.dice.chance(if yes == no {
            0.5
        } else if yes {
            0.9
        } else {
            0.1
        })
    }

    fn list(&mut self, item: &Shape, fixed: Option<usize>, path: &str) -> Value {
        if *item == Shape::Text {
            return Value::Null;
        }
        let length = fixed.unwrap_or_else(|| self.dice.weighted(&[0, 4, 5, 3, 1]));
        let mut items: Vec<Value> = (0..length).map(|_| self.value(item, path)).collect();
        match last(path) {
            "rates" => self.rising(&mut items, "rate", "0 bit/s"),
            "delays" => self.rising(&mut items, "delay", "0 s"),
            "probabilities" => self.rising(&mut items, "probability", "0/1"),
            _ => {}
        }
        let time = |it: &Value| it.as_str().and_then(|it| palette::value(Kind::Time, it));
        if fixed == Some(2) {
            items.sort_by_key(time);
        }
        Value::Array(items)
    }

    /// Values of `key` with increasing instants, the first at 0, some of them `zero`.
    fn rising(&mut self, items: &mut [Value], key: &str, zero: &str) {
        let mut at = 0;
        for (index, item) in items.iter_mut().enumerate() {
            if index > 0 {
                at += self
                    .palette
                    .time(&mut self.dice, US, self.palette.horizon.max(US));
            }
            item["at"] = json!(palette::text(Kind::Time, at));
            if self.dice.chance(0.2) {
                item[key] = json!(zero);
            }
        }
    }

    /// The minimum and maximum of a time, in ps.
    fn bounds(&mut self, path: &str) -> (u64, u64) {
        let horizon = self.palette.horizon;
        let name = last(path);
        // Periodic events occur some thousand times in a run, and rarely more often.
        let often = if self.dice.chance(0.03) {
            US
        } else {
            (horizon / 5_000).max(US)
        };
        match name {
            "timer_granularity" | "ack_timer" => ((horizon / 50_000).clamp(10 * US, S), S),
            "period" | "mean_on" | "mean_off" | "outage" if is_adsl(path) => (S, 4 * S),
            "outage" => (0, (horizon / 20).max(1)),
            "every" if path.contains("{impulse}") => (MS, horizon.max(2 * MS)),
            "bin" => (MS, horizon.max(MS)),
            "uniform" if path.contains("processing") => (0, S),
            "every" | "on" | "off" | "interval" | "update" | "tupdate" | "perturb" | "period"
            | "repeat" | "averaging_interval" | "smoothing_interval" | "trm" | "shortest_gap"
            | "longest_gap" | "burst" | "gap" => (often, horizon.max(often)),
            "mean" | "mean_good" | "mean_bad" if !path.contains("_processing") => {
                (often, horizon.max(often))
            }
            "duration" | "timeout" => (1, horizon),
            name if FROM_US.contains(&name) => (US, horizon.max(US)),
            _ => (0, horizon),
        }
    }

    fn quantity(&mut self, kind: Kind, path: &str) -> String {
        let name = last(path);
        if let Some(extreme) = self.palette.extreme(&mut self.dice, kind) {
            // Periodic events must not occur too often.
            let least = if kind == Kind::Time {
                self.bounds(path).0
            } else {
                0
            };
            return palette::text(kind, extreme.max(least));
        }
        let value = match kind {
            Kind::Time => {
                let (least, most) = self.bounds(path);
                self.palette.time(&mut self.dice, least, most)
            }
            Kind::Rate => {
                let may_stop = matches!(name, "bad" | "mcr") || path.contains(".states");
                if may_stop && self.dice.chance(0.25) {
                    0
                } else if self.dice.chance(0.06) {
                    let rate = self.palette.rate(&mut self.dice);
                    // Not a whole number of bits per second, or of cells.
                    return if self.dice.chance(0.5) {
                        format!("{} cells/s", rate.div_ceil(424))
                    } else {
                        format!("{:.5} kbit/s", (rate as f64 / 3e3).max(0.001))
                    };
                } else {
                    self.palette.rate(&mut self.dice)
                }
            }
            Kind::Cells | Kind::Packets => self.palette.cells(&mut self.dice),
            Kind::Octets if name == "mtu" => self.dice.log_uniform(68.0, 65_535.0) as u64,
            Kind::Octets => self.palette.octets(&mut self.dice),
            Kind::Distance if is_adsl(path) => self.dice.whole(0, 50) * 100,
            Kind::Distance => self.palette.metres(&mut self.dice),
        };
        palette::text(kind, value)
    }

    fn fraction(&mut self, path: &str) -> Value {
        let dice = &mut self.dice;
        match last(path) {
            "a" | "b" | "k" | "eru" => json!(1.0 + round(dice.log_uniform(1e-3, 10.0))),
            // Segments.
            "alpha" | "beta" | "gamma" if path.contains("{vegas}") => {
                json!(round(dice.log_uniform(0.5, 50.0)))
            }
            "codeword_symbols" => json!(*dice.pick(&[0.5, 1.0, 2.0, 7.442])),
            "utilization_factor" | "weight"
                if path.starts_with("vcs") || path.contains("factor") =>
            {
                json!(round(dice.log_uniform(0.05, 20.0)))
            }
            "loss_ratio" => json!(round(dice.log_uniform(1e-9, 0.1))),
            "probability" | "good_to_bad" | "loss_good" if dice.chance(0.8) => {
                json!(round(dice.log_uniform(1e-5, 0.1)))
            }
            _ => match dice.weighted(&[2, 4, 6, 8, 1]) {
                0 => json!(0.0),
                1 => json!(1.0),
                4 => json!(dice.pick(&[1e-9, 1e-300, 0.999_999_999, 1e6])),
                2 => json!(format!(
                    "{}/{}",
                    dice.whole(1, 2),
                    1 << dice.below(16).max(1)
                )),
                _ => json!(round(dice.unit())),
            },
        }
    }

    fn number(&mut self, path: &str) -> f64 {
        let dice = &mut self.dice;
        round(match last(path) {
            "noise_dbm_per_hz" if dice.chance(0.1) => -(dice.whole(0, 200) as f64),
            "noise_dbm_per_hz" => -(dice.whole(95, 160) as f64),
            "coding_gain_db" => dice.unit() * 12.0,
            "rise_db" | "amplitude_db" => dice.unit() * 40.0,
            "shape" => dice.log_uniform(0.1, 10.0),
            "efficiency" => 0.01 + 0.99 * dice.unit(),
            "lowest_snr_db" => -30.0 * dice.unit(),
            "cells" => 1e8 * dice.log_uniform(1.0, 1e4),
            "memory_mib" => dice.log_uniform(16.0, 8192.0),
            "trace_rows" => dice.log_uniform(1e5, 1e9),
            _ => dice.log_uniform(0.1, 30.0),
        })
    }

    fn whole(&mut self, path: &str) -> u64 {
        let dice = &mut self.dice;
        match last(path) {
            "per_vc" => dice.log_uniform(1.0, 8.0) as u64,
            "nrm" if dice.chance(0.6) => 1 << dice.whole(1, 8),
            "nrm" => dice.whole(2, 256),
            "rto_gain" => *dice.pick(&[2, 4]),
            "window_scale" => dice.whole(0, 14),
            // G.lite has 0, 4 or 8.
            "parity" if dice.chance(0.5) => 4 * dice.whole(0, 2),
            "parity" => 2 * dice.whole(0, 8),
            "disturbers" => dice.whole(0, 49),
            "depth" => 1 << dice.whole(0, 6),
            "symbols" if path.contains("interleaving") => 1 << dice.whole(0, 2),
            "symbol_rate_kbaud" => *dice.pick(&[17, 136, 340, 680, 952, 1_088]),
            "parts" if dice.chance(0.05) => *dice.pick(&[97, 1_000, 10_000]),
            "parts" => dice.whole(1, 12),
            "host_queue_segments" if dice.chance(0.1) => *dice.pick(&[1 << 31, (1 << 32) - 1]),
            "host_queue_segments" => dice.log_uniform(1.0, 40.0) as u64,
            _ => dice.log_uniform(1.0, 200.0) as u64,
        }
    }
}

/// Whether a key is one of an ADSL line.
fn is_adsl(path: &str) -> bool {
    path.contains("{dmt}") || path.contains("{cap}")
}

/// The last key of a path.
pub fn last(path: &str) -> &str {
    let key = path.rsplit('.').next().unwrap_or(path);
    key.split('{').next().unwrap_or(key)
}

/// Rounds to four significant digits.
fn round(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}
