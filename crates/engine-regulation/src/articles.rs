//! Articles and annexes of the Act with their official titles and what the amendment changed.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::vocabulary::RiskClass;

/// One article of the Act as amended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Article {
    /// Stable id, `ART-` and the number.
    pub id: String,
    /// Number as printed, for example `4a`.
    pub number: String,
    /// Official title.
    pub title: String,
    /// Chapter in Roman numerals.
    pub chapter: String,
    /// Official title of the chapter.
    pub chapter_title: String,
    /// Section within the chapter, where the chapter has sections.
    pub section: Option<String>,
    /// Official title of the section.
    pub section_title: Option<String>,
    /// What it says, in our own words.
    pub summary: String,
    /// Whom it binds, authorities included.
    pub binds: Vec<String>,
    /// The class of risk it is about.
    pub risk_class: RiskClass,
    /// Dates of application; `date_note` says which is for what when there are several.
    pub applies_from: Vec<Date>,
    /// What Regulation (EU) 2026/1744 changed in it.
    pub changed_by_2026_1744: Vec<String>,
    /// The act that inserted the article, for those that were not in the first text.
    pub inserted_by: Option<String>,
    /// A remark on the dates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date_note: Option<String>,
}

/// One annex of the Act as amended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Annex {
    /// Stable id, `ANNEX-` and the number.
    pub id: String,
    /// Number in Roman numerals.
    pub number: String,
    /// Official title.
    pub title: String,
    /// What it holds, in our own words.
    pub summary: String,
    /// Whom it concerns, authorities included.
    pub binds: Vec<String>,
    /// The class of risk it is about.
    pub risk_class: RiskClass,
    /// What Regulation (EU) 2026/1744 changed in it.
    pub changed_by_2026_1744: Vec<String>,
}
