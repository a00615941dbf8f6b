//! What would change if one thing about a project were different: the country, a package, the risk class, the date, the role.
//!
//! Both sides are evaluated by the engine itself over one reading of the tree. Nothing is kept.

mod compare;
mod manifest;
mod params;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use engine_model::{Applies, Date, ErrorCode, Failure, FindingType, Severity, SourceFile};
use engine_regulation::{Jurisdiction, regulation};
use engine_scanner::{Evaluation, Settings};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::Engine;
use crate::project::ProjectState;
use crate::requests::{WhatIfKind, WhatIfRequest};
use crate::scan::{Running, ScanHooks};
use crate::simulate::{Snapshot, shown};
use params::Change;

/// The question about the countries of the organisation.
const COUNTRIES: &str = "countries";

/// Reply of `POST /whatif`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WhatIfReply {
    /// The kind of the change.
    #[serde(rename = "type")]
    pub kind: WhatIfKind,
    /// The parameters of the change, as in the request.
    pub params: BTreeMap<String, Value>,
    /// The change in a sentence.
    pub change: String,
    /// The project without the change.
    pub before: WhatIfSide,
    /// The project with the change.
    pub after: WhatIfSide,
    /// Obligations that apply only with the change, or that will apply and were not upcoming before.
    pub obligations_added: Vec<WhatIfObligation>,
    /// Obligations that apply only without the change, or that were upcoming and no longer are.
    pub obligations_removed: Vec<WhatIfObligation>,
    /// Obligations that apply from another date.
    pub dates_changed: Vec<WhatIfDate>,
    /// Findings that appear or become a gap.
    pub findings_added: Vec<WhatIfFinding>,
    /// Findings that disappear or are no longer a gap.
    pub findings_removed: Vec<WhatIfFinding>,
    /// `after.score` minus `before.score`.
    pub score_delta: f64,
    /// `after.readiness` minus `before.readiness`.
    pub readiness_delta: f64,
    /// The leading authority of both countries; only for `jurisdiction`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authority: Option<FromTo>,
    /// The main official language of both countries as an ISO 639-1 code; only for `jurisdiction`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<FromTo>,
    /// The contact of both countries; only for `jurisdiction`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact: Option<FromTo>,
    /// The basis and the limits of the analysis.
    pub notes: Vec<String>,
}

/// One side of the comparison.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WhatIfSide {
    /// The date for which the law is evaluated.
    pub as_of: Date,
    /// The role of the operator; several roles if systems differ, `unknown` if it could not be determined.
    pub role: String,
    /// The risk class of each system, by its id.
    pub risk_classes: BTreeMap<String, String>,
    /// The compliance score, 0 to 100.
    pub score: f64,
    /// The readiness, 0 to 100.
    pub readiness: f64,
    /// How many obligations of all systems apply.
    pub obligations: ObligationCounts,
}

/// Obligations of all systems, counted once per system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObligationCounts {
    /// Obligations that apply on the date.
    pub applies: u64,
    /// Obligations that will apply from a later date.
    pub upcoming: u64,
    /// Obligations that depend on an open question.
    pub undetermined: u64,
    /// Obligations that do not apply.
    pub does_not_apply: u64,
}

/// An obligation of a system on one side only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WhatIfObligation {
    /// `OBL-<number>`.
    pub id: String,
    /// The provisions.
    pub article: String,
    /// A short title.
    pub title: String,
    /// The system.
    pub system: String,
    /// The date from which it applies.
    pub applies_from: Option<Date>,
    /// Whether it applies without the change; null if the system does not exist then.
    pub before: Option<Applies>,
    /// Whether it applies with the change; null if the system does not exist then.
    pub after: Option<Applies>,
}

/// An obligation with another date.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WhatIfDate {
    /// `OBL-<number>`.
    pub id: String,
    /// The provisions.
    pub article: String,
    /// A short title.
    pub title: String,
    /// The system.
    pub system: String,
    /// The date without the change.
    pub from: Date,
    /// The date with the change.
    pub to: Date,
}

