//! The evaluation mode of a link considered alone.

use celltrain_proto::units::Span;

use crate::engine::plan::facts::LinkFacts;
use crate::engine::state::mode::{Mode, Why};

/// The evaluation mode of a link, considering only its own properties.
pub(super) fn stage(link: &LinkFacts) -> (Mode, Why) {
    // Cells cross it within the event that brings them, so there is nothing to take on demand.
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
    // A channel keeps its cells in order.
    if link.is_overtaking {
        return (Mode::PerCell, Why::Overtakes);
    }
    let Some(rated) = &link.line else {
        return if link.is_disturbed && link.delay == Span::ZERO {
            // A cell can leave at the instant at which it enters, when channels that are later in the order have acted.
            (Mode::PerCell, Why::MayTakeNoTime)
        } else if link.is_disturbed {
            (Mode::OneByOne, Why::DelayVaries)
        } else {
            (Mode::Delay, Why::HasNoRate)
        };
    };
    // Each frame wakes its receiver, so there is nothing to take on demand. Its departure is known on arrival if only room
    // decides, and nothing changes the rate or the delay.
    if rated.carries_frames {
        let is_foreseen = rated.is_first_come && rated.is_constant && !link.is_disturbed;
        let mode = if is_foreseen {
            Mode::Foreseen
        } else {
            Mode::PerCell
        };
        return (mode, Why::CarriesFrames);
    }
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
    // Told of a train at once, the algorithm would see a queue longer or shorter than at each of its cells.
    if rated.algorithm.is_some_and(|algorithm| algorithm.follows) {
        (Mode::OneByOne, Why::AlgorithmFollows)
    } else if link.is_disturbed {
        // Delays are drawn in the order of departures, and differ: a train would not stay one.
        (Mode::OneByOne, Why::DelayVaries)
    } else if !rated.is_constant {
        // Departures are known up to the next change only if nothing that arrives later goes first or is judged.
        if rated.is_plain {
            (Mode::Varying, Why::FirstComeVarying)
        } else {
            (Mode::OneByOne, Why::DisciplineVarying)
        }
    } else if rated.is_first_come {
        // Only room and the first cell of a frame decide, so Lindley's recursion holds for a whole train.
        (Mode::Batched, Why::FirstComeConstant)
    } else if rated.goes_first.is_some() {
        // Of lower classes a departure is known only when the transmission starts; these cells are kept one by one.
        (Mode::Priority, Why::ClassesConstant)
    } else {
        (Mode::OneByOne, Why::Discipline)
    }
}
