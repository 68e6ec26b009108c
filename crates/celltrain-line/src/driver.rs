//! Packets through a simulated network, without a clock or a device: instants and packets are arguments; departures and
//! the next deadline are return values.

mod sampling;
mod way;

use celltrain_proto::units::{Rate, Span, Time, Unit};
use celltrain_sim::engine::{Arrival, CaptureRecord, Damage, RunError, Simulation};
use celltrain_sim::measure::{Results, Snapshot};
use celltrain_sim::network::{LinkQuantity, Record, VcQuantity};
use celltrain_sim::scenario::Direction;

use crate::ip;
use crate::packet::{Departure, Loss, LostTo, Octets};
use crate::prepare::{Carrier, visible_links};
use sampling::Sampler;
pub use sampling::{Sample, names as sampled};
pub use way::Counts;
use way::{Opportunities, Waiting, Way};

/// Maximum number of octets in transit held per direction; beyond this the oldest packets are given up as lost.
const MOST_OCTETS: usize = 256 << 20;

/// Options of a line in addition to its network.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Options {
    /// The seed of all random numbers.
    pub seed: u64,
    /// Packets of this direction enter at the next multiple of this span, modelling a host clock with such ticks.
    pub grid: Option<(Direction, Span)>,
}

/// A network that carries packets between the ends of one VC.
#[derive(Debug)]
pub struct Driver<'n> {
    carrier: &'n Carrier,
    options: Options,
    simulation: Simulation<'n>,
    ways: [Way; 2],
    arrivals: Vec<Arrival>,
    damages: Vec<Damage>,
    now: Time,
    start: Snapshot,
    sampler: Option<Sampler>,
}

/// Opportunities are averaged over at least this time.
const SPAN_OF_MEAN: Span = Span::from_ms(50);

const DIRECTIONS: [Direction; 2] = [Direction::Forward, Direction::Backward];

impl<'n> Driver<'n> {
    /// Creates the network at instant zero.
    pub fn new(carrier: &'n Carrier, options: Options) -> Self {
        let network = &carrier.network;
        let mut simulation = Simulation::with_external(network, options.seed, carrier.vc);
        let ways = DIRECTIONS.map(|direction| Way::new(carrier, direction));
        Self {
            start: simulation.read(),
            carrier,
            options,
            simulation,
            ways,
            arrivals: Vec::new(),
            damages: Vec::new(),
            now: Time::ZERO,
            sampler: None,
        }
    }

    /// From now on the queues of the line are sampled at multiples of `every`, which is not zero.
    pub fn sample(&mut self, every: Span) {
        self.sampler = Some(Sampler::new(self.carrier, every));
    }

    /// Appends the samples taken since the last call to `samples`.
    pub fn take_samples(&mut self, samples: &mut Vec<Sample>) {
        if let Some(sampler) = &mut self.sampler {
            sampler.drain_into(samples);
        }
    }

    /// From now on the cells on the links that the VC crosses, and the packets of hosts, are captured.
    pub fn capture(&mut self) -> Vec<usize> {
        let crossed = |link: &usize| {
            let ways = DIRECTIONS.map(|direction| self.carrier.links(direction));
            ways.iter().any(|links| links.contains(link))
        };
        let mut links = visible_links(&self.carrier.network);
        links.retain(crossed);
        self.simulation.capture(links.iter().copied());
        links
    }

    /// Appends the capture records since the last call to `records`.
    pub fn take_captured(&mut self, records: &mut Vec<CaptureRecord>) {
        self.simulation.take_captured(records);
    }

    /// A packet arrives at `now`, which is not before any instant given earlier. Returns false if it is not carried
    /// because it is not an IP packet.
    pub fn on_packet(
        &mut self,
        now: Time,
        direction: Direction,
        packet: Octets,
    ) -> Result<bool, RunError> {
        self.advance(now)?;
        let way = &mut self.ways[direction.index()];
        if ip::is_ecn_capable(&packet).is_err() || packet.len() > usize::from(u16::MAX) {
            way.counts.refused += 1;
            return Ok(false);
        }
        way.counts.packets += 1;
        way.counts.octets += packet.len() as u64;
        let waiting = Waiting {
            came: now,
            unhindered: Span::ZERO,
            packet,
        };
        match self.options.grid {
            Some((held, every)) if held == direction => {
                let enters = next_multiple(now, every);
                self.ways[direction.index()]
                    .held
                    .push_back((enters, waiting));
                self.enter_held(now)?;
            }
            _ => self.enter(direction, waiting),
        }
        Ok(true)
    }

