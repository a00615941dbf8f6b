//! What the settings of a framework say: `appsettings.json` of .NET, `application.yml` and `.properties` of Spring.

use std::collections::BTreeMap;
use std::rc::Rc;

use engine_model::{FileInfo, SourceText, Zone};
use engine_syntax::ir::Expr;

use crate::CodeFacts;
use crate::origins::{line_of, may_end};
use crate::values::{ClassRef, ExprRef, Value};
use crate::world::World;

/// Files of settings beyond this number are not read.
const FILES_MAX: usize = 200;

/// A file of settings beyond this length holds data.
const BYTES_MAX: usize = 256 * 1024;

/// Objects inside objects are read down to this depth.
const DEPTH_MAX: u32 = 16;

/// All settings of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Settings {
    /// By normal name: the file, the text, and the line of a text that is to be found again.
    known: BTreeMap<String, Vec<(String, String, u32)>>,
    /// Addresses in samples of environment files, by the name of the variable.
    samples: BTreeMap<String, String>,
}

/// Whether a file shows others which environment a program wants: `.env.example`.
fn is_sample(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.contains("env") && without_end_of_sample(name).is_some_and(|rest| rest.contains("env"))
}

/// Whether a file shows others which settings of Spring a program wants: `application.properties.example`.
fn is_sample_of_spring(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.starts_with("application")
        && without_end_of_sample(name)
            .is_some_and(|rest| [".properties", ".yml", ".yaml"].iter().any(|end| rest.ends_with(end)))
}

/// A name without what says that it is a sample.
fn without_end_of_sample(name: &str) -> Option<&str> {
    ["example", "sample", "template", "dist"]
        .iter()
        .find_map(|end| name.strip_suffix(end)?.strip_suffix(['.', '-', '_']))
}

impl Settings {
    /// Reads them from the files of a project.
    pub(crate) fn read(files: &[(&FileInfo, &CodeFacts)], source: &dyn SourceText) -> Self {
        let mut out = Self::default();
        let chosen = files.iter().filter(|(info, _)| {
            let name = info.path.rsplit('/').next().unwrap_or("").to_ascii_lowercase();
            let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
            let spring = (name.starts_with("application") || name.starts_with("bootstrap"))
                && ends(&[".properties", ".yml", ".yaml"]);
            let dotnet = name.starts_with("appsettings") && ends(&[".json"]);
            (spring || dotnet || is_gradle(&info.path)) && info.zone == Zone::Product
        });
        for (info, _) in chosen.take(FILES_MAX) {
            let Some(file) = source.file(&info.path) else { continue };
            let Some(text) = file.text().filter(|text| text.len() <= BYTES_MAX) else {
                continue;
            };
            if is_gradle(&info.path) {
                for (number, line) in (1..).zip(text.lines()) {
                    if let Some((name, value)) = build_field(line) {
                        let line = if may_end(&value) { number } else { 0 };
                        out.insert(&info.path, &format!("BuildConfig.{name}"), &value, line);
                    }
                }
            } else if info.path.to_ascii_lowercase().ends_with(".json") {
                // Remarks stand on lines of their own.
                let bare: String = text
                    .lines()
                    .filter(|line| !line.trim_start().starts_with("//"))
                    .collect::<Vec<_>>()
                    .join("\n");
                if let Ok(value) = serde_json::from_str::<serde_json::Value>(bare.trim_start_matches('\u{feff}')) {
                    out.flatten((&info.path, &text), "", &value, 0);
                }
            } else {
                for (key, value, line) in crate::config::properties(&text) {
                    // Only a name with a date is asked for its line, so that other lines may move.
                    let line = if without_mark(&value).is_some_and(may_end) {
                        line
                    } else {
                        0
                    };
                    out.insert(&info.path, &key, &value, line);
                }
            }
        }
        out
    }

