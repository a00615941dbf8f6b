//! Where a value of a document comes from, in the words of a language.

use engine_messages::{Key, Messages};
use engine_model::{Date, StatedAnswer};

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// The scan of a date.
    Scan(Date),
    /// The date of the scan itself.
    ScanDate,
    /// An answer in the profile.
    Answer {
        /// Who gave it.
        by: Option<String>,
        /// When.
        on: Option<Date>,
    },
    /// All answers in the profile.
    Profile,
    /// A statement in a request, with the name of its field where the field has another name.
    Request {
        /// When it was stated.
        on: Date,
        /// The field.
        field: Option<&'static str>,
    },
    /// A version of the law data.
    Law(String),
    /// A version of the law data on a date.
    LawOn(String, Date),
    /// The law data that the engine contains.
    LawEngine,
    /// The authority of a place in a version of the law data.
    Authority(String, String),
    /// The evaluation of a day.
    Evaluation(String),
    /// There was no evaluation.
    NoEvaluation,
    /// An entry of a person in the agent passport.
    Passport,
    /// An import with the agent passport.
    Import,
    /// A reason.
    Basis(String),
}

impl Source {
    /// Who answered, and when.
    pub(crate) fn answer(stated: &StatedAnswer) -> Self {
        Self::Answer {
            by: stated.by.clone(),
            on: stated.on,
        }
    }

    /// The source in the words of a language.
    pub(crate) fn words(&self, messages: &Messages) -> String {
        let text = |key: Key| messages.text(key).to_owned();
        match self {
            Self::Scan(date) => messages.fill(Key::DocSourceScan, &[("date", &messages.date(*date))]),
            Self::ScanDate => text(Key::DocSourceScanDate),
            Self::Answer { by, on } => {
                let name = by.as_deref().unwrap_or(messages.text(Key::DocSourceUnnamed));
                match on {
                    Some(on) => messages.fill(Key::DocSourceAnswer, &[("name", name), ("date", &messages.date(*on))]),
                    None => messages.fill(Key::DocSourceAnswerUndated, &[("name", name)]),
                }
            }
            Self::Profile => text(Key::DocSourceProfile),
            Self::Request { on, field: None } => messages.fill(Key::DocSourceRequest, &[("date", &messages.date(*on))]),
            Self::Request { on, field: Some(field) } => messages.fill(
                Key::DocSourceRequestAs,
                &[("field", field), ("date", &messages.date(*on))],
            ),
            Self::Law(version) => messages.fill(Key::DocSourceLaw, &[("version", version)]),
            Self::LawOn(version, on) => messages.fill(
                Key::DocSourceLawOn,
                &[("version", version), ("date", &messages.date(*on))],
            ),
            Self::LawEngine => text(Key::DocSourceLawEngine),
            Self::Authority(place, version) => {
                messages.fill(Key::DocSourceAuthority, &[("place", place), ("version", version)])
            }
            Self::Evaluation(on) => messages.fill(Key::DocSourceEvaluation, &[("date", on)]),
            Self::NoEvaluation => text(Key::DocSourceEvaluationNone),
            Self::Passport => text(Key::DocSourcePassport),
            Self::Import => text(Key::DocSourceImport),
            Self::Basis(basis) => messages.fill(Key::DocSourceBasis, &[("basis", basis)]),
        }
    }
}

/// The texts of English, in which front matter names sources.
pub(crate) fn english() -> &'static Messages {
    Messages::of(engine_messages::Language::En)
}
