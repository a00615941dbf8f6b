//! A passport again: what code tells now, with everything that people wrote.

use std::collections::BTreeMap;

use engine_model::nearest;
use serde_json::{Map, Value};
use thiserror::Error;

use crate::document::{Document, PASSPORT_DEPTH_MAX};
use crate::fields::{FIELDS, MECHANICAL, TOP_LEVEL, field};
use crate::generate::FROM_PROFILE;
use crate::provenance::{Provenance, RenameRecord, SourceKind, mark};
use crate::slug::check_name;

/// Characters of the path of an override.
const PATH_CHARS_MAX: usize = 200;

/// Overrides in one request.
const OVERRIDES_MAX: usize = 256;

/// Why an override is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OverrideError {
    /// No field of a passport has this path.
    #[error("`{path}` is not a field of a passport{}", .nearest.as_ref().map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_default())]
    Unknown {
        /// The path as given.
        path: String,
        /// What may be meant.
        nearest: Option<String>,
    },
    /// Only the engine writes it.
    #[error("`{path}` can be written only by the engine")]
    Mechanical {
        /// The path as given.
        path: String,
    },
    /// The name has a route of its own.
    #[error("use POST /agent/rename to change `name`; it keeps the previous name")]
    Name,
    /// Something else than an object stands on the way.
    #[error("`{path}` passes through a value that is not an object")]
    InTheWay {
        /// The path as given.
        path: String,
    },
    /// It is said in two ways, and they differ.
    #[error("`{path}` is given twice, with different values")]
    Twice {
        /// The path.
        path: String,
    },
    /// There are too many.
    #[error("more than {OVERRIDES_MAX} overrides given")]
    TooMany,
}

/// Brings a passport up to date. Answers, imports, proposals of models, values that a person changed in the file and keys
/// that nobody knows stay; everything else is what code tells now.
pub fn regenerate(old: &Document, fresh: &Document) -> Document {
    let mut document = old.clone();
    adopt_edits(&mut document);
    let mut provenance = document.provenance();
    let new = fresh.provenance();
    for field in FIELDS {
        let source = provenance.fields.get(field.path);
        // The profile is where such an answer is kept: what it says now counts, and what it no longer says is gone.
        let of_profile = |told: &Provenance| told.derived.get(field.path).is_some_and(|from| from == FROM_PROFILE);
        let kept = source.is_some_and(|source| source.is_kept()) && !of_profile(&provenance) && !of_profile(&new);
        if kept && document.get(field.path).is_some() {
            continue;
        }
        if of_profile(&new) {
            provenance
                .derived
                .insert(field.path.to_owned(), FROM_PROFILE.to_owned());
        } else if of_profile(&provenance) {
            provenance.derived.remove(field.path);
        }
        let value = fresh.get(field.path).cloned().unwrap_or_default();
        let written = mark(&value);
        if !document.set(field.path, value) {
            continue;
        }
        let source = new.fields.get(field.path).copied().unwrap_or(SourceKind::Unknown);
        provenance.fields.insert(field.path.to_owned(), source);
        if let Some(written) = written {
            provenance.written.insert(field.path.to_owned(), written);
        }
    }
    provenance.generated = new.generated;
    for name in ["passport_version", "agent_id", "updated"] {
        if let Some(value) = fresh.0.get(name) {
            document.0.insert(name.to_owned(), value.clone());
        }
    }
    if !document.0.get("created").is_some_and(Value::is_string)
        && let Some(created) = fresh.0.get("created")
    {
        document.0.insert("created".to_owned(), created.clone());
    }
    document.0.entry("signature".to_owned()).or_insert(Value::Null);
    document.set_provenance(&provenance);
    settle_basis(&mut document, fresh);
    document
}

/// Where a person says another class of risk than code shows, what it rests on is their word; what code shows is told
/// beside it.
fn settle_basis(document: &mut Document, fresh: &Document) {
    const BASIS: &str = "compliance.eu_ai_act.risk_basis";
    let mut provenance = document.provenance();
    let source = |path| provenance.fields.get(path).copied();
    let (Some(class), Some(basis)) = (fresh.text_at(CLASS), fresh.text_at(BASIS)) else {
        return;
    };
    if source(BASIS).is_some_and(SourceKind::is_kept) {
        return;
    }
    let stated = source(CLASS) == Some(SourceKind::Answer) && document.get(CLASS) != fresh.get(CLASS);
    let value = Value::String(if stated {
        format!("stated by a person; the code alone points to `{class}`: {basis}")
    } else {
        basis.to_owned()
    });
    let written = mark(&value);
    if document.set(BASIS, value)
        && let Some(written) = written
    {
        provenance.written.insert(BASIS.to_owned(), written);
        document.set_provenance(&provenance);
    }
}

