//! Cells of processes that have nothing before them but to be counted at the end of their direction.

use celltrain_proto::units::{Span, Time};

use crate::engine::transit::Transit;

/// What has been counted, by the number of the VC at the port.
#[derive(Default, Debug)]
pub(in crate::engine) struct Tally {
    members: Box<[Member]>,
    /// Cells are counted that arrive before; nobody looks before.
    end: Time,
}

/// A direction of a VC.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Member {
    direction: u32,
    /// From a cell's departure to its arrival; without end where it is not only counted.
    to_sink: Span,
    passed: Transit,
}

impl Member {
    /// A direction whose cells arrive so long behind their departure.
    pub(in crate::engine) fn counted(direction: u32, to_sink: Span) -> Self {
        Self {
            direction,
            to_sink,
            passed: Transit::default(),
        }
    }

    /// One whose cells are not only counted.
    pub(in crate::engine) fn other() -> Self {
        Self::counted(u32::MAX, Span::MAX)
    }
}

impl Tally {
    pub(in crate::engine) fn new(members: Box<[Member]>) -> Self {
        Self {
            members,
            end: Time::ZERO,
        }
    }

    /// From now on nobody looks before `end`.
    pub(in crate::engine) fn count_until(&mut self, end: Time) {
        self.end = end;
    }

    /// Counts a cell of VC number `vc` that leaves at `departure`; false if it is not only to be counted.
    #[inline]
    pub(in crate::engine) fn passes(&mut self, vc: u32, departure: Time) -> bool {
        let member = &mut self.members[vc as usize];
        let arrival = departure.saturating_add(member.to_sink);
        let is_counted = arrival < self.end;
        if is_counted {
            member.passed.pass(arrival);
        }
        is_counted
    }

    /// Takes what has been counted, with the direction that it belongs to.
    pub(in crate::engine) fn take(&mut self) -> impl Iterator<Item = (usize, Transit)> + '_ {
        let members = self.members.iter_mut();
        let counted = members.filter(|member| member.passed.count() > 0);
        counted.map(|member| {
            (
                member.direction as usize,
                std::mem::take(&mut member.passed),
            )
        })
    }
}
