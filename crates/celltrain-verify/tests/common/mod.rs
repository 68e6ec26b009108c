//! The scenarios on which checks are tested: the examples, and those of a folder, one for each feature of the language.

use std::fs;
use std::path::{Path, PathBuf};

use celltrain_sim::network::Network;
use celltrain_sim::scenario::Source;

/// A scenario by name.
pub(crate) struct Known {
    pub(crate) name: String,
    pub(crate) text: String,
}

fn scenarios(folder: &Path) -> Vec<Known> {
    let files =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = files.map(|file| file.expect("the folder can be read").path());
    let mut paths: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|it| it == "toml"))
        .collect();
    paths.sort();
    let known = paths.into_iter().map(|path| Known {
        name: path
            .file_stem()
            .expect("it has a name")
            .to_string_lossy()
            .into_owned(),
        text: fs::read_to_string(&path).expect("it can be read"),
    });
    known.collect()
}

/// All known scenarios.
pub(crate) fn corpus() -> Vec<Known> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = scenarios(&root.join("tests/data"));
    all.extend(scenarios(&root.join("../../examples")));
    all
}

/// The network of a scenario.
pub(crate) fn network(text: &str) -> Network {
    let source = Source::toml(text, "test.toml");
    let scenario = source.read().unwrap_or_else(|error| panic!("{error}"));
    Network::new(&scenario).unwrap_or_else(|error| panic!("{error}"))
}
