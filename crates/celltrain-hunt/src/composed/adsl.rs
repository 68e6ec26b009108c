//! ADSL lines.

use serde_json::{Value, json};

use super::pen::Pen;
use super::rated::Rated;
use super::units::{self, SECOND, Table, put};

const BANDS: [&str; 6] = [
    "adsl-down",
    "adsl-up",
    "adsl2plus-down",
    "adsl2plus-up",
    "g-lite-down",
    "g-lite-up",
];

/// A DSL line; its lowest rate is zero while it retrains.
pub(super) fn line(pen: &mut Pen) -> Rated {
    let mut line = Table::new();
    if pen.chance(0.3) {
        cap(pen, &mut line);
    } else {
        dmt(pen, &mut line);
    }
    let metres = pen.pick(&[10, 500, 1000, 2000]);
    put(&mut line, "length", format!("{metres} m"));
    if pen.chance(0.3) {
        put(&mut line, "wire", pen.pick(&["22-awg", "24-awg", "26-awg"]));
    }
    if pen.chance(0.3) {
        put(&mut line, "noise_dbm_per_hz", pen.number(-160.0, -110.0));
    }
    if pen.chance(0.3) {
        put(&mut line, "disturbers", pen.dice.below(50));
    }
    if pen.chance(0.2) {
        put(&mut line, "target_margin_db", pen.number(0.0, 12.0));
        put(&mut line, "coding_gain_db", pen.number(0.0, 6.0));
    }
    changes(pen, &mut line);
    Rated::new(Value::Object(line), 1_000_000, 0)
}

/// What changes the rate of the line: noise, adaptation and retrains.
fn changes(pen: &mut Pen, line: &mut Table) {
    if pen.chance(0.4) {
        let noises: Vec<Value> = (0..pen.dice.between(1, 2))
            .map(|_| {
                let (on, off) = (seconds(pen, 1, 5), seconds(pen, 1, 5));
                json!({"rise_db": pen.number(0.0, 40.0), "mean_on": on, "mean_off": off})
            })
            .collect();
        put(line, "neighbours", noises);
    }
    if pen.chance(0.3) {
        let (up, down) = (seconds(pen, 1, 3), seconds(pen, 1, 3));
        let (high, low) = (pen.number(7.0, 10.0), pen.number(0.0, 5.0));
        let adaptation =
            json!({"up_time": up, "down_time": down, "up_margin_db": high, "down_margin_db": low});
        put(line, "adaptation", adaptation);
    }
    if pen.chance(0.4) {
        let (after, outage) = (seconds(pen, 0, 2), seconds(pen, 1, 3));
        let margin = pen.number(0.0, 5.0);
        put(
            line,
            "retrain",
            json!({"min_margin_db": margin, "after": after, "outage": outage}),
        );
    }
}

fn seconds(pen: &mut Pen, least: u64, most: u64) -> Value {
    units::time(pen.dice.between(least, most) * SECOND)
}

fn cap(pen: &mut Pen, line: &mut Table) {
    put(line, "process", "cap");
    put(line, "direction", pen.pick(&["down", "up"]));
    if pen.chance(0.3) {
        put(line, "parity", pen.pick(&[0, 2, 16]));
    }
    put(
        line,
        "symbol_rate_kbaud",
        pen.pick(&[17, 136, 340, 680, 952]),
    );
}

fn dmt(pen: &mut Pen, line: &mut Table) {
    put(line, "process", "dmt");
    let band = pen.pick(&BANDS);
    put(line, "band", band);
    // Codewords of G.lite have at most 8 octets of parity.
    if band.starts_with("g-lite") {
        put(line, "parity", pen.pick(&[0, 4, 8]));
    } else if pen.chance(0.3) {
        put(line, "parity", pen.pick(&[0, 2, 4, 8, 16]));
    }
    if pen.chance(0.3) {
        let mut interleaving = json!({"depth": pen.pick(&[1, 2, 8, 16])});
        // A symbol of ADSL2+ has as many codewords as it needs.
        let is_plus = band.starts_with("adsl2plus");
        if !is_plus && pen.chance(0.5) {
            interleaving["symbols"] = Value::from(pen.pick(&[1, 1, 2]));
        }
        put(line, "interleaving", interleaving);
    }
    if pen.chance(0.25) {
        let disturbers = pen.dice.between(1, 49);
        let maps = pen.pick(&["dual", "fext", "single"]);
        put(
            line,
            "tcm_isdn",
            json!({"disturbers": disturbers, "bit_maps": maps}),
        );
    }
    if pen.chance(0.2) {
        let period = units::time(pen.dice.between(1, 30) * SECOND);
        put(
            line,
            "drift",
            json!({"amplitude_db": pen.number(0.0, 12.0), "period": period}),
        );
    }
}
