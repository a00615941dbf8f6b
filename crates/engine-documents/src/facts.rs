//! What the engine knows about a system, and the values that templates take from it.

use engine_messages::Messages;
use engine_model::{Call, CallKind, Capability, Date, Document, Finding, Inventory, StatedAnswer, System, Zone};
use engine_passport::{Document as Passport, SourceKind};
use engine_profile::{UNKNOWN, question};
use engine_regulation::JurisdictionRecord;
use serde_json::Value as Json;

use crate::escape;
use crate::fact::{Fact, Known};
use crate::request::Request;
use crate::source::{Source, english};

/// The place of the profile, relative to the project.
const PROFILE: &str = ".compliance/profile.toml";

/// Everything that documents are filled from.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// The date of the law and of the document.
    pub as_of: Date,
    /// The version of the law data.
    pub law_version: &'a str,
    /// The system with its obligations and answers.
    pub system: &'a System,
    /// How many systems the project has.
    pub systems: usize,
    /// What the scan found in the project.
    pub inventory: &'a Inventory,
    /// The findings of the scan.
    pub findings: &'a [Finding],
    /// The documents that the scan found.
    pub documents: &'a [Document],
    /// Files that the scan read.
    pub files_read: u64,
    /// The passport of the system's agent, with the file where it is kept; empty where it is not kept.
    pub passport: Option<(&'a Passport, &'a str)>,
    /// The last evaluation.
    pub evaluation: Option<&'a EvaluationFacts>,
    /// The authority in the organisation's country.
    pub jurisdiction: Option<&'a JurisdictionRecord>,
}

/// What is known of the last evaluation of the running system.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EvaluationFacts {
    /// The date, such as `2026-11-28`.
    pub on: String,
    /// The address without secrets.
    pub target: String,
    /// The score, where there is one.
    pub score: Option<f64>,
    /// The categories.
    pub categories: Vec<EvaluationCategory>,
}

/// One category of an evaluation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EvaluationCategory {
    /// Its name.
    pub name: String,
    /// Its score, where there is one.
    pub score: Option<f64>,
    /// The 95 % interval of the pass rate in per cent.
    pub interval: Option<(f64, f64)>,
}

/// A value with its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Value {
    /// The value as plain text.
    pub(crate) text: String,
    /// The source.
    pub(crate) source: Source,
    /// The file of the source.
    pub(crate) place: Option<String>,
}

impl Value {
    fn new(text: impl Into<String>, source: Source) -> Self {
        Self {
            text: text.into(),
            source,
            place: None,
        }
    }

    fn at(mut self, place: impl Into<String>) -> Self {
        self.place = Some(place.into()).filter(|place| !place.is_empty());
        self
    }

    /// Value and source as Markdown.
    pub(crate) fn markdown(&self, messages: &Messages) -> String {
        format!("{} ({})", escape::inline(&self.text), self.source_markdown(messages))
    }

    /// The source as Markdown.
    pub(crate) fn source_markdown(&self, messages: &Messages) -> String {
        let words = escape::inline(&self.source.words(messages));
        match &self.place {
            Some(place) => format!("{words}; {}", escape::path(place)),
            None => words,
        }
    }

    /// The source for front matter, which is in English in every language.
    pub(crate) fn source_text(&self) -> String {
        let words = self.source.words(english());
        match &self.place {
            Some(place) => format!("{words}; {place}"),
            None => words,
        }
    }
}

/// A date as people read it.
pub(crate) fn in_words(date: Date) -> String {
    date.strftime("%-d %B %Y").to_string()
}

