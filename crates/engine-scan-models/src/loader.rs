//! Configurations in which a loader reads names of callables: Hydra and what is like it, `MLflow`, `spaCy`, Hugging Face,
//! objects of YAML and jsonpickle, and the schema of skops. Templates of chats that lie in files of their own too.

use engine_model::{ModelFile, ModelFileProblemKind, ModelImportKind};
use serde_json::Value;

use crate::draft::{Draft, shown};
use crate::{imports, keras, template};

/// The format that stands in the record of a configuration.
pub(crate) const FORMAT: &str = "loader-config";
/// A longer configuration is not read.
pub(crate) const BYTES_MAX: u64 = 2 * 1024 * 1024;
/// Values of a configuration that are looked at.
const VALUES_MAX: usize = 200_000;
/// Bytes of a name.
const NAME_BYTES_MAX: usize = 512;

/// Keys whose value a loader imports and calls.
const CALLABLE_KEYS: &[&str] = &[
    "_target_",
    "__target__",
    "_component_",
    "_callable_",
    "class_path",
    "callable",
    "target",
    "()",
];
/// Keys of jsonpickle.
const PICKLED_KEYS: &[&str] = &["py/object", "py/type", "py/function", "py/class", "py/repr"];
/// Tags by which YAML builds objects of Python.
const TAGS: &[&str] = &[
    "!!python/object/apply:",
    "!!python/object/new:",
    "!!python/object:",
    "!!python/name:",
    "!!python/module:",
];
/// What a file holds in which there is something to look at.
const MARKS: &[&[u8]] = &[
    b"_target_",
    b"__target__",
    b"_component_",
    b"_callable_",
    b"class_path",
    b"callable",
    b"target",
    b"\"()\"",
    b"'()'",
    b"(): ",
    b"py/",
    b"!!python/",
    b"loader_module",
    b"trust_remote_code",
    b"auto_map",
    b"custom_pipelines",
    b"keras_version",
    b"chat_template",
];

/// What kind of configuration a name is that of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Json,
    Yaml,
    /// The sections of `spaCy`.
    Sections,
    /// A template by itself.
    Template,
}

fn kind(path: &str) -> Option<Kind> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    match ending.to_ascii_lowercase().as_str() {
        "json" => Some(Kind::Json),
        "yaml" | "yml" => Some(Kind::Yaml),
        "cfg" => Some(Kind::Sections),
        "jinja" | "jinja2" | "j2" if stem.contains("chat_template") => Some(Kind::Template),
        "" if name == "MLmodel" => Some(Kind::Yaml),
        _ => None,
    }
}

/// Whether a member of an archive may be a configuration.
pub(crate) fn wants(path: &str) -> bool {
    kind(path).is_some()
}

/// What a configuration of a project makes a loader do; `None` where that is nothing to speak of.
pub(crate) fn read(path: &str, bytes: &[u8]) -> Option<ModelFile> {
    if bytes.len() as u64 > BYTES_MAX {
        return None;
    }
    let mut draft = Draft::default();
    content(path, bytes, None, &mut draft);
    if draft.is_empty() {
        return None;
    }
    FORMAT.clone_into(&mut draft.model.format);
    let mut model = draft.finish();
    model.bytes = bytes.len() as u64;
    Some(model)
}

/// Adds what a configuration makes a loader do.
pub(crate) fn content(path: &str, bytes: &[u8], member: Option<&str>, draft: &mut Draft) {
    let Some(kind) = kind(path) else { return };
    let by_name = is_named(path, "modules.json") || is_named(path, "model_index.json") || is_named(path, "schema.json");
    let marked = || by_name || MARKS.iter().any(|mark| keras::contains(bytes, mark));
    match kind {
        Kind::Template => chat_template(&String::from_utf8_lossy(bytes), member, draft),
        Kind::Sections if keras::contains(bytes, b"\n@") || bytes.starts_with(b"@") => {
            sections(&String::from_utf8_lossy(bytes), member, draft);
        }
        Kind::Json if marked() => {
            let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
            match serde_json::from_slice::<Value>(bytes) {
                Ok(value) => json(path, &value, member, draft),
                // Configurations with comments are no JSON and are read by their lines.
                Err(_) => lines(&String::from_utf8_lossy(bytes), member, draft),
            }
        }
        Kind::Yaml if marked() => lines(&String::from_utf8_lossy(bytes), member, draft),
        _ => {}
    }
}

fn is_named(path: &str, name: &str) -> bool {
    path.rsplit('/').next() == Some(name)
}

/// A callable that a person's configuration names.
fn setting(path: &str, member: Option<&str>, draft: &mut Draft) {
    let path = path.trim();
    if !is_path(path) {
        return;
    }
    let judged = imports::judge_setting(path);
    if judged.kind == ModelImportKind::Dangerous {
        runs(path, judged.why, member, draft);
    }
}

