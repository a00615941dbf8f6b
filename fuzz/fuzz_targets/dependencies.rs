//! Reads manifests and lockfiles of every format, and joins them.

#![no_main]

use engine_fuzz::files;
use engine_model::SourceFile;
use engine_scan_dependencies::{join, read, wants};
use libfuzzer_sys::fuzz_target;

const NAMES: [&str; 40] = [
    "package.json",
    "package-lock.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "requirements.txt",
    "constraints.txt",
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
    "Pipfile",
    "Pipfile.lock",
    "poetry.lock",
    "pdm.lock",
    "uv.lock",
    "pylock.toml",
    "environment.yml",
    "Cargo.toml",
    "Cargo.lock",
    "go.mod",
    "go.sum",
    "pom.xml",
    "app/pom.xml",
    "gradle.lockfile",
    "build.gradle",
    "build.gradle.kts",
    "gradle/libs.versions.toml",
    "app/app.csproj",
    "Directory.Build.props",
    "Directory.Packages.props",
    "packages.lock.json",
    "packages.config",
    "composer.json",
    "composer.lock",
    "Gemfile",
    "Gemfile.lock",
    "app.gemspec",
    ".mcp.json",
    ".codex/config.toml",
    "app/Cargo.toml",
];

fuzz_target!(|data: &[u8]| {
    let facts: Vec<_> = files(&NAMES, data)
        .map(|(name, bytes)| {
            assert!(wants(name), "{name} is read");
            let file = SourceFile::new(name, bytes);
            (file.info(), read(&file))
        })
        .collect();
    join(&facts);
});
