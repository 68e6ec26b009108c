//! Relations hold for known scenarios, and each applies to some of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use celltrain_hunt::metamorphic;
use celltrain_sim::network::Network;
use celltrain_sim::scenario::Source;
use celltrain_verify::verdict::Verdict;
use serde_json::{Value, json};

/// The scenarios of a folder, by name.
fn scenarios(folder: &Path) -> Vec<(String, Value)> {
    let files = fs::read_dir(folder).expect("the folder exists");
    let paths = files.map(|file| file.expect("the folder can be read").path());
    let mut paths: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|it| it == "toml"))
        .collect();
    paths.sort();
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("it can be read");
        let name = path.file_stem().expect("it has a name").to_string_lossy();
        let value = Source::toml(&text, &name).data();
        (
            name.to_string(),
            value.unwrap_or_else(|error| panic!("{error}")),
        )
    };
    paths.into_iter().map(read).collect()
}

/// All known scenarios, each with a short run.
fn corpus() -> Vec<(String, Value)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = scenarios(&root.join("../celltrain-verify/tests/data"));
    for (name, mut example) in scenarios(&root.join("../../examples")) {
        example["measure"] = json!({ "warm_up": "200 ms", "duration": "900 ms" });
        all.push((name, example));
    }
    all
}

#[test]
fn relations_hold_and_each_applies_somewhere() {
    let mut applied: BTreeMap<&str, usize> = BTreeMap::new();
    let mut violations = Vec::new();
    for (name, scenario) in corpus() {
        let text = scenario.to_string();
        let read = Source::json(&text, &name)
            .read()
            .unwrap_or_else(|error| panic!("{error}"));
        let network = Network::new(&read).unwrap_or_else(|error| panic!("{name}: {error}"));
        for (relation, verdict) in metamorphic::verdicts(&scenario, &network, 1) {
            *applied.entry(relation).or_default() += usize::from(verdict == Verdict::Holds);
            if let Verdict::Violated(what) = verdict {
                violations.push(format!("{name}: {relation}: {what}"));
            }
        }
    }
    println!("{applied:#?}");
    assert!(
        violations.is_empty(),
        "{} violations:\n{}",
        violations.len(),
        violations.join("\n")
    );
    for (relation, count) in applied {
        assert!(count > 0, "applies nowhere: {relation}");
    }
}