/// A finding on one side only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WhatIfFinding {
    /// The fingerprint.
    pub id: String,
    /// The check.
    pub check_id: String,
    /// The title of the check.
    pub title: String,
    /// `fail` for a gap, `info` for a notice or a gap of an obligation that does not apply yet.
    #[serde(rename = "type")]
    pub kind: FindingType,
    /// Its severity.
    pub severity: Severity,
    /// Path relative to the project's root.
    pub file: Option<String>,
    /// Line, from 1.
    pub line: Option<u32>,
}

/// A value of both countries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FromTo {
    /// The value for the first country; null if unknown.
    pub from: Option<String>,
    /// The value for the second country; null if unknown.
    pub to: Option<String>,
}

/// Both sides, as the engine evaluated them.
pub(crate) struct Hypothesis {
    pub(crate) before: Side,
    pub(crate) after: Side,
    /// The change in a sentence.
    pub(crate) change: String,
    /// The basis and the limits of the analysis.
    pub(crate) notes: Vec<String>,
    /// The countries, where these change.
    countries: Option<(&'static Jurisdiction, &'static Jurisdiction)>,
}

/// One side with its settings.
pub(crate) struct Side {
    pub(crate) settings: Settings,
    pub(crate) evaluation: Evaluation,
}

impl Engine {
    /// Reads a project once and compares it with what it would be after a change. Nothing is kept.
    pub fn what_if(&self, request: &WhatIfRequest, hooks: &ScanHooks<'_>) -> Result<WhatIfReply, Failure> {
        Ok(compare::reply(request, self.hypothesis(request, hooks)?))
    }

    /// Evaluates both sides.
    pub(crate) fn hypothesis(&self, request: &WhatIfRequest, hooks: &ScanHooks<'_>) -> Result<Hypothesis, Failure> {
        let change = params::read(request)?;
        let _running = Running::begin(&self.scans)?;
        let state = &*self.project_or_current(request.path.as_deref())?;
        let settings = self.settings(state, None, None, None)?;
        let snapshot = Snapshot::read(state, hooks)?;
        let with = |settings: Settings| Side {
            evaluation: snapshot.evaluate(&settings),
            settings,
        };
        let mut hypothesis = match change {
            Change::Jurisdiction { from, to } => jurisdiction(from, to, with(settings))?,
            Change::Tool(wanted) => {
                let before = with(settings);
                tool(state, &snapshot, &wanted, before)?
            }
            Change::RiskLevel { from, to } => {
                let name = from.map_or("as declared in the profile or derived from code", |class| class.name());
                let before = with(Settings {
                    risk_class: from,
                    ..settings.clone()
                });
                let after = with(Settings {
                    risk_class: Some(to),
                    ..settings
                });
                let note = "The analysis uses the given class for every system and ignores answers about Art. 6 in the profile.";
                Hypothesis {
                    change: format!("The risk class of every system is `{}`. Before: {name}.", to.name()),
                    notes: vec![note.to_owned()],
                    before,
                    after,
                    countries: None,
                }
            }
            Change::Date(to) => {
                let today = settings.as_of;
                let before = with(settings.clone());
                let after = with(Settings { as_of: to, ..settings });
                let version = &regulation().version().id;
                let note =
                    format!("The analysis uses the regulation data {version}; it does not include later amendments.");
                Hypothesis {
                    change: format!("The law is evaluated for {to} instead of {today}."),
                    notes: vec![note],
                    before,
                    after,
                    countries: None,
                }
            }
            Change::Role(to, name) => {
                let before = with(settings.clone());
                let after = with(Settings {
                    role: Some(to),
                    ..settings
                });
                let note = "The analysis uses the given role for every system and ignores answers about the role in the profile.";
                Hypothesis {
                    change: format!(
                        "The role of the operator is `{name}`. Before: as declared in the profile or derived from code."
                    ),
                    notes: vec![note.to_owned()],
                    before,
                    after,
                    countries: None,
                }
            }
        };
        if hypothesis.before.evaluation.systems.is_empty() && hypothesis.after.evaluation.systems.is_empty() {
            let note = "No AI system was found with or without the change, so no obligation applies.";
            hypothesis.notes.push(note.to_owned());
        }
        Ok(hypothesis)
    }
}

