//! The data collected on each connection of a stream.

use super::registry::seconds;
use crate::controller_session::ControllerSession;
use crate::datagram::Counts;
use crate::message::{SocketFacts, What};
use crate::meter::Totals;
use crate::plan::{Stream, StreamKind};
use crate::tcp_info::TcpInfo;

/// One connection of a stream, both ends.
pub(super) struct Connection<'a> {
    pub(super) stream: &'a Stream,
    /// From 0.
    pub(super) number: u32,
    pub(super) sent: Option<(u64, u64, &'a SocketFacts)>,
    pub(super) received: Option<(Totals, Option<Counts>, &'a SocketFacts)>,
    /// The sums of its intervals: octets, and datagrams for UDP. The totals of the table of flows are these, so that the
    /// tables agree.
    pub(super) interval_bytes: u64,
    pub(super) interval_datagrams: u64,
    pub(super) failed: Vec<&'a str>,
    pub(super) infos: Vec<&'a TcpInfo>,
}

impl Connection<'_> {
    pub(super) fn is_complete(&self) -> bool {
        let needs_receiver = self.stream.kind == StreamKind::Flow;
        self.sent.is_some()
            && (self.received.is_some() || !needs_receiver)
            && self.failed.is_empty()
    }

    /// The measured time in ns: the flow's without the warm-up, up to the last octet if `bytes` bounds the flow.
    pub(super) fn measured_ns(&self) -> Option<u64> {
        let order = &self.stream.order;
        let totals = self.received.as_ref()?.0;
        let all = match order.bytes {
            Some(_) => totals
                .last_ns?
                .checked_sub(order.start_ns)?
                .min(order.duration_ns),
            None => order.duration_ns,
        };
        all.checked_sub(order.warm_up_ns).filter(|&ns| ns > 0)
    }

    pub(super) fn throughput_bps(&self) -> Option<f64> {
        let (totals, ..) = self.received.as_ref()?;
        if !self.failed.is_empty() {
            return None;
        }
        Some(totals.measured_bytes as f64 * 8.0 / seconds(self.measured_ns()?))
    }

    pub(super) fn counts(&self) -> Option<Counts> {
        self.received.as_ref()?.1
    }

    /// The number of datagrams sent.
    pub(super) fn datagrams_sent(&self) -> Option<f64> {
        self.counts()?;
        Some(self.sent?.1 as f64)
    }

    /// The number of datagrams lost; `None` if one of the two ends failed before all of them could arrive.
    pub(super) fn datagrams_lost(&self) -> Option<f64> {
        let sent = self.datagrams_sent().filter(|_| self.failed.is_empty())?;
        Some(sent - self.interval_datagrams as f64)
    }

    pub(super) fn rtt_mean_s(&self) -> Option<f64> {
        let rtts: Vec<f64> = self
            .infos
            .iter()
            .filter(|it| it.rtt_us > 0)
            .map(|it| f64::from(it.rtt_us) / 1e6)
            .collect();
        (!rtts.is_empty()).then(|| rtts.iter().sum::<f64>() / rtts.len() as f64)
    }
}

/// All connections, in the order of the plan.
pub(super) fn connections<'a>(
    streams: &'a [Stream],
    session: &'a ControllerSession,
) -> Vec<Connection<'a>> {
    let mut all: Vec<Connection<'a>> = Vec::new();
    let mut first = Vec::new();
    for stream in streams {
        first.push(all.len());
        all.extend((0..stream.order.connections).map(|number| Connection {
            stream,
            number,
            sent: None,
            received: None,
            interval_bytes: 0,
            interval_datagrams: 0,
            failed: Vec::new(),
            infos: Vec::new(),
        }));
    }
    for (_, report) in &session.reports {
        let stream = report.stream as usize;
        let Some(order) = streams
            .get(stream)
            .map(|it| &it.order)
            .filter(|it| report.connection < it.connections)
        else {
            continue;
        };
        debug_assert_eq!(order.stream, report.stream);
        let connection = &mut all[first[stream] + report.connection as usize];
        match &report.what {
            What::Sent {
                bytes,
                writes,
                socket,
                ..
            } => connection.sent = Some((*bytes, *writes, socket)),
            What::Received {
                totals,
                datagrams,
                socket,
            } => connection.received = Some((*totals, *datagrams, socket)),
            What::Interval {
                bytes, datagrams, ..
            } => {
                let count = datagrams.map_or(0, |it| it.count);
                connection.interval_bytes = connection.interval_bytes.saturating_add(*bytes);
                connection.interval_datagrams = connection.interval_datagrams.saturating_add(count);
            }
            What::TcpInfo { info, .. } => connection.infos.push(info),
            What::Failed { why } => connection.failed.push(why),
            What::RoundTrip { .. } | What::Logged(_) => {}
        }
    }
    all
}
