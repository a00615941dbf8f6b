//! What clients ask of documents, and what they are answered.

use engine_documents::Industry;
use engine_messages::Language;
use engine_model::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Body of `POST /agent/fria`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FriaRequest {
    /// The project's folder; the current project if absent.
    #[serde(default)]
    pub path: Option<String>,
    /// The agent or system, by name or id; the only system if absent.
    #[serde(default)]
    pub name: Option<String>,
    /// The organisation that makes the assessment.
    #[serde(default)]
    pub organization: Option<String>,
    /// The language of headings and fixed labels: that of the existing document if absent, else English.
    #[serde(default)]
    pub language: Option<Language>,
    /// The person responsible for the assessment.
    #[serde(default)]
    pub assessor: Option<String>,
    /// The impact on people.
    #[serde(default)]
    pub impact: Option<String>,
    /// The measures against harm.
    #[serde(default)]
    pub mitigation: Option<String>,
    /// The person that approves the assessment.
    #[serde(default)]
    pub approval: Option<String>,
}

/// Body of `POST /agent/notify`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NotifyRequest {
    /// The project's folder; the current project if absent.
    #[serde(default)]
    pub path: Option<String>,
    /// The agent or system, by name or id; the only system if absent.
    #[serde(default)]
    pub name: Option<String>,
    /// The language of headings and fixed labels: that of the existing document if absent, else English.
    #[serde(default)]
    pub language: Option<Language>,
    /// The employer.
    #[serde(default)]
    pub company_name: Option<String>,
    /// The person whom workers can contact.
    #[serde(default)]
    pub contact_name: Option<String>,
    /// The address of that person.
    #[serde(default)]
    pub contact_email: Option<String>,
    /// The day on which use at the workplace begins.
    #[serde(default)]
    pub deployment_date: Option<Date>,
    /// The roles of the affected workers.
    #[serde(default)]
    pub affected_roles: Option<String>,
    /// The impact on the workers.
    #[serde(default)]
    pub impact_description: Option<String>,
}

/// Body of `POST /agent/policy`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PolicyRequest {
    /// The project's folder; the current project if absent.
    #[serde(default)]
    pub path: Option<String>,
    /// The agent or system, by name or id; the only system if absent.
    #[serde(default)]
    pub name: Option<String>,
    /// The language of headings and fixed labels: that of the existing document if absent, else English.
    #[serde(default)]
    pub language: Option<Language>,
    /// The industry; a policy without the parts of an industry if absent.
    #[serde(default)]
    pub industry: Option<Industry>,
    /// The organisation.
    #[serde(default)]
    pub organization: Option<String>,
    /// The person that approves the policy.
    #[serde(default)]
    pub approver: Option<String>,
}

/// Body of `POST /agent/doc`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DocRequest {
    /// The project's folder; the current project if absent.
    #[serde(default)]
    pub path: Option<String>,
    /// The agent or system, by name or id; the only system if absent.
    #[serde(default)]
    pub name: Option<String>,
    /// The language of headings and fixed labels: that of the existing document if absent, else English.
    #[serde(default)]
    pub language: Option<Language>,
    /// The type of the document, such as `fria`.
    pub doc_type: String,
    /// The organisation that makes the document.
    #[serde(default)]
    pub organization: Option<String>,
    /// Makes the existing draft final instead of generating it; every required question must be answered.
    #[serde(default)]
    pub finalise: Option<Finalisation>,
}

/// The person who makes a document final.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Finalisation {
    /// The name of the person.
    pub name: String,
    /// The day.
    pub date: Date,
}

/// Body of `POST /agent/doc/all`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DocAllRequest {
    /// The project's folder; the current project if absent.
    #[serde(default)]
    pub path: Option<String>,
    /// The agent or system, by name or id; every system if absent.
    #[serde(default)]
    pub name: Option<String>,
    /// The language of headings and fixed labels: that of the existing document if absent, else English.
    #[serde(default)]
    pub language: Option<Language>,
    /// The organisation that makes the documents.
    #[serde(default)]
    pub organization: Option<String>,
}

/// A document that was generated, updated or made final.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocReply {
    /// The type of the document.
    pub doc_type: String,
    /// Its title.
    pub title: String,
    /// The id of its system.
    pub system: String,
    /// The file, relative to the project.
    pub saved_path: String,
    /// The same as `savedPath`, for existing clients.
    pub path: String,
    /// The language of its headings and fixed labels.
    pub language: Language,
    /// `draft` or `final`.
    pub status: String,
    /// Whether the file has other content than before.
    pub changed: bool,
    /// Values that the engine or the request filled in, as section and label.
    pub prefilled_fields: Vec<String>,
    /// Questions that a person must answer, as section and label.
    pub manual_fields: Vec<String>,
    /// Share of the required sections that are answered, in per cent.
    pub completeness: u8,
    /// Places where an edit of a person and a new value concern the same lines; both are in the text.
    pub conflicts: u64,
    /// What to know about this document, such as the date from which it is required.
    pub notes: Vec<String>,
    /// The text with its front matter.
    pub content: String,
}

/// Reply of `POST /agent/doc/all`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocAllReply {
    /// The documents that were generated or updated.
    pub generated: Vec<DocReply>,
    /// Documents that could not be generated.
    pub errors: Vec<DocProblem>,
    /// Documents that are not due, with the reason.
    pub not_applicable: Vec<DocNotDue>,
    /// Documents that are final and stay as they are.
    pub kept: Vec<DocProblem>,
}

/// A document that was left as it is, or could not be generated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocProblem {
    /// The type of the document.
    pub doc_type: String,
    /// The id of its system.
    pub system: String,
    /// The file, relative to the project.
    pub saved_path: String,
    /// Why.
    pub error: String,
}

/// A document that is not due.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocNotDue {
    /// The type of the document.
    pub doc_type: String,
    /// The id of the system.
    pub system: String,
    /// Its title.
    pub title: String,
    /// Why it is not due.
    pub reason: String,
}