const CLASS: &str = "compliance.eu_ai_act.risk_class";
const OBLIGATIONS: &str = "compliance.eu_ai_act.obligations";
const OBLIGATIONS_BASIS: &str = "compliance.eu_ai_act.obligations_basis";

/// The class of risk that was stated, where it is another one than code shows.
pub fn stated_class<'d>(document: &'d Document, fresh: &Document) -> Option<&'d str> {
    let source = document.provenance().fields.get(CLASS).copied()?;
    let class = document.text_at(CLASS)?;
    let known = ["prohibited", "high", "limited", "minimal"].contains(&class);
    (known && source.is_kept() && document.get(CLASS) != fresh.get(CLASS)).then_some(class)
}

/// Lets the obligations of a passport follow its class: those of the class that was stated, where they are given, else those
/// that code shows. A list that a person wrote is theirs and stays.
pub fn follow_class(document: &mut Document, fresh: &Document, stated: Option<&[String]>) {
    let mut provenance = document.provenance();
    let source = |provenance: &Provenance, path| provenance.fields.get(path).copied().unwrap_or(SourceKind::Unknown);
    if source(&provenance, OBLIGATIONS).is_kept() && !provenance.derived.contains_key(OBLIGATIONS) {
        return;
    }
    let told = fresh.provenance();
    let observed = fresh.texts_at(OBLIGATIONS).join(", ");
    let (list, basis, source) = if let Some(obligations) = stated {
        provenance.derived.insert(OBLIGATIONS.to_owned(), CLASS.to_owned());
        let basis = format!(
            "risk class `{}`, as stated; obligations under `{}`, the class found in the code: {}",
            document.text_at(CLASS).unwrap_or("unknown"),
            fresh.text_at(CLASS).unwrap_or("unknown"),
            if observed.is_empty() { "none" } else { &observed }
        );
        (
            Value::from(obligations),
            Value::String(basis),
            source(&provenance, CLASS),
        )
    } else {
        match told.derived.get(OBLIGATIONS) {
            Some(from) => provenance.derived.insert(OBLIGATIONS.to_owned(), from.clone()),
            None => provenance.derived.remove(OBLIGATIONS),
        };
        let of = |path| fresh.get(path).cloned().unwrap_or_default();
        (of(OBLIGATIONS), of(OBLIGATIONS_BASIS), source(&told, OBLIGATIONS))
    };
    // The words of the basis are the engine's in any case, so that they are written anew the next time.
    let written = [
        (OBLIGATIONS, list, source),
        (OBLIGATIONS_BASIS, basis, SourceKind::Code),
    ];
    for (path, value, source) in written {
        let mark = mark(&value);
        if document.set(path, value) {
            provenance.fields.insert(path.to_owned(), source);
            if let Some(mark) = mark {
                provenance.written.insert(path.to_owned(), mark);
            }
        }
    }
    document.set_provenance(&provenance);
}

/// Finds values that a person changed in the file, and says so in the provenance. Returns their paths.
pub fn adopt_edits(document: &mut Document) -> Vec<String> {
    let mut provenance = document.provenance();
    let mut edited = Vec::new();
    for field in FIELDS {
        let value = document.get(field.path);
        let source = provenance.fields.get(field.path).copied();
        let changed = match (value, provenance.written.get(field.path)) {
            // What is gone was taken out: it comes back as code tells it.
            (None, _) => false,
            (Some(value), Some(written)) => mark(value).as_ref() != Some(written),
            // A value of which nothing is recorded was put there by a person.
            (Some(value), None) => source.is_none() && !value.is_null(),
        };
        if changed {
            edited.push(field.path.to_owned());
            provenance.derived.remove(field.path);
            provenance.fields.insert(field.path.to_owned(), SourceKind::Answer);
            match value.and_then(mark) {
                Some(mark) => provenance.written.insert(field.path.to_owned(), mark),
                None => provenance.written.remove(field.path),
            };
        }
    }
    if !edited.is_empty() {
        document.set_provenance(&provenance);
    }
    edited
}

