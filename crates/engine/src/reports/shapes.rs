//! What clients ask of badge and reports, and what they get.

use engine_messages::Language;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Query of `GET /badge`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BadgeRequest {
    /// The project's folder; the current project if absent.
    #[serde(default)]
    pub path: Option<String>,
    /// The language of the text; English if absent.
    #[serde(default)]
    pub language: Option<Language>,
}

/// Body of `POST /badge/generate`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BadgeGenerateRequest {
    /// The project's folder; the current project if absent.
    #[serde(default)]
    pub path: Option<String>,
    /// The language of the text; English if absent.
    #[serde(default)]
    pub language: Option<Language>,
}

/// Reply of `POST /badge/generate`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BadgeReply {
    /// The note, relative to the project.
    pub path: String,
    /// The image, relative to the project.
    pub badge_path: String,
    /// The text of the note.
    pub markdown: String,
    /// The image as SVG.
    pub svg: String,
    /// The scan behind both.
    pub scan_id: String,
    /// Whether a file changed.
    pub changed: bool,
    /// The evidence entry; null if nothing changed.
    pub evidence_id: Option<String>,
}

/// Body of `POST /report/markdown` and `POST /report/pdf`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReportRequest {
    /// The project's folder; the current project if absent.
    #[serde(default)]
    pub path: Option<String>,
    /// The name of the organisation, for the cover.
    #[serde(default)]
    pub organization: Option<String>,
    /// The code of a country of the EU or the European Economic Area; the report then names its authorities.
    #[serde(default)]
    pub jurisdiction: Option<String>,
    /// The language of headings and fixed sentences; English if absent.
    #[serde(default)]
    pub language: Option<Language>,
    /// Whether to make the short edition.
    #[serde(default)]
    pub is_free: Option<bool>,
    /// A file below `.compliance/reports/` to write the report to.
    #[serde(default)]
    pub output_path: Option<String>,
}

/// The formats of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReportFormat {
    /// GitHub-flavoured Markdown.
    Markdown,
    /// Tagged PDF.
    Pdf,
    /// One self-contained page.
    Html,
}

/// Reply of `POST /report/markdown`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportReply {
    /// The file of the report, relative to the project; null if the engine is read-only.
    pub path: Option<String>,
    /// The report.
    pub markdown: String,
    /// Its format.
    pub format: ReportFormat,
    /// Its language.
    pub language: Language,
    /// The code of the country whose authorities it names.
    pub jurisdiction: Option<String>,
    /// Whether it is the short edition.
    pub is_free: bool,
    /// The scan behind it.
    pub scan_id: String,
    /// The time of that scan.
    pub scanned_at: String,
    /// Version of the regulation data.
    pub regulation_version: String,
    /// The evidence entry; null if the engine is read-only.
    pub evidence_id: Option<String>,
}

/// Reply of `POST /report/status/pdf` and `POST /report/share`: a report that was saved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SavedReport {
    /// The file, relative to the project.
    pub path: String,
    /// Its format.
    pub format: ReportFormat,
    /// Its length.
    pub bytes: u64,
    /// The evidence entry.
    pub evidence_id: Option<String>,
}

/// A report as the bytes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportFile {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The evidence entry; none if the engine is read-only.
    pub evidence_id: Option<String>,
}
