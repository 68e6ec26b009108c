//! Cells join the queue of a line, begin transmission and depart, one by one.

use celltrain_proto::packet_queue::Label;
use celltrain_proto::switch::SwitchAlgorithm;
use celltrain_proto::units::{Cells, Time, Unit};

use crate::engine::link::line::{Line, Meter};
use crate::engine::link::path::Path;
use crate::engine::queue::managed::Departing;
use crate::engine::state::cell::{Cell, Ring};

/// Ends the stay of each cell that is dropped after it was admitted.
#[inline]
fn forgetting<'a>(
    now: Time,
    meter: &'a mut Meter,
    left: &'a mut Vec<u32>,
    notes_departures: bool,
) -> impl FnMut(Cell) + 'a {
    move |dropped| {
        meter.area += i128::from(now.as_ps());
        // Its place is free again, as if it had been sent; otherwise the credit would be lost.
        if notes_departures {
            left.push(dropped.hop() as u32);
        }
    }
}

/// Moves the first frame of a queue, which must not be empty, into flight as it departs at `now`; returns it.
fn launch_frame(ring: &mut Ring, path: &mut Path, now: Time) -> Cell {
    let frame = *ring.serve(path.arrival(now));
    if path.is_overtaking() {
        ring.overtake();
    }
    frame
}

impl Line {
    /// Starts the transmission of a cell at `now`.
    #[inline]
    pub(in crate::engine::link) fn transmit_from(&mut self, now: Time) {
        self.finish = now.saturating_add(self.cell_time);
    }

    /// Starts the transmission of a frame of this length at `now`.
    fn transmit_unit(&mut self, now: Time, unit: Unit) {
        self.stalled_bits = unit.bits() as f64;
        self.finish = now.saturating_add(self.rate.time_of(unit));
    }

    /// Starts the transmission of a frame at `now`.
    fn transmit_frame(&mut self, now: Time, frame: Cell) {
        if let Some(octets) = self.queue.octets() {
            self.transmit_unit(now, octets.unit(frame));
        }
    }

    /// Puts a frame into the queue, which holds those that wait in `ring`; false if it is refused.
    pub(in crate::engine::link) fn enqueue_frame(
        &mut self,
        now: Time,
        frame: Cell,
        ring: &mut Ring,
    ) -> bool {
        let queued = ring.queued();
        let free = self.buffer.saturating_sub(queued);
        let frames = self.queue.frames_mut();
        if !frames.is_some_and(|frames| frames.admit(now, frame, free)) {
            return false;
        }
        if queued == 0 {
            self.transmit_frame(now, frame);
        }
        ring.push(frame);
        self.note_arrival(now, queued + 1);
        true
    }

    /// Puts a frame of VC number `vc` with this label into the queue, from which others may be dropped.
    pub(in crate::engine::link) fn enqueue_in_flow(
        &mut self,
        now: Time,
        frame: Cell,
        of: (u32, Label),
    ) {
        let Some(flows) = self.queue.flows_mut() else {
            return;
        };
        let forget = forgetting(now, &mut self.meter, &mut self.left, self.notes_departures);
        flows.enqueue(now, frame, of, forget);
        let (queued, is_serving) = (flows.queued(), flows.is_serving());
        self.note_arrival(now, queued);
        if !is_serving {
            self.start_flow(now);
        }
    }

    /// Starts to transmit the next frame of queues by flow, if any.
    fn start_flow(&mut self, now: Time) {
        let Some(flows) = self.queue.flows_mut() else {
            return;
        };
        let forget = forgetting(now, &mut self.meter, &mut self.left, self.notes_departures);
        let unit = flows.start(now, forget);
        let queued = flows.queued();
        self.note_controlled(now, queued);
        match unit {
            Some(unit) => self.transmit_unit(now, unit),
            None => self.finish = Time::NEVER,
        }
    }

    fn depart_from_flow(&mut self, ring: &mut Ring, path: &mut Path) {
        let now = self.finish;
        let Some(frame) = self.queue.flows_mut().and_then(|flows| flows.finish(now)) else {
            return;
        };
        ring.push(frame);
        launch_frame(ring, path, now);
        self.meter.departed += 1;
        self.meter.area += i128::from(now.as_ps());
        self.start_flow(now);
    }

    fn depart_frame(&mut self, ring: &mut Ring, path: &mut Path) {
        let now = self.finish;
        let frame = launch_frame(ring, path, now);
        if let Some(frames) = self.queue.frames_mut() {
            frames.meter.depart(now, frame);
        }
        self.meter.departed += 1;
        self.meter.area += i128::from(now.as_ps());
        match ring.first_queued() {
            Some(&next) => self.transmit_frame(now, next),
            None => self.finish = Time::NEVER,
        }
        self.note_controlled(now, ring.queued());
    }

    #[inline]
    pub(in crate::engine::link) fn depart(&mut self, ring: &mut Ring, path: &mut Path) {
        if self.has_extras {
            return self.depart_with_extras(ring, path);
        }
        let now = self.finish;
        ring.serve(path.arrival(now));
        self.meter.departed += 1;
        self.meter.area += i128::from(now.as_ps());
        if ring.queued() > 0 {
            self.transmit_from(now);
        } else {
            self.finish = Time::NEVER;
        }
    }

