//! Which documents a system needs on a date, and why not the others.

use std::collections::BTreeMap;

use engine_model::{Applies, Date, ObligationRecord, System};
use engine_regulation::{DocumentKind, Obligation, RiskClass, Role, regulation};

use crate::facts::{Facts, class_in_words, in_words};
use crate::kinds::{Kind, kinds};
use crate::table::is_within;

/// Documents that are written when something happens; a plan for them is not asked for.
const ON_EVENT: [&str; 4] = [
    "incident-report",
    "corrective-action-record",
    "biometric-use-record",
    "real-world-testing-plan",
];

/// The question for the roles of the organisation.
const ROLE: &str = "role";

/// Whether a document is due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Due {
    /// A duty behind it applies.
    Applies {
        /// Since when.
        since: Option<Date>,
    },
    /// A duty behind it will apply.
    Upcoming {
        /// From when.
        from: Date,
    },
    /// A duty behind it binds, and only its start is open.
    StartOpen {
        /// The first possible day.
        from: Date,
        /// The possible starts in words.
        words: String,
    },
    /// It is written when something happens.
    OnEvent {
        /// When.
        reason: String,
    },
    /// Whether a duty behind it applies depends on a question.
    Open {
        /// Which one.
        reason: String,
        /// The id of the question.
        question: Option<String>,
    },
    /// No duty behind it applies.
    Not {
        /// Why.
        reason: String,
    },
}

/// A document with whether it is due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentDuty {
    /// The id of its kind.
    pub kind: &'static str,
    /// Its title.
    pub title: &'static str,
    /// The provisions behind it.
    pub legal_basis: &'static [String],
    /// The obligations of the system behind it.
    pub obligations: Vec<String>,
    /// Whether it is due.
    pub due: Due,
}

impl DocumentDuty {
    /// Whether the document belongs to the complete set of a system on the date.
    pub fn is_due(&self) -> bool {
        matches!(
            self.due,
            Due::Applies { .. } | Due::Upcoming { .. } | Due::StartOpen { .. }
        )
    }

    /// Why it is not due, or what is special about it; none where it applies.
    pub fn reason(&self) -> Option<String> {
        match &self.due {
            Due::Applies { .. } => None,
            Due::Upcoming { from } => Some(format!("Applies from {}.", in_words(*from))),
            Due::StartOpen { words, .. } => Some(words.clone()),
            Due::OnEvent { reason } | Due::Open { reason, .. } | Due::Not { reason } => Some(reason.clone()),
        }
    }
}

/// Every document with whether it is due, in the order of the law data.
pub fn which_apply(facts: &Facts<'_>) -> Vec<DocumentDuty> {
    kinds().iter().map(|kind| duty_of(kind, facts)).collect()
}

/// Whether one document is due.
pub(crate) fn duty_of(kind: &'static Kind, facts: &Facts<'_>) -> DocumentDuty {
    let own = behind(kind);
    let records: Vec<&ObligationRecord> = facts
        .system
        .obligations
        .iter()
        .filter(|record| own.iter().any(|obligation| obligation.id == record.obligation_id))
        .collect();
    let due = due(kind, facts, &own, &records);
    let counts = |record: &&&ObligationRecord| record.applies != Applies::DoesNotApply;
    DocumentDuty {
        kind: kind.id(),
        title: kind.title(),
        legal_basis: &kind.document.legal_basis,
        obligations: records
            .iter()
            .filter(counts)
            .map(|record| record.obligation_id.clone())
            .collect(),
        due,
    }
}

/// The dates from which a document is asked of a system, each with the provisions of the duties behind it, the earliest first; else the date
/// of the law data, without provisions.
pub(crate) fn applies_from<'s>(system: &'s System, document: &str) -> BTreeMap<Date, Vec<&'s str>> {
    let Some(kind) = crate::kinds::kind(document) else {
        return BTreeMap::new();
    };
    let own = behind(kind);
    let mut dates: BTreeMap<Date, Vec<&str>> = BTreeMap::new();
    for record in &system.obligations {
        let binds = record.is_expected() && own.iter().any(|obligation| obligation.id == record.obligation_id);
        let Some(from) = record.applies_from.filter(|_| binds) else {
            continue;
        };
        let provisions = dates.entry(from).or_default();
        if !provisions.contains(&record.article.as_str()) {
            provisions.push(&record.article);
        }
    }
    if let (true, Some(from)) = (dates.is_empty(), kind.document.applies_from) {
        dates.insert(from, Vec::new());
    }
    dates
}

/// The duties that a document is made for: those that it can satisfy and that its legal basis names.
fn behind(kind: &Kind) -> Vec<&'static Obligation> {
    regulation()
        .obligations()
        .iter()
        .filter(|obligation| {
            obligation.satisfied_by_documents.iter().any(|id| id == kind.id())
                && kind.document.legal_basis.iter().any(|basis| {
                    // `Art. 5(2)-(6)` names a range by its first paragraph.
                    let basis = basis.split('-').next().unwrap_or(basis);
                    obligation
                        .references
                        .iter()
                        .any(|reference| is_within(reference, basis) || is_within(basis, reference))
                })
        })
        .collect()
}