/// A callable that a program wrote down with its objects.
pub(crate) fn object(path: &str, member: Option<&str>, draft: &mut Draft) {
    if !is_path(path) {
        return;
    }
    let judged = imports::judge(path);
    if judged.kind == ModelImportKind::Dangerous && !judged.generic {
        runs(path, judged.why, member, draft);
    } else if judged.kind == ModelImportKind::Unknown && member.is_some() {
        draft.unknown(path, true, member);
    }
}

fn runs(path: &str, why: &str, member: Option<&str>, draft: &mut Draft) {
    draft.import(shown(path), ModelImportKind::Dangerous, true, member);
    draft.problem(
        ModelFileProblemKind::RunsCode,
        format!("names `{}` for a loader to call, which {why}", shown(path)),
        member,
    );
}

/// Whether a text is the dotted path of something in a module.
fn is_path(text: &str) -> bool {
    text.len() <= NAME_BYTES_MAX
        && text.contains('.')
        && text.split('.').all(|part| {
            !part.is_empty()
                && !part.starts_with(|c: char| c.is_ascii_digit())
                && part.chars().all(|c| c.is_alphanumeric() || c == '_')
        })
}

fn chat_template(text: &str, member: Option<&str>, draft: &mut Draft) {
    if let Some(mark) = template::reaches_out(text) {
        draft.problem(
            ModelFileProblemKind::HostileTemplate,
            format!("the chat template uses `{mark}`, which lets a template escape its sandbox"),
            member,
        );
    }
}

/// The class in the repository of a model that a loader of Hugging Face imports.
fn remote(class: &str, member: Option<&str>, draft: &mut Draft) {
    if let Some((repository, class)) = class.split_once("--") {
        draft.not_read(
            &format!(
                "its loader runs `{}` from the repository `{}`, which this scan did not read",
                shown(class),
                shown(repository)
            ),
            member,
        );
    } else if is_path(class) {
        draft.unknown(class, false, member);
    }
}

fn trust(member: Option<&str>, draft: &mut Draft) {
    draft.not_read(
        "sets `trust_remote_code`, so the loader runs code from the repository of the model, which this scan did not read",
        member,
    );
}

