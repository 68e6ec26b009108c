//! Checks in separate processes.

use std::path::PathBuf;
use std::time::Duration;

use celltrain_hunt::case::Verdict;
use celltrain_hunt::worker::{ENDED, Limits, Worker};
use serde_json::{Value, json};

const LIMITS: Limits = Limits {
    run: Duration::from_secs(20),
    grace: Duration::from_secs(5),
};

fn scenario(vc: &str) -> Value {
    json!({
        "measure": {"duration": "10 ms"},
        "hosts": {"a": {}, "b": {}},
        "links": {"l": {"between": ["a", "b"], "delay": "1 ms", "rate": "1 Mbit/s", "buffer": "9 cells"}},
        "vcs": {"v": {"route": ["a", "b"]}},
        "flows": {"f": {"vc": vc}},
    })
}

#[test]
fn a_process_gives_verdicts_one_after_the_other() {
    let mut worker = Worker::new(PathBuf::from(env!("CARGO_BIN_EXE_celltrain-hunt")));
    for _ in 0..2 {
        let verdict = worker.verdict(&scenario("v"), 1, &["engines", "text"], LIMITS);
        assert_eq!(verdict, Ok(Verdict::Passed));
        let refused = worker.verdict(&scenario("w"), 1, &["engines"], LIMITS);
        assert!(refused.unwrap_err().contains("there is no VC \"w\""));
    }
}

#[test]
fn a_process_that_ends_without_a_verdict_is_a_finding() {
    let mut worker = Worker::new(PathBuf::from("true"));
    let verdict = worker.verdict(&scenario("v"), 1, &["engines"], LIMITS);
    let Ok(Verdict::Failed(findings)) = verdict else {
        panic!("{verdict:?}")
    };
    assert_eq!(findings[0].kind, ENDED);
}