impl<'a> Facts<'a> {
    /// The value of a fact; none where it is not known.
    pub(crate) fn value(&self, fact: Fact, document: &str, request: &Request) -> Option<Value> {
        let known = match fact {
            Fact::Answer(id) => return self.answer(id),
            Fact::Known(known) => known,
        };
        match known {
            Known::OrganizationName => self.organization(request),
            Known::OrganizationCountries => self.answer("countries"),
            Known::OrganizationSize => self.answer("size"),
            Known::OrganizationPublicRole => self.answer("public-role"),
            Known::SystemName => Some(Value::new(&self.system.name, self.scanned())),
            Known::SystemDescription => self.passport_text(&["description"]),
            Known::SystemRole => self
                .answer("role")
                .map(|stated| Value {
                    text: self.system.role.clone(),
                    ..stated
                })
                .or_else(|| self.assessed(&self.system.role, &self.system.role_basis)),
            Known::SystemRiskClass => self.assessed(class_in_words(&self.system.risk_class), &self.system.risk_basis),
            Known::SystemRiskBasis => {
                let basis = self.system.risk_basis.as_str();
                let source = if basis.contains(STATED_BY) {
                    Source::Profile
                } else {
                    self.scanned()
                };
                (!basis.is_empty()).then(|| Value::new(basis_in_words(basis), source))
            }
            Known::SystemAnnexIii => self.annex_iii(),
            Known::SystemPlacedOnMarket => self.answer("placed-on-market"),
            Known::SystemInUnion => self.answer("in-union"),
            Known::SystemScope => {
                let scope = match self.system.scope.as_str() {
                    "" => "the whole project",
                    scope => scope,
                };
                Some(Value::new(scope, self.scanned()))
            }
            Known::PassportVersion => self.passport_text(&["version"]),
            Known::PassportOwner => self.passport_text(&["owner.organization", "owner.team", "owner.contact"]),
            Known::PassportDomain => self.passport_text(&["domain"]),
            Known::PassportAffectedPersons => self.passport_text(&["affected_persons"]),
            Known::PassportAutonomy => self.autonomy(),
            Known::PassportFramework => self.passport_text(&["framework.name"]),
            Known::PassportConstraints => self.passport_text(&[
                "constraints.limits",
                "constraints.approval_required",
                "constraints.denied",
            ]),
            Known::PassportOversight => self.passport_text(&["oversight.responsible"]),
            Known::PassportLogging => self.passport_text(&["logging.retention"]),
            Known::PassportData => self.passport_text(&["data.personal_data", "data.retention"]),
            Known::PassportEndpoints => self.passport_text(&["endpoints"]),
            Known::PassportContact => self
                .passport_text(&["owner.contact"])
                .or_else(|| self.passport_text(&["security.contact"])),
            Known::LawVersion => Some(Value::new(self.law_version, Source::LawEngine)),
            Known::LawAppliesFrom => {
                let dates = crate::applicability::applies_from(self.system, document);
                let differ = dates.len() > 1;
                let words: Vec<String> = dates
                    .into_iter()
                    .map(|(from, provisions)| {
                        if differ {
                            format!("{} ({})", in_words(from), provisions.join(", "))
                        } else {
                            in_words(from)
                        }
                    })
                    .collect();
                Some(Value::new(words.join("; "), Source::Law(self.law_version.to_owned())))
            }
            Known::ScanDate => Some(Value::new(in_words(self.as_of), Source::ScanDate)),
            Known::ScanFilesRead => Some(Value::new(self.files_read.to_string(), self.scanned())),
            Known::EvaluationLast => self.evaluation.map(|run| {
                let score = run
                    .score
                    .map_or_else(|| "no score".to_owned(), |score| format!("score {score:.1} of 100"));
                let text = format!("{} on {}, {score}", run.target, run.on);
                Value::new(text, Source::Evaluation(run.on.clone()))
            }),
            Known::JurisdictionAuthority => self.authority(|place| place.authority.clone()),
            Known::JurisdictionContact => self.authority(|place| place.contact.clone()),
            Known::JurisdictionLanguage => self.authority(|place| Some(language(&place.language).to_owned())),
        }
        .filter(|value| !value.text.trim().is_empty())
    }

    /// The source of what the scan found.
    pub(crate) fn scanned(&self) -> Source {
        Source::Scan(self.as_of)
    }

    /// Whether the organisation is stated or found to have a role.
    pub(crate) fn has_role(&self, role: &str) -> bool {
        self.system.role.split(" and ").any(|own| own == role)
    }

    /// Whether the role is not known.
    pub(crate) fn role_is_unknown(&self) -> bool {
        matches!(self.system.role.as_str(), "" | "unknown")
    }

    /// Whether a call of the system has a capability.
    pub(crate) fn can(&self, wanted: impl Fn(Capability) -> bool) -> bool {
        self.calls()
            .any(|call| call.capabilities.iter().any(|one| wanted(*one)))
    }

