//! Changes of a managed queue other than arrivals and departures: credits, and updates of queue management.

use celltrain_proto::aqm::QueueManager;
use celltrain_proto::units::{Cells, Rate, Time};

use crate::engine::queue::managed::Managed;

impl Managed {
    /// The next instant at which the queue changes by itself.
    pub(in crate::engine) fn next_update(&self) -> Time {
        let credits = self.credits.front().map_or(Time::NEVER, |credit| credit.0);
        let aqm = self
            .aqm
            .as_ref()
            .map_or(Time::NEVER, QueueManager::next_update);
        credits.min(aqm)
    }

    /// When the next credits arrive.
    pub(in crate::engine) fn next_credit(&self) -> Time {
        self.credits.front().map_or(Time::NEVER, |credit| credit.0)
    }

    /// Makes the changes due at [`Managed::next_update`]; `rate` is that of the line.
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

    /// Delivers credits for `vc` that arrive at `at`: the node downstream has forwarded `forwarded` cells, modulo 2^28.
    pub(in crate::engine) fn credit_arrives(&mut self, at: Time, vc: u32, forwarded: u32) {
        self.credits.push_back((at, vc, forwarded));
    }
}