    /// Takes in the addresses of model services that samples of environment files show.
    pub(crate) fn with_samples(mut self, files: &[(&FileInfo, &CodeFacts)], source: &dyn SourceText) -> Self {
        let chosen = files.iter().filter(|(info, _)| {
            info.zone == Zone::Product && (is_sample(&info.path) || is_sample_of_spring(&info.path))
        });
        for (info, _) in chosen.take(FILES_MAX) {
            let Some(file) = source.file(&info.path) else { continue };
            let Some(text) = file.text().filter(|text| text.len() <= BYTES_MAX) else {
                continue;
            };
            let mut note = |name: &str, value: &str| {
                let value = value.trim().trim_matches(['"', '\'']);
                if value.contains("://") && crate::outline::is_address(value) {
                    self.samples
                        .entry(name.trim().to_owned())
                        .or_insert_with(|| value.to_owned());
                }
            };
            if is_sample_of_spring(&info.path) {
                for (key, value, _) in crate::config::properties(&text) {
                    note(&key, &value);
                }
                continue;
            }
            for line in text.lines() {
                let line = line.trim();
                let line = line.strip_prefix("export ").unwrap_or(line);
                if let Some((name, value)) = line.split_once('=').filter(|_| !line.starts_with('#')) {
                    note(name, value);
                }
            }
        }
        self
    }

    /// The address that a sample of an environment file gives to a variable.
    pub(crate) fn sample(&self, name: &str) -> Option<&str> {
        self.samples.get(name).map(String::as_str)
    }

    fn flatten(&mut self, file: (&str, &str), prefix: &str, value: &serde_json::Value, depth: u32) {
        match value {
            serde_json::Value::Object(entries) if depth < DEPTH_MAX => {
                for (key, value) in entries {
                    let key = if prefix.is_empty() {
                        key.clone()
                    } else {
                        format!("{prefix}.{key}")
                    };
                    self.flatten(file, &key, value, depth + 1);
                }
            }
            serde_json::Value::String(text) => self.insert(file.0, prefix, text, line_of(file.1, prefix, text)),
            serde_json::Value::Number(number) => self.insert(file.0, prefix, &number.to_string(), 0),
            _ => {}
        }
    }

    fn insert(&mut self, file: &str, key: &str, value: &str, line: u32) {
        self.known
            .entry(normal(key))
            .or_default()
            .push((file.to_owned(), value.to_owned(), line));
    }

    /// Whether any setting can be a part of the address of a model service.
    pub(crate) fn hold_an_address(&self) -> bool {
        self.known
            .values()
            .flatten()
            .any(|(_, value, _)| crate::outline::is_address(value))
    }

    /// Whether any setting stands below a section.
    fn has_section(&self, section: &str) -> bool {
        let prefix = format!("{}.", normal(section));
        self.known
            .range(prefix.clone()..)
            .next()
            .is_some_and(|(key, _)| key.starts_with(&prefix))
    }

    /// The text of a setting, seen from a file: the nearest file of settings speaks first.
    fn get(&self, from: &str, key: &str) -> Option<(&str, &str, u32)> {
        let near = |file: &str| file.bytes().zip(from.bytes()).take_while(|(a, b)| a == b).count();
        let found = self.known.get(&normal(key))?;
        // The plain file comes before the one of a profile, and what says something before what is left empty.
        found
            .iter()
            .filter(|(_, value, _)| !value.trim().is_empty())
            .max_by_key(|(file, ..)| (near(file), std::cmp::Reverse(file.len())))
            .map(|(file, value, line)| (file.as_str(), value.as_str(), *line))
    }
}

/// Whether a file tells Gradle how a module is built.
fn is_gradle(path: &str) -> bool {
    matches!(path.rsplit('/').next(), Some("build.gradle" | "build.gradle.kts"))
}

