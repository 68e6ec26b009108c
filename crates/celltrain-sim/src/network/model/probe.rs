//! Probes: tables of samples.

use celltrain_proto::units::Span;

use crate::network::record::Record;

/// When a probe takes samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SampleTimes {
    /// So often.
    Every(Span),
    /// At each event of the retransmission timer of the flow of this index.
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
    /// Columns of its table behind the instants, with their units.
    pub fn table_columns(&self) -> impl Iterator<Item = (&str, &'static str)> {
        let of_events: &[(&str, &str)] = match self.at {
            SampleTimes::Every(_) => &[],
            SampleTimes::EventsOf(_) => &EVENT_COLUMNS,
        };
        let recorded = self.columns.iter();
        let recorded = recorded.map(|(text, record)| (text.as_str(), record.unit()));
        of_events.iter().copied().chain(recorded)
    }
}

/// What a row for an event tells of the event.
pub const EVENT_COLUMNS: [(&str, &str); 4] = [
    ("is_timeout", "1"),
    ("rtt_s", "s"),
    ("srtt_s", "s"),
    ("rto_s", "s"),
];
