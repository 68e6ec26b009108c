//! Lines whose rate, delay and loss follow one recording together.
//!
//! A format is one file with its parameters and a row below, as which a scenario is read. It gives the lists by which
//! the keys of a link follow time, so that a recording does nothing that these keys could not say.

mod csv;
mod lists;

pub use csv::{ColumnError, CsvParameters};
pub use lists::Lists;

use crate::parameters::Problem;

family! {
    /// A recording that the rate, the delay and the loss of a link follow together.
    pub enum ScheduleParameters as "Schedule" by "process" {
        /// Rows of time, rate, delay and loss, in CSV.
        "csv", "schedule in CSV" => Csv(CsvParameters);
    }
}

impl ScheduleParameters {
    /// The lists that the recording stands for.
    ///
    /// # Errors
    ///
    /// Returns the first problem of the recording, with its place.
    pub fn lists(&self) -> Result<Lists, Problem> {
        match self {
            Self::Csv(it) => it.lists(),
        }
    }
}
