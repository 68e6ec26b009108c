//! What changes in a managed queue beside arrivals and departures: credits, and updates of queue management.

use celltrain_proto::aqm::QueueManager;
use celltrain_proto::units::{Cells, Rate, Time};

use crate::engine::queue::managed::Managed;

impl Managed {
    /// The next instant at which the queues change by themselves.
    pub(in crate::engine) fn next_update(&self) -> Time {
        let credits = self.credits.front().map_or(Time::NEVER, |credit| credit.0);
        let aqm = self
            .aqm
            .as_ref()
            .map_or(Time::NEVER, QueueManager::next_update);
        credits.min(aqm)
    }

    /// When credits come next.
    pub(in crate::engine) fn next_credit(&self) -> Time {
        self.credits.front().map_or(Time::NEVER, |credit| credit.0)
    }

    /// What is due at [`Managed::next_update`]; the line has rate `rate`.
    pub(in crate::engine) fn update(&mut self, now: Time, rate: Rate) {
        while let Some(&(_, vc, forwarded)) = self.credits.front().filter(|credit| credit.0 <= now)
        {
            self.credits.pop_front();
            if let Some(credit) = &mut self.vcs[vc as usize].credit {
                credit.on_credit(forwarded);
            }
        }
        if let Some(aqm) = self.aqm.as_mut().filter(|aqm| aqm.next_update() <= now) {
            aqm.on_update(now, rate.span_of(Cells(u64::from(self.cells))));
        }
    }

    /// Credits for `vc` that arrive at `at`: the node behind has forwarded `forwarded` cells, modulo.
    pub(in crate::engine) fn credit_arrives(&mut self, at: Time, vc: u32, forwarded: u32) {
        self.credits.push_back((at, vc, forwarded));
    }
}