/// The constant that a line of Gradle has written into the program: `buildConfigField("String", "MODEL", "\"gpt-4o\"")`.
fn build_field(line: &str) -> Option<(String, String)> {
    let (before, mut rest) = line.split_once("buildConfigField")?;
    if before.trim_start().starts_with("//") {
        return None;
    }
    let mut texts: Vec<String> = Vec::new();
    while texts.len() < 3 {
        let from = rest.find(['"', '\''])?;
        let quote = rest[from..].chars().next()?;
        let mut text = String::new();
        let mut chars = rest[from + 1..].char_indices();
        let end = loop {
            let (at, ch) = chars.next()?;
            match ch {
                '\\' => text.extend(chars.next().map(|(_, ch)| ch)),
                ch if ch == quote => break from + 1 + at + 1,
                ch => text.push(ch),
            }
        };
        texts.push(text);
        rest = &rest[end..];
    }
    let [kind, name, value] = <[String; 3]>::try_from(texts).ok()?;
    let value = value.strip_prefix('"')?.strip_suffix('"')?;
    let is_whole = kind.ends_with("String") && !value.is_empty() && !value.contains('$');
    is_whole.then(|| (name, value.to_owned()))
}

/// The text of a setting, or what stands in `${NAME:text}` where the environment says nothing.
fn without_mark(value: &str) -> Option<&str> {
    match value.strip_prefix("${") {
        Some(rest) => rest.strip_suffix('}')?.split_once(':').map(|(_, text)| text),
        None => Some(value),
    }
}

/// A key without the ways of writing it: `Llm:BaseUrl`, `llm.base-url` and `LLM__BASE_URL` are one.
fn normal(key: &str) -> String {
    key.replace("__", ".")
        .replace(':', ".")
        .replace(['-', '_'], "")
        .to_ascii_lowercase()
}

