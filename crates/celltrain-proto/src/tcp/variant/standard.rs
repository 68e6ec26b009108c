//! The standard's law: a loss halves the window, and each window acknowledged adds a segment.
//!
//! It is the default of [`WindowLaw`]. Losses are repaired by selective acknowledgments (`sack`), or by partial ones
//! (`newreno`).
//!
//! Source: RFC 5681 3.1.

use super::congestion_control::Event;
use super::facts::{ControlOptions, Facts, Repair};
use super::law::{MakeLaw, NoParameters, WindowLaw};
use super::window::Window;

parameters! {
    /// The parameters of NewReno.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub struct NewRenoParameters {
        /// Whether a time-out while losses are repaired halves the window again, as in 4.4BSD and its descendants, and in
        /// simulators of the ns family. Otherwise it keeps the threshold that the loss set, as Linux does.
        pub halves_again: bool = false;
    }
}

/// The standard's law. Two rows of the registry use it; the constant makes them two types.
#[derive(Clone, Debug, Default)]
pub(in crate::tcp) struct Standard<const IS_SELECTIVE: bool> {
    halves_again: bool,
}

impl<const IS_SELECTIVE: bool> WindowLaw for Standard<IS_SELECTIVE> {
    fn on_timeout(&mut self, window: &mut Window, event: &Event, is_repairing: bool) {
        if !is_repairing {
            self.reduce(window, event);
        } else if self.halves_again {
            window.halve_again();
        }
        window.cwnd = window.mss;
    }
}

impl MakeLaw for Standard<false> {
    type Parameters = NewRenoParameters;
    const FACTS: Facts = Facts {
        repair: Repair::Partial,
        takes_linux_options: false,
        ..Facts::LAW
    };

    fn new(parameters: &NewRenoParameters, _: &ControlOptions, _: &mut Window) -> Self {
        Self {
            halves_again: parameters.halves_again,
        }
    }
}

impl MakeLaw for Standard<true> {
    type Parameters = NoParameters;
    const FACTS: Facts = Facts {
        repair: Repair::Selective,
        takes_linux_options: false,
        ..Facts::LAW
    };

    fn new(_: &NoParameters, _: &ControlOptions, _: &mut Window) -> Self {
        Self {
            halves_again: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::drive::{Drive, MSS};
    use super::*;

    #[test]
    fn a_time_out_while_losses_are_repaired_keeps_the_threshold_or_halves_it_again() {
        for (halves_again, expected) in [(false, [10, 10]), (true, [5, 2])] {
            let mut drive = Drive::<Standard<false>>::new(&NewRenoParameters { halves_again }, 20);
            let event = drive.event(None, 20 * MSS);
            drive.law.on_loss(&mut drive.window, &event);
            let thresholds = [(); 2].map(|()| {
                drive.law.on_timeout(&mut drive.window, &event, true);
                drive.window.ssthresh / MSS
            });
            assert_eq!(thresholds, expected);
            assert_eq!(drive.window.cwnd, MSS);
        }
    }
}
