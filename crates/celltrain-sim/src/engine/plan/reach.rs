//! How far cells travel before something inspects them.

use celltrain_proto::units::Span;

/// How far a stretch of a direction reaches before something inspects its cells.
#[derive(Default)]
pub(super) struct Reach {
    pub(super) delay: Span,
    pub(super) bypassed: Vec<BypassedSoFar>,
    pub(super) transparent: Vec<usize>,
    /// The number of hops from the start of the stretch.
    pub(super) hops: u32,
}

pub(super) struct BypassedSoFar {
    pub(super) link: u32,
    /// The index of its hop within the stretch.
    pub(super) place: u32,
    /// The time from the departure at the start to the arrival here.
    pub(super) since: Span,
    pub(super) transmission: Span,
}

impl Reach {
    pub(super) fn bypass(&mut self, link: usize, transmission: Span, delay: Span) {
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
