//! AI systems: what belongs together, what it uses, and what is known about its role and risk.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Evidence, ObligationRecord};

/// One AI system of a project.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct System {
    /// A stable slug.
    pub id: String,
    /// A name for people.
    pub name: String,
    /// The folder that holds it, relative to the project's root; empty for the root itself.
    pub scope: String,
    /// Where it is started or reached.
    pub entry_points: Vec<EntryPoint>,
    /// Who serves its models.
    pub providers: Vec<String>,
    /// The models it names.
    pub models: Vec<String>,
    /// `provider`, `deployer` and so on, or `unknown`.
    pub role: String,
    /// What the role rests on.
    pub role_basis: String,
    /// `prohibited`, `high`, `limited`, `minimal` or `unknown`.
    pub risk_class: String,
    /// What the class rests on.
    pub risk_basis: String,
    /// Questions whose answers would change the picture.
    pub questions: Vec<Question>,
    /// All obligations that apply, will apply, or hang on an answer.
    pub obligations: Vec<ObligationRecord>,
    /// Files with calls of this system.
    pub files: Vec<String>,
}

/// Where a system is started or reached.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EntryPoint {
    /// What it is.
    pub kind: EntryPointKind,
    /// Its name: a route, a command, a function.
    pub name: String,
    /// Path relative to the project's root.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
}

/// Kinds of entry points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EntryPointKind {
    /// A route of a web service.
    Http,
    /// A main function or script.
    Main,
    /// A command of a command line.
    Command,
    /// A job that a timer or queue starts.
    Job,
    /// A page or component shown to a person.
    Page,
    /// A handler of messages: bot, webhook, queue.
    Message,
    /// An exported function of a library.
    Library,
}

/// A question whose answer would change the picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// A stable id.
    pub id: String,
    /// The question.
    pub text: String,
    /// Why it is asked.
    pub why: String,
    /// What an answer would change.
    pub effect: String,
    /// What raised it.
    pub evidence: Vec<Evidence>,
}
