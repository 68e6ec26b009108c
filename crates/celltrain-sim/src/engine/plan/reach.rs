//! How far cells go without being looked at.

use celltrain_proto::units::Span;

/// How far a stretch of a direction reaches without being looked at.
#[derive(Default)]
pub(in crate::engine) struct Reach {
    pub(in crate::engine) delay: Span,
    pub(in crate::engine) bypassed: Vec<BypassedSoFar>,
    pub(in crate::engine) transparent: Vec<usize>,
    /// Hops behind the start of the stretch.
    pub(in crate::engine) hops: u32,
}

pub(in crate::engine) struct BypassedSoFar {
    pub(in crate::engine) link: u32,
    /// Its place among the hops of the stretch.
    pub(in crate::engine) place: u32,
    /// From the departure at the start to the arrival here.
    pub(in crate::engine) since: Span,
    pub(in crate::engine) transmission: Span,
}

impl Reach {
    pub(in crate::engine) fn leap(&mut self, link: usize, transmission: Span, delay: Span) {
        for transparent in std::mem::take(&mut self.transparent) {
            self.add(transparent, Span::ZERO);
        }
        self.add(link, transmission);
        self.delay += transmission + delay;
    }

    fn add(&mut self, link: usize, transmission: Span) {
        self.bypassed.push(BypassedSoFar {
            link: link as u32,
            place: self.hops,
            since: self.delay,
            transmission,
        });
        self.hops += 1;
    }
}
