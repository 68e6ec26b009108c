//! Names the build after the sources that determine results, so that a stored result is never attributed to another
//! engine, released or not. Equal sources have equal names on every machine.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// The sources that determine results, relative to this crate's folder.
const SOURCES: [&str; 3] = [
    "../celltrain-language/src",
    "../celltrain-proto/src",
    "../celltrain-sim/src",
];

fn main() -> io::Result<()> {
    let mut files = Vec::new();
    for folder in SOURCES {
        println!("cargo::rerun-if-changed={folder}");
        collect(Path::new(folder), &mut files)?;
    }
    files.sort();
    let mut hash = Sha256::new();
    for file in files {
        // Windows separates folders by a backslash.
        hash.update(file.to_string_lossy().replace('\\', "/"));
        hash.update(fs::read(&file)?);
    }
    let mut first = [0; 4];
    first.copy_from_slice(&hash.finalize()[..4]);
    let name = u32::from_be_bytes(first);
    println!("cargo::rustc-env=CELLTRAIN_SOURCES={name:08x}");
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
