//! Configuration files that code loads explicitly: `yaml.safe_load(open("config.yaml"))["llm"]["model"]`.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use engine_model::{FileInfo, Language, SourceText, Zone};
use engine_syntax::ir::Expr;

use crate::CodeFacts;
use crate::origins::line_of;
use crate::project::{is_python, is_script};
use crate::values::{ExprRef, Path, Root, Seg, Value};
use crate::world::World;

/// Files beyond this number are not read.
const FILES_MAX: usize = 100;

/// A file beyond this length holds data.
const BYTES_MAX: u64 = 64 * 1024;

/// Entries of one file that are kept.
const ENTRIES_MAX: usize = 2_000;

/// Objects inside objects are read down to this depth.
const DEPTH_MAX: u32 = 8;

/// A longer text is no name and no address.
const TEXT_MAX: usize = 300;

/// Words of which the path of such a file has one.
const WORDS: [&str; 9] = [
    "config", "setting", "conf", "param", "option", "model", "llm", "agent", "default",
];

/// Files that tools own.
const OF_TOOLS: [&str; 14] = [
    "package.json",
    "package-lock.json",
    "composer.json",
    "pyproject.toml",
    "cargo.toml",
    "angular.json",
    "vercel.json",
    "components.json",
    "nest-cli.json",
    "manifest.json",
    "mkdocs.yml",
    "_config.yml",
    "jsconfig.json",
    "tauri.conf.json",
];

/// Modules that read such files.
const READERS: [&str; 12] = [
    "yaml",
    "json",
    "toml",
    "tomllib",
    "tomli",
    "omegaconf",
    "js-yaml",
    "smol-toml",
    "fs",
    "node:fs",
    "fs/promises",
    "node:fs/promises",
];

/// The first step of a path that leads into a file of configuration; the file comes next, `*` where its name is not told.
const MARK: &str = "!loaded";

/// Texts of a file by their dotted keys, with their lines.
type Texts = BTreeMap<String, (String, u32)>;

/// All files of configuration of a project that its own code may load.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Loaded {
    /// In the order of their paths: texts by their dotted keys, with the lines of those that are to be found again.
    files: Vec<(String, Texts)>,
}

fn ending(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (_, ending) = name.rsplit_once('.')?;
    matches!(ending, "yaml" | "yml" | "toml" | "json").then_some(ending)
}

/// Whether a path is that of a file of configuration, by its ending and a word in its name or folder.
fn is_configuration(path: &str) -> bool {
    if ending(path).is_none() {
        return false;
    }
    let lower = path.to_ascii_lowercase();
    let mut parts = lower.rsplit('/');
    let name = parts.next().unwrap_or(&lower);
    if OF_TOOLS.contains(&name) || name.starts_with('.') || name.starts_with("tsconfig") {
        return false;
    }
    let folder = parts.next().unwrap_or("");
    WORDS.iter().any(|word| name.contains(word) || folder.starts_with(word))
}

impl Loaded {
    /// Reads them from the files of a project, where its code brings in what reads such files.
    pub(crate) fn read(files: &[(&FileInfo, &CodeFacts)], source: &dyn SourceText) -> Self {
        let reads = |(info, facts): &(&FileInfo, &CodeFacts)| {
            info.zone == Zone::Product
                && facts.parsed
                && facts.imports.iter().any(|module| READERS.contains(&module.as_str()))
        };
        if !files.iter().any(reads) {
            return Self::default();
        }
        let chosen = files
            .iter()
            .filter(|(info, _)| info.zone == Zone::Product && info.size <= BYTES_MAX && is_configuration(&info.path));
        let mut out = Self::default();
        for (info, _) in chosen.take(FILES_MAX) {
            let Some(file) = source.file(&info.path) else { continue };
            let Some(text) = file
                .text()
                .filter(|text| text.contains("model") || text.contains("url"))
            else {
                continue;
            };
            let mut entries: BTreeMap<String, String> = BTreeMap::new();
            match ending(&info.path) {
                Some("json") => {
                    if let Ok(value) = serde_json::from_str::<serde_json::Value>(&text) {
                        flatten("", &value, 0, &mut entries);
                    }
                }
                Some("toml") => {
                    if let Ok(value) = toml::from_str::<serde_json::Value>(&text) {
                        flatten("", &value, 0, &mut entries);
                    }
                }
                _ => {
                    for (key, value, _) in crate::config::properties(&text).into_iter().take(ENTRIES_MAX) {
                        if value.len() <= TEXT_MAX && !value.starts_with(['{', '[', '|', '>', '&', '*', '$']) {
                            entries.entry(key).or_insert(value);
                        }
                    }
                }
            }
            if !entries.is_empty() {
                let placed = entries.into_iter().map(|(key, value)| {
                    let line = line_of(&text, &key, &value);
                    (key, (value, line))
                });
                out.files.push((info.path.clone(), placed.collect()));
            }
        }
        out
    }

