//! Loss of cells on a line: independent, or in bursts.
//!
//! The models draw the number of cells up to the next event, not a number for each cell: a line of loss 10^-9 costs one
//! decrement a cell and one draw for each cell lost.
//!
//! A process is one file with its parameters and a type with `new`, `loses` and `mean_loss`. A row in the registry below
//! makes it a variant of [`Loss`], and its parameters a variant of [`Parameters`], which a scenario is read into.

mod bernoulli;
mod gilbert_elliott;
#[macro_use]
mod registry;
mod trials;

use crate::random::Stream;

loss_processes! {
    /// Each cell by itself.
    "bernoulli", "Bernoulli" => bernoulli::Bernoulli(BernoulliParameters);
    /// In bursts: a chain of a good and a bad state, a step a cell.
    "gilbert-elliott", "Gilbert-Elliott" => gilbert_elliott::GilbertElliott(GilbertElliottParameters);
}
