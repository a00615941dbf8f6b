//! AI packages: what a manifest entry or an import is known to be.

use std::collections::HashMap;

use engine_model::Ecosystem;
use serde::{Deserialize, Serialize};

use crate::ecosystem::{normalize_name, python_name};
use crate::{Origin, PersonTrait};

/// No import root of the catalogue is longer, so longer prefixes of foreign input are never hashed.
const IMPORT_ROOT_BYTES_MAX: usize = 160;

/// What a package is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PackageKind {
    /// Client of a hosted model.
    Sdk,
    /// Framework for applications around language models.
    Framework,
    /// Framework for agents that plan and call tools.
    AgentFramework,
    /// Loads and runs models on the own machine.
    Inference,
    /// Classical machine learning.
    Ml,
    /// Neural network library.
    DeepLearning,
    /// Computer vision.
    Vision,
    /// Speech recognition or synthesis.
    Speech,
    /// Recognises or categorises people by face, voice or emotion.
    Biometric,
    /// Stores and searches embeddings.
    VectorStore,
    /// Model Context Protocol client or server.
    Mcp,
    /// Measures the quality of models or answers.
    Evaluation,
    /// Traces and monitors model calls.
    Observability,
    /// Filters or validates prompts and answers.
    Guardrails,
    /// Trains or fine-tunes models.
    Training,
    /// Splits text into tokens.
    Tokenizer,
    /// Loads or prepares data for models.
    Data,
}

impl PackageKind {
    /// Whether a call of such a package by itself amounts to using a model, unless its row says otherwise.
    pub const fn runs_models(self) -> bool {
        match self {
            Self::Sdk
            | Self::Framework
            | Self::AgentFramework
            | Self::Inference
            | Self::Ml
            | Self::DeepLearning
            | Self::Vision
            | Self::Speech
            | Self::Biometric
            | Self::Training => true,
            Self::VectorStore
            | Self::Mcp
            | Self::Evaluation
            | Self::Observability
            | Self::Guardrails
            | Self::Tokenizer
            | Self::Data => false,
        }
    }
}

