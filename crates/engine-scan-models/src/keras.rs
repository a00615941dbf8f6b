//! Keras models: the configuration in a `.keras` archive or in an attribute of an HDF5 file.

use engine_model::{ModelFileProblemKind, ModelImportKind};
use serde_json::Value;

use crate::draft::{Draft, shown};
use crate::imports::{self, is_plain};
use crate::source::Part;

/// A longer configuration is not read.
pub(crate) const CONFIG_BYTES_MAX: u64 = 2 * 1024 * 1024;
/// Objects of a configuration that are looked at.
const OBJECTS_MAX: usize = 200_000;
/// Bytes of an HDF5 file that are searched for its configuration.
const SEARCHED_BYTES_MAX: u64 = 48 * 1024 * 1024;
/// Bytes of a window of that search.
const WINDOW: usize = 1024 * 1024;
/// Bytes that a mark can reach into the next window.
const OVERLAP: usize = 256;

/// Reads the configuration of a model, as JSON.
pub(crate) fn config(bytes: &[u8], member: Option<&str>, draft: &mut Draft) {
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else {
        draft.problem(ModelFileProblemKind::Broken, "its configuration is not JSON", member);
        return;
    };
    if let Some(class) = value.get("class_name").and_then(Value::as_str) {
        draft.model.architecture = Some(shown(class));
    }
    if let Some(name) = value
        .get("config")
        .and_then(|config| config.get("name"))
        .and_then(Value::as_str)
    {
        draft.model.name = Some(shown(name));
    }
    layers(&value, member, draft);
}

/// Adds what building the objects of a configuration would do.
pub(crate) fn layers(value: &Value, member: Option<&str>, draft: &mut Draft) {
    let mut pending = vec![value];
    let mut seen = 0;
    while let Some(value) = pending.pop() {
        seen += 1;
        if seen > OBJECTS_MAX {
            draft.not_read("its configuration is longer than this scan reads", member);
            break;
        }
        match value {
            Value::Array(items) => pending.extend(items),
            Value::Object(fields) => {
                pending.extend(fields.values());
                let text = |key: &str| fields.get(key).and_then(Value::as_str);
                if let Some(class) = text("class_name") {
                    let registered = text("registered_name").is_some_and(|name| name.contains('>'));
                    let module = text("module").unwrap_or("");
                    layer(module, class, registered, fields.get("config"), member, draft);
                }
            }
            _ => {}
        }
    }
}

/// Modules of Keras and of what comes with it.
const OWN: [&str; 6] = ["keras", "keras_hub", "keras_nlp", "keras_cv", "tensorflow", "tf_keras"];

/// Modules of Keras whose functions compute and do nothing else.
const COMPUTES: [&str; 9] = [
    "activations",
    "losses",
    "metrics",
    "initializers",
    "regularizers",
    "constraints",
    "ops",
    "nn",
    "math",
];

/// What building one object of a configuration would do.
fn layer(module: &str, class: &str, registered: bool, config: Option<&Value>, member: Option<&str>, draft: &mut Draft) {
    match class.rsplit(['>', '.']).next().unwrap_or(class) {
        "Lambda" => draft.problem(
            ModelFileProblemKind::HoldsCode,
            "has a Lambda layer, which contains compiled Python code",
            member,
        ),
        "__lambda__" => draft.problem(
            ModelFileProblemKind::HoldsCode,
            "contains compiled Python code in its configuration",
            member,
        ),
        "TorchModuleWrapper" => draft.problem(
            ModelFileProblemKind::HoldsCode,
            "wraps a PyTorch module, which is loaded as serialised objects",
            member,
        ),
        _ => {}
    }
    if ["", "__tensor__"].contains(&module) {
        return;
    }
    let is_function = class == "function" || class == "type";
    let name = match config.and_then(Value::as_str) {
        Some(function) if is_function => function,
        _ => class,
    };
    let path = format!("{module}.{name}");
    let own = OWN
        .iter()
        .any(|known| module == *known || module.strip_prefix(known).is_some_and(|rest| rest.starts_with('.')));
    let computes = own && module.split('.').any(|part| COMPUTES.contains(&part));
    let judged = imports::judge(&path);
    let kind = match judged.kind {
        // Names of many functions are also those of layers and of what computes.
        ModelImportKind::Dangerous if judged.generic && computes => ModelImportKind::Known,
        ModelImportKind::Unknown if module == "builtins" && (!is_function || registered) => return,
        ModelImportKind::Unknown if own && (computes || is_plain(&path)) => return,
        kind => kind,
    };
    match kind {
        ModelImportKind::Dangerous => {
            draft.import(shown(&path), kind, true, member);
            draft.problem(
                ModelFileProblemKind::RunsCode,
                format!("builds `{}` when loaded, which {}", shown(&path), judged.why),
                member,
            );
        }
        ModelImportKind::Unknown => draft.unknown(&path, true, member),
        ModelImportKind::Known if own => {}
        ModelImportKind::Known => draft.import(shown(&path), kind, true, member),
    }
}