    /// The places of the system where a model is used.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &'a Call> {
        let id = self.system.id.as_str();
        self.inventory.calls.iter().filter(move |call| {
            call.zone == Zone::Product
                && call.system.as_deref() == Some(id)
                && !matches!(call.kind, CallKind::Construct)
                && call.runs()
        })
    }

    /// Whether a file belongs to the folder of the system.
    pub(crate) fn owns(&self, file: &str) -> bool {
        let scope = self.system.scope.as_str();
        if !scope.is_empty() {
            return file
                .strip_prefix(scope)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        }
        // The folder of another system is not that of the whole project.
        let Some((top, _)) = file.split_once('/') else {
            return true;
        };
        let here = |call: &&Call| call.file.split_once('/').is_some_and(|(folder, _)| folder == top);
        let calls = self.inventory.calls.iter().filter(here);
        let owners: Vec<&str> = calls.filter_map(|call| call.system.as_deref()).collect();
        owners.is_empty() || owners.contains(&self.system.id.as_str())
    }

    /// The answer to a question of the profile as people read it; only one that counts.
    pub(crate) fn answer(&self, id: &str) -> Option<Value> {
        let stated = self.stated(id)?;
        let options = question(id)
            .map(engine_profile::QuestionSpec::options)
            .unwrap_or_default();
        let words: Vec<String> = stated
            .value
            .iter()
            .map(|word| {
                let known = options.iter().find(|option| option.value == *word);
                known.map_or_else(|| word.clone(), |option| option.label.clone())
            })
            .collect();
        Some(Value::new(words.join("; "), Source::answer(stated)).at(format!("{PROFILE}:{}", stated.line)))
    }

    /// An answer that counts.
    pub(crate) fn stated(&self, id: &str) -> Option<&'a StatedAnswer> {
        let answers = &self.system.answers;
        answers.iter().find(|stated| {
            stated.question == id
                && stated.status == "answered"
                && !stated.value.is_empty()
                && stated.value.iter().all(|word| word != UNKNOWN)
        })
    }

    fn organization(&self, request: &Request) -> Option<Value> {
        if let Some((field, stated)) = request.organization() {
            let source = Source::Request {
                on: stated.on,
                field: Some(field.name()),
            };
            return Some(Value::new(&stated.text, source));
        }
        self.passport_text(&["owner.organization"])
            .or_else(|| self.passport_text(&["provider.organization"]))
    }

    fn assessed(&self, text: &str, basis: &str) -> Option<Value> {
        if matches!(text, "" | "unknown") {
            return None;
        }
        let source = if basis.is_empty() {
            self.scanned()
        } else {
            Source::Basis(basis_in_words(basis))
        };
        Some(Value::new(text, source))
    }

    fn annex_iii(&self) -> Option<Value> {
        let mut found = None::<Value>;
        for spec in engine_profile::area_questions() {
            let is_named = self
                .stated(spec.id)
                .is_some_and(|stated| stated.value.iter().all(|word| !matches!(word.as_str(), "none" | "no")));
            let Some(value) = is_named.then(|| self.answer(spec.id)).flatten() else {
                continue;
            };
            let text = if value.text == "Yes" {
                format!("{} ({})", spec.title, spec.provision)
            } else {
                value.text.clone()
            };
            match &mut found {
                Some(known) => known.text = format!("{}; {text}", known.text),
                None => found = Some(Value { text, ..value }),
            }
        }
        found
    }

    /// The values at some paths of the passport, with the source of the first.
    fn passport_text(&self, paths: &[&str]) -> Option<Value> {
        let (passport, file) = self.passport?;
        let provenance = passport.provenance();
        let mut found: Option<(String, SourceKind)> = None;
        for path in paths {
            let source = provenance.fields.get(*path).copied().unwrap_or(SourceKind::Unknown);
            let Some(text) = passport.get(path).and_then(text_of) else {
                continue;
            };
            // A default or a proposal is no statement.
            if !matches!(source, SourceKind::Code | SourceKind::Answer | SourceKind::Import) {
                continue;
            }
            match &mut found {
                Some((known, _)) => *known = format!("{known}; {text}"),
                None => found = Some((text, source)),
            }
        }
        let (text, source) = found?;
        let source = match source {
            SourceKind::Code => self.scanned(),
            SourceKind::Import => Source::Import,
            _ => Source::Passport,
        };
        Some(Value::new(text, source).at(file))
    }

    fn autonomy(&self) -> Option<Value> {
        let value = self.passport_text(&["autonomy_level"])?;
        let meaning = match value.text.as_str() {
            "1" => "it only answers",
            "2" => "its answers take effect, and human approval was found",
            "3" => "it acts, and human approval was found",
            "4" => "it acts, and no human approval was found",
            "5" => "it acts unattended, and no human approval was found",
            _ => return Some(value),
        };
        Some(Value {
            text: format!("level {} of 5: {meaning}", value.text),
            ..value
        })
    }

    fn authority(&self, field: impl Fn(&JurisdictionRecord) -> Option<String>) -> Option<Value> {
        let place = self.jurisdiction?;
        Some(Value::new(
            field(place)?,
            Source::Authority(place.name.clone(), self.law_version.to_owned()),
        ))
    }
}

