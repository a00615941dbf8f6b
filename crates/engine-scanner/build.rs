//! Takes a digest of the code and the data that facts are made by, so that remembered facts of another version are told.

#![allow(clippy::disallowed_methods, reason = "a build script looks at the sources")]

use std::path::{Path, PathBuf};

/// What the facts of a file depend on: the layers, what they stand on, and the versions of everything foreign.
const SOURCES: [&str; 14] = [
    "engine-catalogue/data",
    "engine-catalogue/src",
    "engine-model/src",
    "engine-project/src",
    "engine-scan-code",
    "engine-scan-cross",
    "engine-scan-dependencies",
    "engine-scan-documents",
    "engine-scan-files",
    "engine-scan-secrets",
    "engine-scanner/src/facts.rs",
    "engine-scanner/src/suppress.rs",
    "engine-syntax",
    "../Cargo.lock",
];

fn main() -> Result<(), String> {
    let own = std::env::var("CARGO_MANIFEST_DIR").map_err(|error| error.to_string())?;
    let crates = Path::new(&own).join("..");
    let mut files = Vec::new();
    for source in SOURCES {
        let path = crates.join(source);
        println!("cargo::rerun-if-changed={}", path.display());
        collect(&path, &mut files);
    }
    files.sort();
    let mut hasher = blake3::Hasher::new();
    for file in files {
        let name = file
            .strip_prefix(&crates)
            .unwrap_or(&file)
            .to_string_lossy()
            .into_owned();
        let bytes = std::fs::read(&file).map_err(|error| format!("{name}: {error}"))?;
        hasher.update(&(name.len() as u64).to_le_bytes());
        hasher.update(name.as_bytes());
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(&bytes);
    }
    println!("cargo::rustc-env=FACTS_DIGEST={}", hasher.finalize());
    Ok(())
}

fn collect(path: &Path, out: &mut Vec<PathBuf>) {
    if path.is_file() {
        out.push(path.to_owned());
    }
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        collect(&entry.path(), out);
    }
}
