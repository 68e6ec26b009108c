//! A link: the queue in front of it, the line that serves the queue, and the cells in flight.
//!
//! A link is evaluated lazily. [`Link::advance`] lets every cell depart that does so at or before `now`,
//! and changes the line's rate on the way; all other methods call it first. At one instant departures
//! come first, then a change of rate, then arrivals. So one event a cell suffices: its arrival at the
//! far end.

use celltrain_proto::flow::gfc;
use celltrain_proto::line::RateProcess;
use celltrain_proto::switch::{Algorithm, PortState, SwitchAlgorithm};
use celltrain_proto::units::{Cells, Rate, Span, Time};

use super::cell::{Cell, Ring};
use crate::scenario::OnRateChange;

/// A one-way link.
#[derive(Debug)]
pub(super) struct Link {
    /// Its number in the calendar; none that is used for a transparent link.
    pub(super) actor: usize,
    pub(super) ring: Ring,
    delay: Span,
    pub(super) line: Option<Line>,
}

/// What a link with a rate has beyond a pure delay.
#[derive(Debug)]
pub(super) struct Line {
    rate: Rate,
    process: RateProcess,
    next_change: Time,
    cell_time: Span,
    on_change: OnRateChange,
    /// When the cell in transmission will have left at the present rate.
    finish: Time,
    buffer: u32,
    pub(super) control: Option<Algorithm>,
    pub(super) gfc: Option<gfc::Controlling>,
    pub(super) meter: Meter,
}

/// Running sums of a queue and its line. Differences of two readings give the means between them.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Meter {
    /// Cells that left.
    pub(super) departed: u64,
    /// Largest queue since the last reset.
    pub(super) queue_max: u32,
    /// Sum of departure times less sum of arrival times in ps: the area under the queue, up to the
    /// cells that are still in it.
    area: i128,
    /// Integral of the rate over the past rates, in bits.
    capacity: f64,
    /// Since when the present rate holds.
    rate_since: Time,
}

/// A reading of a link's meter.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Reading {
    /// Cells that left since the start.
    pub(super) departed: u64,
    /// Integral of the queue since the start, in cell picoseconds.
    pub(super) area: i128,
    /// Integral of the rate since the start, in bits.
    pub(super) capacity: f64,
}

impl Link {
    pub(super) fn new(delay: Span, line: Option<Line>) -> Self {
        Self {
            actor: usize::MAX,
            ring: Ring::new(),
            delay,
            line,
        }
    }

    /// Whether cells cross the link in no time.
    #[inline]
    pub(super) fn is_transparent(&self) -> bool {
        self.line.is_none() && self.delay == Span::ZERO
    }

    /// Lets every cell depart that does so at or before `now`.
    #[inline]
    pub(super) fn advance(&mut self, now: Time) {
        let Some(line) = &mut self.line else { return };
        while line.finish.min(line.next_change) <= now {
            if line.finish <= line.next_change {
                line.depart(&mut self.ring, self.delay);
            } else {
                line.change_rate();
            }
        }
    }

    /// Takes a cell that arrives `now` into the queue; false if it is dropped.
    #[inline]
    pub(super) fn enqueue(&mut self, now: Time, cell: Cell) -> bool {
        self.advance(now);
        let Some(line) = &mut self.line else {
            self.ring.push(cell);
            self.ring.serve(now + self.delay);
            return true;
        };
        let queued = self.ring.queued();
        if queued >= line.buffer {
            return false;
        }
        if queued == 0 {
            line.finish = now.saturating_add(line.cell_time);
        }
        self.ring.push(cell);
        line.meter.area -= i128::from(now.as_ps());
        line.meter.queue_max = line.meter.queue_max.max(queued + 1);
        if let Some(gfc) = &mut line.gfc {
            gfc.on_queue(Cells(u64::from(queued + 1)));
        }
        true
    }

