use std::time::Duration;

use celltrain_sim::engine::RunError;
use celltrain_sim::measure::{Results, Values};
use celltrain_sim::scenario::Source;
use celltrain_verify::compare::{Failure, Method};
use serde_json::{Value, json};

use super::{ALL, Outcome, agree, says};
use crate::case::{Case, Check, Finding, Verdict, verdict};

fn scenario(duration: &str) -> Value {
    json!({
        "measure": {"duration": duration},
        "hosts": {"a": {}, "b": {}},
        "links": {"l": {"between": ["a", "b"], "delay": "1 ms", "rate": "100 Mbit/s", "buffer": "9 cells"}},
        "vcs": {"v": {"route": ["a", "b"], "forward": {"service": "ubr", "pcr": "90 Mbit/s"}}},
        "backgrounds": {"b": {"vc": "v", "traffic": {"process": "poisson", "rate": "80 Mbit/s"}}},
    })
}

fn case(duration: &str, seed: u64) -> Case {
    Case::new(scenario(duration), seed).unwrap()
}

fn kind(one: &Outcome, other: &Outcome) -> Option<String> {
    agree("engines", "pair", one, other).err().map(|it| it.kind)
}

fn failed(failure: Failure) -> Outcome {
    Err(failure)
}

#[test]
fn other_results_are_found() {
    let (one, other) = (case("20 ms", 1), case("20 ms", 2));
    let outcome = |case: &Case| case.again(Method::Trains);
    assert_eq!(kind(&outcome(&one), &outcome(&one)), None);
    let found = kind(&outcome(&one), &outcome(&other));
    assert_eq!(found.as_deref(), Some("other results, pair"));
}

#[test]
fn an_error_of_one_alone_and_a_panic_of_all_are_found() {
    let stuck = || {
        failed(Failure::Run(RunError::Stuck {
            at: celltrain_proto::units::Time::ZERO,
            who: String::new(),
            cure: String::new(),
        }))
    };
    let panics = || failed(Failure::Panic("text".to_owned()));
    let lost = || failed(Failure::Run(RunError::NotConserved("cells".to_owned())));
    let results = case("1 ms", 1).again(Method::Trains);
    assert_eq!(kind(&stuck(), &stuck()), None);
    assert_eq!(
        kind(&results, &stuck()).as_deref(),
        Some("results and stuck, pair")
    );
    assert_eq!(
        kind(&panics(), &panics()).as_deref(),
        Some("a panic and a panic, pair")
    );
    let both = kind(&lost(), &lost());
    assert_eq!(
        both.as_deref(),
        Some("cells not conserved and cells not conserved, pair")
    );
}

#[test]
fn a_network_that_holds_passes_all_checks() {
    let verdict = verdict(&case("20 ms", 1), ALL, Duration::from_secs(60));
    assert_eq!(verdict, Verdict::Passed);
}

#[test]
fn what_was_found_before_a_run_took_too_long_stands_and_nothing_else() {
    fn wrong(_: &Case) -> Result<(), Finding> {
        Err(Finding {
            check: "wrong",
            kind: "always".to_owned(),
            text: String::new(),
        })
    }
    fn slow(case: &Case) -> Result<(), Finding> {
        while !case.is_cut_off() {
            std::thread::yield_now();
        }
        wrong(case)
    }
    let wrong = Check {
        name: "wrong",
        run: wrong,
    };
    let slow = Check {
        name: "slow",
        run: slow,
    };
    let limit = Duration::from_millis(500);
    let long = || case("1 ms", 1);
    assert_eq!(verdict(&long(), &[slow], limit), Verdict::TooLong);
    assert_eq!(verdict(&long(), &[slow, wrong], limit), Verdict::TooLong);
    let both = verdict(&long(), &[wrong, slow], limit);
    assert!(matches!(both, Verdict::Failed(found) if found.len() == 1));
}

/// The results with one more lost cell on the first link.
fn one_more_lost(mut results: Results) -> Results {
    let links = results.tables.iter_mut().find(|it| it.name == "links");
    let mut columns = links.unwrap().columns.iter_mut();
    let column = columns.find(|it| it.name == "cells_lost").unwrap();
    let Values::Numbers(numbers) = &column.values else {
        panic!("it holds numbers")
    };
    let numbers = numbers.iter().enumerate();
    let numbers = numbers.map(|(row, it)| if row == 0 { it + 1.0 } else { it });
    column.values = Values::Numbers(numbers.collect());
    results.digest = "doctored".to_owned();
    results
}

/// The checks that fail, each with the kind of fault.
fn found(case: &Case) -> Vec<(&'static str, String)> {
    match verdict(case, ALL, Duration::from_secs(60)) {
        Verdict::Failed(found) => found.into_iter().map(|it| (it.check, it.kind)).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn one_wrong_number_of_any_method_is_found() {
    for method in Method::ALL {
        let case = case("20 ms", 1);
        let results = one_more_lost(case.again(method).unwrap());
        let found = found(&case.doctored(method, Ok(results)));
        let checks: Vec<&str> = found.iter().map(|it| it.0).collect();
        // Simultaneous runs use the methods that `celltrain run` uses, and tables are checked only for the train engine.
        let expected = match method {
            Method::Trains => &["engines", "threads", "invariants"][..],
            Method::Cells => &["engines", "threads"],
            _ => &["engines"],
        };
        assert_eq!(checks, expected, "{method}: {found:?}");
        assert!(found[0].1.starts_with("other results, "), "{found:?}");
    }
}

#[test]
fn a_run_that_fails_beside_others_alone_is_found() {
    let alone = case("20 ms", 1).doctored(Method::Cells, failed(Failure::Panic("text".to_owned())));
    let found = found(&alone);
    let threads = found.iter().find(|it| it.0 == "threads");
    let kind = "a panic and results, cell by cell: alone / beside another run";
    assert_eq!(threads.map(|it| it.1.as_str()), Some(kind));
}

#[test]
fn a_text_that_says_something_else_is_found() {
    let mut other = case("20 ms", 1);
    other.value["links"]["l"]["buffer"] = json!("8 cells");
    let kind = ("text", "TOML text".to_owned());
    assert!(found(&other).contains(&kind), "{:?}", found(&other));

    let [one, other] = ["20 ms", "21 ms"].map(|duration| case(duration, 1).scenario);
    let canonical = one.to_json();
    let is_said = |hash: &str| says("text", &Source::json(&canonical, "canonical"), hash);
    assert_eq!(is_said(&one.hash()), Ok(()));
    assert!(is_said(&other.hash()).is_err());
    assert!(says("text", &Source::json("{}", "canonical"), &one.hash()).is_err());
}

#[test]
fn a_relation_that_does_not_hold_is_found() {
    // Relations edit the written scenario. If the network is a different one, the edit seems to have changed the results.
    let mut other = case("20 ms", 1);
    other.value["links"]["l"]["buffer"] = json!("8 cells");
    let kind = (
        "relations",
        "probes change no table but their own".to_owned(),
    );
    assert!(found(&other).contains(&kind), "{:?}", found(&other));
}
