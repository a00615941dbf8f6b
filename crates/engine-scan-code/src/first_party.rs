//! First-party package names: an import under one of these names is the project's own code and not a library.
//!
//! A library that wraps models is often named like the shapes that describe it. Seen from inside, its calls to itself
//! are calls to wrappers, and the place inside the wrapper is the one that counts.

use engine_model::{FileInfo, Language, SourceText, Zone};

use crate::CodeFacts;
use crate::project::{folder, is_python, is_script};

/// Manifests beyond this number are not asked for their names.
const MANIFESTS_MAX: usize = 2_000;

/// A manifest beyond this length is no manifest that a person wrote.
const MANIFEST_BYTES_MAX: usize = 256 * 1024;

/// Which languages import a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Go,
    Python,
    Script,
    Rust,
    Php,
}

/// One name with the folder of the manifest that gives it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Name {
    kind: Kind,
    imported: String,
    folder: String,
}

/// All names of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Own {
    names: Vec<Name>,
}

/// An import that leads into the project itself: the folder of the manifest and what the import names below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Inside<'o, 'm> {
    /// The folder of the manifest.
    pub(crate) folder: &'o str,
    /// What the import names below it, as it is written.
    pub(crate) rest: &'m str,
}

impl Own {
    /// Reads the names from the manifests of a project.
    pub(crate) fn read(files: &[(&FileInfo, &CodeFacts)], source: &dyn SourceText) -> Self {
        let mut names = Vec::new();
        let manifests = files.iter().filter(|(info, _)| {
            let file = info.path.rsplit('/').next().unwrap_or("");
            matches!(
                file,
                "go.mod" | "Cargo.toml" | "package.json" | "pyproject.toml" | "composer.json"
            ) && !matches!(info.zone, Zone::Vendored | Zone::Generated)
        });
        for (info, _) in manifests.take(MANIFESTS_MAX) {
            let Some(file) = source.file(&info.path) else { continue };
            let Some(text) = file.text().filter(|text| text.len() <= MANIFEST_BYTES_MAX) else {
                continue;
            };
            if info.path.ends_with("composer.json") {
                names.extend(composer(&text).into_iter().map(|imported| Name {
                    kind: Kind::Php,
                    imported,
                    folder: folder(&info.path).to_owned(),
                }));
                continue;
            }
            let told = match info.path.rsplit('/').next().unwrap_or("") {
                "go.mod" => go(&text).map(|name| (Kind::Go, name)),
                "Cargo.toml" => cargo(&text).map(|name| (Kind::Rust, name)),
                "package.json" => node(&text).map(|name| (Kind::Script, name)),
                _ => python(&text).map(|name| (Kind::Python, name)),
            };
            if let Some((kind, imported)) = told {
                names.push(Name {
                    kind,
                    imported,
                    folder: folder(&info.path).to_owned(),
                });
            }
        }
        names.sort();
        names.dedup();
        Self { names }
    }

    /// Where an import leads, if it names a part of the project: the longest name wins, of equal ones the nearest.
    pub(crate) fn inside<'o, 'm>(&'o self, from: &str, language: Language, module: &'m str) -> Option<Inside<'o, 'm>> {
        let (kind, border) = if language == Language::Go {
            (Kind::Go, "/")
        } else if is_python(language) {
            (Kind::Python, ".")
        } else if is_script(language) {
            (Kind::Script, "/")
        } else if language == Language::Rust {
            (Kind::Rust, "::")
        } else if language == Language::Php {
            (Kind::Php, "\\")
        } else {
            return None;
        };
        self.names
            .iter()
            .filter(|own| own.kind == kind)
            .filter_map(|own| {
                let rest = module.strip_prefix(own.imported.as_str())?;
                let rest = if rest.is_empty() {
                    rest
                } else {
                    rest.strip_prefix(border)?
                };
                let near = own.folder.bytes().zip(from.bytes()).take_while(|(a, b)| a == b).count();
                Some((
                    own.imported.len(),
                    near,
                    Inside {
                        folder: &own.folder,
                        rest,
                    },
                ))
            })
            .max_by_key(|(length, near, _)| (*length, *near))
            .map(|(_, _, inside)| inside)
    }
}

/// The module that a `go.mod` declares.
fn go(text: &str) -> Option<String> {
    let line = text.lines().find_map(|line| line.trim().strip_prefix("module "))?;
    let name = line.split("//").next().unwrap_or(line).trim().trim_matches('"');
    (!name.is_empty()).then(|| name.to_owned())
}

/// The name under which other crates see the one of a `Cargo.toml`.
fn cargo(text: &str) -> Option<String> {
    let table: toml::Table = text.parse().ok()?;
    let named = |section: &str| table.get(section)?.get("name")?.as_str();
    Some(named("lib").or_else(|| named("package"))?.replace('-', "_"))
}

/// The package of a `pyproject.toml`, as it is imported.
fn python(text: &str) -> Option<String> {
    let table: toml::Table = text.parse().ok()?;
    let project = table.get("project");
    let poetry = table.get("tool").and_then(|tool| tool.get("poetry"));
    let name = project.or(poetry)?.get("name")?.as_str()?;
    Some(name.replace(['-', '.'], "_").to_lowercase())
}

/// The namespaces that a `composer.json` loads from the project itself.
fn composer(text: &str) -> Vec<String> {
    let manifest: Option<serde_json::Value> = serde_json::from_str(text).ok();
    let spaces = manifest
        .as_ref()
        .and_then(|manifest| manifest.get("autoload")?.get("psr-4")?.as_object());
    spaces
        .into_iter()
        .flat_map(|spaces| spaces.keys())
        .map(|space| space.trim_matches('\\').to_owned())
        .filter(|space| !space.is_empty())
        .collect()
}

/// The package of a `package.json`. Who depends on a package of that name means the one of others by it.
fn node(text: &str) -> Option<String> {
    let manifest: serde_json::Value = serde_json::from_str(text).ok()?;
    let name = manifest.get("name")?.as_str()?;
    let foreign = ["dependencies", "devDependencies", "peerDependencies"]
        .iter()
        .any(|section| manifest.get(section).is_some_and(|section| section.get(name).is_some()));
    (!name.is_empty() && !foreign).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{cargo, go, node, python};

    #[test]
    fn manifests_tell_the_name_under_which_code_imports() {
        assert_eq!(
            go("module example.org/a/b // x\n\ngo 1.24\n").as_deref(),
            Some("example.org/a/b")
        );
        assert_eq!(
            cargo("[package]\nname = \"async-openai\"\n").as_deref(),
            Some("async_openai")
        );
        assert_eq!(
            cargo("[package]\nname = \"a\"\n[lib]\nname = \"b\"\n").as_deref(),
            Some("b")
        );
        assert_eq!(python("[project]\nname = \"my-llm\"\n").as_deref(), Some("my_llm"));
        assert_eq!(
            python("[tool.poetry]\nname = \"litellm\"\n").as_deref(),
            Some("litellm")
        );
        assert_eq!(node(r#"{"name": "@ai-sdk/openai"}"#).as_deref(), Some("@ai-sdk/openai"));
        assert_eq!(node(r#"{"name": "openai", "dependencies": {"openai": "5"}}"#), None);
    }
}
