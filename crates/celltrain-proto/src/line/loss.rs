//! Cell loss on a line: independent, in bursts, or by impulses.
//!
//! All but impulses draw the number of cells until the next event rather than a number per cell: a line with loss 10^-9 costs
//! one decrement per cell and one draw per lost cell.
//!
//! A process is one file with its parameters and a type with `new`, `loses` and `mean_loss`. A row in the registry
//! below makes it a variant of [`Loss`], and its parameters a variant of [`Parameters`], as which a scenario is read.

mod bernoulli;
mod gilbert_elliott;
mod impulse;
mod list;
#[macro_use]
mod registry;
mod trials;

pub use impulse::ImpulseArrivals;
pub use list::LossStep;

use crate::random::Stream;
use crate::units::Time;

loss_processes! {
    /// Independent for each cell.
    "bernoulli", "Bernoulli" => bernoulli::Bernoulli(BernoulliParameters);
    /// In bursts: a two-state chain, good and bad, with one step per cell.
    "gilbert-elliott", "Gilbert-Elliott" => gilbert_elliott::GilbertElliott(GilbertElliottParameters);
    /// Impulse noise on a DSL line: all cells of the Reed-Solomon codewords that an impulse destroys.
    "impulse", "Impulse noise" => impulse::Impulse(ImpulseParameters);
    /// Independent for each cell, with a probability that follows a list.
    "list", "list of losses" => list::List(LossListParameters);
}
