//! The questions, each declared once. Their texts, options and provisions are here; what an answer adds and removes is
//! computed from the law data and never written down.

use engine_model::nearest;
use engine_regulation::{Condition, Exclusion, Fact, TransparencyCase, regulation};

use crate::value::{NOT_YET, UNKNOWN, Value, ValueError};

mod table;

pub(crate) use table::QUESTIONS;

/// Most characters of an answer in words.
const TEXT_CHARS_MAX: usize = 4_000;

/// What a question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// The organisation; one answer covers all systems.
    Organisation,
    /// One system.
    System,
}

/// The group of a question, for forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Block {
    /// The organisation.
    Organisation,
    /// The system: purpose, role, dates.
    System,
    /// Whether the Act reaches the system (Art. 2).
    Reach,
    /// Prohibited practices (Art. 5).
    Prohibited,
    /// High-risk uses and products (Art. 6, Annexes I and III).
    HighRisk,
    /// Transparency (Art. 50).
    Transparency,
    /// General-purpose AI models (Arts. 51 to 55).
    Models,
    /// How the system is developed and used.
    Use,
}

impl Block {
    /// Every block, in the order of a form.
    pub const ALL: &'static [Self] = &[
        Self::Organisation,
        Self::System,
        Self::Reach,
        Self::Prohibited,
        Self::HighRisk,
        Self::Transparency,
        Self::Models,
        Self::Use,
    ];

    /// Its id in forms.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Organisation => "organisation",
            Self::System => "system",
            Self::Reach => "reach",
            Self::Prohibited => "prohibited",
            Self::HighRisk => "high-risk",
            Self::Transparency => "transparency",
            Self::Models => "models",
            Self::Use => "use",
        }
    }

    /// Its heading.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Organisation => "Your organisation",
            Self::System => "The system",
            Self::Reach => "Does the Act apply? (Art. 2)",
            Self::Prohibited => "Prohibited practices (Art. 5)",
            Self::HighRisk => "High-risk uses and products (Art. 6)",
            Self::Transparency => "Transparency (Art. 50)",
            Self::Models => "General-purpose AI models (Arts. 51 to 55)",
            Self::Use => "Development and use",
        }
    }
}

/// How a question is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `yes` or `no`.
    YesNo,
    /// One of the options.
    OneOf,
    /// Any of the options, or `none`.
    AnyOf,
    /// A date such as `2026-03-01`, or `not-yet`.
    Date,
    /// Free text.
    Text,
}

impl Kind {
    /// Its name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::YesNo => "yes_no",
            Self::OneOf => "one_of",
            Self::AnyOf => "any_of",
            Self::Date => "date",
            Self::Text => "text",
        }
    }
}

/// What an answer states.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum States {
    /// No fact of the law; documents, fines and reports use the answer.
    Nothing,
    /// Whether the Act reaches the system.
    InUnion,
    /// What takes the system out of the Act.
    Exclusion,
    /// The roles of the operator.
    Role,
    /// When the system was placed on the market.
    PlacedOnMarket,
    /// Whether its design was significantly changed since.
    SignificantChange,
    /// The class of risk without its route.
    Class,
    /// Points of Annex III.
    Points(&'static [&'static str]),
    /// The ground of Art. 6(3).
    Exemption,
    /// Whether natural persons are profiled, which rules out Art. 6(3).
    Profiling,
    /// The law of the product in Annex I.
    AnnexI,
    /// Whether the system does what an obligation of Art. 5 bans.
    Practice(&'static str),
    /// A case of Art. 50.
    Case(TransparencyCase),
    /// Whether the AI is obvious or disclosed elsewhere (Art. 50(1)).
    Disclosed,
    /// The general-purpose AI model that is placed on the market.
    Model,
    /// Where the organisation is established.
    Established,
    /// Whether the organisation is public, or provides public services.
    PublicRole,
    /// One condition of single obligations.
    Condition(Condition),
    /// Several conditions, each with its option.
    Conditions(&'static [(&'static str, Condition)]),
}

/// Facts in code that an answer can depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SeenKind {
    /// Where the data that goes into a model comes from.
    Input,
    /// Records about people that go into a model, by area of life.
    People,
    /// Decisions about people that the output of a model leads to.
    Decision,
    /// What the output reaches: a page, a database, a branch, a tool.
    Effect,
    /// What kind of AI is used, such as image generation or emotion recognition.
    Capability,
    /// How people reach the system.
    Interface,
    /// Training, fine-tuning and feedback.
    Training,
}

impl SeenKind {
    /// The word with which its facts begin in the profile.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::People => "data about people",
            Self::Decision => "decision about people",
            Self::Effect => "output reaches",
            Self::Capability => "capability",
            Self::Interface => "interface",
            Self::Training => "training",
        }
    }
}

/// One option of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerOption {
    /// The value that is written into the profile.
    pub value: String,
    /// The label that the user reads.
    pub label: String,
}

