//! Passports in other formats: out, in, and what a signature of somebody else becomes.

use engine_model::ObligationRecord;
use engine_signing::{CanonicalError, Digest, SecretKey, Trust};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::PASSPORT_VERSION;
use crate::a2a;
use crate::a2a_import;
use crate::controls;
use crate::document::{Document, DocumentError, deeper_than};
use crate::fields::{FIELDS, TOP_LEVEL};
use crate::generate::says_nothing;
use crate::passport::{
    ComplianceState, Constraints, DataUse, Disclosure, EvaluationState, Framework, GrantedPermissions, Interop,
    Lifecycle, LoggingState, Model, Oversight, Owner, Passport, Provider, SecurityState, SupplyChain,
};
use crate::provenance::{ForeignSignature, ImportRecord, Provenance, SourceKind, mark};
use crate::schema::{SchemaIssue, check, passport_schema};
use crate::sign::{SignatureVerdict, signature};
use crate::slug::check_name;

/// Levels to which a document that is imported nests.
pub const IMPORT_DEPTH_MAX: usize = 64;

/// Formats of passports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Format {
    /// An agent card of A2A.
    #[serde(rename = "a2a")]
    A2a,
    /// A sheet of the controls of AIUC-1.
    #[serde(rename = "aiuc-1")]
    Aiuc1,
    /// A sheet of the subcategories of the NIST AI RMF.
    #[serde(rename = "nist")]
    Nist,
    /// The passport itself.
    #[serde(rename = "passport")]
    Passport,
}

impl Format {
    /// Its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::A2a => "a2a",
            Self::Aiuc1 => "aiuc-1",
            Self::Nist => "nist",
            Self::Passport => "passport",
        }
    }
}

/// A passport in another format.
#[derive(Clone, Debug, PartialEq)]
pub struct Exported {
    /// The document.
    pub data: Value,
    /// Whether it fits the schema of its format.
    pub valid: bool,
}

/// A passport out of another format, not yet signed anew.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The passport.
    pub document: Document,
    /// The document that it came in, to be kept unless it is the passport itself and `untouched`.
    pub original: Value,
    /// Whether the passport is, to the last member, one that bears a signature trusted here; it keeps that signature.
    pub untouched: bool,
    /// The signatures of others that it bore.
    pub signatures: Vec<ForeignSignature>,
    /// What the person who imports should know.
    pub warnings: Vec<String>,
}

/// Why a document cannot be imported.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ImportError {
    /// It is too large, too deep, or no object.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// It nests deeper than what is imported may.
    #[error("the document is nested more than {IMPORT_DEPTH_MAX} levels deep")]
    TooDeep,
    /// It does not have the form of the format.
    #[error("`{path}` does not match the format: {message}")]
    Form {
        /// The dotted path of the first place that does not fit; empty for the whole.
        path: String,
        /// What is wrong with it.
        message: String,
    },
    /// Its name cannot be one.
    #[error("the agent name cannot be used: {0}")]
    Name(&'static str),
}

/// Writes a passport in another format. `records` are the obligations of its system as a scan tells them now.
///
/// # Errors
///
/// Where the passport has no canonical form, so that nothing can be signed.
pub fn export(
    document: &Document,
    format: Format,
    records: &[ObligationRecord],
    key: &SecretKey,
    now: &str,
) -> Result<Exported, CanonicalError> {
    match format {
        Format::A2a => a2a::export(document, key),
        Format::Aiuc1 | Format::Nist => Ok(controls::export(document, format, records, now)),
        Format::Passport => Ok(Exported {
            data: document.to_value(),
            valid: check(passport_schema(), &document.to_value(), false).is_empty(),
        }),
    }
}

/// Reads a passport out of another format.
///
/// # Errors
///
/// [`ImportError`].
pub fn import(format: Format, data: Value, trust: &Trust, now: &str) -> Result<Imported, ImportError> {
    if deeper_than(&data, IMPORT_DEPTH_MAX) {
        return Err(ImportError::TooDeep);
    }
    let Value::Object(_) = &data else {
        return Err(DocumentError::NotAnObject.into());
    };
    match format {
        Format::A2a => a2a_import::import(data, trust, now),
        Format::Aiuc1 | Format::Nist => controls::import(format, data, trust, now),
        Format::Passport => {
            let passport = data.clone();
            take_over(Incoming::new(format, data), passport, trust, now)
        }
    }
}

