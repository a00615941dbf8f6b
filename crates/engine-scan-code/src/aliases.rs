//! Names that a manifest gives to packages and files: aliases of npm, import maps, `paths` of TypeScript, renamed crates, `replace` of Go.
//!
//! A file that imports a package under such a name is read as if it named the package itself; a name of a file of the project leads
//! to that file.

use std::collections::{BTreeMap, BTreeSet};

use engine_model::{FileInfo, Language, SourceFile, SourceText};
use serde::{Deserialize, Serialize};

use crate::project::{folder, is_script, join_path};
use crate::{CodeFacts, shapes};

/// Names beyond this number are not taken from one manifest.
const NAMES_MAX: usize = 500;

/// Configurations that are looked at for the names of one of them.
const EXTENDED_MAX: usize = 20;

/// A manifest beyond this length is no manifest that a person wrote.
const MANIFEST_BYTES_MAX: usize = 256 * 1024;

/// Conditions of an import map, the preferred ones first.
const CONDITIONS: [&str; 5] = ["import", "node", "default", "require", "browser"];

/// Which files a name is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) enum For {
    Scripts,
    Rust,
    Go,
    /// None: the target is another configuration of TypeScript, whose names this one takes over.
    Extends,
}

impl For {
    fn fits(self, language: Language) -> bool {
        match self {
            Self::Scripts => is_script(language),
            Self::Rust => language == Language::Rust,
            Self::Go => language == Language::Go,
            Self::Extends => false,
        }
    }

    const fn border(self) -> &'static str {
        match self {
            Self::Rust => "::",
            Self::Scripts | Self::Go => "/",
            Self::Extends => "extends",
        }
    }

    /// The language in which the name is looked up.
    const fn language(self) -> Language {
        match self {
            Self::Scripts | Self::Extends => Language::TypeScript,
            Self::Rust => Language::Rust,
            Self::Go => Language::Go,
        }
    }
}

/// A name and what it stands for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct Alias {
    of: For,
    /// The name; one that ends with `*` is the beginning of many.
    name: String,
    /// A package, or a path of the project that begins with `./`.
    target: String,
}

impl Alias {
    /// All that it says, for a digest.
    pub(crate) fn parts(&self) -> [&str; 3] {
        [self.of.border(), &self.name, &self.target]
    }

    fn is_own(&self) -> bool {
        self.of != For::Extends && self.target.starts_with("./")
    }

    /// What an import means by this name; none where it does not use it.
    fn meant_by(&self, module: &str) -> Option<String> {
        if let Some(head) = self.name.strip_suffix('*') {
            let rest = module.strip_prefix(head)?;
            return Some(if self.target.contains('*') {
                self.target.replacen('*', rest, 1)
            } else {
                self.target.clone()
            });
        }
        let rest = module.strip_prefix(self.name.as_str())?;
        if rest.is_empty() {
            return Some(self.target.clone());
        }
        // The name of a file has nothing below it.
        let below = rest.starts_with(self.of.border()) && !self.is_own();
        below.then(|| format!("{}{rest}", self.target))
    }

    /// Whether the package is one through which a model can be reached.
    fn leads(&self) -> bool {
        self.of != For::Extends
            && !self.is_own()
            && shapes::knows_root(self.of.language(), self.target.trim_end_matches("/*"))
    }
}

/// The names that a file gives, if it is a manifest.
pub(crate) fn read(path: &str, text: &str) -> Vec<Alias> {
    if text.len() > MANIFEST_BYTES_MAX {
        return Vec::new();
    }
    let file = path.rsplit('/').next().unwrap_or(path);
    let dir = folder(path);
    let mut out = match file {
        "package.json" => of_node(text, dir),
        "deno.json" | "deno.jsonc" | "import_map.json" | "importmap.json" => of_import_map(text, dir),
        "Cargo.toml" => of_cargo(text),
        "go.mod" => of_go(text),
        _ if is_tsconfig(path) => of_tsconfig(text, dir),
        _ => Vec::new(),
    };
    out.truncate(NAMES_MAX);
    out
}

