//! Probes: samples of the network's state at fixed instants.

use celltrain_proto::units::Time;

use crate::engine::state::room::{Exhausted, Room, make_room_in};
use crate::network::{Probe, SampleTimes};

/// The samples of one probe.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Recorder {
    pub(in crate::engine) at: SampleTimes,
    /// The part of the network that it records.
    pub(in crate::engine) part: usize,
    /// When the next sample is due; [`Time::NEVER`] before recording starts, and for probes of events.
    pub(in crate::engine) next: Time,
    /// The round-trip time of the last event that has one.
    pub(in crate::engine) last_rtt: f64,
    /// Instants of the samples in s, then one column for each recorded quantity.
    pub(in crate::engine) columns: Vec<Vec<f64>>,
    /// Values at the start of recording, for quantities counted from there.
    pub(in crate::engine) bases: Vec<f64>,
}

impl Recorder {
    pub(in crate::engine) fn new(probe: &Probe) -> Self {
        let columns = vec![Vec::new(); probe.table_columns().count() + 1];
        let bases = vec![0.0; probe.columns.len()];
        Self {
            at: probe.at,
            part: 0,
            next: Time::NEVER,
            last_rtt: f64::NAN,
            columns,
            bases,
        }
    }
}

impl Room for Recorder {
    fn make_room(&mut self) -> Result<u64, Exhausted> {
        make_room_in(&mut self.columns)
    }
}
