//! Checks in separate processes.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
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
fn a_refused_network_leaves_the_process_as_it_is() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (program, starts) = (folder.join("counted"), folder.join("starts"));
    let binary = env!("CARGO_BIN_EXE_celltrain-hunt");
    let script = format!(
        "#!/bin/sh\necho started >> '{}'\nexec '{binary}' \"$@\"\n",
        starts.display()
    );
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
    fs::write(&starts, "").unwrap();
    let mut worker = Worker::new(program);
    for _ in 0..3 {
        assert!(
            worker
                .verdict(&scenario("w"), 1, &["engines"], LIMITS)
                .is_err()
        );
    }
    assert_eq!(fs::read_to_string(&starts).unwrap(), "started\n");
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
