//! Starts transmissions of cells of lower classes.

use celltrain_proto::units::Time;

use crate::engine::queue::priority::PriorityQueue;
use crate::engine::queue::served::Served;
use crate::engine::state::room::{Exhausted, Room, make_room_in};

impl PriorityQueue {
    /// Starts all transmissions that start at or before `until`, and appends the departing cells to `served`. All cells
    /// that arrive earlier must have been taken.
    #[inline]
    pub(in crate::engine) fn start(&mut self, until: Time, served: &mut Served) {
        self.start_with(until, false, served);
    }

    /// [`PriorityQueue::start`]; with `yields`, except for cells that arrive at `until`.
    #[inline]
    pub(super) fn start_with(&mut self, until: Time, yields: bool, served: &mut Served) {
        if self.waits != 0 && self.free <= until {
            self.start_waiting(until, yields, served);
        }
    }

    /// [`PriorityQueue::start_with`], if cells wait and the line is free in time.
    #[inline(never)]
    pub(super) fn start_waiting(&mut self, until: Time, yields: bool, served: &mut Served) {
        while self.waits != 0 && self.free <= until {
            let number = self.waits.trailing_zeros() as usize;
            let arrival = self.lower[number].next_arrival();
            // It was taken ahead of time: until it is here, a cell of the first class may still go first.
            if arrival > until || arrival == until && yields {
                return;
            }
            self.start_one(number, served);
        }
    }

    /// Starts the transmission of the next waiting cell of lower class number `number`.
    #[inline]
    pub(super) fn start_one(&mut self, number: usize, served: &mut Served) {
        let class = &mut self.lower[number];
        let Some(train) = class.trains.front_mut() else {
            return;
        };
        let cell = train.first;
        if train.count == 1 {
            class.trains.pop_front();
        } else {
            train.cut(1);
        }
        class.started += 1;
        class.waiting -= 1;
        let is_event = class.event_cells.front() == Some(&class.started);
        if is_event {
            class.event_cells.pop_front();
        }
        if class.waiting == 0 {
            self.waits &= self.waits - 1;
        }
        self.waiting -= 1;
        let departure = self.transmit(self.free.max(cell.at), number as u32 + 1);
        served.leaves(cell, departure, is_event, self.cell_time);
    }

    /// When a cell of class number `class` leaves if its transmission starts at `start`.
    #[inline]
    pub(super) fn transmit(&mut self, start: Time, class: u32) -> Time {
        let end = start.saturating_add(self.cell_time);
        self.free = end;
        if class > 0 {
            (self.lower_free, self.lower_class) = (end, class);
        }
        // A switch algorithm that counts departures of higher classes is told of them when they happen.
        if class < self.noted_classes {
            self.noted.push_back(end);
        }
        self.leaving += 1;
        self.area += i128::from(end.as_ps());
        end
    }
}

impl Room for PriorityQueue {
    fn make_room(&mut self) -> Result<u64, Exhausted> {
        let trains = self.lower.iter_mut().map(|class| &mut class.trains);
        let mut octets = make_room_in(trains)? + self.noted.make_room()?;
        octets += make_room_in(self.lower.iter_mut().map(|class| &mut class.event_cells))?;
        Ok(octets)
    }
}
