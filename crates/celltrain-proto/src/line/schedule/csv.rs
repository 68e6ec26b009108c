//! A recording in CSV: a header that names quantities and their units, and a row for each instant at which one changes.
//!
//! Fields are separated by commas and not quoted (RFC 4180 otherwise); lines that begin with `#` are comments.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::lists::Lists;
use crate::line::delay::{DelayListParameters, DelayParameters, DelayStep, Interpolation};
use crate::line::loss::{self, LossListParameters, LossStep};
use crate::line::rate::{ListParameters, RateParameters, RateStep};
use crate::parameters::Problem;
use crate::units::{Rate, Span};

/// The maximum number of rows.
const MOST_ROWS: usize = 10_000_000;
/// The largest values: 100 days, the highest rate of a line, the longest delay of a link, all cells.
const MOST: [f64; 4] = [8_640_000.0, 4e14, 3_600.0, 1.0];
/// The number of characters of a faulty field shown in a message.
const SHOWN: usize = 40;

/// A quantity of which a recording can have a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Quantity {
    Time,
    Rate,
    Delay,
    Loss,
}

impl Quantity {
    /// Whether a value in s, bit/s or as a fraction may be in a recording.
    fn allows(self, value: f64) -> bool {
        let is_slow = self == Self::Rate && value > 0.0 && value < 1.0;
        (0.0..=MOST[self as usize]).contains(&value) && !is_slow
    }

    /// The allowed values in a unit, in words.
    fn range(self, unit: f64) -> String {
        match self {
            Self::Rate => "0, or 1 bit/s to 400,000 Gbit/s".into(),
            _ => format!("0 to {}", MOST[self as usize] / unit),
        }
    }
}

/// A name of a column: its quantity, its unit in s or bit/s, and the unit in words.
const NAMES: [(&str, Quantity, f64, &str); 12] = [
    ("time_s", Quantity::Time, 1.0, "a time in s"),
    ("time_ms", Quantity::Time, 1e-3, "a time in ms"),
    ("time_us", Quantity::Time, 1e-6, "a time in us"),
    ("rate_bps", Quantity::Rate, 1.0, "a rate in bit/s"),
    ("rate_kbps", Quantity::Rate, 1e3, "a rate in kbit/s"),
    ("rate_mbps", Quantity::Rate, 1e6, "a rate in Mbit/s"),
    ("rate_gbps", Quantity::Rate, 1e9, "a rate in Gbit/s"),
    ("delay_s", Quantity::Delay, 1.0, "a delay in s"),
    ("delay_ms", Quantity::Delay, 1e-3, "a delay in ms"),
    ("delay_us", Quantity::Delay, 1e-6, "a delay in us"),
    ("loss", Quantity::Loss, 1.0, "a fraction of cells"),
    ("loss_percent", Quantity::Loss, 0.01, "a loss in per cent"),
];

parameters! {
    /// The parameters of a recording in CSV.
    #[derive(Clone, PartialEq, Debug)]
    pub struct CsvParameters {
        /// The header and the rows themselves; to read them from a file, use `file = "..."`. Allowed: at most ten
        /// million rows.
        pub trace: String;
        /// The recording repeats after this time. Allowed: after the last row.
        pub repeat: Option<Span>;
        /// The delay between two rows; rate and loss hold until the next row.
        pub interpolation: Interpolation = Interpolation::Steps;
    }
    |it| it.lists().map(|_| ())
}

/// Why text is not a recording. Lines and columns count from 1.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}, column {column}: {what}")]
pub struct ColumnError {
    /// The line's number.
    pub line: usize,
    /// The number of the field in the line.
    pub column: usize,
    /// What is wrong with it.
    pub what: String,
}