/// Whether a file is a manifest that can give names to packages and files.
pub fn declares_names(path: &str) -> bool {
    let file = path.rsplit('/').next().unwrap_or(path);
    matches!(
        file,
        "package.json" | "deno.json" | "deno.jsonc" | "import_map.json" | "importmap.json" | "Cargo.toml" | "go.mod"
    ) || is_tsconfig(path)
}

/// Whether a file is a configuration of TypeScript by its own name, or a part of one by the name of its folder.
fn is_tsconfig(path: &str) -> bool {
    let named = |text: &str| {
        ["tsconfig", "jsconfig", "typescript-config"]
            .iter()
            .any(|word| text.contains(word))
    };
    let (dir, file) = path.rsplit_once('/').unwrap_or(("", path));
    let is_base = || file == "base.json" || named(dir.rsplit('/').next().unwrap_or(dir));
    file.rsplit_once('.').is_some_and(|(_, ending)| ending == "json") && (named(file) || is_base())
}

/// The package behind `npm:openai@^6.9.0`.
fn npm_package(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("npm:")?.trim_start_matches('/');
    let version = rest.get(1..).and_then(|rest| rest.find('@')).map(|at| at + 1);
    let name = version.map_or(rest, |at| &rest[..at]).trim_end_matches('/');
    (!name.is_empty()).then_some(name)
}

fn script(name: &str, target: String) -> Alias {
    Alias {
        of: For::Scripts,
        name: name.to_owned(),
        target,
    }
}

/// What the target of an import map is: a package, or a path below the folder of the map.
fn target_of(text: &str, dir: &str) -> String {
    if let Some(package) = npm_package(text) {
        return package.to_owned();
    }
    match text
        .strip_prefix("./")
        .or_else(|| text.strip_prefix("../").map(|_| text))
    {
        Some(rest) => format!("./{}", join_path(dir, rest)),
        None => text.to_owned(),
    }
}

/// The first target of a condition.
fn first_target(value: &serde_json::Value) -> Option<&str> {
    match value {
        serde_json::Value::String(text) => Some(text),
        serde_json::Value::Array(all) => all.iter().find_map(first_target),
        serde_json::Value::Object(by_condition) => CONDITIONS
            .iter()
            .find_map(|condition| by_condition.get(*condition).and_then(first_target))
            .or_else(|| by_condition.values().find_map(first_target)),
        _ => None,
    }
}

fn of_node(text: &str, dir: &str) -> Vec<Alias> {
    if !text.contains("npm:") && !text.contains("\"imports\"") {
        return Vec::new();
    }
    let Ok(manifest) = serde_json::from_str::<serde_json::Value>(text) else {
        return Vec::new();
    };
    let sections = [
        "dependencies",
        "devDependencies",
        "optionalDependencies",
        "peerDependencies",
    ];
    let packages = sections
        .iter()
        .filter_map(|section| manifest.get(section)?.as_object())
        .flatten()
        .filter_map(|(name, version)| {
            let package = npm_package(version.as_str()?)?;
            (package != name).then(|| script(name, package.to_owned()))
        });
    let imports = manifest.get("imports").and_then(serde_json::Value::as_object);
    let imports = imports
        .into_iter()
        .flatten()
        .filter_map(|(name, value)| Some(script(name, target_of(first_target(value)?, dir))));
    packages.chain(imports).collect()
}

fn of_import_map(text: &str, dir: &str) -> Vec<Alias> {
    let Ok(map) = serde_json::from_str::<serde_json::Value>(&plain_json(text)) else {
        return Vec::new();
    };
    let imports = map.get("imports").and_then(serde_json::Value::as_object);
    imports
        .into_iter()
        .flatten()
        .filter_map(|(name, value)| {
            let target = target_of(value.as_str()?, dir);
            Some(match name.strip_suffix('/') {
                Some(head) => script(&format!("{head}/*"), format!("{}/*", target.trim_end_matches('/'))),
                None => script(name, target),
            })
        })
        .collect()
}