    /// The cell that arrives at the far end at or before `now`, if there is one.
    #[inline]
    pub(super) fn arrived(&mut self, now: Time) -> Option<Cell> {
        self.advance(now);
        self.ring.pop_arrived(now)
    }

    /// The next instant at which a cell can arrive at the far end.
    ///
    /// While none is in flight the rate may still change before the head departs; then the link is
    /// looked at again one delay after the change, before which no cell can arrive.
    #[inline]
    pub(super) fn deadline(&self) -> Time {
        if let Some(cell) = self.ring.first_in_flight() {
            return cell.at;
        }
        match &self.line {
            Some(line) if self.ring.queued() > 0 => {
                line.finish.min(line.next_change).saturating_add(self.delay)
            }
            _ => Time::NEVER,
        }
    }

    /// Cells in the queue, the one in transmission included, as of the last [`Link::advance`].
    pub(super) fn queued(&self) -> u32 {
        self.ring.queued()
    }

    /// What an algorithm sees of the queue.
    pub(super) fn state(&self) -> PortState {
        let rate = self.line.as_ref().map_or(Rate::ZERO, |line| line.rate);
        PortState {
            queue: Cells(u64::from(self.ring.queued())),
            rate,
        }
    }

    /// The meter at `now`, to which the link must have been advanced.
    pub(super) fn read(&self, now: Time) -> Reading {
        let Some(line) = &self.line else {
            return Reading::default();
        };
        let meter = &line.meter;
        Reading {
            departed: meter.departed,
            area: meter.area + i128::from(self.ring.queued()) * i128::from(now.as_ps()),
            capacity: meter.capacity + line.rate.bits_in(now - meter.rate_since),
        }
    }

    /// Starts to look for the largest queue anew.
    pub(super) fn reset_maximum(&mut self) {
        let queued = self.ring.queued();
        if let Some(line) = &mut self.line {
            line.meter.queue_max = queued;
        }
    }
}

impl Line {
    pub(super) fn new(
        mut process: RateProcess,
        buffer: u32,
        on_change: OnRateChange,
        mut control: Option<Algorithm>,
        gfc: Option<gfc::Controlling>,
    ) -> Self {
        let rate = process.first();
        if let Some(control) = &mut control {
            control.on_rate_change(Time::ZERO, rate);
        }
        Self {
            rate,
            next_change: process.next_change(Time::ZERO),
            process,
            cell_time: rate.cell_time(),
            on_change,
            finish: Time::NEVER,
            buffer,
            control,
            gfc,
            meter: Meter::default(),
        }
    }

    pub(super) fn rate(&self) -> Rate {
        self.rate
    }

    #[inline]
    fn depart(&mut self, ring: &mut Ring, delay: Span) {
        let now = self.finish;
        let queued = ring.queued();
        let cell = ring.serve(now + delay);
        if let Some(control) = &mut self.control
            && control.marks_efci(Cells(u64::from(queued)))
        {
            cell.set_efci();
        }
        if let Some(gfc) = &mut self.gfc {
            gfc.on_queue(Cells(u64::from(queued - 1)));
        }
        self.meter.departed += 1;
        self.meter.area += i128::from(now.as_ps());
        self.finish = if queued > 1 {
            now.saturating_add(self.cell_time)
        } else {
            Time::NEVER
        };
    }

    #[cold]
    fn change_rate(&mut self) {
        let now = self.next_change;
        let old = self.rate;
        self.meter.capacity += old.bits_in(now - self.meter.rate_since);
        self.meter.rate_since = now;
        self.rate = self.process.change();
        self.cell_time = self.rate.cell_time();
        self.next_change = self.process.next_change(now);
        if self.finish != Time::NEVER && self.on_change == OnRateChange::ResumeAtNewRate {
            let bits_left = old.bits_in(self.finish - now);
            self.finish = now.saturating_add(self.rate.span_of_bits(bits_left));
        }
        if let Some(control) = &mut self.control {
            control.on_rate_change(now, self.rate);
        }
    }
}
