//! Structures: several places of code that are legally relevant only together.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Several places that data flow connects through a model call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Structure {
    /// The kind of structure.
    pub kind: StructureKind,
    /// The area of life, if the data is about people.
    pub area: Option<PersonArea>,
    /// Path of the central model call.
    pub file: String,
    /// Its line, from 1.
    pub line: u32,
    /// Its column in characters, from 1.
    pub column: u32,
    /// Cell of a notebook, from 1.
    pub cell: Option<u32>,
    /// The function or method around it.
    pub function: Option<String>,
    /// The resolved path of the called function.
    pub symbol: String,
    /// The system that the call belongs to.
    pub system: Option<String>,
    /// The places, in the order of the data flow.
    pub steps: Vec<StructureStep>,
    /// Places that reduce the risk, such as a human review.
    pub controls: Vec<StructureStep>,
}

/// Kinds of structures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StructureKind {
    /// A record about a person goes into a model.
    PersonInput,
    /// A record about a person goes into a model, and the output decides about, rates or ranks that person.
    PersonDecision,
    /// Special categories of personal data are processed to measure or correct bias.
    SensitiveDataForBias,
    /// The output of a model becomes its training data.
    FeedbackLoop,
    /// A third-party model is trained further, and the result is published or served.
    ModelAdapted,
    /// Generated text is published to the public.
    TextPublished,
}

/// The area of life to which a record about a person belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PersonArea {
    /// Annex III point 4.
    Employment,
    /// Annex III point 3.
    Education,
    /// Annex III point 5(b).
    Credit,
    /// Annex III point 5(c).
    Insurance,
    /// Annex III point 5(a).
    Benefits,
    /// Annex III point 5(d).
    Emergency,
    /// Medical devices: Annex I, Section A, point 11.
    Health,
    /// Annex III point 6.
    LawEnforcement,
    /// Annex III point 7.
    Migration,
    /// Annex III point 8.
    Justice,
}

impl PersonArea {
    /// The point of the Act that names the area.
    pub const fn reference(self) -> &'static str {
        match self {
            Self::Employment => "Annex III point 4",
            Self::Education => "Annex III point 3",
            Self::Credit => "Annex III point 5(b)",
            Self::Insurance => "Annex III point 5(c)",
            Self::Benefits => "Annex III point 5(a)",
            Self::Emergency => "Annex III point 5(d)",
            Self::Health => "Annex I, Section A, point 11",
            Self::LawEnforcement => "Annex III point 6",
            Self::Migration => "Annex III point 7",
            Self::Justice => "Annex III point 8",
        }
    }

    /// Whether the area is listed in Annex III.
    pub const fn in_annex_iii(self) -> bool {
        !matches!(self, Self::Health)
    }
}

/// One place of a structure.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StructureStep {
    /// The role of the place.
    pub role: StepRole,
    /// The name at the place: `Applicant.cv`, `sorted`, `applications`.
    pub reference: String,
    /// Path relative to the project's root.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
}

/// The role of a place in a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepRole {
    /// A type, table or form that holds data about a person.
    Record,
    /// A field of it that goes into the call.
    Input,
    /// A branch with a verdict.
    Branch,
    /// A ranking of people.
    Ranking,
    /// The verdict or rating is stored in a field of the person.
    Stored,
    /// The verdict or rating is returned in a reply.
    Reply,
    /// A message to the person.
    Message,
    /// Data that a model is trained on.
    TrainingData,
    /// The training.
    Training,
    /// The third-party base model.
    BaseModel,
    /// The place that publishes.
    Publication,
    /// Validation of the input.
    Validation,
    /// Reasons are stored or computed.
    Explanation,
    /// A name for reasons in the same file, but not next to the verdict.
    ReasonsElsewhere,
    /// A notice to the people.
    Notice,
    /// An off switch or feature flag.
    Switch,
    /// A human review before the effect.
    Review,
    /// Protection of data: pseudonyms, encryption.
    Protection,
    /// Deletion of data.
    Deletion,
    /// A label as generated content.
    Label,
}
