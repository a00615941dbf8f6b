//! Structures: several places of code that matter to the law together, and not each by itself.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Several places that data flow connects through a call to a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Structure {
    /// What the places make together.
    pub kind: StructureKind,
    /// The area of life, where the data is about people.
    pub area: Option<PersonArea>,
    /// Path of the call that stands in the middle.
    pub file: String,
    /// Its line, from 1.
    pub line: u32,
    /// Its column in characters, from 1.
    pub column: u32,
    /// Cell of a notebook, from 1.
    pub cell: Option<u32>,
    /// The function or method around it.
    pub function: Option<String>,
    /// The resolved path of what is called.
    pub symbol: String,
    /// The system that the call belongs to.
    pub system: Option<String>,
    /// The places, in the order of the data.
    pub steps: Vec<StructureStep>,
    /// Places that hold the risk of the structure down.
    pub controls: Vec<StructureStep>,
}

/// What connected places make together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StructureKind {
    /// A record about a person goes into a model.
    PersonInput,
    /// A record about a person goes into a model, and what comes out decides about, rates or ranks that person.
    PersonDecision,
    /// Special categories of personal data are read to measure or correct bias.
    SensitiveDataForBias,
    /// What a model gave out becomes what it is trained on.
    FeedbackLoop,
    /// The model of somebody else is trained further, and the result is published or served.
    ModelAdapted,
    /// Generated text is published to everybody.
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

    /// Whether the area stands in Annex III.
    pub const fn in_annex_iii(self) -> bool {
        !matches!(self, Self::Health)
    }
}

/// One place of a structure.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StructureStep {
    /// The part that the place plays.
    pub role: StepRole,
    /// What stands there: `Applicant.cv`, `sorted`, `applications`.
    pub reference: String,
    /// Path relative to the project's root.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
}

/// The part that a place plays in a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepRole {
    /// A type, table or form that holds data about a person.
    Record,
    /// A field of it that goes into the call.
    Input,
    /// A branch with a verdict.
    Branch,
    /// The people are put into an order.
    Ranking,
    /// The verdict or rating is kept in a field of the person.
    Stored,
    /// The verdict or rating is handed out by name.
    Reply,
    /// A message to the person.
    Message,
    /// Data that a model is trained on.
    TrainingData,
    /// The training.
    Training,
    /// The model that somebody else made.
    BaseModel,
    /// The place that publishes.
    Publication,
    /// What goes in is checked.
    Validation,
    /// Reasons are kept or worked out.
    Explanation,
    /// Something is named for reasons in the same file, and not beside the verdict.
    ReasonsElsewhere,
    /// People are told.
    Notice,
    /// The use can be switched off.
    Switch,
    /// A person looks at it first.
    Review,
    /// Data is protected: pseudonyms, encryption.
    Protection,
    /// Data is deleted.
    Deletion,
    /// It is labelled as generated.
    Label,
}