    /// Advances the network to `now`.
    pub fn advance(&mut self, now: Time) -> Result<(), RunError> {
        self.enter_held(now)?;
        self.go_on(now)
    }

    /// The next packet that leaves, at or before the instant of the last call of [`Driver::advance`] or
    /// [`Driver::on_packet`].
    #[must_use]
    pub fn poll_departure(&mut self) -> Option<Departure> {
        let first = |way: &Way| way.departures.front().map(|it| it.due);
        let [forward, backward] = [&self.ways[0], &self.ways[1]].map(first);
        let index = match (forward, backward) {
            (None, None) => return None,
            (Some(_), None) => 0,
            (None, Some(_)) => 1,
            (Some(forward), Some(backward)) => usize::from(backward < forward),
        };
        self.ways[index].departures.pop_front()
    }

    /// Appends the losses that became known since the last call to `losses`.
    pub fn take_losses(&mut self, losses: &mut Vec<Loss>) {
        for way in &mut self.ways {
            losses.append(&mut way.losses);
        }
    }

    /// The earliest instant at which something can happen. It changes with [`Driver::on_packet`] and
    /// [`Driver::advance`].
    #[must_use]
    pub fn next_deadline(&self) -> Time {
        let held = self.ways.iter().filter_map(|way| way.held.front());
        held.fold(self.simulation.next_event(), |next, held| next.min(held.0))
    }

    /// Whether no packet is in transit.
    pub fn is_idle(&self) -> bool {
        self.ways.iter().all(|way| way.inside().next().is_none())
    }

