//! Recordings that the rate, the delay and the loss of a link follow together.

use std::fmt::Write;

use serde_json::Value;

use super::lines;
use super::pen::Pen;
use super::rated::Rated;
use super::units::{MS, SECOND, Table, US, put};

/// The key of a link, and what it says of the link.
#[derive(Clone, Default, Debug)]
pub(super) struct Recording {
    /// The key `schedule`.
    pub(super) schedule: Table,
    pub(super) has_delay: bool,
    pub(super) has_loss: bool,
    /// The rates, of a line that has them there.
    pub(super) rated: Option<Rated>,
}

/// Draws a recording of a link, which has a rate or not.
pub(super) fn draw(pen: &mut Pen, is_rated: bool) -> Recording {
    let has_rate = is_rated && pen.chance(0.7);
    let has_loss = pen.chance(0.4);
    let has_delay = pen.chance(0.7) || !(has_rate || has_loss);
    let times = lines::instants(pen);
    let (time_name, time_unit) = pen.pick(&[("time_s", SECOND), ("time_ms", MS), ("time_us", US)]);
    let (delay_name, delay_unit) =
        pen.pick(&[("delay_s", SECOND), ("delay_ms", MS), ("delay_us", US)]);
    let names = [
        (true, time_name),
        (has_rate, "rate_bps"),
        (has_delay, delay_name),
        (has_loss, "loss"),
    ];
    let names = names.into_iter().filter(|it| it.0).map(|it| it.1);
    let mut trace = names.collect::<Vec<_>>().join(",") + "\n";
    let usual = pen.bps();
    let mut floor = usual;
    for (number, &at) in times.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(trace, "{}", at as f64 / time_unit as f64);
        if has_rate {
            let is_outage = number > 0 && pen.chance(0.3);
            let rate = if is_outage { 0 } else { pen.bps().max(1) };
            floor = floor.min(rate);
            let _ = write!(trace, ",{rate}");
        }
        if has_delay {
            let _ = write!(trace, ",{}", pen.delay() as f64 / delay_unit as f64);
        }
        if has_loss {
            let _ = write!(trace, ",{}", pen.pick(&[0.0, 1e-3, 0.05, 0.3, 1.0]));
        }
        trace.push('\n');
    }
    let mut value = Table::new();
    put(&mut value, "process", "csv");
    put(&mut value, "trace", trace);
    lines::repeat(pen, &mut value, &times);
    if pen.chance(0.4) {
        put(&mut value, "interpolation", "linear");
    }
    let mut schedule = Table::new();
    put(&mut schedule, "schedule", value);
    Recording {
        schedule,
        has_delay,
        has_loss,
        rated: has_rate.then(|| Rated::new(Value::Null, usual, floor)),
    }
}
