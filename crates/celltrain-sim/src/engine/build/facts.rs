//! What a plan needs to know of the elements of a network.
//!
//! Elements know what follows from the description of a network, such as whether a queue is more than a FIFO. None of these
//! facts depends on the seed, so a plan is a function of the network alone.

use celltrain_proto::switch::SwitchAlgorithm;

use crate::engine::host::flow::{Flow, FlowKind};
use crate::engine::link::{Becn, Control, Line, Link};
use crate::engine::plan::{AlgorithmFacts, LineFacts, LinkFacts, SourceFacts};
use crate::engine::queue::managed::Managed;
use crate::engine::source::{Pace, Source};
use crate::engine::state::by_direction::ByDirection;
use crate::engine::state::ways::Ways;

/// The facts of a link.
pub(super) fn link(link: &Link) -> LinkFacts {
    LinkFacts {
        is_transparent: link.is_transparent(),
        is_impaired: link.is_impaired(),
        is_disturbed: link.is_disturbed(),
        is_overtaking: link.is_overtaking(),
        grants_credits: link.grants_credits(),
        can_be_foreseen: link.can_be_foreseen(),
        delay: link.delay(),
        line: link.line.as_ref().map(line),
    }
}

/// The facts of a rate and its queue.
fn line(line: &Line) -> LineFacts {
    let managed = line.queue.managed();
    LineFacts {
        cell_time: line.cell_time(),
        is_constant: line.is_constant(),
        is_plain: line.is_plain(),
        is_first_come: line.is_first_come(),
        takes_all: line.takes_all(),
        is_managed: managed.is_some(),
        drops_late: managed.is_some_and(Managed::drops_late),
        needs_credits: managed.is_some_and(Managed::takes_credits),
        carries_frames: line.carries_frames(),
        gives_gfc: line.gfc.is_some(),
        algorithm: line.control.as_ref().map(algorithm),
        becn: line.becn.as_deref().map(becn),
        goes_first: line.priority_queue().map(|queue| queue.goes_first()),
    }
}

fn algorithm(control: &Control) -> AlgorithmFacts {
    AlgorithmFacts {
        follows: control.is_followed || control.algorithm.follows_departures(),
    }
}

fn becn(becn: &Becn) -> Box<[u32]> {
    becn.made().map(|(hop, _)| hop as u32).collect()
}

/// The facts of the sources of all directions.
pub(super) fn sources(
    ways: &Ways,
    sources: &ByDirection<Source>,
    flows: &[Flow],
) -> ByDirection<SourceFacts> {
    let mut facts = ByDirection::new(&ways.places, |direction| source(&sources[direction]));
    for flow in flows {
        if let FlowKind::Tcp(connection) = &flow.kind
            && connection.waits_for_host()
        {
            facts[connection.data].is_awaited = true;
        }
    }
    facts
}

fn source(source: &Source) -> SourceFacts {
    SourceFacts {
        is_process: source.is_process(),
        is_timed: source.is_timed,
        is_tunnel: source.is_tunnel(),
        obeys_gfc: source.gfc.is_some(),
        is_abr: matches!(source.pace, Pace::Abr(_)),
        gap: match source.pace {
            Pace::Ubr { gap } => Some(gap),
            _ => None,
        },
        is_awaited: false,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::engine::build::{elements, flows};
    use crate::engine::plan::ByCell;
    use crate::engine::simulation::Engine;
    use crate::network::Network;
    use crate::scenario;

    #[test]
    fn a_plan_follows_from_the_network_whatever_is_drawn() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for file in [
            "benches/workloads/abr-erica.toml",
            "benches/workloads/adsl.toml",
            "benches/workloads/lan.toml",
            "examples/cell-delays.toml",
            "examples/cell-errors.toml",
            "examples/gfc-groups.toml",
            "examples/isdn.toml",
        ] {
            let text = std::fs::read_to_string(root.join(file)).expect("the scenario is there");
            let scenario = scenario::Source::toml(&text, file).read();
            let network = Network::new(&scenario.expect("it is valid")).expect("it is a network");
            for engine in [Engine::Cells, Engine::Trains] {
                let plan = |seed| {
                    let flows = flows(&network, seed, Vec::new());
                    let elements = elements(&network, &flows, seed);
                    let plan = elements.plan(&network, &flows, engine, &ByCell::default());
                    format!("{plan:?}")
                };
                let first = plan(0);
                assert!((1..5).all(|seed| plan(seed) == first), "{file}, {engine:?}");
            }
        }
    }
}