/// Configurations of one file that are read as JSON.
const CONFIGS_MAX: usize = 16;

/// Searches an HDF5 file for the configuration of a Keras model and for what its layers do.
pub(crate) fn hdf5(part: Part<'_>, draft: &mut Draft) {
    "hdf5".clone_into(&mut draft.model.format);
    let keras = search(part, draft);
    if keras {
        "keras-hdf5".clone_into(&mut draft.model.format);
        draft.model.framework = Some("tensorflow".to_owned());
        draft.model.is_model = true;
        if part.length() > SEARCHED_BYTES_MAX {
            draft.not_read("only its first 48 MiB were searched for layers that contain code", None);
        }
    }
}

/// The file beside a `SavedModel` in which Keras keeps the configuration of its layers.
pub(crate) fn metadata(part: Part<'_>, draft: &mut Draft) -> Option<()> {
    if !search(part, draft) {
        return None;
    }
    "keras-metadata".clone_into(&mut draft.model.format);
    draft.model.framework = Some("tensorflow".to_owned());
    Some(())
}

/// Searches bytes for configurations of Keras; says whether there is one.
fn search(part: Part<'_>, draft: &mut Draft) -> bool {
    let (mut at, mut keras, mut lambda, mut configs) = (0_u64, false, false, 0);
    let length = part.length().min(SEARCHED_BYTES_MAX);
    while at < length {
        let window = part.bytes(at, WINDOW + OVERLAP);
        if window.is_empty() {
            break;
        }
        keras = keras
            || [b"model_config".as_slice(), b"keras_version", b"layer_names"]
                .iter()
                .any(|mark| contains(&window, mark));
        lambda = lambda || lambda_in(&window);
        let mut from = 0;
        while configs < CONFIGS_MAX
            && let Some(start) = config_start(&window, from)
        {
            configs += 1;
            let bytes = part.bytes(at + start as u64, usize::try_from(CONFIG_BYTES_MAX).unwrap_or(WINDOW));
            let mut values = serde_json::Deserializer::from_slice(&bytes).into_iter::<Value>();
            from = start + 1;
            if let Some(Ok(value)) = values.next() {
                keras = true;
                layers(&value, None, draft);
                from = start + values.byte_offset();
            }
        }
        at += WINDOW as u64;
    }
    if lambda {
        draft.problem(
            ModelFileProblemKind::HoldsCode,
            "has a Lambda layer, which contains compiled Python code",
            None,
        );
    }
    keras || lambda
}

/// Where the JSON of an object of Keras begins.
fn config_start(window: &[u8], from: usize) -> Option<usize> {
    let rest = window.get(from..)?;
    [b"{\"class_name\"".as_slice(), b"{\"module\""]
        .iter()
        .filter_map(|mark| find(rest, mark))
        .min()
        .map(|at| from + at)
}

/// Whether a text in the window names the class of a layer that holds code.
fn lambda_in(window: &[u8]) -> bool {
    let mut rest = window;
    while let Some(at) = find(rest, b"\"class_name\"") {
        rest = &rest[at + 12..];
        let near = &rest[..rest.len().min(64)];
        let value: Vec<u8> = near
            .iter()
            .copied()
            .filter(|byte| !byte.is_ascii_whitespace())
            .take(10)
            .collect();
        if value.starts_with(b":\"Lambda\"") {
            return true;
        }
    }
    false
}

pub(crate) fn contains(bytes: &[u8], mark: &[u8]) -> bool {
    find(bytes, mark).is_some()
}

fn find(bytes: &[u8], mark: &[u8]) -> Option<usize> {
    let first = *mark.first()?;
    let mut from = 0;
    while let Some(step) = bytes.get(from..)?.iter().position(|byte| *byte == first) {
        let at = from + step;
        if bytes[at..].starts_with(mark) {
            return Some(at);
        }
        from = at + 1;
    }
    None
}
