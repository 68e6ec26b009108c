//! The checks run on every network. A new check is one more row.

mod lines;

use std::thread;

use celltrain_sim::engine::RunError;
use celltrain_sim::measure::Results;
use celltrain_sim::scenario::{Scenario, Source};
use celltrain_verify::compare::{Failure, Method, difference};
use celltrain_verify::{invariants, text, verdict};

use crate::case::{Case, Check, Finding};
use crate::metamorphic::RELATIONS;

/// All checks.
pub const ALL: &[Check] = &[
    Check {
        name: "engines",
        run: engines,
    },
    Check {
        name: "threads",
        run: threads,
    },
    Check {
        name: "text",
        run: written,
    },
    Check {
        name: "invariants",
        run: invariants,
    },
    Check {
        name: "lines",
        run: lines::lines,
    },
    Check {
        name: "relations",
        run: relations,
    },
];

/// The name of a check as in the registry; empty if it is not there.
pub fn named(name: &str) -> &'static str {
    let found = ALL.iter().find(|check| check.name == name);
    found.map_or("", |check| check.name)
}

type Outcome = Result<Results, Failure>;

/// Checks that all methods give the same results, or the same error.
fn engines(case: &Case) -> Result<(), Finding> {
    let plainest = Method::ALL[0];
    let one = case.outcome(plainest);
    // The method that differs most often comes first, so that the others need not run.
    for &method in Method::ALL[1..].iter().rev() {
        let pair = format!("{plainest} / {method}");
        let other = case.outcome(method);
        agree("engines", &pair, one, other)?;
    }
    Ok(())
}

/// Checks that two evaluations agree: the same tables, bit by bit, or the same kind of error. A panic or lost cells are
/// wrong even if both agree.
fn agree(check: &'static str, pair: &str, one: &Outcome, other: &Outcome) -> Result<(), Finding> {
    let finding = |kind: &str, text: String| {
        Err(Finding {
            check,
            // Different pairs of methods are different faults.
            kind: format!("{kind}, {pair}"),
            text: format!("{pair}: {text}"),
        })
    };
    let name = |outcome: &Outcome| match outcome {
        Ok(_) => "results",
        Err(Failure::Panic(_)) => "a panic",
        Err(Failure::Run(RunError::Cancelled)) => "too long",
        Err(Failure::Run(RunError::Stuck { .. })) => "stuck",
        Err(Failure::Run(RunError::NotConserved(_))) => "cells not conserved",
        // What a run could need is checked before it starts, so the bound was wrong.
        Err(Failure::Run(RunError::LimitPassed(_))) => "a limit passed",
    };
    let text = |outcome: &Outcome| match outcome {
        Ok(_) => "results".to_owned(),
        Err(failure) => failure.to_string(),
    };
    let names = [name(one), name(other)];
    let is_wrong =
        |name: &&str| ["a panic", "cells not conserved", "a limit passed"].contains(name);
    if names[0] != names[1] || names.iter().any(is_wrong) {
        let kind = format!("{} and {}", names[0], names[1]);
        return finding(&kind, format!("{} and {}", text(one), text(other)));
    }
    match (one, other) {
        (Ok(one), Ok(other)) => difference(one, other).map_or(Ok(()), |difference| {
            finding("other results", difference.to_string())
        }),
        _ => Ok(()),
    }
}

/// Checks that two simultaneous runs on two threads give what each gives alone.
fn threads(case: &Case) -> Result<(), Finding> {
    let methods = [Method::Trains, Method::Cells];
    let outcomes = thread::scope(|scope| {
        let runs = methods.map(|method| (method, scope.spawn(move || case.again(method))));
        runs.map(|(method, run)| (method, run.join()))
    });
    for (method, outcome) in outcomes {
        let Ok(outcome) = outcome else { continue };
        let pair = format!("{method}: alone / beside another run");
        agree("threads", &pair, case.outcome(method), &outcome)?;
    }
    Ok(())
}

/// Checks the invariants of the tables of any run.
fn invariants(case: &Case) -> Result<(), Finding> {
    let Ok(results) = case.outcome(Method::Trains) else {
        return Ok(());
    };
    let mut violations = invariants::violations(&case.network, results).into_iter();
    let Some((name, violation)) = violations.next() else {
        return Ok(());
    };
    Err(Finding {
        check: "invariants",
        kind: name.to_owned(),
        text: format!("{name}: {violation}"),
    })
}

/// Checks the relations between the scenario and changes that must not change its results.
fn relations(case: &Case) -> Result<(), Finding> {
    if case.outcome(Method::Trains).is_err() {
        return Ok(());
    }
    for relation in RELATIONS {
        // Each relation runs other networks, whose time counts towards that of this one.
        if case.is_cut_off() {
            break;
        }
        if let verdict::Verdict::Violated(what) =
            relation.check(&case.value, &case.network, case.seed)
        {
            return Err(Finding {
                check: "relations",
                kind: relation.name.to_owned(),
                text: format!("{}: {what}", relation.name),
            });
        }
    }
    Ok(())
}

/// Checks that the canonical form and the TOML text of a scenario describe the same scenario.
fn written(case: &Case) -> Result<(), Finding> {
    let finding = |kind: &str, text: String| Finding {
        check: "text",
        kind: kind.to_owned(),
        text,
    };
    let hash = case.scenario.hash();
    let canonical = case.scenario.to_json();
    let toml = text::toml(&case.value)
        .ok_or_else(|| finding("no TOML", "the scenario has no TOML text".to_owned()))?;
    let sources = [
        ("canonical form", Source::json(&canonical, "canonical")),
        ("TOML text", Source::toml(&toml, "toml")),
    ];
    sources
        .into_iter()
        .try_for_each(|(name, source)| says(name, &source, &hash).map_err(|it| finding(name, it)))
}

/// Checks that `source` describes the scenario with this hash.
fn says(name: &str, source: &Source<'_>, hash: &str) -> Result<(), String> {
    let read: Scenario = source.read().map_err(|error| error.to_string())?;
    if read.hash() == hash {
        Ok(())
    } else {
        Err(format!("the {name} is another scenario"))
    }
}

#[cfg(test)]
mod tests;
