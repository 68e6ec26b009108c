//! A queue that is evaluated lazily takes the cells of the middle of PDUs, in the order of their arrivals.

use celltrain_proto::switch::SwitchAlgorithm;
use celltrain_proto::units::Time;

use super::Simulation;
use super::cell::Kind;
use super::crowd;
use super::fifo::Fate;
use super::hop::Load;
use super::lazy::{STEP, minus};
use super::link::Control;
use super::port::{Port, Treatment};
use super::train::{Channel, Train};

/// The instant up to which cells are taken.
#[derive(Clone, Copy)]
pub(super) struct UpTo {
    time: Time,
    /// The present instant, and who acts: at that instant only what comes before him counts.
    now: Time,
    turn: usize,
}

impl Simulation<'_> {
    /// Up to `time`, as who acts now may know it.
    pub(super) fn up_to(&self, time: Time) -> UpTo {
        UpTo {
            time,
            now: self.now,
            turn: self.turn,
        }
    }

    /// Takes the cells of all inputs in the order of their arrivals.
    pub(super) fn merge(&mut self, link: usize, time: Time) {
        if self.ports[link].treatment == Treatment::Strict {
            return self.merge_strictly(link, time);
        }
        let mut cursor = Cursor::new(self.up_to(time));
        loop {
            if self.ports[link].crowd.is_some() && cursor.run.is_none() {
                self.take_crowd(link, time);
            }
            let next = cursor.next_train(&mut self.ports[link], &mut self.channels);
            let Some(train) = next else { return };
            match self.ports[link].treatment {
                Treatment::OneByOne => self.take_one_by_one(link, train),
                Treatment::Carrier(source) => self.take_up_train(source as usize, train),
                _ => self.take_whole(link, train),
            }
        }
    }

    /// The queue of a link that looks at each cell takes cells of the middle of PDUs.
    #[inline]
    pub(super) fn take_one_by_one(&mut self, link: usize, train: Train) {
        let hop = &mut self.hops[train.first.hop()];
        hop.counts.offered[Kind::Data as usize] += u64::from(train.count);
        let (vc, control_vc, load) = (hop.port_vc, hop.control_vc, hop.load);
        let mut cell = train.first;
        for number in 0..train.count {
            if number > 0 {
                cell = cell.behind(train.gap, 1);
            }
            let target = &mut self.links[link];
            if load != Load::Unseen {
                target.advance(cell.at);
                if let Some(control) = target.line.as_mut().and_then(|line| line.control.as_mut()) {
                    show_one(control, load, cell.at, control_vc);
                }
            }
            if target.enqueue(cell.at, cell, vc) {
                let queue = target.queue_of(vc);
                self.ports[link].marks.on_arrival(queue, false);
            } else {
                self.lose(cell.at, cell);
            }
        }
    }

    /// The queue of a link takes cells of the middle of PDUs.
    #[inline]
    pub(super) fn take_whole(&mut self, link: usize, train: Train) {
        let mut left = train;
        let hop = &mut self.hops[train.first.hop()];
        hop.counts.offered[Kind::Data as usize] += u64::from(train.count);
        let (channel, ahead, vc) = (hop.channel as usize, hop.ahead, hop.port_vc);
        if hop.load != Load::Unseen {
            self.show_train(link, &train);
        }
        let delay = self.channels[channel].delay;
        loop {
            let rated = self.links[link].line.as_mut();
            let fate = rated.and_then(|line| line.accept_train(&left, vc));
            let fate = fate.unwrap_or(Fate::Leave {
                first: left.first.at,
                gap: left.gap,
                count: left.count,
            });
            let count = match fate {
                Fate::Leave { first, gap, count } => {
                    let first = left.first.at_hop_ahead(ahead, first.saturating_add(delay));
                    let train = Train {
                        first,
                        gap,
                        count,
                        is_marked: false,
                    };
                    self.send_unmarked(channel, train);
                    count
                }
                Fate::Lost(count) => {
                    for number in 0..count {
                        let later = left.gap * u64::from(number);
                        let cell = left.first.behind(later, number);
                        self.lose(cell.at, cell);
                    }
                    count
                }
            };
            if count == left.count {
                return;
            }
            left.first = left.first.behind(left.gap * u64::from(count), count);
            left.count -= count;
        }
    }

    /// The algorithm of a queue learns of cells of the middle of PDUs.
    pub(super) fn show_train(&mut self, link: usize, train: &Train) {
        let hop = &self.hops[train.first.hop()];
        let (vc, load) = (hop.control_vc, hop.load);
        let rated = self.links[link].line.as_mut();
        let Some(control) = rated.and_then(|line| line.control.as_mut()) else {
            return;
        };
        let last = train.last();
        if load == Load::Counted && last < control.algorithm.counts_until() {
            return control.algorithm.on_cells(last, vc, u64::from(train.count));
        }
        for cell in train.cells() {
            show_one(control, load, cell.at, vc);
        }
    }
}