    /// The file that code means by a name, the nearest to it first.
    fn named(&self, from: &str, name: &str) -> Option<&str> {
        let bare = name
            .trim_start_matches("./")
            .trim_start_matches("../")
            .trim_start_matches('/');
        let bare = bare.rsplit("../").next().unwrap_or(bare);
        let near = |path: &str| path.bytes().zip(from.bytes()).take_while(|(a, b)| a == b).count();
        let fits = |path: &&str| {
            path.strip_suffix(bare)
                .is_some_and(|head| head.is_empty() || head.ends_with('/'))
        };
        let paths = self.files.iter().map(|(path, _)| path.as_str());
        paths
            .filter(fits)
            .max_by_key(|path| (near(path), std::cmp::Reverse(path.len())))
    }

    /// Whether anything stands under a key of a file, or below it.
    fn holds(&self, file: &str, key: &str) -> bool {
        let below = format!("{key}.");
        self.files.iter().any(|(path, entries)| {
            (file == "*" || file == path)
                && (entries.contains_key(key)
                    || entries
                        .range(below.clone()..)
                        .next()
                        .is_some_and(|(next, _)| next.starts_with(&below)))
        })
    }

    /// The text under a key of one file, or under that key of all files where they agree.
    fn get(&self, file: &str, key: &str) -> Option<(&str, u32, &str)> {
        let mut found: BTreeSet<&str> = BTreeSet::new();
        let mut place = None;
        for (path, entries) in &self.files {
            if (file == "*" || file == path)
                && let Some((value, line)) = entries.get(key)
            {
                found.insert(value);
                place = place.or(Some((path.as_str(), *line)));
            }
        }
        let first = found.pop_first()?;
        let (path, line) = place?;
        found.is_empty().then_some((path, line, first))
    }
}

fn flatten(prefix: &str, value: &serde_json::Value, depth: u32, into: &mut BTreeMap<String, String>) {
    match value {
        serde_json::Value::Object(entries) if depth < DEPTH_MAX => {
            for (key, value) in entries {
                if into.len() >= ENTRIES_MAX {
                    return;
                }
                let key = if prefix.is_empty() {
                    key.clone()
                } else {
                    format!("{prefix}.{key}")
                };
                flatten(&key, value, depth + 1, into);
            }
        }
        serde_json::Value::String(text) if text.len() <= TEXT_MAX => {
            into.insert(prefix.to_owned(), text.clone());
        }
        _ => {}
    }
}

/// What reads a file of configuration, and whether it may only read what a file is known to hold: answers of models are JSON, too.
fn reads(symbol: &str) -> Option<bool> {
    match symbol {
        "yaml.safe_load"
        | "yaml.load"
        | "yaml.full_load"
        | "yaml.unsafe_load"
        | "toml.load"
        | "toml.loads"
        | "tomllib.load"
        | "tomllib.loads"
        | "tomli.load"
        | "tomli.loads"
        | "omegaconf.OmegaConf.load"
        | "js-yaml.load"
        | "js-yaml.default.load"
        | "yaml.parse"
        | "yaml.default.parse"
        | "smol-toml.parse"
        | "toml.parse" => Some(false),
        "json.load" | "json.loads" | "JSON.parse" => Some(true),
        _ => None,
    }
}

