//! Evaluates one network by several methods and compares the results, value by value.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;

use celltrain_sim::engine::{self, Engine, RunError, RunOptions, Threads};
use celltrain_sim::measure::{Results, Table, Values};
use celltrain_sim::network::Network;

/// The number of threads for runs on threads, chosen so that parts are not evenly shared.
const THREADS: usize = 3;

/// A way to evaluate a network. All methods give the same results, bit for bit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// In trains of cells, as `celltrain run` does.
    Trains,
    /// In trains, with the connected components, however small, on several threads.
    TrainsOnThreads,
    /// Cell by cell.
    Cells,
    /// Cell by cell, with the connected components on several threads.
    CellsOnThreads,
    /// Cell by cell, as a whole, with an observer of the packets of all hosts.
    Observed,
    /// Cell by cell, as a whole, with an observer of the packets of all hosts and the cells of all links: each link
    /// handles each cell when it arrives. The plainest method.
    ObservedCells,
}

impl Method {
    /// All methods, the plainest first.
    pub const ALL: [Self; 6] = [
        Self::ObservedCells,
        Self::Observed,
        Self::CellsOnThreads,
        Self::Cells,
        Self::TrainsOnThreads,
        Self::Trains,
    ];
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Trains => "in trains",
            Self::TrainsOnThreads => "in trains, on threads",
            Self::Cells => "cell by cell",
            Self::CellsOnThreads => "cell by cell, on threads",
            Self::Observed => "cell by cell, packets observed",
            Self::ObservedCells => "cell by cell, all cells observed",
        })
    }
}

/// Why an evaluation gave no results.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum Failure {
    /// The run ended with an error.
    #[error(transparent)]
    Run(RunError),
    /// The engine panicked, which is a defect.
    #[error("panic: {0}")]
    Panic(String),
}

impl Failure {
    /// Whether the run was cut short, so that it says nothing about its results: cancelled, or at a limit, which the engines
    /// pass at different instants.
    pub(crate) fn is_cut(&self) -> bool {
        matches!(
            self,
            Self::Run(RunError::Cancelled | RunError::LimitPassed(_))
        )
    }
}

/// The result of an evaluation.
pub(crate) type Evaluated = Result<Results, Failure>;

/// Runs `network` once by `method`, until its end or until `cancel` is set.
pub fn evaluate(
    network: &Network,
    seed: u64,
    method: Method,
    cancel: &AtomicBool,
) -> Result<Results, Failure> {
    let observed = |links: &[usize]| engine::run_captured(network, seed, cancel, links, |_| ());
    let on_threads = |engine| {
        let threads = Threads::Exactly(THREADS);
        let options = RunOptions {
            engine,
            threads,
            progress: None,
        };
        engine::run_with(options, network, seed, cancel)
    };
    let run = || match method {
        Method::Trains => engine::run_with(Engine::Trains, network, seed, cancel),
        Method::Cells => engine::run_with(Engine::Cells, network, seed, cancel),
        Method::TrainsOnThreads => on_threads(Engine::Trains),
        Method::CellsOnThreads => on_threads(Engine::Cells),
        Method::Observed => observed(&[]),
        Method::ObservedCells => observed(&(0..network.links.len()).collect::<Vec<_>>()),
    };
    catch_unwind(AssertUnwindSafe(run))
        .map_err(|panic| Failure::Panic(panic_text(panic.as_ref())))?
        .map_err(Failure::Run)
}

/// Evaluates the network in trains and cell by cell.
pub(crate) fn evaluated(
    network: &Network,
    seed: u64,
    cancel: &AtomicBool,
) -> (Evaluated, Evaluated) {
    let cells = evaluate(network, seed, Method::Cells, cancel);
    (evaluate(network, seed, Method::Trains, cancel), cells)
}

/// The message of a panic.
fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("no message").to_owned()
}

/// The first difference between two results.
#[derive(Clone, PartialEq, Debug)]
pub struct Difference {
    /// The table.
    pub table: String,
    /// The column.
    pub column: String,
    /// The row, from 0.
    pub row: usize,
    /// The value in each of the two results; NaN if it has no such row.
    pub values: [f64; 2],
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [one, other] = self.values;
        write!(
            f,
            "{} row {} {}: {one} and {other}",
            self.table, self.row, self.column
        )
    }
}

/// The first difference between two results, bit by bit; all NaNs are equal. `None` if there is none.
pub fn difference(one: &Results, other: &Results) -> Option<Difference> {
    if one.digest == other.digest {
        return None;
    }
    let tables =
        |results: &Results| -> Vec<Table> { [&results.tables[..], &results.traces].concat() };
    let (ones, others) = (tables(one), tables(other));
    let first = ones.iter().zip(&others).find_map(|(a, b)| differs(a, b));
    Some(first.unwrap_or_else(|| Difference {
        table: "digest".to_owned(),
        column: String::new(),
        row: 0,
        values: [f64::NAN; 2],
    }))
}

fn differs(one: &Table, other: &Table) -> Option<Difference> {
    let columns = one.columns.iter().zip(&other.columns);
    columns.into_iter().find_map(|(a, b)| {
        let (Values::Numbers(xs), Values::Numbers(ys)) = (&a.values, &b.values) else {
            return None;
        };
        let (xs, ys): (Vec<f64>, Vec<f64>) = (xs.iter().collect(), ys.iter().collect());
        let at = |values: &[f64], row: usize| values.get(row).copied().unwrap_or(f64::NAN);
        let rows = xs.len().max(ys.len());
        let unlike = |&row: &usize| {
            let (x, y) = (at(&xs, row), at(&ys, row));
            row >= xs.len().min(ys.len())
                || (x.to_bits() != y.to_bits() && !(x.is_nan() && y.is_nan()))
        };
        let row = (0..rows).find(unlike)?;
        Some(Difference {
            table: one.name.clone(),
            column: a.name.clone(),
            row,
            values: [at(&xs, row), at(&ys, row)],
        })
    })
}
