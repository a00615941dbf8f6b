//! What one file says, and what the reader could not make out.

use engine_model::{DependencyScope, Ecosystem, McpServer, Package};
use serde::{Deserialize, Serialize};

use crate::Format;

/// Everything that one manifest, lockfile or configuration file says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DependencyFacts {
    /// The format the file was read as; none when it is of no known kind.
    pub format: Option<Format>,
    /// What a manifest says about the project itself.
    pub manifest: Option<Manifest>,
    /// The packages it names.
    pub packages: Vec<Package>,
    /// What the project itself asks for, where a lockfile repeats it.
    pub roots: Vec<Root>,
    /// Versions that a file sets for others to use: central versions, managed dependencies, bills of materials.
    pub constraints: Vec<Constraint>,
    /// Names with values that other files may refer to.
    pub properties: Vec<(String, String)>,
    /// The Maven parent.
    pub parent: Option<Parent>,
    /// Further files that are drawn in, as written.
    pub includes: Vec<Include>,
    /// The folders that a lockfile speaks for beside its own, as written; none where the format does not tell.
    pub members: Option<Vec<String>>,
    /// What a manifest asks for under the key and the range as written, where lockfiles repeat both.
    pub asks: Vec<Ask>,
    /// What a lockfile answers to a key and a range as written.
    pub answers: Vec<Answer>,
    /// Names that are asked for under a condition: what the lockfile beside leaves out is not installed.
    pub conditional: Vec<String>,
    /// Digests by name and version, from files that hold nothing else.
    pub checksums: Vec<Checksum>,
    /// Servers of the Model Context Protocol.
    pub mcp_servers: Vec<McpServer>,
    /// What could not be understood, or is worth knowing about the file.
    pub notes: Vec<Note>,
}

/// What a manifest says about the project itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// The registry whose rules it follows.
    pub ecosystem: Ecosystem,
    /// The project's name.
    pub name: Option<String>,
    /// The project's version.
    pub version: Option<String>,
    /// The project's licence.
    pub license: Option<String>,
    /// Signs that others are meant to import it.
    pub library: Vec<Signal>,
    /// Signs that it is meant to be run.
    pub application: Vec<Signal>,
    /// Commands or binaries that it installs or starts.
    pub entry_points: Vec<Command>,
    /// Folders of the packages that it governs, as written.
    pub workspaces: Vec<String>,
}

impl Manifest {
    pub(crate) fn new(ecosystem: Ecosystem) -> Self {
        Self {
            ecosystem,
            name: None,
            version: None,
            license: None,
            library: Vec::new(),
            application: Vec::new(),
            entry_points: Vec::new(),
            workspaces: Vec::new(),
        }
    }
}

/// One line that tells a library from an application.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signal {
    /// The key and what it says.
    pub text: String,
    /// Line, from 1.
    pub line: u32,
}

/// A command that a project installs or starts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// Its name.
    pub name: String,
    /// The module, function or file behind it.
    pub target: Option<String>,
    /// Line, from 1.
    pub line: u32,
}

/// A package that the project itself asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Root {
    /// The name.
    pub name: String,
    /// The version it resolves to, where the file says so.
    pub version: Option<String>,
    /// When it is needed.
    pub scope: DependencyScope,
}

/// A file that another one draws in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Include {
    /// Its path relative to the file that draws it in; for Maven `group:artifact` of a bill of materials.
    pub path: String,
    /// Whether it sets versions alone, and names no packages to install.
    pub constraints_only: bool,
    /// The version of a bill of materials, as written.
    pub version: Option<String>,
    /// Line, from 1.
    pub line: u32,
}

/// A key of a manifest, as written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ask {
    /// The key.
    pub key: String,
    /// The range or address behind it.
    pub range: String,
    /// When it is needed.
    pub scope: DependencyScope,
    /// Line, from 1.
    pub line: u32,
}

/// The package that a lockfile sets behind a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The key.
    pub key: String,
    /// The range as written; empty when any is meant.
    pub range: String,
    /// The name of the package.
    pub name: String,
    /// Its version, as in the package's record.
    pub version: Option<String>,
}

/// A version that one file sets for others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Constraint {
    /// The name.
    pub name: String,
    /// The version or requirement.
    pub version: String,
    /// Line, from 1.
    pub line: u32,
}

/// The Maven parent of a module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Parent {
    /// `group:artifact`.
    pub name: String,
    /// Its version.
    pub version: Option<String>,
    /// Where it lies, relative to the module; empty when it is to be fetched.
    pub relative_path: String,
}

/// The digest of a package that another file names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checksum {
    /// The name.
    pub name: String,
    /// The version.
    pub version: String,
    /// `algorithm:hex`.
    pub hash: String,
}

/// Something to know about the reading of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Line, from 1.
    pub line: u32,
    /// What it is.
    pub text: String,
}

/// Notes beyond this count say nothing new and would let a hostile file fill the memory.
const NOTES_MAX: usize = 50;

impl DependencyFacts {
    /// Adds a folder that the lockfile speaks for.
    pub(crate) fn member(&mut self, folder: &str) {
        self.members.get_or_insert_default().push(folder.to_owned());
    }

    pub(crate) fn note(&mut self, line: u32, text: impl Into<String>) {
        if self.notes.len() < NOTES_MAX {
            self.notes.push(Note {
                line: line.max(1),
                text: text.into(),
            });
        }
    }
}