/// The overrides by dotted path, sorted: objects are taken apart down to the fields, and `risk_class` is the short form of
/// its path.
///
/// # Errors
///
/// [`OverrideError`].
pub fn override_paths(overrides: &Map<String, Value>) -> Result<BTreeMap<String, Value>, OverrideError> {
    let mut paths = BTreeMap::new();
    let mut open: Vec<(String, &Value)> = overrides
        .iter()
        .map(|(path, value)| {
            let path = if path == "risk_class" {
                "compliance.eu_ai_act.risk_class".to_owned()
            } else {
                path.clone()
            };
            (path, value)
        })
        .collect();
    while let Some((path, value)) = open.pop() {
        let top = path.split('.').next().unwrap_or("");
        if MECHANICAL.contains(&top) {
            return Err(OverrideError::Mechanical { path });
        }
        if path == "name" {
            return Err(OverrideError::Name);
        }
        let too_long = path.len() > PATH_CHARS_MAX || path.split('.').count() > PASSPORT_DEPTH_MAX;
        if !TOP_LEVEL.contains(&top) || too_long || path.split('.').any(str::is_empty) {
            let path: String = path.chars().take(PATH_CHARS_MAX).collect();
            let known = FIELDS.iter().map(|field| field.path).chain(TOP_LEVEL);
            let nearest = nearest(&path, known).map(ToOwned::to_owned);
            return Err(OverrideError::Unknown { path, nearest });
        }
        match value {
            // A group without members says nothing of them.
            Value::Object(members) if field(&path).is_none() && (!members.is_empty() || is_group(&path)) => {
                open.extend(members.iter().map(|(name, value)| (format!("{path}.{name}"), value)));
            }
            Value::Null if is_group(&path) => {
                let below = FIELDS.iter().filter(|field| within(field.path, &path));
                open.extend(below.map(|field| (field.path.to_owned(), value)));
            }
            _ => match paths.insert(path.clone(), value.clone()) {
                Some(before) if before != *value => return Err(OverrideError::Twice { path }),
                _ => {}
            },
        }
        if paths.len() + open.len() > OVERRIDES_MAX {
            return Err(OverrideError::TooMany);
        }
    }
    Ok(paths)
}

/// Whether fields lie below a path.
fn is_group(path: &str) -> bool {
    FIELDS.iter().any(|field| within(field.path, path))
}

fn within(field: &str, path: &str) -> bool {
    field.strip_prefix(path).is_some_and(|rest| rest.starts_with('.'))
}

/// Writes what a person said into a passport. `null` takes an answer back: the field is then what `fresh` says.
///
/// # Errors
///
/// [`OverrideError::InTheWay`].
pub fn apply_overrides(
    document: &mut Document,
    fresh: &Document,
    overrides: &BTreeMap<String, Value>,
) -> Result<(), OverrideError> {
    let mut provenance = document.provenance();
    let told = fresh.provenance();
    for (path, value) in overrides {
        let (value, source) = if value.is_null() {
            let source = told.fields.get(path).copied().unwrap_or(SourceKind::Unknown);
            (fresh.get(path).cloned().unwrap_or_default(), source)
        } else {
            (value.clone(), SourceKind::Answer)
        };
        let written = mark(&value);
        if !document.set(path, value) {
            return Err(OverrideError::InTheWay { path: path.clone() });
        }
        provenance.derived.remove(path);
        provenance.fields.insert(path.clone(), source);
        if let Some(written) = written {
            provenance.written.insert(path.clone(), written);
        }
    }
    document.set_provenance(&provenance);
    settle_basis(document, fresh);
    Ok(())
}

/// Gives an agent another name, and keeps the one before.
///
/// # Errors
///
/// What is wrong with the name.
pub fn rename(document: &mut Document, to: &str, at: &str) -> Result<(), &'static str> {
    check_name(to)?;
    let from = document.name().to_owned();
    let value = Value::String(to.to_owned());
    let mut provenance = document.provenance();
    provenance.renames.push(RenameRecord {
        from,
        to: to.to_owned(),
        at: at.to_owned(),
    });
    provenance.fields.insert("name".to_owned(), SourceKind::Answer);
    if let Some(mark) = mark(&value) {
        provenance.written.insert("name".to_owned(), mark);
    }
    document.0.insert("name".to_owned(), value);
    document.0.insert("updated".to_owned(), Value::String(at.to_owned()));
    document.set_provenance(&provenance);
    Ok(())
}
