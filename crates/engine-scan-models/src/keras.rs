//! Keras models: the configuration in a `.keras` archive or in an attribute of an HDF5 file.

use engine_model::{ModelFileProblemKind, ModelImportKind};
use serde_json::Value;

use crate::draft::{Draft, shown};
use crate::imports;
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
    let mut pending = vec![&value];
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
                    layer(text("module").unwrap_or(""), class, fields.get("config"), member, draft);
                }
            }
            _ => {}
        }
    }
}

/// What building one object of a configuration would do.
fn layer(module: &str, class: &str, config: Option<&Value>, member: Option<&str>, draft: &mut Draft) {
    match class {
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
    let own = ["", "builtins", "__tensor__"].contains(&module)
        || ["keras", "keras_hub", "keras_nlp", "keras_cv", "tensorflow", "tf_keras"]
            .iter()
            .any(|known| module == *known || module.strip_prefix(known).is_some_and(|rest| rest.starts_with('.')));
    let name = match config.and_then(Value::as_str) {
        Some(function) if class == "function" || class == "type" => function,
        _ => class,
    };
    if own && !(module == "builtins" && class == "function") {
        return;
    }
    let path = format!("{module}.{name}");
    let (kind, why) = imports::judge(&path);
    draft.import(shown(&path), kind, true, member);
    match kind {
        ModelImportKind::Dangerous => draft.problem(
            ModelFileProblemKind::RunsCode,
            format!("builds `{}` when loaded, which {why}", shown(&path)),
            member,
        ),
        ModelImportKind::Unknown => draft.problem(
            ModelFileProblemKind::UnknownImport,
            format!(
                "builds `{}` when loaded, which is on neither the safe nor the dangerous list",
                shown(&path)
            ),
            member,
        ),
        ModelImportKind::Known => {}
    }
}

/// Searches an HDF5 file for the configuration of a Keras model and the layers in it that hold code.
pub(crate) fn hdf5(part: Part<'_>, draft: &mut Draft) {
    "hdf5".clone_into(&mut draft.model.format);
    let (mut at, mut keras, mut lambda) = (0_u64, false, false);
    let length = part.length().min(SEARCHED_BYTES_MAX);
    while at < length && !lambda {
        let window = part.bytes(at, WINDOW + OVERLAP);
        if window.is_empty() {
            break;
        }
        keras = keras
            || [b"model_config".as_slice(), b"keras_version", b"layer_names"]
                .iter()
                .any(|mark| contains(&window, mark));
        lambda = lambda_in(&window);
        at += WINDOW as u64;
    }
    if keras || lambda {
        "keras-hdf5".clone_into(&mut draft.model.format);
        draft.model.framework = Some("tensorflow".to_owned());
        draft.model.is_model = true;
    }
    if lambda {
        draft.problem(
            ModelFileProblemKind::HoldsCode,
            "has a Lambda layer, which contains compiled Python code",
            None,
        );
    } else if part.length() > length && keras {
        draft.not_read("only its first 48 MiB were searched for layers that contain code", None);
    }
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

fn contains(bytes: &[u8], mark: &[u8]) -> bool {
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