/// One question.
#[derive(Debug)]
pub struct QuestionSpec {
    /// Its stable id.
    pub id: &'static str,
    /// Former ids, which are still understood.
    pub aliases: &'static [&'static str],
    /// What it is about.
    pub scope: Scope,
    /// The group in forms.
    pub block: Block,
    /// A title of three to seven words.
    pub title: &'static str,
    /// The question.
    pub text: &'static str,
    /// Why the engine asks, and what counts.
    pub why: &'static str,
    /// The provisions behind it.
    pub provision: &'static str,
    /// How it is answered.
    pub kind: Kind,
    /// Facts in code on which the answer depends: a new one reopens it.
    pub seen: &'static [SeenKind],
    pub(crate) fixed: &'static [(&'static str, &'static str)],
    pub(crate) states: States,
}

/// Every question, in the order of the articles.
pub fn questions() -> &'static [QuestionSpec] {
    QUESTIONS
}

/// The question with this id, or with this former id.
pub fn question(id: &str) -> Option<&'static QuestionSpec> {
    QUESTIONS
        .iter()
        .find(|spec| spec.id == id || spec.aliases.contains(&id))
}

impl QuestionSpec {
    /// The options, `unknown` left out; none for dates and texts.
    pub fn options(&self) -> Vec<AnswerOption> {
        let option = |value: &str, label: &str| AnswerOption {
            value: value.to_owned(),
            label: label.to_owned(),
        };
        let mut options: Vec<AnswerOption> = match self.states {
            States::Points(points) if self.kind == Kind::AnyOf => points
                .iter()
                .map(|point| option(point, &label_of_point(point)))
                .collect(),
            States::Exclusion => Exclusion::ALL
                .iter()
                .map(|one| option(one.name(), &format!("{} ({})", sentence(one.clause()), one.provision())))
                .collect(),
            States::Exemption => regulation()
                .article_6_3()
                .conditions
                .iter()
                .map(|ground| option(&ground.id, &sentence(&ground.text)))
                .collect(),
            States::AnnexI => regulation()
                .risk()
                .annex_i
                .iter()
                .map(|act| {
                    let value = format!("{}-{}", act.section.to_lowercase(), act.point);
                    let label = format!(
                        "{} ({}, Section {} point {})",
                        sentence(&act.subject),
                        act.act,
                        act.section,
                        act.point
                    );
                    option(&value, &label)
                })
                .collect(),
            States::Nothing if self.id == COUNTRIES => regulation()
                .jurisdictions()
                .iter()
                .map(|place| option(&place.code, &place.name))
                .collect(),
            _ => Vec::new(),
        };
        options.extend(self.fixed.iter().map(|(value, label)| option(value, label)));
        match self.kind {
            Kind::YesNo => vec![option("yes", "Yes"), option("no", "No")],
            Kind::AnyOf => {
                options.push(option("none", "None of these"));
                options
            }
            Kind::OneOf | Kind::Date | Kind::Text => options,
        }
    }

