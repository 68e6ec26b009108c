//! What a lazily evaluated source sends: trains, on demand, and event cells as events.

use celltrain_proto::units::{Span, Time};

use crate::engine::source::aggregate::Aggregate;
use crate::engine::source::{Pace, Source};
use crate::engine::state::cell::Cell;
use crate::engine::state::mode::EventReach;
use crate::engine::state::train::Train;

impl Source {
    /// The number of cells of the first PDU that leave before its last cell.
    fn before_event_cell(&self) -> u32 {
        if self.is_greedy {
            return u32::MAX;
        }
        // A frame is the last unit of its PDU.
        if self.sends_frames {
            return 0;
        }
        let queue = self.queue.as_ref();
        let first = queue.and_then(|queue| queue.pdus.get(queue.left));
        first.map_or(0, |pdu| {
            let dropped = pdu.cells - pdu.kept;
            pdu.last.wrapping_sub(dropped).wrapping_sub(self.number)
        })
    }

    /// When the next cell leaves, if it is a mid-PDU cell; otherwise [`Time::NEVER`].
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

    /// A lower bound on the departure of the next event cell.
    pub(in crate::engine) fn next_event_cell(&self) -> Time {
        self.before_next_event_cell()
            .map_or(Time::NEVER, |(next, gap, cells)| {
                next.saturating_add(gap * u64::from(cells))
            })
    }

    /// A lower bound on the next cell that comes to a stage without being an event there: event cells count only if the
    /// queue there passes them.
    pub(in crate::engine) fn next_on_demand(&self, passes_event_cells: bool) -> Time {
        if passes_event_cells {
            // The queue takes event cells like all others.
            self.next_emission()
        } else {
            self.next_mid_pdu()
        }
    }

    /// When the next cell leaves, the minimum gap, and the number of cells that leave before the next event cell; `None`
    /// if there will be none.
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

    /// Whether its cells are those of a process.
    pub(in crate::engine) fn is_process(&self) -> bool {
        matches!(self.pace, Pace::Process(_))
    }

    /// When the next cell of a process leaves, and the gap and the number of evenly spaced cells after it.
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
        self.event_reach == EventReach::Group
    }

    /// Whether it is the source of a tunnel VC.
    pub(in crate::engine) fn is_tunnel(&self) -> bool {
        let queue = self.queue.as_ref();
        queue.is_some_and(|queue| queue.aggregate.is_some())
    }

    /// Whether a cell waits.
    pub(in crate::engine) fn waits(&self) -> bool {
        self.waiting > 0
    }

    /// A lower bound on the next cell that a tunnel VC sends of its own because a cell of another VC arrives. It assumes
    /// that no cell waits, none arrives before `arrival`, and arrivals are at least `spacing` apart.
    pub(in crate::engine) fn next_event_idle(&self, arrival: Time, spacing: Span) -> Time {
        let Pace::Abr(source) = &self.pace else {
            return Time::NEVER;
        };
        // Starved, it sends no cell of others, but an RM cell out-of-rate as soon as one waits.
        if let Some(out_of_rate) = source.next_out_of_rate(true) {
            return out_of_rate.max(self.not_before).max(arrival);
        }
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

    /// A lower bound on the next event cell of a tunnel VC that has waiting cells of other VCs.
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
        let aggregate = queue.and_then(|queue| queue.aggregate.as_ref());
        let before = aggregate.and_then(Aggregate::before_event_cell);
        let of_cells = before.filter(|&cells| cells < u64::from(u32::MAX));
        let of_cells = of_cells.map_or(Time::NEVER, |cells| next.saturating_add(gap * cells));
        match &self.pace {
            Pace::Abr(source) => source.next_other(next, next, Span::ZERO).min(of_cells),
            _ => of_cells,
        }
    }

    /// Takes the next cells of another VC that leave at or before `until`, as the train in which they leave; `None` if
    /// the next cell is an event cell or one of the source's own.
    #[inline]
    pub(in crate::engine) fn take_aggregate(&mut self, until: Time) -> Option<Train> {
        if self.waiting == 0 {
            return None;
        }
        let at = self.next_emission();
        if at > until {
            return None;
        }
        let aggregate = self.queue.as_mut()?.aggregate.as_mut()?;
        let train = aggregate.first().filter(|train| !train.is_event)?;
        let (gap, count) = self.pace.take(at, until, train.count, &mut self.next)?;
        let left = Train {
            first: train.first.leaving(at),
            gap,
            count,
            is_event: false,
        };
        aggregate.skip(count);
        self.waiting -= u64::from(count);
        self.cells += u64::from(count);
        Some(left)
    }

    /// Queues cells of another VC, the first of which finds `still` cells in their turn to leave, if, at the present rate,
    /// the waiting cells last until the last new one has arrived, all find room, and the queue does not exceed its
    /// maximum so far. Then it makes no difference when each of them arrives.
    pub(in crate::engine) fn admit_train(&mut self, train: &Train, still: u64) -> bool {
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
        if waiting + still > queue.buffer.min(queue.waiting_max) {
            return false;
        }
        let Some(aggregate) = &mut queue.aggregate else {
            return false;
        };
        aggregate.push(*train);
        queue.counts.offered += u64::from(train.count);
        self.waiting = waiting;
        true
    }

    /// How many of `most` cells of other VCs leave as they arrive, one `gap` apart from `at` on and with no event cell
    /// among them; these are counted as sent. Zero while others wait.
    pub(in crate::engine) fn pass(&mut self, at: Time, gap: Span, most: u32) -> u32 {
        if self.waiting > 0 || self.next > at {
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
        if let Some(aggregate) = &mut queue.aggregate {
            aggregate.passed = Some(last);
        }
        count
    }

    /// How many cells of other VCs that passed have left only in the turn of the tunnel VC at `at`, so that a source that
    /// acts before it at this instant still finds them.
    pub(in crate::engine) fn leaving_at(&self, at: Time) -> u64 {
        let queue = self.queue.as_ref();
        let aggregate = queue.and_then(|queue| queue.aggregate.as_ref());
        u64::from(aggregate.is_some_and(|aggregate| aggregate.passed == Some(at)))
    }

    /// Takes the next mid-PDU cells that leave at or before `until`.
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

    /// Takes the evenly spaced cells of a process that leave from `at` up to `until`.
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
