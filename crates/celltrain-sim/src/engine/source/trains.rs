//! What a source that is evaluated lazily sends: trains, when somebody asks, and event cells as events.

use celltrain_proto::units::{Span, Time};

use crate::engine::source::carried::Carried;
use crate::engine::source::{Ahead, Pace, Source};
use crate::engine::state::cell::Cell;
use crate::engine::state::train::Train;

impl Source {
    /// Cells of the first PDU that leave before the last one that does.
    fn before_event_cell(&self) -> u32 {
        if self.is_greedy {
            return u32::MAX;
        }
        let queue = self.queue.as_ref();
        let first = queue.and_then(|queue| queue.pdus.get(queue.left));
        first.map_or(0, |pdu| {
            let dropped = pdu.cells - pdu.kept;
            pdu.last.wrapping_sub(dropped).wrapping_sub(self.number)
        })
    }

    /// When the next cell of the middle of a PDU leaves, if it is one of those that leaves next.
    #[inline]
    pub(in crate::engine) fn next_mid_pdu(&self) -> Time {
        let is_next = match &self.pace {
            _ if self.waiting == 0 => false,
            Pace::Process(_) => true,
            _ => self.before_event_cell() > 0,
        };
        if is_next {
            self.next_emission()
        } else {
            Time::NEVER
        }
    }

    /// No later than the next cell that is more than one of the middle of a PDU.
    pub(in crate::engine) fn next_event_cell(&self) -> Time {
        self.before_next_event_cell()
            .map_or(Time::NEVER, |(next, gap, cells)| {
                next.saturating_add(gap * u64::from(cells))
            })
    }

    /// When the next cell leaves, and the least gap and number of those that leave before the next one that is more than
    /// one of the middle of a PDU, if that is to come.
    pub(in crate::engine) fn before_next_event_cell(&self) -> Option<(Time, Span, u32)> {
        let next = self.next_emission();
        if next == Time::NEVER {
            return None;
        }
        let (gap, cells) = match &self.pace {
            Pace::Process(_) => return None,
            Pace::Ubr { .. } | Pace::Shaped(_) if self.is_greedy => return None,
            Pace::Ubr { gap } => (*gap, self.before_event_cell()),
            Pace::Shaped(shaper) => (shaper.pcr().cell_time(), self.before_event_cell()),
            Pace::Abr(source) if self.waiting > 0 => {
                let gap = source.gap();
                (gap, source.data_run(next, gap, self.before_event_cell()))
            }
            Pace::Abr(_) => (Span::ZERO, 0),
        };
        Some((next, gap, cells))
    }

    /// Whether its cells are those of a process, whatever happens to them.
    pub(in crate::engine) fn is_process(&self) -> bool {
        matches!(self.pace, Pace::Process(_))
    }

    /// When the next cell of a process leaves, and, of those behind it, the gap and number that follow evenly spaced.
    #[inline]
    pub(in crate::engine) fn next_run(&mut self) -> Option<(Time, Span, u32)> {
        let at = self.next_emission();
        let Pace::Process(process) = &mut self.pace else {
            return None;
        };
        let (gap, more) = process.run();
        Some((at, gap, more))
    }

    /// Whether a source group takes its cells as they leave.
    #[inline]
    pub(in crate::engine) fn is_of_group(&self) -> bool {
        self.ahead == Ahead::Group
    }

    /// Whether it carries cells of other VCs.
    pub(in crate::engine) fn carries(&self) -> bool {
        let queue = self.queue.as_ref();
        queue.is_some_and(|queue| queue.carried.is_some())
    }

    /// Whether a cell waits.
    pub(in crate::engine) fn waits(&self) -> bool {
        self.waiting > 0
    }

    /// No later than the next cell that is not one of the middle of a PDU, of a source that carries others,
    /// none of which waits or comes before `arrival`, nor closer than `spacing` to the one before, and that sends
    /// because one comes.
    pub(in crate::engine) fn next_event_idle(&self, arrival: Time, spacing: Span) -> Time {
        let Pace::Abr(source) = &self.pace else {
            return Time::NEVER;
        };
        let start = source
            .next_tx()
            .max(self.not_before)
            .max(self.next)
            .max(arrival);
        if start == Time::NEVER {
            return start;
        }
        source.next_other(start, arrival, spacing)
    }

    /// No later than the next cell of a source that carries others, of which some wait, that is not one of the
    /// middle of a PDU.
    pub(in crate::engine) fn next_event_carried(&self) -> Time {
        let next = self.next_emission();
        if next == Time::NEVER {
            return next;
        }
        let gap = match &self.pace {
            Pace::Abr(source) => source.gap(),
            Pace::Ubr { gap } => *gap,
            Pace::Shaped(shaper) => shaper.pcr().cell_time(),
            Pace::Process(_) => return next,
        };
        let queue = self.queue.as_ref();
        let carried = queue.and_then(|queue| queue.carried.as_ref());
        let before = carried.and_then(Carried::before_event_cell);
        let of_cells = before.filter(|&cells| cells < u64::from(u32::MAX));
        let of_cells = of_cells.map_or(Time::NEVER, |cells| next.saturating_add(gap * cells));
        match &self.pace {
            Pace::Abr(source) => source.next_other(next, next, Span::ZERO).min(of_cells),
            _ => of_cells,
        }
    }

