//! Probes: tables of samples.

use celltrain_language::{ColumnType, Field};
use celltrain_proto::units::Span;

use crate::network::record::Record;

/// When a probe takes samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SampleTimes {
    /// At this interval.
    Every(Span),
    /// At each event of the retransmission timer of the flow with this index.
    EventsOf(usize),
}

/// A table of samples.
#[derive(Clone, PartialEq, Debug)]
pub struct Probe {
    /// Its name.
    pub name: String,
    /// When samples are taken.
    pub at: SampleTimes,
    /// Columns: the text as written, and what it refers to.
    pub columns: Vec<(String, Record)>,
}

impl Probe {
    /// The columns of its table after the column of instants: their names, and what they hold.
    pub fn table_columns(&self) -> impl Iterator<Item = (&str, &'static Field)> {
        let of_events: &[Field] = match self.at {
            SampleTimes::Every(_) => &[],
            SampleTimes::EventsOf(_) => &EVENT_FIELDS,
        };
        let recorded = self.columns.iter();
        let recorded = recorded.map(|(text, record)| (text.as_str(), record.field()));
        of_events
            .iter()
            .map(|field| (field.name, field))
            .chain(recorded)
    }
}

/// The column of instants, the first of each probe.
pub const TIME_FIELD: Field = Field {
    name: "time_s",
    unit: "s",
    kind: ColumnType::Number,
    heading: "time",
    meaning: "instant of the sample, since the start of the run",
};

/// The columns of an event's row that describe the event.
pub const EVENT_FIELDS: [Field; 4] = [
    Field {
        name: "is_timeout",
        unit: "1",
        kind: ColumnType::Count,
        heading: "time-out",
        meaning: "1 for a time-out, 0 for a round trip",
    },
    Field {
        name: "rtt_s",
        unit: "s",
        kind: ColumnType::Number,
        heading: "RTT",
        meaning: "the exact round-trip time; at a time-out the previous one; none before the first",
    },
    Field {
        name: "srtt_s",
        unit: "s",
        kind: ColumnType::Number,
        heading: "smoothed RTT",
        meaning: "smoothed round-trip time after the event; none without an estimate",
    },
    Field {
        name: "rto_s",
        unit: "s",
        kind: ColumnType::Number,
        heading: "RTO",
        meaning: "retransmission time-out after the event, including back-off",
    },
];