fn of_tsconfig(text: &str, dir: &str) -> Vec<Alias> {
    if !text.contains("\"paths\"") && !text.contains("\"extends\"") {
        return Vec::new();
    }
    let Ok(config) = serde_json::from_str::<serde_json::Value>(&plain_json(text)) else {
        return Vec::new();
    };
    let options = config.get("compilerOptions");
    let base = options
        .and_then(|options| options.get("baseUrl")?.as_str())
        .unwrap_or(".");
    let base = join_path(dir, base);
    let Some(paths) = options.and_then(|options| options.get("paths")?.as_object()) else {
        return extended(&config, dir);
    };
    paths
        .iter()
        .filter_map(|(name, targets)| {
            let target = first_target(targets)?;
            let target = match target.rsplit_once("node_modules/") {
                Some((_, package)) => installed(package),
                None => format!("./{}", join_path(&base, target)),
            };
            Some(script(name, target))
        })
        .collect()
}

/// The configurations of the project that one without `paths` of its own extends. Those of packages are not followed.
fn extended(config: &serde_json::Value, dir: &str) -> Vec<Alias> {
    let named: Vec<&str> = match config.get("extends") {
        Some(serde_json::Value::String(one)) => vec![one],
        Some(serde_json::Value::Array(all)) => all.iter().filter_map(serde_json::Value::as_str).collect(),
        _ => Vec::new(),
    };
    named
        .into_iter()
        .filter(|name| name.starts_with("./") || name.starts_with("../"))
        .map(|name| {
            let ending = if name.rsplit_once('.').is_some_and(|(_, ending)| ending == "json") {
                ""
            } else {
                ".json"
            };
            Alias {
                of: For::Extends,
                name: String::new(),
                target: format!("{}{ending}", join_path(dir, name)),
            }
        })
        .collect()
}

/// The package of a path below `node_modules`, without the file in it: `openai/index.d.ts`.
fn installed(path: &str) -> String {
    let path = path.trim_start_matches("@types/");
    let parts = if path.starts_with('@') { 2 } else { 1 };
    let mut name = path.split('/').take(parts).collect::<Vec<_>>().join("/");
    if path.ends_with("/*") {
        name.push_str("/*");
    }
    name
}

/// JSON without comments and without commas before a closing bracket.
fn plain_json(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out: Vec<u8> = Vec::with_capacity(bytes.len());
    let mut at = 0;
    let mut quoted = false;
    while at < bytes.len() {
        let byte = bytes[at];
        if quoted {
            out.push(byte);
            if byte == b'\\' && at + 1 < bytes.len() {
                at += 1;
                out.push(bytes[at]);
            } else if byte == b'"' {
                quoted = false;
            }
        } else if bytes[at..].starts_with(b"//") {
            while at < bytes.len() && bytes[at] != b'\n' {
                at += 1;
            }
            continue;
        } else if bytes[at..].starts_with(b"/*") {
            let rest = &bytes[at + 2..];
            let end = rest.windows(2).position(|pair| pair == b"*/");
            at += 2 + end.map_or(rest.len(), |end| end + 2);
            continue;
        } else {
            if matches!(byte, b'}' | b']') {
                let last = out.iter().rposition(|byte| !byte.is_ascii_whitespace());
                if let Some(last) = last.filter(|last| out[*last] == b',') {
                    out[last] = b' ';
                }
            }
            quoted = byte == b'"';
            out.push(byte);
        }
        at += 1;
    }
    String::from_utf8(out).unwrap_or_default()
}

