//! What one network likes: features, and the few values that its quantities take, so that its events coincide.

use super::dice::Dice;
use super::framing::{Framed, Medium};
use super::units::{CELL, MS, SECOND, US};
use super::words::{self, CELLS, SERVICES};

/// Features that a network has much of, little of, or not at all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wish {
    Groups,
    Lans,
    Routers,
    SwitchDelays,
    HostLan,
    Processing,
    Uncontrolled,
    OneWay,
    NoRate,
    VaryingRate,
    Adsl,
    FinishOld,
    Loss,
    Errors,
    Misinsertion,
    Jitter,
    VaryingDelay,
    Schedule,
    Mtu,
    Scheduling,
    ClassBuffers,
    Discard,
    Clp,
    Management,
    Credit,
    Control,
    LateLoad,
    Becn,
    Gfc,
    GfcGroups,
    Contract,
    AbrOptions,
    LocalLoop,
    VirtualEnds,
    Police,
    Dynamic,
    Shape,
    Paths,
    Weights,
    SourceBuffer,
    Aal34,
    Encapsulation,
    Tunnels,
    BothWays,
    Sockets,
    PerVc,
    TcpOptions,
    Preset,
    LateStart,
    RandomStart,
    CellDelays,
    Parts,
    Admission,
    Probes,
}

/// Pairs of the smallest and the largest buffer.
const BUFFERS: [(u64, u64); 6] = [
    (1, 3),
    (1, 8),
    (2, 30),
    (20, 300),
    (1, 2000),
    (100, 100_000),
];
const WISHES: usize = Wish::Probes as usize + 1;

/// The values and features of one network.
#[derive(Clone, Debug)]
pub(super) struct Taste {
    appetite: [f64; WISHES],
    /// The step of all times, in ps.
    pub(super) grid: u64,
    /// The share of delays that are zero.
    pub(super) zero: f64,
    /// The delays of links, in ps.
    pub(super) delays: Vec<u64>,
    /// The rates of lines and contracts, in bit/s.
    pub(super) rates: Vec<u64>,
    /// The smallest and the largest buffer.
    pub(super) buffers: (u64, u64),
    /// Instants at which something begins or ends, in ps.
    pub(super) instants: Vec<u64>,
    /// The end of the warm-up and of the run, in ps.
    pub(super) warm_up: u64,
    pub(super) end: u64,
    /// The share of sources and links that repeat the one before them.
    pub(super) echo: f64,
    /// The number of VCs.
    pub(super) vcs: u64,
    /// What most VCs and sources are.
    pub(super) service: &'static str,
    pub(super) process: &'static str,
    pub(super) variant: &'static str,
    /// The longest segment of most connections.
    pub(super) mss: u64,
    pub(super) kinds: Vec<&'static str>,
    /// What lines carry.
    pub(super) framed: Framed,
}

impl Taste {
    /// The taste of a network whose run is `length` of its usual length.
    pub(super) fn new(dice: &mut Dice, length: f64) -> Self {
        let framed = Framed::draw(dice);
        let (base, cell) = units(dice, framed);
        let grid = match dice.below(6) {
            0 | 1 => cell,
            2 => 10 * US,
            3 => MS,
            4 => dice.pick(&[cell / 2, cell / 3, 2 * cell, 32 * cell]),
            _ => dice.spread(1, cell),
        };
        let grid = grid.max(1);
        let end = on(grid, (run(dice, cell, grid) as f64 * length) as u64);
        let mut taste = Self {
            appetite: appetites(dice),
            grid,
            zero: dice.pick(&[0.0, 0.0, 0.2, 0.5, 0.9, 1.0]),
            delays: Vec::new(),
            rates: rates(dice, base),
            buffers: dice.pick(&BUFFERS),
            instants: Vec::new(),
            warm_up: 0,
            end,
            echo: dice.pick(&[0.0, 0.3, 0.9]),
            vcs: dice.pick(&[1, 2, 2, 3, 4, 6, 10, 16]),
            service: dice.pick(&SERVICES),
            process: dice.pick(&CELLS),
            variant: words::variant(dice),
            kinds: words::kinds(dice),
            mss: 0,
            framed,
        };
        taste.without_cells();
        // Loops need services that have them.
        let loops = [
            Wish::VirtualEnds,
            Wish::LocalLoop,
            Wish::Becn,
            Wish::AbrOptions,
        ];
        if loops.iter().any(|&wish| taste.likes(wish) >= 0.5) && dice.chance(0.7) {
            taste.service = "abr";
        }
        taste.times(dice, cell);
        taste.segments(dice);
        taste.warm_up = match dice.below(4) {
            0 => taste.instants[0],
            1 => on(grid, dice.below(end / 4 + 1)),
            _ => 0,
        };
        taste
    }

    /// Draws the longest segment of most connections.
    fn segments(&mut self, dice: &mut Dice) {
        // Where buffers hold a few cells, only short segments arrive.
        let sizes: &[u64] = if self.buffers.1 < 10 {
            &[13, 40, 60, 100, 1460]
        } else {
            &[13, 100, 536, 1460, 4312, 9140]
        };
        self.mss = dice.pick(sizes);
        if self.framed.medium != Medium::Cells && dice.chance(0.5) {
            self.mss = (self.framed.packet - 28).clamp(13, 1460);
            if self.framed.packet > 100 {
                self.mss = self.framed.packet - 40;
            }
        }
    }