impl World<'_> {
    /// What a setting stands for: its text, the environment that it names, the default behind it.
    pub(crate) fn setting(&self, unit: u32, key: &str) -> Vec<Value> {
        let Some((file, value, line)) = self.paths.settings().get(self.unit(unit).path, key) else {
            return Vec::new();
        };
        let Some(inside) = value.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')) else {
            return vec![self.text_in(file, line, value)];
        };
        let (name, default) = inside.split_once(':').unwrap_or((inside, ""));
        let mut out = vec![Value::Env(Rc::from(name))];
        if !default.is_empty() {
            out.insert(0, self.text_in(file, line, default));
        }
        out
    }

    /// The key that an expression of .NET reads: `config["Llm:Model"]`, `GetSection("Llm")["Model"]`, `GetValue("Llm:Model")`.
    pub(crate) fn setting_key(&self, at: ExprRef) -> Option<String> {
        match self.expr(at) {
            Expr::Index { object, key } => {
                let key = self.key_text(ExprRef(at.0, *key))?;
                let object = ExprRef(at.0, *object);
                match self.setting_key(object) {
                    Some(section) => Some(format!("{section}.{key}")),
                    None => self.is_configuration(object).then_some(key),
                }
            }
            Expr::Call { callee, args, .. } => {
                let Expr::Member { object, name } = self.expr(ExprRef(at.0, *callee)) else {
                    return None;
                };
                let reads = matches!(
                    &**name,
                    "GetSection" | "GetRequiredSection" | "GetValue" | "getProperty" | "getRequiredProperty"
                );
                if !reads {
                    return None;
                }
                let key = self.key_text(ExprRef(at.0, args.first()?.value))?;
                match self.setting_key(ExprRef(at.0, *object)) {
                    Some(section) => Some(format!("{section}.{key}")),
                    None => Some(key),
                }
            }
            Expr::Member { object, name } if &**name == "Value" => self.setting_key(ExprRef(at.0, *object)),
            Expr::Name(name) => {
                // A section that was kept under a name.
                let index = self.index(at.0);
                let mut scope = index.expr_scope[at.1.0 as usize];
                while scope != crate::index::NONE {
                    for binding in index.scopes[scope as usize].names.get(&**name).into_iter().flatten() {
                        if let crate::index::BindSource::Value(value) = binding.source
                            && value != at.1
                            && matches!(index.module.expr(value), Expr::Call { .. })
                        {
                            return self.setting_key(ExprRef(at.0, value));
                        }
                    }
                    scope = index.scopes[scope as usize].parent;
                }
                None
            }
            _ => None,
        }
    }

    /// Whether an expression is called like the configuration of a program.
    fn is_configuration(&self, at: ExprRef) -> bool {
        match self.expr(at) {
            Expr::Name(name) | Expr::Member { name, .. } => {
                let lower = name.to_ascii_lowercase();
                lower.contains("config") || lower.contains("settings") || lower.contains("section")
            }
            _ => false,
        }
    }

    /// The setting that a framework binds to a field of a class of options.
    pub(crate) fn bound_setting(&self, class: ClassRef, field: &str) -> Vec<Value> {
        if self.paths.settings().known.is_empty() {
            return Vec::new();
        }
        self.section_of(class)
            .map(|section| self.setting(class.0, &format!("{section}.{field}")))
            .unwrap_or_default()
    }

    fn section_of(&self, class: ClassRef) -> Option<String> {
        let module = self.module(class.0);
        let node = module.class(class.1);
        for decorator in &node.decorators {
            if let Expr::Call { callee, args, .. } = module.expr(*decorator)
                && matches!(module.expr(*callee), Expr::Name(name) if matches!(&**name, "ConfigurationProperties" | "ConfigMapping"))
            {
                return args
                    .iter()
                    .find(|arg| matches!(arg.name.as_deref(), None | Some("prefix" | "value")))
                    .and_then(|arg| self.key_text(ExprRef(class.0, arg.value)));
            }
        }
        if self.unit(class.0).language != engine_model::Language::CSharp {
            return None;
        }
        // A class of options names its section in a constant, else by its own name.
        let named = node.fields.iter().find_map(|field| {
            let says = matches!(
                &*field.name,
                "SectionName" | "Section" | "Position" | "ConfigSection" | "Key" | "SectionKey"
            );
            field.value.filter(|_| says)
        });
        if let Some(value) = named {
            return self.key_text(ExprRef(class.0, value));
        }
        let name = node.name.as_deref()?;
        let bare = ["Options", "Settings", "Configuration", "Config"]
            .iter()
            .find_map(|end| name.strip_suffix(end))?;
        [bare, name]
            .into_iter()
            .find(|section| !section.is_empty() && self.paths.settings().has_section(section))
            .map(str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::{build_field, is_sample, is_sample_of_spring, normal};

    #[test]
    fn a_sample_of_an_environment_is_told_by_its_name() {
        assert!(is_sample("client/.env.example") && is_sample("env.sample") && is_sample(".env-template"));
        assert!(!is_sample(".env") && !is_sample("example") && !is_sample("src/environment.ts"));
        assert!(is_sample_of_spring("src/main/resources/application.properties.example"));
        assert!(!is_sample_of_spring("application.properties") && !is_sample_of_spring("application.example"));
    }

    #[test]
    fn a_constant_of_the_build_is_read_from_its_line() {
        let told = |line: &str| build_field(line);
        let field = Some(("MODEL".to_owned(), "gpt-4o".to_owned()));
        assert_eq!(told(r#"  buildConfigField("String", "MODEL", "\"gpt-4o\"")"#), field);
        assert_eq!(told(r#"  buildConfigField 'String', 'MODEL', '"gpt-4o"'"#), field);
        assert_eq!(told(r#"  // buildConfigField("String", "MODEL", "\"gpt-4o\"")"#), None);
        assert_eq!(told(r#"  buildConfigField("String", "KEY", "\"${key}\"")"#), None);
        assert_eq!(told(r#"  buildConfigField("boolean", "DEBUG", "true")"#), None);
        assert_eq!(told("  buildConfigField(\"String\", name"), None);
    }

    #[test]
    fn a_key_is_one_however_it_is_written() {
        for key in ["Llm:BaseUrl", "llm.base-url", "LLM__BASE_URL", "llm.baseUrl"] {
            assert_eq!(normal(key), "llm.baseurl", "{key}");
        }
    }
}
