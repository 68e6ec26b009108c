//! Twice the times and half the rates.

use celltrain_sim::measure::{Results, Table};
use celltrain_sim::network::{Link, Network};
use celltrain_sim::scenario::{
    DelayProcess, LineRate, RateProcess, Scenario, Service, Source, Traffic,
};
use serde_json::Value;

use super::chance::is_random;
use super::edit::measured;
use super::outcome::{self, Found, Unlike, is_same, numbers};

/// Units of time in ps, and of rate in bit/s.
const TIMES: [(&str, u128); 7] = [
    ("ps", 1),
    ("ns", 1_000),
    ("us", 1_000_000),
    ("ms", 1_000_000_000),
    ("s", 1_000_000_000_000),
    ("min", 60_000_000_000_000),
    ("h", 3_600_000_000_000_000),
];
const RATES: [(&str, f64); 6] = [
    ("bit/s", 1.0),
    ("kbit/s", 1e3),
    ("Mbit/s", 1e6),
    ("Gbit/s", 1e9),
    ("cell/s", 424.0),
    ("cells/s", 424.0),
];
/// Picoseconds per second.
const SECOND: u128 = 1_000_000_000_000;
/// Bits of a cell, and of an octet of a frame.
const CELL: u128 = 424;
const OCTET: u128 = 8;