/// One AI package of one registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// The registry the package lives in.
    pub ecosystem: Ecosystem,
    /// The name as its registry writes it; `group:artifact` for Maven. A star at the end makes the row stand for every
    /// package of a namespace that has no row of its own.
    pub name: String,
    /// What the package is for.
    pub kind: PackageKind,
    /// The provider it talks to, when it talks to exactly one; `local` when the model runs on the own machine.
    pub provider: Option<String>,
    /// Import roots that belong to this package and to nothing else of note; a star at the end as in `name`.
    pub imports: Vec<String>,
    /// Import roots that are ordinary words; they need the manifest or a call shape beside them.
    pub ambiguous_imports: Vec<String>,
    /// Whether a call of this package by itself amounts to using a model.
    pub ai_system: bool,
    /// What the package reads from people, when that is its purpose.
    pub reads: Vec<PersonTrait>,
    /// A remark for readers of the data.
    pub note: Option<String>,
    /// A further spelling that must be found.
    pub example: Option<String>,
    /// A name that must not be taken for this package.
    pub not_example: Option<String>,
    /// What kind of source the row was taken from.
    pub source: String,
    /// When the row was last reviewed, as an ISO date.
    pub as_of: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PackageFile {
    source: String,
    as_of: String,
    package: Vec<PackageRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PackageRow {
    name: String,
    kind: PackageKind,
    provider: Option<String>,
    #[serde(default)]
    imports: Vec<String>,
    #[serde(default)]
    ambiguous_imports: Vec<String>,
    /// Written only where the kind does not already say it.
    ai_system: Option<bool>,
    #[serde(default)]
    reads: Vec<PersonTrait>,
    note: Option<String>,
    example: Option<String>,
    not_example: Option<String>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct ImportRoot {
    index: usize,
    ambiguous: bool,
}

#[derive(Debug)]
pub(crate) struct Packages {
    origins: Vec<Origin>,
    rows: Vec<Package>,
    by_name: HashMap<(Ecosystem, String), usize>,
    by_import: HashMap<(Ecosystem, String), ImportRoot>,
    /// Rows for whole namespaces, by what stands before the star.
    by_name_stem: HashMap<(Ecosystem, String), usize>,
    by_import_stem: HashMap<(Ecosystem, String), ImportRoot>,
}

impl Packages {
    pub(crate) fn load() -> Self {
        let files = [
            (
                Ecosystem::PyPI,
                "packages/pypi.toml",
                engine_embed::embed!("../data/packages/pypi.toml"),
            ),
            (
                Ecosystem::Npm,
                "packages/npm.toml",
                engine_embed::embed!("../data/packages/npm.toml"),
            ),
            (
                Ecosystem::Cargo,
                "packages/cargo.toml",
                engine_embed::embed!("../data/packages/cargo.toml"),
            ),
            (
                Ecosystem::Go,
                "packages/go.toml",
                engine_embed::embed!("../data/packages/go.toml"),
            ),
            (
                Ecosystem::Maven,
                "packages/maven.toml",
                engine_embed::embed!("../data/packages/maven.toml"),
            ),
            (
                Ecosystem::NuGet,
                "packages/nuget.toml",
                engine_embed::embed!("../data/packages/nuget.toml"),
            ),
            (
                Ecosystem::Composer,
                "packages/composer.toml",
                engine_embed::embed!("../data/packages/composer.toml"),
            ),
            (
                Ecosystem::RubyGems,
                "packages/rubygems.toml",
                engine_embed::embed!("../data/packages/rubygems.toml"),
            ),
        ];
        let mut rows = Vec::new();
        let mut origins = Vec::new();
        for (ecosystem, name, packed) in files {
            let PackageFile { source, as_of, package } = crate::parse(name, packed);
            rows.extend(package.into_iter().map(|row| resolve(ecosystem, row, &source, &as_of)));
            origins.push(Origin {
                file: name,
                source,
                as_of,
            });
        }
        let mut packages = Self {
            origins,
            rows: Vec::new(),
            by_name: HashMap::new(),
            by_import: HashMap::new(),
            by_name_stem: HashMap::new(),
            by_import_stem: HashMap::new(),
        };
        // The first row wins, so the order in the file decides between packages that share an import root.
        for (index, row) in rows.iter().enumerate() {
            let normal = normalize_name(row.ecosystem, row.name.trim_end_matches('*'));
            let names = if row.name.ends_with('*') {
                &mut packages.by_name_stem
            } else {
                &mut packages.by_name
            };
            names.entry((row.ecosystem, normal)).or_insert(index);
            let roots = row.imports.iter().map(|root| (root, false));
            for (root, ambiguous) in roots.chain(row.ambiguous_imports.iter().map(|root| (root, true))) {
                let (root, imports) = match root.strip_suffix('*') {
                    Some(stem) => (stem, &mut packages.by_import_stem),
                    None => (root.as_str(), &mut packages.by_import),
                };
                imports
                    .entry((row.ecosystem, root.to_owned()))
                    .or_insert(ImportRoot { index, ambiguous });
            }
        }
        packages.rows = rows;
        packages
    }

    pub(crate) fn rows(&self) -> &[Package] {
        &self.rows
    }

    pub(crate) fn origins(&self) -> &[Origin] {
        &self.origins
    }

    /// What a text with an import holds, in lower case: certain roots as they are, ambiguous ones only in the shapes
    /// an import gives them, because `modal` or `agents` alone stand in every second file.
    pub(crate) fn literals(&self) -> Vec<String> {
        let mut literals = Vec::new();
        for row in &self.rows {
            let plain = |root: &String| root.trim_end_matches('*').to_ascii_lowercase();
            literals.extend(row.imports.iter().map(plain));
            for root in row.ambiguous_imports.iter().map(plain) {
                let shapes: &[(&str, &str)] = match row.ecosystem {
                    Ecosystem::PyPI | Ecosystem::Conda => {
                        &[("import ", ""), ("from ", ""), (", ", ""), ("\"", ""), ("'", "")]
                    }
                    Ecosystem::Npm | Ecosystem::Go => &[("\"", ""), ("'", ""), ("`", "")],
                    Ecosystem::Cargo => &[("use ", ""), ("", "::"), ("crate ", "")],
                    Ecosystem::Maven => &[("import ", ""), ("", ".")],
                    Ecosystem::NuGet => &[("using ", ""), ("", ".")],
                    Ecosystem::Composer => &[("use ", ""), ("", "\\")],
                    Ecosystem::RubyGems => &[("\"", ""), ("'", ""), ("", "::"), ("", ".")],
                };
                literals.extend(shapes.iter().map(|(before, after)| format!("{before}{root}{after}")));
            }
        }
        literals
    }

    pub(crate) fn by_name(&self, ecosystem: Ecosystem, name: &str) -> Option<&Package> {
        if ecosystem == Ecosystem::Go {
            return self.by_go_path(name.trim());
        }
        if name.len() > IMPORT_ROOT_BYTES_MAX {
            return None;
        }
        // Channels of conda serve builds of the packages that the Python registry names.
        let (ecosystem, name) = match ecosystem {
            Ecosystem::Conda => (Ecosystem::PyPI, python_name(name.trim())),
            _ => (ecosystem, name),
        };
        let name = normalize_name(ecosystem, name);
        let index = self.by_name.get(&(ecosystem, name.clone())).copied().or_else(|| {
            longest_stem(&name, |stem| {
                self.by_name_stem.get(&(ecosystem, stem.to_owned())).copied()
            })
        })?;
        Some(&self.rows[index])
    }

    fn by_go_path(&self, path: &str) -> Option<&Package> {
        let index = longest_prefix(Ecosystem::Go, without_gopkg_version(path), |prefix| {
            self.by_name.get(&(Ecosystem::Go, prefix.to_owned())).copied()
        })?;
        Some(&self.rows[index])
    }

    pub(crate) fn by_import(&self, ecosystem: Ecosystem, import_path: &str) -> Option<(&Package, bool)> {
        let (_, root) = self.import_root(ecosystem, import_path)?;
        Some((&self.rows[root.index], root.ambiguous))
    }

    /// The longest known root of an import, as text and as row.
    pub(crate) fn import_root<'p>(&self, ecosystem: Ecosystem, import_path: &'p str) -> Option<(&'p str, ImportRoot)> {
        let path = import_path.trim();
        let path = match ecosystem {
            Ecosystem::Go => without_gopkg_version(path),
            Ecosystem::Composer => path.trim_start_matches('\\'),
            Ecosystem::RubyGems => path.trim_start_matches(':'),
            Ecosystem::Npm => path.strip_prefix("npm:").unwrap_or(path),
            _ => path,
        };
        longest_prefix(ecosystem, path, |prefix| {
            Some((prefix, self.by_import.get(&(ecosystem, prefix.to_owned())).copied()?))
        })
        .or_else(|| {
            longest_stem(path, |stem| {
                Some((stem, self.by_import_stem.get(&(ecosystem, stem.to_owned())).copied()?))
            })
        })
    }
}

fn resolve(ecosystem: Ecosystem, row: PackageRow, source: &str, as_of: &str) -> Package {
    let mut imports = row.imports;
    if imports.is_empty() && row.ambiguous_imports.is_empty() {
        // In these ecosystems the import is the package name unless the row says otherwise.
        match ecosystem {
            Ecosystem::Npm | Ecosystem::Go | Ecosystem::NuGet => imports.push(row.name.clone()),
            Ecosystem::Cargo | Ecosystem::PyPI => imports.push(row.name.replace('-', "_")),
            Ecosystem::Maven | Ecosystem::Composer | Ecosystem::RubyGems | Ecosystem::Conda => {}
        }
    }
    Package {
        ecosystem,
        ai_system: row.ai_system.unwrap_or(row.kind.runs_models()),
        name: row.name,
        kind: row.kind,
        provider: row.provider,
        imports,
        ambiguous_imports: row.ambiguous_imports,
        reads: row.reads,
        note: row.note,
        example: row.example,
        not_example: row.not_example,
        source: source.to_owned(),
        as_of: as_of.to_owned(),
    }
}

/// Looks up every prefix of `path` that ends on a segment border and returns the hit of the longest.
fn longest_prefix<'p, T>(ecosystem: Ecosystem, path: &'p str, lookup: impl Fn(&'p str) -> Option<T>) -> Option<T> {
    let is_border = |byte: u8| match ecosystem {
        Ecosystem::PyPI | Ecosystem::Conda | Ecosystem::Maven | Ecosystem::NuGet => byte == b'.',
        Ecosystem::Npm | Ecosystem::Go => byte == b'/' || byte == b'@',
        Ecosystem::Cargo => byte == b':',
        Ecosystem::Composer => byte == b'\\',
        Ecosystem::RubyGems => byte == b'/' || byte == b':',
    };
    let bytes = path.as_bytes();
    let last = bytes.len().min(IMPORT_ROOT_BYTES_MAX);
    (1..=last)
        .rev()
        .filter(|&end| end == bytes.len() || is_border(bytes[end]))
        .find_map(|end| lookup(path.get(..end)?))
}

/// Looks up every beginning of `text` that ends in a separator and is not the whole, the longest first.
fn longest_stem<'p, T>(text: &'p str, lookup: impl Fn(&'p str) -> Option<T>) -> Option<T> {
    let bytes = text.as_bytes();
    let last = bytes.len().saturating_sub(1).min(IMPORT_ROOT_BYTES_MAX);
    (1..=last)
        .rev()
        .filter(|&end| !bytes[end - 1].is_ascii_alphanumeric())
        .find_map(|end| lookup(text.get(..end)?))
}

/// `gopkg.in/name.v3` is major version 3 of `gopkg.in/name`.
fn without_gopkg_version(path: &str) -> &str {
    if !path.starts_with("gopkg.in/") {
        return path;
    }
    match path.rsplit_once(".v") {
        Some((base, version)) if !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit()) => base,
        _ => path,
    }
}