/// What comes in beside a passport.
pub(crate) struct Incoming {
    pub(crate) format: Format,
    pub(crate) original: Value,
    pub(crate) signatures: Vec<ForeignSignature>,
    pub(crate) warnings: Vec<String>,
    /// Told of the passport beyond what it holds itself, by dotted path.
    pub(crate) added: Vec<(&'static str, Value)>,
}

impl Incoming {
    pub(crate) fn new(format: Format, original: Value) -> Self {
        Self {
            format,
            original,
            signatures: Vec::new(),
            warnings: Vec::new(),
            added: Vec::new(),
        }
    }
}

/// Takes over a passport that came as one.
pub(crate) fn take_over(
    mut incoming: Incoming,
    passport: Value,
    trust: &Trust,
    now: &str,
) -> Result<Imported, ImportError> {
    let mut document = Document::of(passport)?;
    check_name(document.name()).map_err(ImportError::Name)?;
    let signed = document.get("signature").is_some_and(|value| !value.is_null());
    let verdict = signature(&document, trust);
    if !signed {
        fill_in(&mut document, now);
    }
    refuse(check(passport_schema(), &document.to_value(), false))?;
    // A signature of somebody else on what came around the passport has its place in the passport.
    let ours = incoming
        .signatures
        .iter()
        .all(|one| one.verdict == SignatureVerdict::Valid.as_str());
    if verdict == SignatureVerdict::Valid && incoming.added.is_empty() && ours {
        return Ok(Imported {
            document,
            original: incoming.original,
            untouched: true,
            signatures: incoming.signatures,
            warnings: incoming.warnings,
        });
    }
    if signed {
        incoming.signatures.push(ForeignSignature {
            of: "passport".to_owned(),
            verdict: verdict.as_str().to_owned(),
            signature: document.get("signature").cloned().unwrap_or_default(),
        });
    }
    if verdict == SignatureVerdict::Tampered {
        if signed {
            incoming
                .warnings
                .push("the signature of the passport is not valid; all its values count as imported".to_owned());
        }
        // Nobody vouches for what it says of the origin of its values.
        let mut provenance = document.provenance();
        for field in FIELDS {
            let says = document.get(field.path).is_some_and(|value| !says_nothing(value));
            let source = if says { SourceKind::Import } else { SourceKind::Unknown };
            provenance.fields.insert(field.path.to_owned(), source);
            if let Some(mark) = document.get(field.path).and_then(mark) {
                provenance.written.insert(field.path.to_owned(), mark);
            }
        }
        document.set_provenance(&provenance);
    }
    finish(incoming, document, now)
}

/// Makes a passport for an agent of which only another format tells.
pub(crate) fn make_new(incoming: Incoming, name: &str, now: &str) -> Result<Imported, ImportError> {
    check_name(name).map_err(ImportError::Name)?;
    let digest = Digest::of_json(&incoming.original)
        .map_err(|error| DocumentError::NoCanonicalForm(error.to_string()))?
        .to_string();
    let id = format!("imported-{}", digest.get(..16).unwrap_or(&digest));
    let mut document = blank(name, &id, now);
    let mut provenance = document.provenance();
    for field in FIELDS {
        provenance.fields.insert(field.path.to_owned(), SourceKind::Unknown);
        if let Some(mark) = document.get(field.path).and_then(mark) {
            provenance.written.insert(field.path.to_owned(), mark);
        }
    }
    provenance.fields.insert("name".to_owned(), SourceKind::Import);
    document.set_provenance(&provenance);
    finish(incoming, document, now)
}

/// Adds what came beside the passport and the record of the import.
fn finish(incoming: Incoming, mut document: Document, now: &str) -> Result<Imported, ImportError> {
    let mut provenance = document.provenance();
    for (path, value) in &incoming.added {
        let written = mark(value);
        if !document.set(path, value.clone()) {
            continue;
        }
        if FIELDS.iter().any(|field| field.path == *path) {
            provenance.fields.insert((*path).to_owned(), SourceKind::Import);
            if let Some(written) = written {
                provenance.written.insert((*path).to_owned(), written);
            }
        }
    }
    let original = Digest::of_json(&incoming.original)
        .map_err(|error| DocumentError::NoCanonicalForm(error.to_string()))?
        .to_string();
    provenance.imports.push(ImportRecord {
        format: incoming.format.as_str().to_owned(),
        at: now.to_owned(),
        original,
        signatures: incoming.signatures.clone(),
    });
    document.set("updated", Value::String(now.to_owned()));
    document.set("signature", Value::Null);
    document.set_provenance(&provenance);
    refuse(check(passport_schema(), &document.to_value(), false))?;
    // Size and depth once more, with what was added.
    let document = Document::of(document.to_value())?;
    Ok(Imported {
        document,
        original: incoming.original,
        untouched: false,
        signatures: incoming.signatures,
        warnings: incoming.warnings,
    })
}

/// The first problem as an error.
pub(crate) fn refuse(issues: Vec<SchemaIssue>) -> Result<(), ImportError> {
    match issues.into_iter().next() {
        None => Ok(()),
        Some(SchemaIssue { path, message }) => Err(ImportError::Form { path, message }),
    }
}

/// Gives a passport that was written by hand the fields that it lacks, as unknown.
fn fill_in(document: &mut Document, now: &str) {
    let digest = document.digest().map(|digest| digest.to_string()).unwrap_or_default();
    let id = format!("imported-{}", digest.get(..16).unwrap_or(&digest));
    let blank = blank(document.name(), &id, now);
    for name in TOP_LEVEL {
        if !document.0.contains_key(name)
            && let Some(value) = blank.0.get(name)
        {
            document.0.insert(name.to_owned(), value.clone());
        }
    }
}

/// A passport in which everything is unknown.
fn blank(name: &str, agent_id: &str, now: &str) -> Document {
    Document::from(&Passport {
        passport_version: PASSPORT_VERSION.to_owned(),
        agent_id: agent_id.to_owned(),
        name: name.to_owned(),
        display_name: None,
        description: None,
        version: None,
        created: now.to_owned(),
        updated: now.to_owned(),
        owner: Owner::default(),
        provider: Provider::default(),
        role: None,
        kind: None,
        autonomy_level: None,
        autonomy_evidence: Vec::new(),
        intended_purpose: None,
        domain: None,
        affected_persons: None,
        framework: Framework::default(),
        model: Model::default(),
        source_files: Vec::new(),
        endpoints: Vec::new(),
        interop: Interop::default(),
        permissions: GrantedPermissions::default(),
        constraints: Constraints::default(),
        data: DataUse::default(),
        compliance: ComplianceState::default(),
        oversight: Oversight::default(),
        disclosure: Disclosure::default(),
        logging: LoggingState::default(),
        security: SecurityState::default(),
        evaluation: EvaluationState::default(),
        supply_chain: SupplyChain::default(),
        jurisdictions: None,
        lifecycle: Lifecycle::default(),
        provenance: Provenance::default(),
        signature: None,
        extra: serde_json::Map::new(),
    })
}
