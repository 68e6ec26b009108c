//! Reads the counts of a connection.

use crate::engine::host::connection::Connection;
use crate::engine::host::connection::totals::Totals;
use crate::engine::state::room::{Exhausted, Room};

impl Connection {
    /// The counts of this connection and those before it.
    pub(in crate::engine) fn totals(&self) -> Totals {
        let sent = self.sender.stats();
        Totals {
            delivered: self.past.delivered + self.receiver.delivered(),
            segments: self.past.segments + sent.data_segments_sent,
            retransmitted: self.past.retransmitted + sent.data_segments_resent,
            timeouts: self.past.timeouts + sent.timeouts,
            spurious_timeouts: self.losses.spurious_timeouts(),
            fast_retransmits: self.past.fast_retransmits + sent.fast_retransmits,
            ecn_reductions: self.past.ecn_reductions + sent.ecn_reductions,
            tail_probes: self.past.tail_probes + sent.tail_probes,
            reductions_undone: self.past.reductions_undone + sent.reductions_undone,
            rtt_samples: self.past.rtt_samples + sent.rtt.count,
            rtt_sum_ps: self.past.rtt_sum_ps + sent.rtt.sum_ps,
            rtt_once_samples: self.past.rtt_once_samples + sent.rtt_once.count,
            rtt_once_sum_ps: self.past.rtt_once_sum_ps + sent.rtt_once.sum_ps,
            rtt_once_sum_sq_ps2: self.past.rtt_once_sum_sq_ps2 + sent.rtt_once.sum_sq_ps2,
            rtt_timed_samples: self.past.rtt_timed_samples + sent.rtt_timed.count,
            rtt_timed_sum_ps: self.past.rtt_timed_sum_ps + sent.rtt_timed.sum_ps,
        }
    }
}

impl Room for Connection {
    fn make_room(&mut self) -> Result<u64, Exhausted> {
        let ends = self.sender.octets_held() + self.receiver.octets_held();
        Ok(self.acks_waiting.make_room()? + ends)
    }
}
