//! The evaluation mode of a link considered alone.

use celltrain_proto::units::Span;

use crate::engine::plan::facts::LinkFacts;
use crate::engine::state::mode::{Mode, Why};

/// The evaluation mode of a link, considering only its own properties.
pub(super) fn stage(link: &LinkFacts) -> (Mode, Why) {
    if link.is_transparent {
        return (Mode::Transparent, Why::TakesNoTime);
    }
    // Losses and errors are drawn as cells arrive, and a credit is granted at each departure.
    if link.is_impaired {
        return (Mode::PerCell, Why::LosesCells);
    }
    if link.grants_credits {
        return (Mode::PerCell, Why::GrantsCredits);
    }
    let Some(rated) = &link.line else {
        return if link.is_disturbed && link.delay == Span::ZERO {
            // A cell can leave at the instant at which it enters, when channels that are later in the order have acted.
            (Mode::PerCell, Why::MayTakeNoTime)
        } else if link.is_disturbed {
            (Mode::OneByOne, Why::HasJitter)
        } else {
            (Mode::Delay, Why::HasNoRate)
        };
    };
    // Cells that pass in the other direction carry the command that follows from the queue at that instant.
    if rated.gives_gfc {
        return (Mode::PerCell, Why::GivesGfc);
    }
    // A cell of the switch goes back in the event in which a cell comes to the queue.
    if rated.becn.is_some() {
        return (Mode::PerCell, Why::MakesBecn);
    }
    // Credits arrive at instants that only the far end knows.
    if rated.needs_credits {
        return (Mode::PerCell, Why::NeedsCredits);
    }
    if rated.algorithm.is_some_and(|algorithm| algorithm.follows) {
        (Mode::OneByOne, Why::AlgorithmFollows)
    } else if link.is_disturbed {
        (Mode::OneByOne, Why::HasJitter)
    } else if !rated.is_constant {
        if rated.is_plain {
            (Mode::Varying, Why::FirstComeVarying)
        } else {
            (Mode::OneByOne, Why::DisciplineVarying)
        }
    } else if rated.is_first_come {
        (Mode::Batched, Why::FirstComeConstant)
    } else if rated.goes_first.is_some() {
        (Mode::Priority, Why::ClassesConstant)
    } else {
        (Mode::OneByOne, Why::Discipline)
    }
}