/// A column: its quantity, its unit, and the unit in words.
type Column = (Quantity, f64, &'static str);
/// The values of a row in s, bit/s, s and as a fraction, by quantity.
type Row = [f64; 4];

/// The columns and the rows of a recording.
struct Recording {
    columns: Vec<Column>,
    rows: Vec<Row>,
}

impl CsvParameters {
    pub(super) fn lists(&self) -> Result<Lists, Problem> {
        let of_trace = |error: ColumnError| Problem {
            key: "trace".into(),
            message: error.to_string(),
        };
        let recording = Recording::parse(&self.trace, MOST_ROWS).map_err(of_trace)?;
        let lists = recording.lists(self.repeat, self.interpolation);
        lists.check()?;
        Ok(lists)
    }
}

impl Recording {
    fn parse(text: &str, most: usize) -> Result<Self, ColumnError> {
        let lines = (1..).zip(text.lines());
        let mut lines = lines.filter(|(_, line)| !line.starts_with('#'));
        let at = |line, column, what: String| ColumnError { line, column, what };
        let Some((line, header)) = lines.next() else {
            let what = "nothing; expected a header such as time_s,rate_mbps,delay_ms,loss";
            return Err(at(1, 1, what.into()));
        };
        let columns = columns(header).map_err(|(column, what)| at(line, column, what))?;
        let mut rows: Vec<Row> = Vec::new();
        for (line, text) in lines {
            if rows.len() == most {
                let what = format!("expected the end of the recording, of at most {most} rows");
                return Err(at(line, 1, what));
            }
            let before = rows.last().map(|row| row[Quantity::Time as usize]);
            let row =
                row(text, &columns, before).map_err(|(column, what)| at(line, column, what))?;
            rows.push(row);
        }
        if rows.is_empty() {
            return Err(at(line + 1, 1, "nothing; expected a row at time 0".into()));
        }
        Ok(Self { columns, rows })
    }

    fn lists(&self, repeat: Option<Span>, interpolation: Interpolation) -> Lists {
        let steps = |quantity| {
            let is_there = self.columns.iter().any(|column| column.0 == quantity);
            let rows = self.rows.iter().map(move |row| {
                let at = Span::from_secs_f64(row[Quantity::Time as usize]);
                (at, row[quantity as usize])
            });
            is_there.then_some(rows)
        };
        let rate = steps(Quantity::Rate).map(|rows| {
            let rates = rows.map(|(at, bps)| RateStep {
                at,
                rate: Rate::bps(bps),
            });
            RateParameters::List(ListParameters {
                rates: rates.collect(),
                repeat,
            })
        });
        let delay = steps(Quantity::Delay).map(|rows| {
            let delays = rows.map(|(at, seconds)| DelayStep {
                at,
                delay: Span::from_secs_f64(seconds),
            });
            DelayParameters::List(DelayListParameters {
                delays: delays.collect(),
                repeat,
                interpolation,
            })
        });
        let loss = steps(Quantity::Loss).map(|rows| {
            let probabilities = rows.map(|(at, probability)| LossStep { at, probability });
            loss::Parameters::List(LossListParameters {
                probabilities: probabilities.collect(),
                repeat,
            })
        });
        Lists { rate, delay, loss }
    }
}

/// What is wrong with a field, whose number comes first.
type FieldError = (usize, String);

/// The columns that a header names.
fn columns(header: &str) -> Result<Vec<Column>, FieldError> {
    let mut columns: Vec<Column> = Vec::new();
    for (column, name) in (1..).zip(header.split(',')) {
        let name = name.trim();
        let known = NAMES.iter().find(|known| known.0 == name);
        let Some(&(_, quantity, unit, words)) = known else {
            return Err((column, unknown(name)));
        };
        if columns.iter().any(|column| column.0 == quantity) {
            let what = format!("\"{name}\" is a second column of the same quantity");
            return Err((column, what));
        }
        columns.push((quantity, unit, words));
    }
    let [has_time, has_more] = [true, false].map(|is_time| {
        let mut of = columns.iter().map(|column| column.0 == Quantity::Time);
        of.any(|it| it == is_time)
    });
    if !has_time {
        return Err((1, "expected a column time_s, time_ms or time_us".into()));
    }
    if !has_more {
        return Err((
            1,
            "expected a column of a rate, a delay or a loss beside the time".into(),
        ));
    }
    Ok(columns)
}

/// What is wrong with a name that no column has.
fn unknown(name: &str) -> String {
    let with_units = NAMES.iter().filter(|known| {
        known
            .0
            .strip_prefix(name)
            .is_some_and(|rest| rest.starts_with('_'))
    });
    let with_units: Vec<&str> = with_units.map(|known| known.0).collect();
    let shown: String = name.chars().take(SHOWN).collect();
    if with_units.is_empty() {
        let all: Vec<&str> = NAMES.iter().map(|known| known.0).collect();
        return format!(
            "unknown column \"{shown}\"; expected one of {}",
            all.join(", ")
        );
    }
    format!(
        "\"{shown}\" has no unit; expected one of {}",
        with_units.join(", ")
    )
}

/// The values of a line; `before` is the time of the row before it.
fn row(line: &str, columns: &[Column], before: Option<f64>) -> Result<Row, FieldError> {
    let mut row = [0.0; 4];
    let mut fields = line.split(',');
    for (column, &(quantity, unit, words)) in (1..).zip(columns) {
        let text = fields.next().unwrap_or_default().trim();
        let shown: String = text.chars().take(SHOWN).collect();
        if text.is_empty() {
            return Err((column, format!("nothing; expected {words}")));
        }
        let value = text.parse::<f64>().ok().map(|value| value * unit);
        let Some(value) = value.filter(|value| quantity.allows(*value)) else {
            let range = quantity.range(unit);
            return Err((column, format!("\"{shown}\"; expected {words}, {range}")));
        };
        if quantity == Quantity::Time {
            check_time(value, before, &shown).map_err(|what| (column, what))?;
        }
        row[quantity as usize] = value;
    }
    match fields.next() {
        Some(_) => Err((
            columns.len() + 1,
            format!(
                "expected the end of the line, after {} fields",
                columns.len()
            ),
        )),
        None => Ok(row),
    }
}

fn check_time(time: f64, before: Option<f64>, shown: &str) -> Result<(), String> {
    match before {
        None if time > 0.0 => Err(format!(
            "\"{shown}\"; expected 0, the start of the recording"
        )),
        Some(before) if Span::from_secs_f64(time) <= Span::from_secs_f64(before) => Err(format!(
            "\"{shown}\"; expected a time after that of the row before it"
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn csv(trace: &str) -> CsvParameters {
        CsvParameters {
            trace: trace.into(),
            repeat: Some(Span::from_secs(9)),
            interpolation: Interpolation::Linear,
        }
    }

    #[test]
    fn a_row_gives_what_its_columns_say_in_their_units() {
        let lists = csv(
            "# a comment\ntime_ms,rate_kbps,delay_us,loss_percent\n0,512,20000,0\n1.5e3,0,7.25,25\n",
        );
        let lists = lists.lists().unwrap();
        let RateParameters::List(rate) = lists.rate.unwrap() else {
            panic!("not a list");
        };
        let expected = [(0, 512_000.0), (1_500, 0.0)].map(|(at, bps)| RateStep {
            at: Span::from_ms(at),
            rate: Rate::bps(bps),
        });
        assert_eq!(rate.rates, expected);
        assert_eq!(rate.repeat, Some(Span::from_secs(9)));
        let DelayParameters::List(delay) = lists.delay.unwrap();
        assert_eq!(delay.interpolation, Interpolation::Linear);
        assert_eq!(delay.delays[0].delay, Span::from_ms(20));
        assert_eq!(delay.delays[1].delay, Span::from_ps(7_250_000));
        let Some(loss::Parameters::List(loss)) = lists.loss else {
            panic!("not a list");
        };
        assert_eq!(loss.probabilities[1].probability, 0.25);
    }

    #[test]
    fn what_has_no_column_is_absent() {
        let lists = csv("delay_ms, time_s\n20, 0\n30, 1\n").lists().unwrap();
        assert!(lists.rate.is_none() && lists.loss.is_none());
        assert!(lists.delay.is_some());
    }

    #[test]
    fn what_is_wrong_is_told_with_line_and_column() {
        for (trace, message) in [
            (
                "",
                "line 1, column 1: nothing; expected a header such as time_s,rate_mbps,delay_ms,loss",
            ),
            (
                "time_s,delay_ms\n",
                "line 2, column 1: nothing; expected a row at time 0",
            ),
            (
                "time_s,delay\n0,1\n",
                "line 1, column 2: \"delay\" has no unit; expected one of delay_s, delay_ms, delay_us",
            ),
            (
                "time_s,lost\n0,1\n",
                "line 1, column 2: unknown column \"lost\"; expected one of time_s, time_ms, time_us, rate_bps, \
                 rate_kbps, rate_mbps, rate_gbps, delay_s, delay_ms, delay_us, loss, loss_percent",
            ),
            (
                "time_s,loss,loss_percent\n0,0,0\n",
                "line 1, column 3: \"loss_percent\" is a second column of the same quantity",
            ),
            (
                "delay_ms\n0\n",
                "line 1, column 1: expected a column time_s, time_ms or time_us",
            ),
            (
                "time_s\n0\n",
                "line 1, column 1: expected a column of a rate, a delay or a loss beside the time",
            ),
            (
                "time_s,delay_ms\n0,20\n1,\n",
                "line 3, column 2: nothing; expected a delay in ms",
            ),
            (
                "time_s,delay_ms\n0,20\n1\n",
                "line 3, column 2: nothing; expected a delay in ms",
            ),
            (
                "time_s,delay_ms\n0,20\n\n2,3\n",
                "line 3, column 1: nothing; expected a time in s",
            ),
            (
                "time_s,delay_ms\n0,-20\n",
                "line 2, column 2: \"-20\"; expected a delay in ms, 0 to 3600000",
            ),
            (
                "time_s,delay_ms\n0,20 ms\n",
                "line 2, column 2: \"20 ms\"; expected a delay in ms, 0 to 3600000",
            ),
            (
                "time_s,delay_ms\n0,inf\n",
                "line 2, column 2: \"inf\"; expected a delay in ms, 0 to 3600000",
            ),
            (
                "time_s,delay_ms\n0,nan\n",
                "line 2, column 2: \"nan\"; expected a delay in ms, 0 to 3600000",
            ),
            (
                "time_s,rate_kbps\n0,0.0001\n",
                "line 2, column 2: \"0.0001\"; expected a rate in kbit/s, 0, or 1 bit/s to 400,000 Gbit/s",
            ),
            (
                "time_s,loss\n0,1.5\n",
                "line 2, column 2: \"1.5\"; expected a fraction of cells, 0 to 1",
            ),
            (
                "time_s,loss\n3,0\n",
                "line 2, column 1: \"3\"; expected 0, the start of the recording",
            ),
            (
                "time_s,loss\n0,0\n4,0\n3,0\n",
                "line 4, column 1: \"3\"; expected a time after that of the row before it",
            ),
            (
                "time_s,loss\n0,0,1\n",
                "line 2, column 3: expected the end of the line, after 2 fields",
            ),
        ] {
            let problem = csv(trace).check().unwrap_err();
            assert_eq!((&*problem.key, &*problem.message), ("trace", message));
        }
    }

    #[test]
    fn a_recording_that_is_too_long_is_refused() {
        let error = Recording::parse("time_s,loss\n0,0\n1,0\n2,0\n", 2).err();
        let expected = "line 4, column 1: expected the end of the recording, of at most 2 rows";
        assert_eq!(error.unwrap().to_string(), expected);
    }

    #[test]
    fn a_line_that_never_sends_and_a_period_before_the_last_row_are_refused() {
        let problem = csv("time_s,rate_bps\n0,0\n").check().unwrap_err();
        assert_eq!(problem.message, "expected a rate above zero, found 0 bit/s");
        let problem = csv("time_s,loss\n0,0\n9,1\n").check().unwrap_err();
        assert_eq!(
            problem.message,
            "the list repeats after 9 s; it must do so later than its last step (step 1), at 9 s"
        );
    }
}