fn of_cargo(text: &str) -> Vec<Alias> {
    const SECTIONS: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];
    if !text.contains("package") {
        return Vec::new();
    }
    let Ok(manifest) = text.parse::<toml::Table>() else {
        return Vec::new();
    };
    let mut places: Vec<&toml::Table> = vec![&manifest];
    places.extend(manifest.get("workspace").and_then(toml::Value::as_table));
    let targets = manifest.get("target").and_then(toml::Value::as_table);
    places.extend(
        targets
            .into_iter()
            .flat_map(toml::Table::values)
            .filter_map(toml::Value::as_table),
    );
    let mut out = Vec::new();
    for place in places {
        for section in SECTIONS {
            let dependencies = place.get(section).and_then(toml::Value::as_table);
            for (name, given) in dependencies.into_iter().flatten() {
                let Some(package) = given.get("package").and_then(toml::Value::as_str) else {
                    continue;
                };
                let (name, target) = (name.replace('-', "_"), package.replace('-', "_"));
                if name != target {
                    out.push(Alias {
                        of: For::Rust,
                        name,
                        target,
                    });
                }
            }
        }
    }
    out
}

fn of_go(text: &str) -> Vec<Alias> {
    text.lines()
        .filter_map(|line| {
            let line = line.split("//").next().unwrap_or("").trim();
            let line = line.strip_prefix("replace ").unwrap_or(line);
            let (name, target) = line.split_once("=>")?;
            let name = name.split_whitespace().next()?;
            let target = target.split_whitespace().next()?;
            let differs = name != target && !target.starts_with(['.', '/']);
            differs.then(|| Alias {
                of: For::Go,
                name: name.to_owned(),
                target: target.to_owned(),
            })
        })
        .collect()
}

/// The names of the configuration that one extends, over as many steps as it takes. Of several the last one counts that gives names.
fn taken_over<'a>(manifests: &BTreeMap<&str, &'a CodeFacts>, facts: &'a CodeFacts) -> &'a [Alias] {
    let mut waiting: Vec<&Alias> = facts.aliases.iter().filter(|alias| alias.of == For::Extends).collect();
    for _ in 0..EXTENDED_MAX {
        let Some(next) = waiting.pop() else { break };
        let Some(base) = manifests.get(next.target.as_str()) else {
            continue;
        };
        match base.aliases.first() {
            Some(first) if first.of != For::Extends => return &base.aliases,
            _ => waiting.extend(&base.aliases),
        }
    }
    &[]
}

/// All names of a project, each with the folder for which it holds, the nearest folders first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Declared(Vec<(String, Alias)>);

