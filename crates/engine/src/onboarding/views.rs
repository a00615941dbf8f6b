//! Scans as forms, profiles and lists of documents.

use std::collections::{BTreeMap, BTreeSet};

use engine_model::{Applies, Date, DocumentState, Question, ScanResult};
use engine_profile::{Block, ORGANISATION, Scope, question};
use engine_regulation::regulation;
use serde_json::{Value, json};

use super::count;
use super::shapes::{
    Computed, DataView, FormQuestion, ObligationView, OrganisationView, ProfileView, QuestionBlock, QuestionForm,
    SystemView,
};
use crate::profile;

/// Every question in blocks: the organisation once, then each system.
pub(super) fn form(scan: &ScanResult) -> QuestionForm {
    let mut blocks = Vec::new();
    let about_organisation =
        |asked: &&Question| question(&asked.id).is_some_and(|spec| spec.scope == Scope::Organisation);
    let answers_of = |system: &engine_model::System, id: &str| {
        system
            .answers
            .iter()
            .find(|answer| answer.question == id)
            .map(|answer| answer.value.clone())
    };
    if let Some(system) = scan.systems.first() {
        let questions = system.questions.iter().filter(about_organisation);
        blocks.push(QuestionBlock {
            id: ORGANISATION.to_owned(),
            title: Block::Organisation.title().to_owned(),
            system: None,
            questions: questions
                .map(|asked| form_question(asked, answers_of(system, &asked.id)))
                .collect(),
        });
    }
    for system in &scan.systems {
        for block in Block::ALL.iter().filter(|block| **block != Block::Organisation) {
            let own = |asked: &&Question| question(&asked.id).is_some_and(|spec| spec.block == *block);
            let questions: Vec<FormQuestion> = system
                .questions
                .iter()
                .filter(own)
                .map(|asked| form_question(asked, answers_of(system, &asked.id)))
                .collect();
            let title = match block {
                Block::System => format!("{}: purpose, role and dates", system.name),
                block => format!("{}: {}", system.name, block.title()),
            };
            blocks.push(QuestionBlock {
                id: format!("{}.{}", system.id, block.id()),
                title,
                system: Some(system.id.clone()),
                questions,
            });
        }
    }
    let is_open = |asked: &&FormQuestion| ["open", "unknown", "reopened", "expired"].contains(&asked.status.as_str());
    let open = blocks.iter().flat_map(|block| &block.questions).filter(is_open).count();
    QuestionForm {
        open: open as u64,
        undetermined: profile::undetermined(scan),
        blocks,
    }
}

fn form_question(asked: &Question, answer: Option<Vec<String>>) -> FormQuestion {
    let kind = match asked.kind.as_str() {
        "any_of" => "multi",
        "date" | "text" => "text",
        _ => "single",
    };
    // Existing clients take the first option where there is no default: an empty text keeps them from that.
    let default = answer.map_or_else(
        || json!(""),
        |words| match (kind, words.as_slice()) {
            ("multi", _) => json!(words),
            (_, [only]) => json!(only),
            _ => json!(words.join(", ")),
        },
    );
    let descriptions = asked.options.iter().map(|option| {
        let mut parts = Vec::new();
        if option.adds > 0 {
            let from = option.from.map_or_else(String::new, |from| format!(" from {from}"));
            parts.push(format!(
                "{}{from}",
                count(usize::try_from(option.adds).unwrap_or(0), "more obligation")
            ));
        }
        if option.removes > 0 {
            parts.push(count(usize::try_from(option.removes).unwrap_or(0), "fewer obligation"));
        }
        (option.value.clone(), parts.join(", "))
    });
    FormQuestion {
        id: asked.key.clone(),
        title: question(&asked.id).map_or_else(String::new, |spec| spec.title.to_owned()),
        text: asked.text.clone(),
        kind: kind.to_owned(),
        descriptions: descriptions.filter(|(_, text)| !text.is_empty()).collect(),
        options: asked.options.clone(),
        default,
        why: asked.why.clone(),
        provision: asked.provision.clone(),
        status: asked.status.clone(),
        decides: asked.decides,
        effect: asked.effect.clone(),
        suggestion: asked.suggestion.clone(),
        changes: asked.changes.clone(),
        evidence: asked.evidence.clone(),
    }
}