/// The algorithm of a queue learns of a cell of the middle of a PDU.
#[inline]
pub(super) fn show_one(control: &mut Control, load: Load, at: Time, vc: u32) {
    match load {
        Load::Unseen => {}
        Load::Counted => control.algorithm.on_cells(at, vc, 1),
        Load::Priority if control.counts_departures => {}
        Load::Priority => control.algorithm.on_priority_cells(at, 1),
    }
}

/// What comes next to a port.
pub(super) enum Next {
    /// Cells, taken out of the crowd or of the channel of another input.
    Train(Train),
    /// Cells of the input by which some came before, too.
    Run(Run),
}

/// Cells of one input, as many as come before those of any other but the crowd.
#[derive(Clone, Copy)]
pub(super) struct Run {
    pub(super) input: usize,
    /// They come up to this instant.
    pub(super) until: Time,
}

impl Run {
    /// Takes the cells that come next, up to the next one of the crowd.
    #[inline]
    pub(super) fn next(self, port: &Port, channels: &mut [Channel]) -> Option<Train> {
        let mut until = self.until;
        if let Some(crowd) = &port.crowd {
            let next = crowd.next_arrival();
            until = until.min(if crowd.precedes(self.input) {
                minus(next, STEP)?
            } else {
                next
            });
        }
        self.take(until, port, channels)
    }

    /// Takes the cells that come next up to `until`, whatever the crowd brings.
    #[inline]
    pub(super) fn take(self, until: Time, port: &Port, channels: &mut [Channel]) -> Option<Train> {
        let channel = &mut channels[port.channels[self.input] as usize];
        let train = channel.first_mut()?;
        if train.is_marked || train.first.at > until {
            return None;
        }
        let count = train.count_until(until);
        let taken = Train { count, ..*train };
        if count == train.count {
            channel.drop_first();
        } else {
            train.cut(count);
        }
        Some(taken)
    }

    /// The port learns when the next cell comes by this input.
    #[inline]
    pub(super) fn end(self, port: &mut Port, channels: &[Channel]) {
        let channel = &channels[port.channels[self.input] as usize];
        port.arrivals.set(self.input, channel.next_arrival());
    }
}

/// How far the cells of a port's inputs have been taken.
pub(super) struct Cursor {
    up_to: UpTo,
    /// The input by which the last cells came.
    last: usize,
    /// Cells of that input that are being taken.
    run: Option<Run>,
}

impl Cursor {
    pub(super) fn new(up_to: UpTo) -> Self {
        Self {
            up_to,
            last: usize::MAX,
            run: None,
        }
    }

    /// Takes the cells that come next.
    #[inline]
    fn next_train(&mut self, port: &mut Port, channels: &mut [Channel]) -> Option<Train> {
        loop {
            if let Some(run) = self.run {
                if let Some(train) = run.next(port, channels) {
                    return Some(train);
                }
                run.end(port, channels);
                self.run = None;
            }
            match self.next(port, channels)? {
                Next::Train(train) => return Some(train),
                Next::Run(run) => self.run = Some(run),
            }
        }
    }

    /// What comes next. The cells of a run are taken by [`Run::next`], and [`Run::end`] ends it. How far cells of an
    /// input come before all others is looked at only where it comes twice in a row.
    #[inline]
    pub(super) fn next(&mut self, port: &mut Port, channels: &mut [Channel]) -> Option<Next> {
        let UpTo { time, now, turn } = self.up_to;
        let (at, input) = port.arrivals.next();
        if let Some(crowd) = &mut port.crowd
            && let Some(cell) = crowd.first().filter(|cell| cell.at <= at)
            && (cell.at < at || crowd.precedes(input))
        {
            if cell.at > time {
                return None;
            }
            if time == now && cell.at == time {
                let members = &port.channels[crowd.inputs.clone()];
                let actor = crowd::actor(cell, members, channels);
                if actor.is_none_or(|actor| actor > turn) {
                    return None;
                }
            }
            crowd.drop_first();
            return Some(Next::Train(Train::single(cell, false)));
        }
        if at > time {
            return None;
        }
        let channel = &mut channels[port.channels[input] as usize];
        let mut until = time;
        if time == now && channel.actor > turn {
            if at == time {
                return None;
            }
            until = time - STEP;
        }
        let train = channel.first_mut().filter(|train| !train.is_marked)?;
        if input == self.last {
            let (second, other) = port.arrivals.runner_up(input);
            until = until.min(if input < other { second } else { second - STEP });
            return Some(Next::Run(Run { input, until }));
        }
        self.last = input;
        let cell = train.first;
        let next = if train.count == 1 {
            channel.drop_first()
        } else {
            train.cut(1);
            train.first.at
        };
        port.arrivals.set(input, next);
        Some(Next::Train(Train::single(cell, false)))
    }
}