impl Declared {
    /// The names that pass a test.
    fn of(files: &[(&FileInfo, &CodeFacts)], wanted: impl Fn(&Alias) -> bool) -> Self {
        let manifests: Vec<&(&FileInfo, &CodeFacts)> =
            files.iter().filter(|(_, facts)| !facts.aliases.is_empty()).collect();
        let by_path: BTreeMap<&str, &CodeFacts> = manifests
            .iter()
            .map(|(info, facts)| (info.path.as_str(), *facts))
            .collect();
        let mut all: Vec<(String, Alias)> = manifests
            .iter()
            .flat_map(|(info, facts)| {
                let names = facts.aliases.iter().chain(taken_over(&by_path, facts));
                let names = names.filter(|alias| wanted(alias));
                names.map(|alias| (folder(&info.path).to_owned(), alias.clone()))
            })
            .collect();
        all.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then_with(|| a.cmp(b)));
        Self(all)
    }

    /// Names of files of the project.
    pub(crate) fn own(files: &[(&FileInfo, &CodeFacts)]) -> Self {
        Self::of(files, Alias::is_own)
    }

    /// The path of the project that a script means by a name, without the `./` that marks it.
    pub(crate) fn path(&self, from: &str, module: &str) -> Option<String> {
        let (_, meant) = self.meant(from, Language::TypeScript, module)?;
        meant.strip_prefix("./").map(str::to_owned)
    }

    fn meant(&self, from: &str, language: Language, module: &str) -> Option<(&Alias, String)> {
        self.0
            .iter()
            .filter(|(dir, alias)| alias.of.fits(language) && is_below(from, dir))
            .find_map(|(_, alias)| Some((alias, alias.meant_by(module)?)))
    }

    /// A text with the packages that its imports mean; none where it uses no name of another.
    fn rewritten(&self, from: &str, language: Language, text: &str) -> Option<String> {
        let written = if language == Language::Rust {
            self.in_rust(from, text)
        } else {
            self.in_quotes(from, language, text)
        };
        (written != text).then_some(written)
    }

    /// The same for imports in quotation marks.
    fn in_quotes(&self, from: &str, language: Language, text: &str) -> String {
        let mut out = String::with_capacity(text.len() + 64);
        for line in text.split_inclusive('\n') {
            let mut rest = line;
            while let Some(open) = rest.find(['"', '\'']) {
                let mark = rest.as_bytes()[open];
                let inside = &rest[open + 1..];
                let Some(close) = inside.bytes().position(|byte| byte == mark) else {
                    break;
                };
                let (before, module) = (&rest[..open], &inside[..close]);
                out.push_str(&rest[..=open]);
                let meant = brings_in(language, before).then(|| self.meant(from, language, module));
                match meant.flatten() {
                    Some((_, meant)) => out.push_str(&meant),
                    None => out.push_str(module),
                }
                out.push(char::from(mark));
                rest = &inside[close + 1..];
            }
            out.push_str(rest);
        }
        out
    }

    /// The same for the first parts of paths: `llm::Client`, `use llm;`, `extern crate llm`.
    fn in_rust(&self, from: &str, text: &str) -> String {
        let bytes = text.as_bytes();
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let mut out = String::with_capacity(text.len() + 64);
        let mut kept = 0;
        let mut at = 0;
        while at < bytes.len() {
            let start = at;
            while at < bytes.len() && is_word(bytes[at]) {
                at += 1;
            }
            let word = text.get(start..at).unwrap_or("");
            let before = text.get(..start).unwrap_or("").trim_end();
            let begins =
                !before.ends_with("::") || text.get(..start).is_some_and(|before| before.ends_with([' ', '\n']));
            let brings = before.ends_with("use") || before.ends_with("extern crate");
            if !word.is_empty()
                && (bytes[at..].starts_with(b"::") || brings)
                && begins
                && let Some((_, meant)) = self.meant(from, Language::Rust, word)
            {
                out.push_str(text.get(kept..start).unwrap_or(""));
                out.push_str(&meant);
                if brings && !bytes[at..].starts_with(b"::") {
                    // The local name stays the one that the file uses.
                    let renamed = text[at..].trim_start().starts_with("as ");
                    if !renamed {
                        out.push_str(" as ");
                        out.push_str(word);
                    }
                }
                kept = at;
            }
            at = at.max(start + 1);
        }
        out.push_str(text.get(kept..).unwrap_or(""));
        out
    }
}

/// Whether what stands in front of a text in quotation marks makes an import of it.
fn brings_in(language: Language, before: &str) -> bool {
    if language == Language::Go {
        let before = before.trim();
        let before = before.strip_prefix("import").unwrap_or(before).trim_matches(['(', ' ']);
        return before
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'));
    }
    let before = before.trim_end();
    ["from", "import", "import(", "require(", "require.resolve(", "mock("]
        .iter()
        .any(|word| before.ends_with(word))
}

fn is_below(path: &str, dir: &str) -> bool {
    dir.is_empty() || path.strip_prefix(dir).is_some_and(|rest| rest.starts_with('/'))
}

/// The facts of files that import packages under other names, as if they named the packages, by the place of the file in the list.
pub(crate) fn renamed(files: &[(&FileInfo, &CodeFacts)], source: &dyn SourceText) -> Vec<(usize, CodeFacts)> {
    let declared = Declared::of(files, Alias::leads);
    if declared.0.is_empty() {
        return Vec::new();
    }
    let mut out = Vec::new();
    for (at, (info, facts)) in files.iter().enumerate() {
        let language = crate::language_of(&info.path, info.language);
        let wanted = crate::wants(&info.path, info.language, info.zone);
        let names: BTreeSet<&str> = declared
            .0
            .iter()
            .filter(|(dir, alias)| alias.of.fits(language) && is_below(&info.path, dir))
            .map(|(_, alias)| alias.name.as_str())
            .collect();
        if !wanted || names.is_empty() {
            continue;
        }
        // A crate is named without an import too.
        let uses = language == Language::Rust
            || facts
                .imports
                .iter()
                .any(|module| declared.meant(&info.path, language, module).is_some());
        let Some(file) = source.file(&info.path).filter(|_| uses) else {
            continue;
        };
        let Some(text) = file
            .text()
            .and_then(|text| declared.rewritten(&info.path, language, &text))
        else {
            continue;
        };
        let file = SourceFile {
            path: file.path.clone(),
            bytes: text.clone().into_bytes().into(),
            digest: file.digest,
            language: info.language,
            zone: info.zone,
        };
        let mut facts = crate::read(&file);
        if facts.module.is_none() {
            facts.module = crate::lower(&info.path, info.language, &text).map(std::sync::Arc::new);
        }
        facts.renamed = true;
        out.push((at, facts));
    }
    out
}