    /// The packets in transit: arrival times and octets.
    pub fn inside(&self, direction: Direction) -> impl Iterator<Item = (Time, u32)> + '_ {
        let inside = self.ways[direction.index()].inside();
        inside.map(|waiting| (waiting.came, waiting.packet.len() as u32))
    }

    /// The packet counts of a direction.
    pub fn counts(&self, direction: Direction) -> &Counts {
        &self.ways[direction.index()].counts
    }

    /// The current state of a direction: the slowest line and its queue, and the rate of the source.
    pub fn state(&mut self, direction: Direction) -> State {
        let vc = self.carrier.vc;
        let mut state = State {
            rate_bps: f64::NAN,
            queue_cells: 0.0,
            lost_cells: 0.0,
            source_rate_bps: self.observe(Record::Vc(vc, direction, VcQuantity::Acr)),
            source_cells: self.observe(Record::Vc(vc, direction, VcQuantity::HostCells)),
        };
        for index in 0..self.ways[direction.index()].lines.len() {
            let link = self.ways[direction.index()].lines[index].link;
            let rate = self.rate(direction, index);
            if state.rate_bps.is_nan() || rate < state.rate_bps {
                state.rate_bps = rate;
                state.queue_cells = self.observe(Record::Link(link, LinkQuantity::Queue));
            }
            state.lost_cells += self.observe(Record::Link(link, LinkQuantity::LostInAll));
        }
        state
    }

    /// The current rate of a line of a direction; with delivery opportunities, its mean since a call at least 50 ms
    /// ago.
    fn rate(&mut self, direction: Direction, index: usize) -> f64 {
        let line = self.ways[direction.index()].lines[index];
        let Some(mut past) = line.opportunities else {
            return self.observe(Record::Link(line.link, LinkQuantity::Rate));
        };
        let bits = self.simulation.capacity_bits(line.link);
        if self.now - past.at >= SPAN_OF_MEAN {
            past = Opportunities {
                rate_bps: (bits - past.bits) / (self.now - past.at).as_secs(),
                at: self.now,
                bits,
            };
            self.ways[direction.index()].lines[index].opportunities = Some(past);
        }
        past.rate_bps
    }

    /// The tables of the run, from instant zero to now.
    pub fn results(&mut self) -> Results {
        let mut network = self.carrier.network.clone();
        network.end = self.now;
        let end = self.simulation.read();
        self.simulation
            .results(&network, self.options.seed, &self.start, &end)
    }

    fn observe(&mut self, record: Record) -> f64 {
        self.simulation.observe(record)
    }

    fn go_on(&mut self, now: Time) -> Result<(), RunError> {
        if let Some(sampler) = &mut self.sampler {
            while let Some(at) = sampler.due(now) {
                self.simulation.advance(at)?;
                sampler.take(&mut self.simulation);
            }
        }
        self.simulation.advance(now)?;
        self.now = now;
        // A later arrival would mask why the packets before it were lost.
        self.simulation.take_damages(&mut self.damages);
        for damage in self.damages.drain(..) {
            self.ways[damage.direction.index()].on_damage(damage);
        }
        self.simulation.take_arrivals(&mut self.arrivals);
        for arrival in self.arrivals.drain(..) {
            self.ways[arrival.direction.index()].on_arrival(arrival);
        }
        Ok(())
    }

    /// Packets that their host's clock releases by `now` enter at the instants of that clock.
    fn enter_held(&mut self, now: Time) -> Result<(), RunError> {
        let Some((direction, _)) = self.options.grid else {
            return Ok(());
        };
        while let Some((at, waiting)) = self.ways[direction.index()].take_held(now) {
            self.go_on(at)?;
            self.enter(direction, waiting);
        }
        Ok(())
    }

    fn enter(&mut self, direction: Direction, mut waiting: Waiting) {
        let octets = waiting.packet.len();
        let ecn_capable = ip::is_ecn_capable(&waiting.packet) == Ok(true);
        let label = ip::label(&waiting.packet);
        waiting.unhindered = self.unhindered(direction, octets);
        let number = self
            .simulation
            .hand_over(direction, octets as u32, ecn_capable, label);
        let way = &mut self.ways[direction.index()];
        debug_assert_eq!(number, way.first + way.waiting.len() as u64);
        way.octets += octets;
        way.waiting.push_back(Some(waiting));
        while way.octets > MOST_OCTETS {
            way.lose_first(LostTo::Memory);
        }
    }

    /// The end-to-end time of a packet without queueing: its cells at the current rate of the slowest line, one cell
    /// time on each of the others, or its frame on each; its frames on the hosts' LANs, and propagation.
    fn unhindered(&mut self, direction: Direction, octets: usize) -> Span {
        let adaptation = self.carrier.network.vcs[self.carrier.vc].adaptation;
        let cells = adaptation.cells_for_ip(octets as u64);
        let lans = self.simulation.lan_time(direction, octets as u64);
        let (mut span, mut slowest) = (self.ways[direction.index()].propagation + lans, Span::ZERO);
        for index in 0..self.ways[direction.index()].lines.len() {
            let link = self.ways[direction.index()].lines[index].link;
            let rate = self.observe(Record::Link(link, LinkQuantity::Rate));
            if rate > 0.0 {
                let rated = self.carrier.network.links[link].line.as_ref();
                let frames = rated.and_then(|rated| rated.frames);
                let unit = frames.map_or(Unit::CELL, |frames| {
                    Unit::octets(frames.framing.octets(octets as u32).into())
                });
                let time = Rate::bps(rate).time_of(unit);
                (span, slowest) = (span + time, slowest.max(time));
            }
        }
        span + Span::from_ps(slowest.as_ps() * (cells - 1))
    }
}

/// The current state of one direction.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct State {
    /// Rate of the slowest line, NaN without any; with delivery opportunities, the mean since the last look.
    pub rate_bps: f64,
    /// Cells in the queue in front of it.
    pub queue_cells: f64,
    /// Cells dropped at all queues since the start.
    pub lost_cells: f64,
    /// Rate at which the host may send: ACR or PCR; NaN if nothing limits it.
    pub source_rate_bps: f64,
    /// Cells waiting at the host.
    pub source_cells: f64,
}

/// The first multiple of `every` at or after `now`.
fn next_multiple(now: Time, every: Span) -> Time {
    match every.as_ps() {
        0 => now,
        every => Time::from_ps(now.as_ps().next_multiple_of(every)),
    }
}
