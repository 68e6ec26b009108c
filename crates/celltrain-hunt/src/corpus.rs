//! Findings in files: scenarios that anyone can run, with the fault described in comments.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use celltrain_verify::text;
use serde_json::Value;

use crate::case::Finding;

/// The files of a corpus, in order.
pub fn files(corpus: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(corpus)? {
        let path = entry?.path();
        if path.extension().is_some_and(|it| it == "toml") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The scenario in a file.
pub fn read(file: &Path) -> Result<Value, String> {
    let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
    text::parse(&text).ok_or_else(|| "it is not TOML".to_owned())
}

/// The origin of the scenario in a file: its first line, if that is a comment.
pub fn origin(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap_or_default();
    let first = text.lines().next().unwrap_or_default();
    first.strip_prefix("# ").unwrap_or_default().to_owned()
}

/// Writes a scenario with its origin and its fault.
pub fn write(file: &Path, origin: &str, scenario: &Value, finding: &Finding) -> io::Result<()> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let lines = [
        origin,
        &format!("{}: {}", finding.check, finding.kind),
        &finding.text.replace('\n', " "),
        &format!("celltrain-hunt check {name}"),
    ];
    let head = lines.map(|line| format!("# {line}\n")).concat();
    let toml = text::toml(scenario).unwrap_or_default();
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(file, head + "\n" + &toml)
}
