//! What a recording says of a link, as its own keys would say it.

use crate::line::delay::DelayParameters;
use crate::line::loss;
use crate::line::rate::RateParameters;
use crate::parameters::Problem;

/// What a recording says; a quantity is absent if it says nothing of it.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Lists {
    /// The rate of the line.
    pub rate: Option<RateParameters>,
    /// The delay of the link.
    pub delay: Option<DelayParameters>,
    /// Cells lost on the line.
    pub loss: Option<loss::Parameters>,
}

impl Lists {
    pub(super) fn check(&self) -> Result<(), Problem> {
        self.rate.as_ref().map_or(Ok(()), RateParameters::check)?;
        self.delay.as_ref().map_or(Ok(()), DelayParameters::check)?;
        self.loss.as_ref().map_or(Ok(()), loss::Parameters::check)
    }
}