    /// The cells of another VC that leave next, at or before `until` and as their train tells, unless they are events or
    /// it is not their turn.
    #[inline]
    pub(in crate::engine) fn take_carried(&mut self, until: Time) -> Option<Train> {
        if self.waiting == 0 {
            return None;
        }
        let at = self.next_emission();
        if at > until {
            return None;
        }
        let carried = self.queue.as_mut()?.carried.as_mut()?;
        let train = carried.first().filter(|train| !train.is_event)?;
        let (gap, count) = self.pace.take(at, until, train.count, &mut self.next)?;
        let left = Train {
            first: train.first.leaving(at),
            gap,
            count,
            is_event: false,
        };
        carried.skip(count);
        self.waiting -= u64::from(count);
        self.cells += u64::from(count);
        Some(left)
    }

    /// Takes cells of another VC behind those that wait, if at the rate of now these last until the last of them has
    /// come, all find room, and no more wait then than have waited: then it makes no difference when each of them
    /// comes.
    pub(in crate::engine) fn take_up_train(&mut self, train: &Train) -> bool {
        let gap = match &self.pace {
            Pace::Abr(source) => source.gap(),
            Pace::Ubr { gap } => *gap,
            Pace::Shaped(_) | Pace::Process(_) => return false,
        };
        let left = train.last().saturating_since(self.next_emission());
        let lasting = left < gap * (self.waiting - self.waiting.min(1));
        let waiting = self.waiting + u64::from(train.count);
        let Some(queue) = self.queue.as_mut().filter(|_| lasting) else {
            return false;
        };
        if waiting > queue.buffer.min(queue.waiting_max) {
            return false;
        }
        let Some(carried) = &mut queue.carried else {
            return false;
        };
        carried.push(*train);
        queue.counts.offered += u64::from(train.count);
        self.waiting = waiting;
        true
    }

    /// How many of `most` cells of other VCs that come from `at` on, one `gap` apart and none of them an event cell, leave
    /// at the instants at which they come; they have left then. None while others wait.
    pub(in crate::engine) fn pass(&mut self, at: Time, gap: Span, most: u32) -> u32 {
        let is_shut = self.queue.as_ref().is_some_and(|queue| queue.buffer == 0);
        if self.waiting > 0 || is_shut || self.next > at {
            return 0;
        }
        let fitting = |least: Span| if gap >= least { most } else { 1 };
        let count = match &self.pace {
            Pace::Ubr { gap: least } => fitting(*least),
            Pace::Abr(source) if source.next_tx() <= at => {
                let least = source.gap();
                source.data_run(at, gap.max(least), fitting(least))
            }
            _ => 0,
        };
        if count == 0 {
            return 0;
        }
        let last = at + gap * u64::from(count - 1);
        match &mut self.pace {
            Pace::Ubr { gap } => self.next = last.saturating_add(*gap),
            Pace::Abr(source) => source.on_data_run(last, count),
            Pace::Shaped(_) | Pace::Process(_) => {}
        }
        self.not_before = self.not_before.max(last);
        self.cells += u64::from(count);
        let queue = self.queue();
        queue.counts.offered += u64::from(count);
        queue.waiting_max = queue.waiting_max.max(1);
        count
    }

    /// Cells of the middle of a PDU that leave next, at or before `until`.
    #[inline]
    pub(in crate::engine) fn take_train(&mut self, until: Time) -> Option<Train> {
        if self.waiting == 0 {
            return None;
        }
        let at = self.next_emission();
        if at > until {
            return None;
        }
        if matches!(self.pace, Pace::Process(_)) {
            return self.take_run(at, until);
        }
        let most = self.before_event_cell();
        if most == 0 {
            return None;
        }
        let (gap, count) = self.pace.take(at, until, most, &mut self.next)?;
        self.cells += u64::from(count);
        let mut first = Cell::data(self.first_hop, self.number, false);
        first.at = at;
        if self.is_greedy {
            first = first.after(Span::ZERO, 1);
        } else {
            let queue = self.queue.as_ref();
            let pdu = queue.and_then(|queue| queue.pdus.get(queue.left));
            if pdu.is_some_and(|pdu| pdu.segment.ecn_capable) {
                first.set_ecn_capable();
            }
            self.waiting -= u64::from(count);
        }
        self.number = self.number.wrapping_add(count);
        Some(Train {
            gap,
            count,
            ..Train::single(first, false)
        })
    }

    /// The cells of a process that leave at one gap from `at` up to `until`.
    #[inline]
    fn take_run(&mut self, at: Time, until: Time) -> Option<Train> {
        let Pace::Process(process) = &mut self.pace else {
            return None;
        };
        let (gap, count, next) = process.take(at, until);
        self.next = next;
        let mut first = Cell::data(self.first_hop, self.number.wrapping_add(1), false);
        first.at = at;
        self.number = self.number.wrapping_add(count);
        self.cells += u64::from(count);
        Some(Train {
            gap,
            count,
            ..Train::single(first, false)
        })
    }
}
