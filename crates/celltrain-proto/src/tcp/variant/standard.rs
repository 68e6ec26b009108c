//! The standard's law: half of the window after a loss, and a segment more for each window acknowledged.
//!
//! It is the default of [`WindowLaw`]. Losses are repaired by selective acknowledgments (`sack`), or by partial ones
//! (`newreno`).
//!
//! Source: RFC 5681 3.1.

use super::facts::{ControlOptions, Facts, Repair};
use super::law::{MakeLaw, NoParameters, WindowLaw};
use super::window::Window;

/// The standard's law. Two rows of the registry have it, which are two types by the constant.
#[derive(Clone, Debug)]
pub(in crate::tcp) struct Standard<const IS_SELECTIVE: bool>;

impl<const IS_SELECTIVE: bool> WindowLaw for Standard<IS_SELECTIVE> {}

impl<const IS_SELECTIVE: bool> MakeLaw for Standard<IS_SELECTIVE> {
    type Parameters = NoParameters;
    const FACTS: Facts = Facts {
        repair: if IS_SELECTIVE {
            Repair::Selective
        } else {
            Repair::Partial
        },
        takes_linux_options: false,
        ..Facts::LAW
    };

    fn new(_: &NoParameters, _: &ControlOptions, _: &mut Window) -> Self {
        Self
    }
}
