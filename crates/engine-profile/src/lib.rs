//! The facts that only a person can state: questions, answers, and the effect of each answer in law.
//!
//! [`questions`] is the one list of questions. [`Profile`] is `.compliance/profile.toml` as it was read, with the place of
//! each value; [`edit`] changes that file and keeps every comment and every key that it does not know. [`facts`] turns the
//! answers of a system into facts for the law, and [`Plan`] says which questions are open, in which order they settle most,
//! and what each answer would change. Nothing here opens a file or reads a clock.

mod edit;
mod facts;
mod plan;
mod profile;
mod questions;
mod read;
mod value;

#[cfg(test)]
mod tests;

pub use edit::{Change, Target, edit};
pub use facts::{Answers, area_questions, facts, practices, question_for};
pub use plan::{Effect, Plan, Planned, Status, Suggested};
pub use profile::{Answer, Drawing, LeftOut, Place, Profile, StatedEvidence, SystemProfile, Warning};
pub use questions::{AnswerOption, Block, Kind, QuestionSpec, Scope, SeenKind, question, questions};
pub use read::{FILE, FILE_BYTES_MAX, ProfileError, parse};
pub use value::{NOT_YET, UNKNOWN, Value, ValueError};

/// The name under which answers for every system are kept; no system can have it.
pub const ALL_SYSTEMS: &str = "all";

/// The name under which answers about the organisation are kept.
pub const ORGANISATION: &str = "organisation";