    /// Leaves out what stands between cells, where there are none.
    fn without_cells(&mut self) {
        if self.framed.medium == Medium::Frames {
            for wish in [Wish::Routers, Wish::Lans, Wish::Tunnels] {
                self.appetite[wish as usize] = 0.0;
            }
        }
    }

    /// Draws delays and instants.
    fn times(&mut self, dice: &mut Dice, cell: u64) {
        let (grid, end) = (self.grid, self.end);
        let longest = [cell, 10 * cell, 100 * cell, 1000 * cell].map(|it| it.min(end / 8));
        self.delays = (0..dice.between(1, 3))
            .map(|_| {
                let longest = dice.pick(&longest);
                on(grid, dice.spread(1, longest.max(1)))
            })
            .collect();
        // What begins within a few cells meets what began at the start.
        let latest = [end, end.min(20 * cell)];
        self.instants = (0..dice.between(1, 4))
            .map(|_| {
                let latest = dice.pick(&latest);
                on(grid, dice.below(latest))
            })
            .collect();
    }

    /// How much the network likes a feature, from 0 to 1.
    pub(super) fn likes(&self, wish: Wish) -> f64 {
        self.appetite[wish as usize]
    }
}

/// `time` on the grid, at least one step.
pub(super) fn on(grid: u64, time: u64) -> u64 {
    (time / grid).max(1) * grid
}

/// The rate by which the network is measured: often one whose cell time is a whole number of ns.
fn base(dice: &mut Dice) -> u64 {
    match dice.below(4) {
        0 | 1 => {
            let cells = [
                2, 10, 25, 100, 1000, 2500, 10_000, 25_000, 100_000, 250_000, 1_000_000,
            ];
            CELL * dice.pick(&cells)
        }
        2 => dice.pick(&[
            1_000,
            9_600,
            64_000,
            128_000,
            512_000,
            2_048_000,
            10_000_000,
            149_760_000,
        ]),
        _ => dice.spread(1000, 622_000_000),
    }
}

/// The rate by which the network is measured, and the time of a cell or frame at this rate in ps.
fn units(dice: &mut Dice, framed: Framed) -> (u64, u64) {
    let base = base(dice);
    if framed.medium != Medium::Cells && dice.chance(0.6) {
        // Frames take the place of cells.
        let bits = 8 * framed.frame();
        let per_s = 10_u64.pow((base / bits).max(1).ilog10()) * dice.pick(&[1, 2, 5]);
        return (bits * per_s, SECOND / per_s);
    }
    (base, SECOND * CELL / base)
}

/// The length of a run, in ps.
fn run(dice: &mut Dice, cell: u64, grid: u64) -> u64 {
    let cells = dice.spread(300, 40_000);
    let drawn = (cell * cells).clamp(100 * US, 4000 * SECOND);
    // The timers of the systems of the 1990s tick twice a second, so some fast networks must run for seconds.
    let drawn = if dice.chance(0.3) {
        drawn.max(SECOND * dice.between(1, 20))
    } else {
        drawn
    };
    on(grid, drawn).min(100_000 * SECOND)
}

fn rates(dice: &mut Dice, base: u64) -> Vec<u64> {
    let mut rates = vec![base];
    let far = dice.spread(1000, 622_000_000);
    for _ in 0..dice.below(4) {
        let other = match dice.below(24) / 3 {
            0 => base,
            1 | 5 => base * 2,
            2 => base / 2,
            3 => base * dice.between(3, 10),
            4 => base / dice.between(3, 30),
            6 => base + 1,
            // Rates far apart make runs of few cells, or many, so they are rare.
            _ => dice.pick(&[base, base * 100, base / 100, far]),
        };
        rates.push(other.max(100));
    }
    rates
}

/// Features that do little without each other.
const THEMES: [&[Wish]; 11] = [
    &[Wish::Routers, Wish::Tunnels],
    &[Wish::Routers, Wish::Lans, Wish::Tunnels, Wish::AbrOptions],
    &[Wish::Scheduling, Wish::Credit, Wish::Weights],
    &[Wish::Control, Wish::VirtualEnds, Wish::AbrOptions],
    &[Wish::Control, Wish::Becn, Wish::LocalLoop],
    &[Wish::Gfc, Wish::GfcGroups],
    &[Wish::Paths, Wish::Contract, Wish::Police],
    &[Wish::Scheduling, Wish::ClassBuffers, Wish::VaryingRate],
    &[Wish::Police, Wish::Shape, Wish::Jitter],
    &[Wish::VaryingRate, Wish::Management, Wish::Dynamic],
    &[Wish::VaryingDelay, Wish::VaryingRate, Wish::Schedule],
];

/// Most features are absent in most networks, so that those present meet often and unmasked.
fn appetites(dice: &mut Dice) -> [f64; WISHES] {
    let share = dice.pick(&[0.0, 0.08, 0.15, 0.25, 0.4, 0.7]);
    let mut appetites = std::array::from_fn(|_| {
        if dice.chance(share) {
            dice.pick(&[0.15, 0.4, 0.7, 1.0])
        } else {
            0.0
        }
    });
    if dice.chance(0.5) {
        for &wish in dice.pick(&THEMES) {
            appetites[wish as usize] = dice.pick(&[0.5, 0.8, 1.0]);
        }
    }
    appetites
}
