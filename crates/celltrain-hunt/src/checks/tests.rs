use std::time::Duration;

use celltrain_sim::engine::RunError;
use celltrain_verify::compare::{Failure, Method};
use serde_json::{Value, json};

use super::{ALL, Outcome, agree};
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
