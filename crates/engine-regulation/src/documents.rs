//! The documents that the Act asks for or that are customary evidence, with their sections.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::vocabulary::{Confidence, Role};

/// A kind of document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// Stable id, for example `fria`.
    pub id: String,
    /// Title.
    pub title: String,
    /// The provisions it rests on; some are of other acts.
    pub legal_basis: Vec<String>,
    /// Whether the law asks for it.
    pub kind: DocumentKind,
    /// Who makes it.
    pub made_by: Vec<Role>,
    /// When it is due, in our own words.
    pub when: String,
    /// From when it is asked for; none where no law dates it.
    pub applies_from: Option<Date>,
    /// Its sections in reading order.
    pub sections: Vec<DocumentSection>,
    /// What a filled document contains, as opposed to an empty scaffold.
    pub min_content_signals: Vec<String>,
    /// Whether an official template exists.
    pub template_state: String,
    /// How long it is to be kept.
    pub retention: Option<String>,
    /// A remark on the document.
    pub note: Option<String>,
    /// How sure the section list is.
    pub confidence: Confidence,
}

impl Document {
    /// The sections without which the document is incomplete.
    pub fn required_sections(&self) -> impl Iterator<Item = &DocumentSection> {
        self.sections.iter().filter(|section| section.required)
    }
}

/// Whether a document is asked for by law.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DocumentKind {
    /// Asked for by law for the named actor.
    Required,
    /// Not asked for in this form but usual evidence.
    Customary,
}

/// One section of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DocumentSection {
    /// Key within the document.
    pub key: String,
    /// Heading.
    pub title: String,
    /// The provision, template or standard that asks for it.
    pub source: String,
    /// Whether the document is incomplete without it.
    pub required: bool,
}