/// The risk class as people read it.
pub(crate) fn class_in_words(class: &str) -> &str {
    match class {
        "prohibited" => "prohibited practice",
        "high" => "high-risk",
        "limited" => "limited risk (transparency duties)",
        "minimal" => "minimal risk",
        other => other,
    }
}

/// How a person's answer begins in the basis of a class or role.
const STATED_BY: &str = "stated by ";

/// What a basis says of code where the answer of a person decided.
const NOT_FROM_CODE: &str = "the class could not be determined from code alone";

/// The basis of a class or role with the words of questions and answers in place of their keys.
fn basis_in_words(basis: &str) -> String {
    let is_stated = basis.contains(STATED_BY);
    let parts: Vec<String> = basis
        .split("; ")
        .filter(|part| !(is_stated && *part == NOT_FROM_CODE))
        .map(|part| stated_in_words(part).unwrap_or_else(|| part.to_owned()))
        .collect();
    parts.join("; ")
}

/// `stated by A. Person on 2026-11-29: profiling = yes` in words.
fn stated_in_words(part: &str) -> Option<String> {
    let (by, stated) = part.strip_prefix(STATED_BY)?.rsplit_once(": ")?;
    let (key, value) = stated.split_once(" = ")?;
    let spec = question(key).filter(|spec| spec.id == key)?;
    let options = spec.options();
    let words: Vec<&str> = value
        .split(", ")
        .map(|word| {
            let known = options.iter().find(|option| option.value == word);
            known.map_or(word, |option| option.label.as_str())
        })
        .collect();
    let by = match by.rsplit_once(" on ") {
        Some((name, date)) => match date.parse::<Date>() {
            Ok(date) => format!("{name} on {}", in_words(date)),
            Err(_) => by.to_owned(),
        },
        None => by.to_owned(),
    };
    Some(format!("answer of {by} on \"{}\": {}", spec.title, words.join(", ")))
}

/// Characters of a list within a sentence.
const LIST_CHARS_MAX: usize = 300;

/// The first items of a list, and how many more there are.
fn listed(items: &[String]) -> String {
    let mut out = String::new();
    for (index, item) in items.iter().enumerate() {
        let more = items.len() - index;
        if index > 0 && out.chars().count() + item.chars().count() > LIST_CHARS_MAX {
            return format!("{out} and {more} more");
        }
        if index > 0 {
            out.push_str(", ");
        }
        out.push_str(item);
    }
    out
}

/// A JSON value as text; nothing for an empty one.
fn text_of(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.clone()).filter(|text| !text.trim().is_empty() && text != UNKNOWN),
        Json::Number(number) => Some(number.to_string()),
        Json::Bool(true) => Some("yes".to_owned()),
        Json::Bool(false) => Some("no".to_owned()),
        Json::Array(items) => {
            let texts: Vec<String> = items.iter().filter_map(text_of).collect();
            (!texts.is_empty()).then(|| listed(&texts))
        }
        Json::Object(fields) => ["name", "url", "title"]
            .into_iter()
            .find_map(|key| fields.get(key).and_then(text_of)),
        Json::Null => None,
    }
}

/// The name of an official language.
fn language(code: &str) -> &str {
    match code {
        "bg" => "Bulgarian",
        "cs" => "Czech",
        "da" => "Danish",
        "de" => "German",
        "el" => "Greek",
        "en" => "English",
        "es" => "Spanish",
        "et" => "Estonian",
        "fi" => "Finnish",
        "fr" => "French",
        "ga" => "Irish",
        "hr" => "Croatian",
        "hu" => "Hungarian",
        "is" => "Icelandic",
        "it" => "Italian",
        "lb" => "Luxembourgish",
        "lt" => "Lithuanian",
        "lv" => "Latvian",
        "mt" => "Maltese",
        "nb" | "no" => "Norwegian",
        "nl" => "Dutch",
        "pl" => "Polish",
        "pt" => "Portuguese",
        "ro" => "Romanian",
        "sk" => "Slovak",
        "sl" => "Slovenian",
        "sv" => "Swedish",
        other => other,
    }
}