/// A quantity that is scaled.
#[derive(Clone, Copy)]
enum Scaled {
    Time(f64, &'static str),
    /// In bit/s.
    Rate(f64),
    Distance(f64, &'static str),
}

fn scaled(text: &str) -> Option<Scaled> {
    let (number, unit) = text.trim().split_once(' ')?;
    let number: f64 = number.parse().ok()?;
    let unit = unit.trim();
    if let Some((unit, _)) = TIMES.iter().find(|it| it.0 == unit) {
        return Some(Scaled::Time(number, unit));
    }
    if let Some((_, bits)) = RATES.iter().find(|it| it.0 == unit) {
        return Some(Scaled::Rate(number * bits));
    }
    let unit = ["m", "km"].into_iter().find(|it| *it == unit)?;
    Some(Scaled::Distance(number, unit))
}

/// Multiplies every time and distance by `times` and divides every rate by it, writing rates in bit/s; collects the
/// rates.
fn rewrite(value: &mut Value, times: f64, rates: &mut Vec<f64>) {
    match value {
        Value::String(text) => match scaled(text) {
            Some(Scaled::Time(number, unit) | Scaled::Distance(number, unit)) => {
                *text = format!("{} {unit}", number * times);
            }
            Some(Scaled::Rate(rate)) => {
                rates.push(rate);
                *text = format!("{} bit/s", rate / times);
            }
            None => {}
        },
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| rewrite(item, times, rates)),
        Value::Object(entries) => entries
            .values_mut()
            .for_each(|item| rewrite(item, times, rates)),
        _ => {}
    }
}

/// Whether this number of bits takes a whole number of picoseconds at a rate.
fn is_whole(bits: u128, rate: f64) -> bool {
    rate == 0.0 || (rate.fract() == 0.0 && (bits * SECOND).is_multiple_of(rate as u128))
}

/// Whether a link has nothing with ticks or constants of its own.
fn is_scalable_link(link: &Link) -> bool {
    // A straight line between two delays is rounded to whole picoseconds.
    let is_stepwise = link
        .delay_process
        .as_ref()
        .is_none_or(DelayProcess::is_stepwise);
    is_stepwise
        && link.line.as_ref().is_none_or(|queue| {
            queue.control.is_none()
                && queue.queue_management.is_none()
                && queue.gfc.is_none()
                && matches!(
                    queue.rate,
                    LineRate::Constant(_) | LineRate::Process(RateProcess::List(_))
                )
        })
}

/// Whether arrivals are spaced by rates and times that are quantities.
fn is_scalable_traffic(traffic: &Traffic) -> bool {
    // The cells of a circuit are apart as 376 bits are.
    !matches!(traffic, Traffic::Replay(_) | Traffic::Aal1(_))
}

/// Whether nothing in a network is random, and all durations follow from its quantities. TCP and ABR have constants in
/// seconds; switch algorithms and queue management compute in doubles with weights that are not powers of two; traces
/// have their own milliseconds or seconds; the LANs of hosts have frames of any length.
fn is_scalable(network: &Network) -> bool {
    let mut directions = network.vcs.iter().flat_map(|vc| &vc.directions);
    let mut udp = network.flows.iter().map(|flow| flow.udp.as_ref());
    let mut backgrounds = network.backgrounds.iter();
    !is_random(network)
        && udp.all(|udp| udp.is_some_and(|it| is_scalable_traffic(&it.traffic)))
        && directions.all(|it| !matches!(*it.service, Service::Abr(_)))
        && network.links.iter().all(is_scalable_link)
        && network.hosts.iter().all(|host| host.lan().is_none())
        && backgrounds.all(|it| is_scalable_traffic(&it.group.traffic))
}

/// The rates of packets without TCP, each with the bits of such a packet.
fn packet_rates(network: &Network) -> impl Iterator<Item = (u128, f64)> {
    let udp = network.flows.iter().filter_map(|flow| flow.udp.as_ref());
    udp.flat_map(|udp| {
        let mut rates = Vec::new();
        let mut traffic = serde_json::to_value(&udp.traffic).unwrap_or_default();
        rewrite(&mut traffic, 1.0, &mut rates);
        let bits = 8 * u128::from(udp.packet.0.0);
        rates.into_iter().map(move |rate| (bits, rate))
    })
}

/// The scenario with every default written out.
fn canonical(scenario: &Value) -> Option<Value> {
    let text = scenario.to_string();
    let scenario: Scenario = Source::json(&text, "scenario").read().ok()?;
    serde_json::from_str(&scenario.to_json()).ok()
}

/// Claimed for networks in which nothing is random, without TCP, ABR, switch algorithms, queue management, GFC, traces
/// and LANs of hosts, and in which cells (where links carry frames, octets) at every rate, and packets at the rates of
/// packets, take a whole number of picoseconds. Doubling is exact in doubles, so all numbers are compared bit by bit.
pub(super) fn doubled(scenario: &Value, network: &Network, seed: u64) -> Found {
    let whole = measured(scenario, [network.warm_up.as_ps(), network.end.as_ps()]);
    let Some(whole) = canonical(&whole).filter(|_| is_scalable(network)) else {
        return Ok(false);
    };
    let (mut one, mut twice, mut rates) = (whole.clone(), whole, Vec::new());
    rewrite(&mut one, 1.0, &mut rates);
    rewrite(&mut twice, 2.0, &mut Vec::new());
    let (Some(one), Some(twice)) = (outcome::network(&one), outcome::network(&twice)) else {
        return Ok(false);
    };
    // Frames have any number of octets, which do not become more.
    let mut lines = network.links.iter().filter_map(|link| link.line.as_ref());
    let unit = if lines.any(|line| line.frames.is_some()) {
        OCTET
    } else {
        CELL
    };
    let are_whole = rates.iter().all(|&rate| is_whole(unit, rate))
        && packet_rates(&one).all(|(bits, rate)| is_whole(bits, rate));
    if !are_whole {
        return Ok(false);
    }
    compare(&outcome::run(&one, seed)?, &outcome::run(&twice, seed)?)?;
    Ok(true)
}

fn compare(one: &Results, twice: &Results) -> Result<(), Unlike> {
    let tables =
        |results: &Results| -> Vec<Table> { [&results.tables[..], &results.traces].concat() };
    for (a, b) in tables(one).iter().zip(&tables(twice)) {
        for ((column, unit, xs), (_, _, ys)) in numbers(a).into_iter().zip(numbers(b)) {
            let expected = |x: f64| match unit {
                "s" => 2.0 * x,
                // A source without a rate has the largest possible one.
                "bit/s" if x < f64::MAX => x / 2.0,
                _ => x,
            };
            if xs.len() != ys.len() {
                return Err(Unlike(format!("{} {column}: other rows", a.name)));
            }
            let mut rows = xs.iter().zip(&ys).enumerate();
            if let Some((row, (x, y))) = rows.find(|(_, (x, y))| !is_same(expected(**x), **y)) {
                let (name, expected) = (&a.name, expected(*x));
                return Err(Unlike(format!(
                    "{name} row {row} {column}: {y} at twice the times, not {expected}"
                )));
            }
        }
    }
    Ok(())
}