/// The files with the facts that were read anew.
pub(crate) fn with_renamed<'a>(
    files: &[(&'a FileInfo, &'a CodeFacts)],
    renamed: &'a [(usize, CodeFacts)],
) -> Vec<(&'a FileInfo, &'a CodeFacts)> {
    let mut out = files.to_vec();
    for (at, facts) in renamed {
        if let Some(entry) = out.get_mut(*at) {
            entry.1 = facts;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Alias, read};

    fn check(path: &str, text: &str, expected: &[(&str, &str)]) {
        let found = read(path, text);
        let found: Vec<(&str, &str)> = found
            .iter()
            .map(|Alias { name, target, .. }| (name.as_str(), target.as_str()))
            .collect();
        assert_eq!(found, expected, "{path}");
    }

    #[test]
    fn manifests_name_packages_and_files() {
        check(
            "web/package.json",
            r##"{"dependencies": {"llm": "npm:openai@^6", "ai": "npm:@ai-sdk/openai@2", "zod": "4"},
            "imports": {"#llm": {"node": "openai", "browser": "./x.js"}, "#lib/*": "./src/*.js"}}"##,
            &[
                ("ai", "@ai-sdk/openai"),
                ("llm", "openai"),
                ("#lib/*", "./web/src/*.js"),
                ("#llm", "openai"),
            ],
        );
        check(
            "tsconfig.base.json",
            "{ // comment\n\"compilerOptions\": {\"baseUrl\": \"src\", \"paths\": {\"llm\": [\"../node_modules/openai/index.d.ts\"], \"@/*\": [\"./*\"],}}}",
            &[("@/*", "./src/*"), ("llm", "openai")],
        );
        check(
            "Cargo.toml",
            "[dependencies]\nllm-x = { package = \"async-openai\", version = \"0.30\" }\nserde = \"1\"\n[workspace.dependencies]\nchat = { package = \"ollama-rs\", version = \"0.3\" }\n",
            &[("llm_x", "async_openai"), ("chat", "ollama_rs")],
        );
        check(
            "go.mod",
            "module a\n\nreplace (\n\texample.org/llm v1.0.0 => github.com/sashabaranov/go-openai v1.41.0\n\texample.org/x => ../x\n)\n",
            &[("example.org/llm", "github.com/sashabaranov/go-openai")],
        );
        check(
            "deno.jsonc",
            "{\"imports\": {\"llm\": \"npm:openai@6\", \"lib/\": \"./lib/\"}}",
            &[("lib/*", "./lib/*"), ("llm", "openai")],
        );
        check(
            "web/tsconfig.json",
            "{\"extends\": [\"@tsconfig/node22/tsconfig.json\", \"../configs/shared\", \"./tsconfig.base.json\"]}",
            &[("", "configs/shared.json"), ("", "web/tsconfig.base.json")],
        );
        // Names of its own take the place of those that it would take over.
        check(
            "tsconfig.json",
            "{\"extends\": \"./tsconfig.base.json\", \"compilerOptions\": {\"paths\": {\"@/*\": [\"./src/*\"]}}}",
            &[("@/*", "./src/*")],
        );
        check("notes.json", "{\"imports\": {\"a\": \"npm:openai\"}}", &[]);
    }
}