fn is_commit(text: &str) -> bool {
    text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn json(path: &str, value: &Value, member: Option<&str>, draft: &mut Draft) {
    if value.get("keras_version").is_some() && value.get("class_name").is_some() {
        keras::layers(value, member, draft);
        return;
    }
    let list_of_modules = is_named(path, "modules.json");
    let index = is_named(path, "model_index.json");
    let schema = is_named(path, "schema.json") && member.is_some();
    let mut pending = vec![value];
    let mut seen = 0;
    while let Some(value) = pending.pop() {
        seen += 1;
        if seen > VALUES_MAX {
            break;
        }
        let fields = match value {
            Value::Array(items) => {
                pending.extend(items);
                continue;
            }
            Value::Object(fields) => fields,
            _ => continue,
        };
        pending.extend(fields.values());
        let text = |key: &str| fields.get(key).and_then(Value::as_str);
        for key in CALLABLE_KEYS {
            if let Some(path) = text(key) {
                setting(path.trim_start_matches("ext://"), member, draft);
            }
        }
        if text("_target_").is_some_and(|target| target.starts_with("hydra.utils.get_")) {
            setting(text("path").unwrap_or_default(), member, draft);
        }
        for key in PICKLED_KEYS {
            object(text(key).unwrap_or_default(), member, draft);
        }
        if let Some(Value::Array(items)) = fields.get("py/reduce") {
            pending.extend(items);
        }
        if list_of_modules {
            setting(text("type").unwrap_or_default(), member, draft);
        }
        if let Some(path) = text("loader_module") {
            loader_module(path, member, draft);
        }
        if schema {
            for (module, name) in [("__module__", "__class__"), ("module_path", "function")] {
                if let (Some(module), Some(name)) = (text(module), text(name)) {
                    object(&format!("{module}.{name}"), member, draft);
                }
            }
        }
        if fields.get("trust_remote_code").and_then(Value::as_bool) == Some(true)
            && !["revision", "code_revision"]
                .iter()
                .any(|key| text(key).is_some_and(is_commit))
        {
            trust(member, draft);
        }
        if let Some(Value::Object(map)) = fields.get("auto_map") {
            for class in map.values().flat_map(|value| match value {
                Value::Array(items) => items.iter().collect::<Vec<_>>(),
                other => vec![other],
            }) {
                remote(class.as_str().unwrap_or_default(), member, draft);
            }
        }
        if let Some(Value::Object(map)) = fields.get("custom_pipelines") {
            for class in map.values().filter_map(|entry| entry.get("impl")?.as_str()) {
                remote(class, member, draft);
            }
        }
        if index {
            for pair in fields.values().filter_map(Value::as_array) {
                if let [Value::String(module), Value::String(name)] = pair.as_slice() {
                    setting(&format!("{module}.{name}"), member, draft);
                }
            }
        }
        match fields.get("chat_template") {
            Some(Value::String(text)) => chat_template(text, member, draft),
            Some(Value::Array(items)) => {
                for text in items.iter().filter_map(|item| item.get("template")?.as_str()) {
                    chat_template(text, member, draft);
                }
            }
            _ => {}
        }
    }
}

/// The module whose function `MLflow` calls to load a model.
fn loader_module(path: &str, member: Option<&str>, draft: &mut Draft) {
    let name = path.trim();
    if name.is_empty()
        || name.len() > NAME_BYTES_MAX
        || name.contains(|c: char| !(c.is_alphanumeric() || "_.".contains(c)))
    {
        return;
    }
    // A module by itself is judged like what lies in it.
    let judged = imports::judge_setting(&format!("{name}._load_pyfunc"));
    let listed = imports::judge(name);
    if judged.kind == ModelImportKind::Dangerous && listed.kind == ModelImportKind::Dangerous {
        runs(name, listed.why, member, draft);
    } else if name != "mlflow" && !name.starts_with("mlflow.") {
        draft.unknown(name, true, member);
    }
}

/// Reads `key: value` by lines, as YAML and JSON with comments have it.
fn lines(text: &str, member: Option<&str>, draft: &mut Draft) {
    let all: Vec<&str> = text.lines().collect();
    let gets = text.contains("hydra.utils.get_");
    let pinned = text.contains("revision") && text.split(|c: char| !c.is_ascii_alphanumeric()).any(is_commit);
    for (at, line) in all.iter().enumerate().take(VALUES_MAX) {
        let line = without_comment(line);
        for tag in TAGS {
            for rest in line.split(tag).skip(1) {
                object(leading_name(rest), member, draft);
            }
        }
        let next = || all.get(at + 1).map_or("", |line| without_comment(line).trim());
        for key in CALLABLE_KEYS {
            for value in values(line, key, next) {
                setting(value.trim_start_matches("ext://"), member, draft);
            }
        }
        if gets {
            for value in values(line, "path", next) {
                setting(value, member, draft);
            }
        }
        for value in values(line, "loader_module", next) {
            loader_module(value, member, draft);
        }
        if !pinned
            && values(line, "trust_remote_code", next)
                .iter()
                .any(|value| is_true(value))
        {
            trust(member, draft);
        }
    }
}

fn is_true(text: &str) -> bool {
    ["true", "yes", "on"].iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// A line up to a comment of YAML.
fn without_comment(line: &str) -> &str {
    if line.trim_start().starts_with('#') {
        return "";
    }
    line.split_once(" #").map_or(line, |(before, _)| before)
}

/// The values that a line gives to a key; one that stands on the next line is taken from there.
fn values<'t>(line: &'t str, key: &str, next: impl Fn() -> &'t str) -> Vec<&'t str> {
    let mut out = Vec::new();
    for (at, _) in line.match_indices(key) {
        let before = line[..at].trim_end_matches(['"', '\'']);
        if !before.is_empty() && !before.ends_with([' ', '\t', '{', ',', '-', '[', '?']) {
            continue;
        }
        let after = line[at + key.len()..].trim_start_matches(['"', '\'']).trim_start();
        let Some(value) = after.strip_prefix(':') else { continue };
        let mut value = value.trim();
        // Anchors and tags stand in front of a value.
        while value.starts_with(['&', '!']) {
            value = value.split_once(' ').map_or("", |(_, rest)| rest.trim_start());
        }
        if value.is_empty() || value.starts_with(['|', '>']) {
            value = next();
        }
        let value = value.trim_start_matches(['"', '\'']);
        let end = value.find(['"', '\'', ',', '}', ']', ' ']).unwrap_or(value.len());
        out.push(&value[..end]);
    }
    out
}

/// The dotted name at the start of a text.
fn leading_name(text: &str) -> &str {
    let end = text
        .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.')))
        .unwrap_or(text.len());
    &text[..end]
}

/// The sections of `spaCy`, where a key that begins with `@` names a function of a registry.
fn sections(text: &str, member: Option<&str>, draft: &mut Draft) {
    for line in text.lines().take(VALUES_MAX) {
        let line = line.trim();
        if line.starts_with('@')
            && let Some((_, value)) = line.split_once('=')
        {
            setting(value.trim().trim_matches(['"', '\'']), member, draft);
        }
    }
}