fn due(kind: &Kind, facts: &Facts<'_>, own: &[&Obligation], records: &[&ObligationRecord]) -> Due {
    let other = other_maker(kind, facts);
    if let Some(reason) = other.as_ref().filter(|_| facts.stated(ROLE).is_some()) {
        return Due::Not { reason: reason.clone() };
    }
    if own.is_empty() {
        return Due::Not {
            reason: format!(
                "The AI Act does not ask for it; it is part of {}. Request it by its type if you need it.",
                kind.document.legal_basis.join(", ")
            ),
        };
    }
    let dates = |wanted: Applies| {
        records
            .iter()
            .filter(move |record| record.applies == wanted)
            .map(|record| record.applies_from)
    };
    let start_open = records.iter().find_map(|record| {
        let words = record.starts_in_words(facts.as_of).filter(|_| record.is_expected())?;
        Some((record.applies_from?, words, &record.article))
    });
    let binds = dates(Applies::Applies).next().is_some()
        || dates(Applies::Upcoming).flatten().next().is_some()
        || start_open.is_some();
    // The duty binds in the role that code shows, and another role would make the document.
    if let (Some(reason), true) = (other, binds) {
        return Due::Open {
            reason: format!("{reason} The role was found in the code; state it to settle whether the document is due."),
            question: Some(ROLE.to_owned()),
        };
    }
    if binds && ON_EVENT.contains(&kind.id()) {
        return Due::OnEvent {
            reason: format!(
                "It is written when it is needed: {}. Request it by its type then.",
                kind.document.when.trim_end_matches('.')
            ),
        };
    }
    if dates(Applies::Applies).next().is_some() {
        return Due::Applies {
            since: dates(Applies::Applies).flatten().min(),
        };
    }
    if let Some((from, words, article)) = start_open {
        return Due::StartOpen {
            from,
            words: format!("{article}: {words}."),
        };
    }
    if let Some(from) = dates(Applies::Upcoming).flatten().min() {
        return Due::Upcoming { from };
    }
    if let Some(record) = records.iter().find(|record| record.applies == Applies::Undetermined) {
        let reason = match &record.question {
            Some(question) => format!(
                "Whether {} applies depends on an open question: {question}",
                record.article
            ),
            None => format!(
                "Whether {} applies could not be determined: {}",
                record.article, record.because
            ),
        };
        return Due::Open {
            reason,
            question: record.question_id.clone(),
        };
    }
    Due::Not {
        reason: not_bound(kind, facts, own, records),
    }
}

/// Why another role makes the document, where a role of the organisation is known or was found.
fn other_maker(kind: &Kind, facts: &Facts<'_>) -> Option<String> {
    let makers = &kind.document.made_by;
    let gpai = |role: &Role| *role == Role::GpaiProvider;
    if facts.role_is_unknown() || makers.iter().any(gpai) {
        return None;
    }
    let labels: Vec<&str> = makers.iter().map(|role| role.label()).collect();
    (!labels.iter().any(|label| facts.has_role(label))).then(|| {
        format!(
            "It is made by the {}; the role for this system is {}.",
            labels.join(" or the "),
            facts.system.role
        )
    })
}

fn not_bound(kind: &Kind, facts: &Facts<'_>, own: &[&Obligation], records: &[&ObligationRecord]) -> String {
    if let Some(record) = records.iter().find(|record| !record.because.is_empty()) {
        let because = record.because.trim_end_matches('.');
        if because.starts_with(&record.article) {
            return format!("{because}.");
        }
        return format!("{} does not apply: {because}.", record.article);
    }
    let basis = kind.document.legal_basis.join(", ");
    let all = |class: &[RiskClass]| own.iter().all(|obligation| class.contains(&obligation.risk_class));
    let class = class_in_words(&facts.system.risk_class);
    if all(&[RiskClass::Gpai, RiskClass::GpaiSystemic]) {
        return format!("{basis} binds providers of general-purpose AI models; none is provided here.");
    }
    if all(&[RiskClass::HighRisk]) && facts.system.risk_class != "high" {
        return format!("{basis} binds high-risk systems; the class of this system is {class}.");
    }
    if all(&[RiskClass::Transparency]) && !matches!(facts.system.risk_class.as_str(), "high" | "limited") {
        return format!("{basis} binds systems with transparency duties; the class of this system is {class}.");
    }
    let words = if kind.document.kind == DocumentKind::Customary {
        "No duty behind this customary record applies"
    } else {
        "No duty behind it applies"
    };
    format!("{words} to this system on {} ({basis}).", in_words(facts.as_of))
}