/// Another country: the obligations of the Act stay, authority, contact and language change.
fn jurisdiction(
    from: Option<&'static Jurisdiction>,
    to: &'static Jurisdiction,
    side: Side,
) -> Result<Hypothesis, Failure> {
    let from = match from {
        Some(from) => from,
        None => stated_country(&side.settings)?,
    };
    let mut notes = vec![
        "The AI Act has the same obligations and dates in every Member State; authority, contact and language differ."
            .to_owned(),
    ];
    let countries = if from.code == to.code {
        vec![from]
    } else {
        vec![from, to]
    };
    notes.extend(countries.into_iter().filter_map(|country| {
        let note = country.note.as_ref()?;
        Some(format!("{}: {note}", country.name))
    }));
    Ok(Hypothesis {
        change: format!(
            "The country is {} ({}) instead of {} ({}).",
            to.name, to.code, from.name, from.code
        ),
        notes,
        after: Side {
            settings: side.settings.clone(),
            evaluation: side.evaluation.clone(),
        },
        before: side,
        countries: Some((from, to)),
    })
}

/// The country of the profile, where it names exactly one.
fn stated_country(settings: &Settings) -> Result<&'static Jurisdiction, Failure> {
    let answer = settings.profile.organisation.get(COUNTRIES);
    let stated: Vec<&'static Jurisdiction> = answer
        .into_iter()
        .filter(|answer| !answer.is_expired(settings.as_of))
        .flat_map(|answer| answer.value.words())
        .filter_map(|code| regulation().jurisdiction(code))
        .collect();
    match stated.as_slice() {
        [one] => Ok(one),
        several => {
            let why = if several.is_empty() {
                "does not name a country"
            } else {
                "names several countries"
            };
            let details =
                format!("`params.from` is missing, and the profile {why}; give the code of a country, such as `DE`");
            Err(Failure::new(ErrorCode::InvalidRequest, details).field("params.from"))
        }
    }
}

/// One more package in a manifest.
fn tool(
    state: &ProjectState,
    snapshot: &Snapshot,
    wanted: &manifest::Wanted,
    before: Side,
) -> Result<Hypothesis, Failure> {
    let tool = wanted.choose(
        |ecosystem| snapshot.holds(ecosystem.manifest()),
        |ecosystem| {
            let mut packages = before.evaluation.inventory.packages.iter();
            packages.any(|package| package.ecosystem == ecosystem.registry())
        },
    )?;
    let path = tool.ecosystem.manifest();
    if !snapshot.holds(path) && state.root().has_entry(path) {
        let details = format!(
            "`{path}` was not read, so `{}` cannot be added to it; a scan lists the reason under `filesSkipped`",
            tool.name
        );
        return Err(Failure::new(ErrorCode::Impossible, details).field("params.name"));
    }
    let bytes = snapshot.bytes(path);
    let text = match bytes.as_deref() {
        None => None,
        Some(bytes) => {
            let file = SourceFile::new(path, bytes);
            let text = file.text().map(std::borrow::Cow::into_owned).ok_or_else(|| {
                let details = format!(
                    "`{path}` is not a text file, so `{}` cannot be added to it; convert or replace the file",
                    shown(&tool.name)
                );
                Failure::new(ErrorCode::Impossible, details).field("params.name")
            })?;
            Some(text)
        }
    };
    let mut notes = vec![
        "The package is only declared: no code uses it yet, so the analysis adds no system, calls or data.".to_owned(),
    ];
    notes.extend(tool.known_as());
    let (after, change) = match tool.added_to(text.as_deref())? {
        manifest::Added::Already { line } => {
            let change = format!(
                "`{}` is already declared (`{path}:{line}`), so nothing changes.",
                tool.name
            );
            (before.evaluation.clone(), change)
        }
        manifest::Added::Edit { text: edited, line } => {
            let file = SourceFile::new(path, edited.into_bytes());
            let how = if text.is_some() {
                "is added to"
            } else {
                "is declared in a new file"
            };
            let change = format!(
                "`{}` {how} `{path}`, line {line}. The change is only in memory; no file is changed.",
                tool.declaration()
            );
            (snapshot.evaluate_with(&file, &before.settings), change)
        }
    };
    Ok(Hypothesis {
        change,
        notes,
        after: Side {
            settings: before.settings.clone(),
            evaluation: after,
        },
        before,
        countries: None,
    })
}