impl World<'_> {
    /// What a call reads out of a file of configuration.
    pub(crate) fn loaded_by(&self, symbol: &str, at: ExprRef) -> Option<Value> {
        let loaded = self.paths.loaded();
        if loaded.files.is_empty() {
            return None;
        }
        let by_name_only = reads(symbol)?;
        let language = self.unit(at.0).language;
        if !(is_python(language) || is_script(language) || language == Language::Notebook) {
            return None;
        }
        let Expr::Call { args, .. } = self.expr(at) else {
            return None;
        };
        let named = self.name_in(ExprRef(at.0, args.first()?.value), 0);
        let file = match named {
            Some(name) => loaded.named(self.unit(at.0).path, &name)?,
            None if by_name_only => return None,
            None => "*",
        };
        Some(into_file(file))
    }

    /// The name of a file of configuration in what is handed to a reader: `open(Path(__file__).parent / "config.yaml")`.
    fn name_in(&self, at: ExprRef, depth: u32) -> Option<String> {
        if depth > 6 {
            return None;
        }
        let given = |inner| self.name_in(ExprRef(at.0, inner), depth + 1);
        match self.expr(at) {
            Expr::Str(text) => ending(text).map(|_| text.to_string()),
            Expr::Call { callee, args, .. } => args
                .iter()
                .rev()
                .find_map(|arg| given(arg.value))
                .or_else(|| given(*callee)),
            Expr::Member { object, .. } => given(*object),
            Expr::Await(inner) => given(*inner),
            Expr::Other(parts) | Expr::Template(parts) => parts.iter().rev().find_map(|part| given(*part)),
            _ => self.expand(&self.eval(at)).iter().find_map(|value| match value {
                Value::Text(parts) => crate::values::constant(parts).filter(|text| ending(text).is_some()),
                Value::Path(path) => path
                    .calls()
                    .find_map(|call| self.name_in(call, depth + 1).filter(|_| call != at)),
                _ => None,
            }),
        }
    }

    /// An entry of a file of configuration: its text, or what lies below it. None for a path that leads into no file.
    pub(crate) fn loaded_entry(&self, path: &Path, key: &str) -> Option<Vec<Value>> {
        let (file, mut dotted) = place(path)?;
        if !dotted.is_empty() {
            dotted.push('.');
        }
        dotted.push_str(key);
        if let Some((file, line, value)) = self.paths.loaded().get(file, &dotted) {
            return Some(vec![self.text_in(file, line, value)]);
        }
        let below = path.then(Seg::Name(Rc::from(key)));
        Some(below.map(|path| Value::Path(Rc::new(path))).into_iter().collect())
    }

    /// A field of an object that is made of a file of configuration: `Settings(**yaml.safe_load(file))`.
    pub(crate) fn loaded_field(&self, made: ExprRef, name: &str) -> Option<Vec<Value>> {
        if self.paths.loaded().files.is_empty() {
            return None;
        }
        let Expr::Call { args, .. } = self.expr(made) else {
            return None;
        };
        args.iter().filter(|arg| arg.spread).find_map(|arg| {
            self.eval(ExprRef(made.0, arg.value)).iter().find_map(|value| {
                let Value::Path(path) = value else { return None };
                let (file, mut dotted) = place(path)?;
                if !dotted.is_empty() {
                    dotted.push('.');
                }
                dotted.push_str(name);
                if !self.paths.loaded().holds(file, &dotted) {
                    return None;
                }
                self.loaded_entry(path, name)
            })
        })
    }

    /// What `get` of a file of configuration gives, with what stands there where the file says nothing.
    pub(crate) fn loaded_get(&self, path: &Path, at: ExprRef) -> Option<Vec<Value>> {
        let mut object = path.clone();
        if !matches!(object.segs.pop(), Some(Seg::Name(name)) if &*name == "get") {
            return None;
        }
        place(&object)?;
        let Expr::Call { args, .. } = self.expr(at) else {
            return None;
        };
        let key = self.key_text(ExprRef(at.0, args.first()?.value))?;
        let found = self.loaded_entry(&object, &key)?;
        if matches!(found.as_slice(), [Value::Text(_)]) {
            return Some(found);
        }
        let mut out = args
            .get(1)
            .map(|default| self.eval(ExprRef(at.0, default.value)).to_vec())
            .unwrap_or_default();
        out.retain(|value| matches!(value, Value::Text(_) | Value::Env(_)));
        out.extend(found);
        Some(out)
    }
}

fn into_file(file: &str) -> Value {
    Value::Path(Rc::new(Path {
        root: Root::Import,
        segs: vec![Seg::Name(Rc::from(MARK)), Seg::Name(Rc::from(file))],
    }))
}

/// The file that a path leads into, and the dotted key so far.
fn place(path: &Path) -> Option<(&str, String)> {
    let mut names = path.segs.iter().map(|seg| match seg {
        Seg::Name(name) => Some(&**name),
        _ => None,
    });
    if path.root != Root::Import || names.next()? != Some(MARK) {
        return None;
    }
    let file = names.next()??;
    let keys: Option<Vec<&str>> = names.collect();
    Some((file, keys?.join(".")))
}

#[cfg(test)]
mod tests {
    use super::is_configuration;

    #[test]
    fn a_file_of_configuration_is_told_by_its_name() {
        for path in [
            "config.yaml",
            "conf/llm.toml",
            "src/app/settings.json",
            "generator_config.yaml",
            "config/agents.yaml",
        ] {
            assert!(is_configuration(path), "{path}");
        }
        for path in [
            "package.json",
            "tsconfig.json",
            "data/cars.json",
            "src/config.py",
            ".eslintrc.json",
        ] {
            assert!(!is_configuration(path), "{path}");
        }
    }
}
