//! Rates and delays of lines without wires: hand-overs, fading, bursts.

use serde_json::Value;

use super::pen::Pen;
use super::rated::Rated;
use super::units::{self, Table, US, put};

/// A new rate at each hand-over.
pub(super) fn hand_over(pen: &mut Pen, usual: u64) -> Rated {
    let low = (usual / pen.dice.between(1, 10)).max(1);
    let mut value = Table::new();
    put(&mut value, "process", "hand-over");
    put(&mut value, "low", units::rate(low));
    let above = if pen.chance(0.1) {
        0
    } else {
        pen.dice.below(usual)
    };
    put(&mut value, "high", units::rate(usual + above));
    let every = pen.span(1000, US);
    put(&mut value, "every", units::time(every));
    let has_outage = pen.chance(0.5);
    if has_outage {
        put(
            &mut value,
            "outage",
            units::time(every / pen.dice.between(2, 50)),
        );
    }
    Rated::new(
        Value::Object(value),
        usual,
        if has_outage { 0 } else { low },
    )
}

/// A rate that follows a fading signal.
pub(super) fn fading(pen: &mut Pen, usual: u64) -> Rated {
    let mut value = Table::new();
    put(&mut value, "process", "fading");
    // At the mean ratio of about 6 dB a hertz has more than one bit per second.
    put(
        &mut value,
        "bandwidth_mhz",
        (usual as f64 / 1.4e6).clamp(0.001, 10_000.0),
    );
    put(&mut value, "snr_db", pen.pick(&[6.0, 0.0, 5.5, 20.0, -8.0]));
    put(&mut value, "deviation_db", pen.pick(&[0.0, 1.0, 4.0, 10.0]));
    put(&mut value, "coherence", units::time(pen.span(500, US)));
    if pen.chance(0.8) {
        put(&mut value, "every", units::time(pen.span(1000, US)));
    }
    if pen.chance(0.4) {
        put(&mut value, "efficiency", pen.pick(&[0.4, 1.0, 0.75]));
    }
    if pen.chance(0.4) {
        put(&mut value, "lowest_snr_db", pen.pick(&[-30.0, -8.0]));
    }
    if pen.chance(0.4) {
        put(&mut value, "highest_snr_db", pen.pick(&[15.0, 30.0]));
    }
    Rated::new(Value::Object(value), usual, 0)
}

/// Bursts with gaps between them.
pub(super) fn bursts(pen: &mut Pen, usual: u64) -> Rated {
    let mut value = Table::new();
    put(&mut value, "process", "bursts");
    put(&mut value, "rate", units::rate(usual.max(1)));
    let (burst, gap) = (pen.span(2000, US), pen.span(2000, US));
    put(&mut value, "burst", units::time(burst));
    put(&mut value, "gap", units::time(gap));
    if pen.chance(0.6) {
        put(
            &mut value,
            "gaps",
            pen.pick(&["exponential", "exponential", "fixed"]),
        );
    }
    Rated::new(Value::Object(value), usual, 0)
}

/// A delay that is added anew at each hand-over, up to `max`.
pub(super) fn added(pen: &mut Pen, max: u64) -> Value {
    let mut value = Table::new();
    put(&mut value, "process", "hand-over");
    put(&mut value, "max", units::time(max));
    put(&mut value, "every", units::time(pen.span(1000, US)));
    if pen.chance(0.5) {
        put(&mut value, "each", units::time(pen.span(200, 1)));
    }
    Value::Object(value)
}
