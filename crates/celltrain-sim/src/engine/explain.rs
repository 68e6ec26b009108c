//! Describes how a network is evaluated.

use std::fmt;

use crate::engine::build;
use crate::network::Network;

/// How the train engine evaluates a network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explanation {
    /// The links in order, then the sources of VCs in both directions.
    pub stages: Vec<Stage>,
}

/// How a link, or the source of a VC in one direction, is evaluated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stage {
    /// `links.NAME` or `vcs.NAME`; the reverse direction of a bidirectional element has ` back` appended.
    pub name: String,
    /// If several consecutive stages differ only in their number, they are listed as one; this is the name of the last.
    pub last: Option<String>,
    /// The evaluation mode: `in trains` and other fast ones, or `cell by cell`.
    pub mode: String,
    /// The reason for the mode.
    pub why: String,
}

/// Plans how the train engine evaluates a network, and why.
///
/// A run may evaluate more links cell by cell than its plan says: if cells leave a link at one instant in an order other
/// than that of their channels, the run starts again.
pub fn explain(network: &Network) -> Explanation {
    let plan = build::planned(network);
    let links = network.links.iter().zip(&plan.stages);
    let links = links.map(|(link, stage)| Stage {
        name: format!("links.{}{}", link.name, back(link.is_back)),
        last: None,
        mode: stage.mode.to_string(),
        why: stage.why.text(network),
    });
    let directions = 0..plan.sources.directions();
    let sources = directions.filter_map(|direction| {
        let source = &plan.sources[direction];
        let why = source.why?;
        let vc = &network.vcs[direction / 2].name;
        Some(Stage {
            name: format!("vcs.{vc}{}", back(direction % 2 == 1)),
            last: None,
            mode: if source.is_lazy {
                "in trains"
            } else {
                "cell by cell"
            }
            .to_owned(),
            why: why.text(network),
        })
    });
    Explanation {
        stages: links.chain(sources).fold(Vec::new(), gather),
    }
}

/// Adds a stage, or extends an earlier one to include it.
fn gather(mut stages: Vec<Stage>, stage: Stage) -> Vec<Stage> {
    let without_number = |name: &str| {
        let (name, back) = match name.strip_suffix(" back") {
            Some(name) => (name, true),
            None => (name, false),
        };
        let name = name.trim_end_matches(|it: char| it.is_ascii_digit());
        (name.to_owned(), back)
    };
    let without_numbers = |text: &str| {
        let parts = text.split(|it: char| it.is_ascii_digit());
        let parts: Vec<_> = parts.filter(|part| !part.is_empty()).collect();
        parts.join("*")
    };
    // The two directions of a link or a VC alternate, so the second last stage is considered, too.
    let start = stages.len().saturating_sub(2);
    let alike = stages[start..].iter_mut().find(|it| {
        it.mode == stage.mode
            && without_number(&it.name) == without_number(&stage.name)
            && without_numbers(&it.why) == without_numbers(&stage.why)
    });
    match alike {
        Some(first) => {
            if first.why != stage.why {
                first.why = without_numbers(&stage.why);
            }
            first.last = Some(stage.name);
        }
        None => stages.push(stage),
    }
    stages
}

impl fmt::Display for Explanation {
    /// Writes a line for each stage.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for stage in &self.stages {
            write!(f, "{}", stage.name)?;
            if let Some(last) = &stage.last {
                write!(f, " .. {last}")?;
            }
            writeln!(f, ": {} ({})", stage.mode, stage.why)?;
        }
        Ok(())
    }
}

fn back(is_back: bool) -> &'static str {
    if is_back { " back" } else { "" }
}
