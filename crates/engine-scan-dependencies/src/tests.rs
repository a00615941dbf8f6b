//! Every format with small files of its own, broken files, and hostile ones.

mod checks;
mod formats;
#[path = "../../../tests/growth.rs"]
mod growth;
mod hostile;
mod joining;
mod sources;

use std::fmt::Write as _;

use engine_model::{FileInfo, MemoryTree, Package, SourceFile, fixture};

use crate::{DependencyFacts, Joined, join, read};

fn facts_of(path: &str, text: &str) -> DependencyFacts {
    read(&SourceFile::new(path.to_owned(), text.as_bytes().to_vec()))
}

/// `name version scope relation :line -> arrows` with `#n` digests; a requirement stands in brackets.
fn line_of(package: &Package) -> String {
    let version = match (&package.version, &package.requirement) {
        (Some(version), _) => version.clone(),
        (None, Some(requirement)) => format!("({requirement})"),
        (None, None) => "?".to_owned(),
    };
    let mut out = format!(
        "{} {version} {} {}",
        package.name,
        format!("{:?}", package.scope).to_lowercase(),
        format!("{:?}", package.relation).to_lowercase()
    );
    if let Some(line) = package.line {
        let _ = write!(out, " :{line}");
    }
    if !package.hashes.is_empty() {
        let _ = write!(out, " #{}", package.hashes.len());
    }
    if let Some(license) = &package.license {
        let _ = write!(out, " [{license}]");
    }
    if !package.dependencies.is_empty() {
        let arrows: Vec<String> = package
            .dependencies
            .iter()
            .map(|needed| match &needed.version {
                Some(version) => format!("{}@{version}", needed.name),
                None => needed.name.clone(),
            })
            .collect();
        let _ = write!(out, " -> {}", arrows.join(", "));
    }
    out
}

fn joined(tree: &MemoryTree) -> Joined {
    let facts: Vec<(FileInfo, DependencyFacts)> = tree
        .files()
        .filter(|file| crate::wants(&file.path))
        .map(|file| (file.info(), read(&file)))
        .collect();
    join(&facts)
}

/// Reads a tree with `//- path` headers, joins it, and compares the packages line by line.
#[track_caller]
fn check(tree: &str, expected: &str) {
    let joined = joined(&fixture(tree).unwrap());
    let found: Vec<String> = joined.packages.iter().map(line_of).collect();
    let expected: Vec<&str> = expected
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    assert_eq!(
        found,
        expected,
        "\nfound:\n{}\nnotes: {:#?}",
        found.join("\n"),
        joined.notes
    );
}

#[test]
fn packages_of_one_file_have_a_limit_that_is_named() {
    let text: String = (0..crate::PACKAGES_MAX + 5).fold(String::new(), |mut text, number| {
        let _ = writeln!(text, "package{number}==1.0");
        text
    });
    let facts = read(&SourceFile::new("requirements.txt".to_owned(), text.into_bytes()));
    assert_eq!(facts.packages.len(), crate::PACKAGES_MAX);
    assert!(facts.notes.iter().any(|note| note.text.contains("only the first")));
}