    /// Reads the words of an answer: any case, `y` and `n`, numbers of options from 1, a bare `yes` where it is plain.
    ///
    /// # Errors
    ///
    /// What was given and what can be given.
    pub fn read<'a>(&self, words: impl IntoIterator<Item = &'a str>) -> Result<Value, ValueError> {
        let given: Vec<String> = words
            .into_iter()
            .map(|word| word.trim().to_owned())
            .filter(|word| !word.is_empty())
            .collect();
        if given.is_empty() {
            return Err(self.refuse("no answer was given"));
        }
        if self.kind == Kind::Text {
            let text = given.join(", ");
            let length = text.chars().count();
            return if length > TEXT_CHARS_MAX {
                Err(self.refuse(&format!(
                    "the text has {length} characters, and at most {TEXT_CHARS_MAX} are allowed"
                )))
            } else {
                Ok(Value::of(vec![text]))
            };
        }
        let mut read = Vec::new();
        let both = ["provider".to_owned(), "deployer".to_owned()];
        let given = given.iter().flat_map(|word| {
            if self.is_role() && word.eq_ignore_ascii_case("both") {
                &both[..]
            } else {
                std::slice::from_ref(word)
            }
        });
        for word in given {
            let word = self.word(word)?;
            if !read.contains(&word) {
                read.push(word);
            }
        }
        if self.kind != Kind::AnyOf && read.len() > 1 {
            return Err(self.refuse(&format!(
                "{} answers were given, but this question takes one",
                read.len()
            )));
        }
        if read.len() > 1 && read.iter().any(|word| word == "none") {
            return Err(self.refuse("`none` cannot be combined with other answers"));
        }
        // The order in which boxes are ticked says nothing.
        let order = |word: &String| self.options().iter().position(|option| option.value == *word);
        read.sort_by_key(|word| order(word).unwrap_or(usize::MAX));
        Ok(Value::of(read))
    }

    fn word(&self, word: &str) -> Result<String, ValueError> {
        let lower = word.to_lowercase();
        if [UNKNOWN, "?", "idk", "i do not know", "i don't know", "don't know"].contains(&lower.as_str()) {
            return Ok(UNKNOWN.to_owned());
        }
        if self.kind == Kind::Date {
            return match lower.as_str() {
                NOT_YET | "not yet" => Ok(NOT_YET.to_owned()),
                date => date
                    .parse::<engine_model::Date>()
                    .map(|date| date.to_string())
                    .map_err(|_| self.refuse(&format!("`{}` is not a valid date", shown(word)))),
            };
        }
        let options = self.options();
        if let Some(option) = options.iter().find(|option| option.value.to_lowercase() == lower) {
            return Ok(option.value.clone());
        }
        if let Some(option) = lower.parse::<usize>().ok().and_then(|n| options.get(n.checked_sub(1)?)) {
            return Ok(option.value.clone());
        }
        match (self.kind, lower.as_str()) {
            (Kind::YesNo, "y" | "true") => return Ok("yes".to_owned()),
            (Kind::YesNo, "n" | "false") => return Ok("no".to_owned()),
            (Kind::AnyOf, "no" | "n") => return Ok("none".to_owned()),
            (Kind::OneOf, "none" | "n") if options.iter().any(|option| option.value == "no") => {
                return Ok("no".to_owned());
            }
            (Kind::OneOf, "no" | "n") if options.iter().any(|option| option.value == "none") => {
                return Ok("none".to_owned());
            }
            _ => {}
        }
        // A point without its brackets: `4a`, `ANNEX-III-4a`.
        if let States::Points(points) = self.states {
            let bare = lower.trim_start_matches("annex-iii-").replace(['(', ')', ' '], "");
            if let Some(point) = points.iter().find(|point| point.replace(['(', ')'], "") == bare) {
                return Ok(if self.kind == Kind::YesNo { "yes" } else { point }.to_owned());
            }
        }
        let meant = nearest(&lower, options.iter().map(|option| option.value.as_str()));
        let meant = meant.map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"));
        Err(self.refuse(&format!("`{}` is not a valid answer{meant}", shown(word))))
    }

    /// Whether it asks for the roles of the operator.
    pub(crate) fn is_role(&self) -> bool {
        self.states == States::Role
    }

    fn refuse(&self, what: &str) -> ValueError {
        let mut values: Vec<String> = self
            .options()
            .iter()
            .map(|option| format!("`{}`", option.value))
            .collect();
        if let Some(last) = values.pop().filter(|_| values.len() >= 12) {
            values.truncate(10);
            values.push("…".to_owned());
            values.push(last);
        } else {
            values = self
                .options()
                .iter()
                .map(|option| format!("`{}`", option.value))
                .collect();
        }
        let takes = match self.kind {
            Kind::YesNo => "answer `yes`, `no` or `unknown`".to_owned(),
            Kind::OneOf => format!("answer one of {} or `unknown`", values.join(", ")),
            Kind::AnyOf => format!("answer any of {} or `unknown`, separated by commas", values.join(", ")),
            Kind::Date => format!("answer a date such as `2026-03-01`, `{NOT_YET}` or `unknown`"),
            Kind::Text => "answer in your own words".to_owned(),
        };
        ValueError(format!("{what}; {takes}"))
    }

    /// Whether an answer states what this fact of the law waits for.
    pub(crate) fn settles(&self, fact: Fact) -> bool {
        match (fact, self.states) {
            (Fact::InUnion, States::InUnion)
            | (Fact::Role, States::Role)
            | (Fact::HighRisk | Fact::AnnexIii, States::Class)
            | (Fact::Exemption, States::Exemption)
            | (Fact::AnnexI | Fact::AnnexISection, States::AnnexI)
            | (Fact::GeneralPurposeModel | Fact::SystemicRisk, States::Model)
            | (Fact::PlacedOnMarket, States::PlacedOnMarket)
            | (Fact::SignificantChange, States::SignificantChange)
            | (Fact::Condition(Condition::ProviderOutsideUnion), States::Established)
            | (Fact::Condition(Condition::PublicAuthority | Condition::ImpactAssessmentDeployer), States::PublicRole) => {
                true
            }
            (Fact::Condition(Condition::RealTimeIdentification), States::Practice(obligation)) => {
                obligation == crate::facts::REAL_TIME
            }
            (Fact::Case(wanted), States::Case(own)) => wanted == own,
            (Fact::Condition(wanted), States::Condition(own)) => wanted == own,
            (Fact::Condition(wanted), States::Conditions(rows)) => rows.iter().any(|(_, own)| *own == wanted),
            (
                Fact::Condition(Condition::RemoteBiometricIdentification | Condition::BiometricArea),
                States::Points(points),
            ) => points.contains(&"1(a)"),
            _ => false,
        }
    }
}

/// The id of the question for the countries of the organisation.
pub(crate) const COUNTRIES: &str = "countries";

/// A clause as the beginning of a sentence.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().collect::<String>() + letters.as_str()
    })
}

/// What a person reads of a point of Annex III.
fn label_of_point(point: &str) -> String {
    let reference = format!("Annex III point {point}");
    let usage = regulation()
        .annex_iii_areas()
        .iter()
        .flat_map(|area| &area.points)
        .find(|row| row.reference == reference)
        .map_or("", |row| row.usage.as_str());
    format!("{usage} ({reference})")
}

/// What was given, cut to a length that fits into a sentence.
fn shown(word: &str) -> String {
    word.chars().take(60).collect()
}
