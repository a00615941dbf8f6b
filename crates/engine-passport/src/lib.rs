//! Passports of agents: what an agent is, may do and answers for, field by field with where each value comes from.
//!
//! Nothing here opens a file, reads a clock or draws random numbers. A [`Document`] is a passport as it stands in a file:
//! whatever a person added or got wrong stays in it. [`Passport`] is the same as types, from which the published schema
//! is drawn. Everything that is foreign is bounded in size and depth before anything else is done with it.
//!
//! | need | here |
//! |---|---|
//! | a passport from what a scan saw | [`generate`] |
//! | the same again, with what people wrote kept | [`regenerate`] |
//! | a signature and its verdict | [`sign`], [`signature`] |
//! | is it whole, complete, still true | [`validate`], [`completeness`], [`drift`] |
//! | what agents may do, and where that contradicts itself | [`permissions`] |
//! | other formats, out and in | [`export`], [`import`] |
//! | a safe name for a file | [`slug`] |

mod a2a;
mod a2a_import;
mod completeness;
mod controls;
mod document;
mod drift;
mod exchange;
mod fields;
mod generate;
mod merge;
mod missing;
mod passport;
mod permissions;
mod provenance;
mod schema;
mod sign;
mod slug;
mod validate;

#[cfg(test)]
mod tests;

pub use completeness::{Completeness, completeness};
pub use document::{Document, DocumentError, PASSPORT_BYTES_MAX, PASSPORT_DEPTH_MAX};
pub use drift::{Drift, DriftKind, drift};
pub use exchange::{Exported, Format, IMPORT_DEPTH_MAX, ImportError, Imported, export, import};
pub use fields::{FIELDS, TOP_LEVEL};
pub use generate::{Facts, generate};
pub use merge::{
    OverrideError, adopt_edits, apply_overrides, follow_class, override_paths, regenerate, rename, stated_class,
};
pub use missing::MissingField;
pub use passport::Passport;
pub use permissions::{Conflict, Permissions, permissions};
pub use provenance::{ForeignSignature, ImportRecord, Provenance, RenameRecord, SourceKind};
pub use schema::{SchemaIssue, check, draw_passport_schema, passport_schema};
pub use sign::{SignatureVerdict, keep_foreign_signature, sign, signature};
pub use slug::{NAME_CHARS_MAX, check_name, slug};
pub use validate::{Issue, Validation, validate};

/// The version of the shape of a passport.
pub const PASSPORT_VERSION: &str = "1.0";

/// The address under which an agent card carries a passport.
pub const EXTENSION_URI: &str = "urn:local-compliance-engine:agent-passport:1";
