//! The evaluation mode of a link considered alone.

use celltrain_proto::switch::SwitchAlgorithm;

use crate::engine::link::Link;
use crate::engine::queue::managed::Managed;
use crate::engine::state::mode::{Mode, Why};

/// The evaluation mode of a link, considering only its own properties.
pub(super) fn stage(link: &Link) -> (Mode, Why) {
    if link.is_transparent() {
        return (Mode::Transparent, Why::TakesNoTime);
    }
    // Losses and errors are drawn as cells arrive, and a credit is granted at each departure.
    if link.is_impaired() {
        return (Mode::PerCell, Why::LosesCells);
    }
    if link.grants_credits() {
        return (Mode::PerCell, Why::GrantsCredits);
    }
    let Some(rated) = &link.line else {
        return if link.is_disturbed() {
            (Mode::OneByOne, Why::HasJitter)
        } else {
            (Mode::Delay, Why::HasNoRate)
        };
    };
    let takes_credits = rated.queue.managed().is_some_and(Managed::takes_credits);
    // Cells that pass in the other direction carry the command that follows from the queue at that instant.
    if rated.gfc.is_some() {
        return (Mode::PerCell, Why::GivesGfc);
    }
    // A cell of the switch goes back in the event in which a cell comes to the queue.
    if rated.becn.is_some() {
        return (Mode::PerCell, Why::MakesBecn);
    }
    // Credits arrive at instants that only the far end knows.
    if takes_credits {
        return (Mode::PerCell, Why::NeedsCredits);
    }
    let watches = rated
        .control
        .as_ref()
        .is_some_and(|control| control.is_followed || control.algorithm.follows_departures());
    if watches {
        (Mode::OneByOne, Why::AlgorithmFollows)
    } else if link.is_disturbed() {
        (Mode::OneByOne, Why::HasJitter)
    } else if !rated.is_constant() {
        if rated.is_plain() {
            (Mode::Varying, Why::FirstComeVarying)
        } else {
            (Mode::OneByOne, Why::DisciplineVarying)
        }
    } else if rated.is_first_come() {
        (Mode::Batched, Why::FirstComeConstant)
    } else if rated.priority_queue().is_some() {
        (Mode::Priority, Why::ClassesConstant)
    } else {
        (Mode::OneByOne, Why::Discipline)
    }
}
