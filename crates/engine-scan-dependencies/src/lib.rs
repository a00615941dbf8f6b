//! L3: manifests and lockfiles of nine ecosystems, and configuration of MCP servers, read from bytes into facts.
//!
//! Reading cannot fail: of broken input, what was understood is kept and the rest is noted. No package manager runs,
//! nothing is fetched, no entity or alias is expanded, and what a file does not say stays unknown.

mod checks;
mod facts;
mod format;
mod formats;
mod join;
mod node;
mod package;
mod toml_tree;
mod xml;
mod yaml;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use engine_model::SourceFile;

pub use checks::CHECKS;
pub use facts::{
    Answer, Ask, Checksum, Command, Constraint, DependencyFacts, Include, Manifest, Note, Parent, Root, Signal,
};
pub use format::{Format, Role};
pub use join::{Joined, ManifestRecord, join};

/// Raised whenever the facts read from the same bytes may differ, so that remembered facts are read anew.
pub const FACTS_VERSION: u32 = 2;

/// Files longer than this are not read: no lockfile comes near, and the notes say so.
const FILE_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Packages of one file that are evaluated; each is listed in the inventory and in the bill of materials.
pub const PACKAGES_MAX: usize = 30_000;

/// Whether a file of this name is read; looks at the name alone.
pub fn wants(path: &str) -> bool {
    Format::of_path(path).is_some()
}

/// Reads one file.
pub fn read(file: &SourceFile<'_>) -> DependencyFacts {
    let Some(format) = Format::of_path(&file.path) else {
        return DependencyFacts::default();
    };
    let mut facts = DependencyFacts {
        format: Some(format),
        ..DependencyFacts::default()
    };
    if file.bytes.len() > FILE_BYTES_MAX {
        facts.note(1, "the file is too long and was not read");
        return facts;
    }
    let Some(text) = file.text() else {
        facts.note(1, "the file is binary and was not read");
        return facts;
    };
    // A byte order mark in the decoded text belongs to no format.
    let text: Cow<'_, str> = match text.strip_prefix('\u{FEFF}') {
        Some(rest) => Cow::Owned(rest.to_owned()),
        None => text,
    };
    formats::read(format, file, &text, &mut facts);
    package::merge_duplicates(&mut facts.packages);
    let read = facts.packages.len();
    if read > PACKAGES_MAX {
        facts.packages.truncate(PACKAGES_MAX);
        facts.note(
            1,
            format!("the file names {read} packages; only the first {PACKAGES_MAX} were evaluated"),
        );
    }
    for package in &mut facts.packages {
        package.purl = package::purl(package.ecosystem, &package.name, package.version.as_deref());
    }
    facts
}