/// The profile as it counts, with what follows from it.
pub(super) fn view(scan: &ScanResult) -> ProfileView {
    let ids = |wanted: Applies| -> Vec<String> {
        let records = scan.systems.iter().flat_map(|system| &system.obligations);
        let ids: BTreeSet<String> = records
            .filter(|record| record.applies == wanted)
            .map(|record| record.obligation_id.clone())
            .collect();
        ids.into_iter().collect()
    };
    let rank = |class: &str| {
        ["minimal", "limited", "unknown", "high", "prohibited"]
            .iter()
            .position(|known| *known == class)
    };
    let risk_level = scan
        .systems
        .iter()
        .map(|system| system.risk_class.as_str())
        .max_by_key(|class| rank(class))
        .unwrap_or("unknown");
    let roles: BTreeSet<&str> = scan.systems.iter().map(|system| system.role.as_str()).collect();
    let organisation = scan.systems.first().map_or_else(Vec::new, |system| {
        let own = system.answers.iter().filter(|answer| answer.scope == ORGANISATION);
        own.cloned().collect()
    });
    let seen: BTreeSet<&str> = scan
        .systems
        .iter()
        .flat_map(|system| &system.seen)
        .map(String::as_str)
        .collect();
    let inputs = seen
        .iter()
        .filter_map(|fact| fact.strip_prefix("input: "))
        .map(str::to_owned)
        .collect();
    ProfileView {
        organization: OrganisationView {
            role: if roles.is_empty() {
                "unknown".to_owned()
            } else {
                roles.into_iter().collect::<Vec<_>>().join("; ")
            },
            answers: organisation,
        },
        systems: scan.systems.iter().map(system_view).collect(),
        computed: Computed {
            risk_level: risk_level.to_owned(),
            applicable_obligations: ids(Applies::Applies),
            upcoming_obligations: ids(Applies::Upcoming),
            undetermined_obligations: ids(Applies::Undetermined),
        },
        data: DataView {
            storage: if seen.contains("output reaches: a database") {
                "database"
            } else {
                "unknown"
            }
            .to_owned(),
            inputs,
        },
    }
}

fn system_view(system: &engine_model::System) -> SystemView {
    let binding = |record: &&engine_model::ObligationRecord| record.is_expected();
    SystemView {
        id: system.id.clone(),
        name: system.name.clone(),
        purpose: system.purpose.clone(),
        role: system.role.clone(),
        role_basis: system.role_basis.clone(),
        risk_class: system.risk_class.clone(),
        risk_basis: system.risk_basis.clone(),
        obligations: system
            .obligations
            .iter()
            .filter(binding)
            .map(|record| ObligationView {
                obligation_id: record.obligation_id.clone(),
                article: record.article.clone(),
                title: record.title.clone(),
                applies: record.applies,
                applies_from: record.applies_from,
                because: record.because.clone(),
            })
            .collect(),
        answers: system
            .answers
            .iter()
            .filter(|answer| answer.scope != ORGANISATION)
            .cloned()
            .collect(),
        open: system.questions.len() as u64,
    }
}

/// The documents that obligations in force or to come can be met with, each with its state in the project.
pub(super) fn documents(scan: &ScanResult) -> Vec<Value> {
    let mut wanted: BTreeMap<&str, (BTreeSet<&str>, Option<Date>)> = BTreeMap::new();
    for record in scan.systems.iter().flat_map(|system| &system.obligations) {
        if !record.asks_for_document || !record.is_expected() {
            continue;
        }
        let Some(obligation) = regulation().obligation(&record.obligation_id) else {
            continue;
        };
        for kind in &obligation.satisfied_by_documents {
            let entry = wanted.entry(kind).or_default();
            entry.0.insert(&obligation.id);
            entry.1 = entry.1.into_iter().chain(record.applies_from).min();
        }
    }
    wanted
        .into_iter()
        .filter_map(|(kind, (obligations, from))| {
            let document = regulation().document(kind)?;
            let found = scan.documents.iter().find(|one| one.kind == kind);
            let state = match found.map(|one| (one.state, one.draft)) {
                None => "missing",
                Some((DocumentState::Filled, false)) => "filled",
                Some(_) => "incomplete",
            };
            Some(json!({
                "docType": kind,
                "title": document.title,
                "state": state,
                "file": found.map(|one| one.file.clone()),
                "completeness": found.map(|one| one.completeness),
                "obligations": obligations,
                "appliesFrom": from,
                "legalBasis": document.legal_basis,
            }))
        })
        .collect()
}