    #[inline(never)]
    pub(in crate::engine::link) fn depart_with_extras(&mut self, ring: &mut Ring, path: &mut Path) {
        if self.queue.managed().is_some() {
            return self.depart_managed(ring, path);
        }
        if self.queue.flows().is_some() {
            return self.depart_from_flow(ring, path);
        }
        if self.carries_frames() {
            return self.depart_frame(ring, path);
        }
        let now = self.finish;
        let queued = ring.queued();
        let cell = ring.serve(path.arrival(now));
        if let Some(control) = &mut self.control
            && control.algorithm.marks_efci(Cells(u64::from(queued)))
        {
            cell.set_efci();
        }
        if self.notes_departures {
            self.left.push(cell.hop() as u32);
        }
        if let Some(gfc) = &mut self.gfc {
            gfc.on_queue(Cells(u64::from(queued - 1)));
        }
        self.meter.departed += 1;
        self.meter.area += i128::from(now.as_ps());
        self.note_controlled(now, queued - 1);
        if queued > 1 {
            self.transmit_from(now);
        } else {
            self.finish = Time::NEVER;
        }
    }

    /// Notes that a cell has joined the queue, which now holds `queued`.
    #[inline]
    pub(in crate::engine::link) fn note_arrival(&mut self, now: Time, queued: u32) {
        self.meter.area -= i128::from(now.as_ps());
        self.meter.queue_max = self.meter.queue_max.max(queued);
        if let Some(gfc) = &mut self.gfc {
            gfc.on_queue(Cells(u64::from(queued)));
        }
        self.note_controlled(now, queued);
    }

    /// Notes that the queues, which now hold `queued` cells in total, may have changed.
    #[inline]
    pub(in crate::engine::link) fn note_controlled(&mut self, now: Time, queued: u32) {
        if !self.is_followed {
            return;
        }
        let control = self.control.as_mut();
        let class = control.as_ref().and_then(|control| control.queue);
        let queue = match (self.queue.managed(), class) {
            (Some(managed), Some(class)) => managed.queued_in(class),
            _ => queued,
        };
        if let Some(control) = control.filter(|control| control.is_followed) {
            control.algorithm.on_queue(now, Cells(u64::from(queue)));
        }
        if let Some(gauge) = &mut self.gauge {
            gauge.set(now, queue);
        }
    }

    #[inline(never)]
    pub(in crate::engine::link) fn enqueue_managed(
        &mut self,
        now: Time,
        cell: Cell,
        vc: u32,
    ) -> bool {
        let Some(managed) = self.queue.managed_mut() else {
            return false;
        };
        let forget = forgetting(now, &mut self.meter, &mut self.left, self.notes_departures);
        if !managed.enqueue(now, cell, vc, forget) {
            return false;
        }
        let (queued, is_serving) = (managed.queued(), managed.is_serving());
        self.note_arrival(now, queued);
        if !is_serving {
            self.start_service(now);
        }
        true
    }

    pub(in crate::engine::link) fn depart_managed(&mut self, ring: &mut Ring, path: &mut Path) {
        let now = self.finish;
        let Some(managed) = self.queue.managed_mut() else {
            return;
        };
        let controlled = self.control.as_ref().map_or(0, |control| {
            control
                .queue
                .map_or(managed.queued(), |queue| managed.queued_in(queue))
        });
        let Some(Departing { mut cell, vc }) = managed.finish(now) else {
            return;
        };
        if let Some(control) = &mut self.control {
            let queue = managed.queue_of(vc);
            let is_controlled = control.queue.is_none_or(|controlled| controlled == queue);
            if is_controlled && control.algorithm.marks_efci(Cells(u64::from(controlled))) {
                cell.set_efci();
            }
            if control.counts_departures
                && control.queue.is_some_and(|controlled| queue < controlled)
            {
                control.algorithm.on_priority_cells(now, 1);
            }
        }
        ring.push(cell);
        ring.serve(path.arrival(now));
        if self.notes_departures {
            self.left.push(cell.hop() as u32);
        }
        let queued = managed.queued();
        if let Some(gfc) = &mut self.gfc {
            gfc.on_queue(Cells(u64::from(queued)));
        }
        self.meter.departed += 1;
        self.meter.area += i128::from(now.as_ps());
        self.start_service(now);
    }

    /// Starts to transmit the next cell of the managed queue, if any.
    pub(in crate::engine::link) fn start_service(&mut self, now: Time) {
        let Some(managed) = self.queue.managed_mut() else {
            return;
        };
        let forget = forgetting(now, &mut self.meter, &mut self.left, self.notes_departures);
        let is_serving = managed.start(now, forget);
        let queued = managed.queued();
        self.note_controlled(now, queued);
        if is_serving {
            self.transmit_from(now);
        } else {
            self.finish = Time::NEVER;
        }
    }
}
