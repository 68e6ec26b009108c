//! Cell loss on a line: independent, or in bursts.
//!
//! The models draw the number of cells until the next event rather than a number per cell: a line with loss 10^-9 costs
//! one decrement per cell and one draw per lost cell.
//!
//! A process is one file with its parameters and a type with `new`, `loses` and `mean_loss`. A row in the registry
//! below makes it a variant of [`Loss`], and its parameters a variant of [`Parameters`], as which a scenario is read.

mod bernoulli;
mod gilbert_elliott;
#[macro_use]
mod registry;
mod trials;

use crate::random::Stream;

loss_processes! {
    /// Independent for each cell.
    "bernoulli", "Bernoulli" => bernoulli::Bernoulli(BernoulliParameters);
    /// In bursts: a two-state chain, good and bad, with one step per cell.
    "gilbert-elliott", "Gilbert-Elliott" => gilbert_elliott::GilbertElliott(GilbertElliottParameters);
}
