//! Whether a passport is whole: its shape, its signature, its spelling, and what it still owes.

use engine_signing::Trust;
use schemars::JsonSchema;
use serde::Serialize;

use crate::completeness::{Completeness, completeness};
use crate::document::{Document, DocumentError};
use crate::drift::{Drift, drift};
use crate::schema::{check, passport_schema};
use crate::sign::{SignatureVerdict, signature};

/// A problem of a passport.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Issue {
    /// The dotted path of the field; empty for the whole passport.
    pub path: String,
    /// The problem in words.
    pub message: String,
}

/// The result of validating a passport.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Validation {
    /// The name of the agent; empty if it cannot be read.
    pub name: String,
    /// Whether schema, signature and spelling are valid.
    pub valid: bool,
    /// Whether it fits the published schema.
    pub schema_valid: bool,
    /// Whether the signature is `valid`.
    pub signature_valid: bool,
    /// The result of checking the signature.
    pub signature: SignatureVerdict,
    /// Share of the required fields that code or a person supplied, 0 to 100.
    pub completeness: f64,
    /// Problems that make it invalid.
    pub errors: Vec<Issue>,
    /// Problems that do not make it invalid.
    pub warnings: Vec<Issue>,
    /// Fields that differ from the code.
    pub drift: Vec<Drift>,
}

/// Checks a file that holds a passport. `fresh` is what a scan tells of the same agent now.
pub fn validate(bytes: &[u8], trust: &Trust, fresh: Option<&Document>) -> Validation {
    let document = match Document::parse(bytes) {
        Ok(document) => document,
        Err(error) => return unreadable(&error),
    };
    let issue = |path: &str, message: &str| Issue {
        path: path.to_owned(),
        message: message.to_owned(),
    };
    let mut errors: Vec<Issue> = check(passport_schema(), &document.to_value(), false)
        .into_iter()
        .map(|found| Issue {
            path: found.path,
            message: found.message,
        })
        .collect();
    let schema_valid = errors.is_empty();
    let verdict = signature(&document, trust);
    match verdict {
        SignatureVerdict::Valid => {}
        SignatureVerdict::Tampered => errors.push(issue(
            "signature",
            "the passport was changed after it was signed, or has no signature. If you changed it yourself, call \
             POST /agent/init with `force` to keep your changes and sign it again",
        )),
        SignatureVerdict::UnknownKey => errors.push(issue(
            "signature",
            "the signature is by a key that is not trusted here; compare the key with its owner and pin it, or import \
             the passport",
        )),
    }
    if !spelled_as_written(bytes, &document) {
        errors.push(issue(
            "",
            "the file does not have the exact form that the engine writes: spacing, order or the spelling of a value \
             differs",
        ));
    }
    let Completeness {
        completeness,
        missing_fields,
        ..
    } = completeness(&document);
    let mut warnings: Vec<Issue> = missing_fields
        .iter()
        .map(|one| issue(&one.field, "no value: not found in the code and not stated by a person"))
        .collect();
    let drift = drift(&document, fresh);
    warnings.extend(drift.iter().map(|drift| issue(&drift.field, &drift.message)));
    Validation {
        name: document.name().to_owned(),
        valid: errors.is_empty(),
        schema_valid,
        signature_valid: verdict == SignatureVerdict::Valid,
        signature: verdict,
        completeness,
        errors,
        warnings,
        drift,
    }
}

/// Whether the bytes are those that the engine writes. Git may have given every line the ending of Windows.
fn spelled_as_written(bytes: &[u8], document: &Document) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return false;
    };
    let expected = document.text();
    text == expected || text == expected.replace('\n', "\r\n")
}

fn unreadable(error: &DocumentError) -> Validation {
    Validation {
        name: String::new(),
        valid: false,
        schema_valid: false,
        signature_valid: false,
        signature: SignatureVerdict::Tampered,
        completeness: 0.0,
        errors: vec![Issue {
            path: String::new(),
            message: format!("could not read the file as a passport: {error}"),
        }],
        warnings: Vec::new(),
        drift: Vec::new(),
    }
}
