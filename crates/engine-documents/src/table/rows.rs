//! The rows of each table.

use std::collections::{BTreeMap, BTreeSet};

use engine_model::{
    Call, CallKind, Document, Evidence, EvidenceKind, Finding, FindingType, ObligationRecord, ObligationStatus,
    Package, Zone,
};
use engine_profile::practices;
use engine_regulation::regulation;

use super::words::{approval, effect, error_handling, kind, listed, log, pinned, sends, state_of_document, status};
use super::{Cell, concerns};
use crate::facts::{Facts, in_words};
use crate::source::{Source, english};
use crate::table_names::TableName;

/// The folder of the documents that the engine writes.
const OWN_DOCUMENTS: &str = ".compliance/documents/";

/// The provider of models that run in the program.
const LOCAL: &str = "local";

/// The ending of notebooks, whose output reaches no user of the system.
const NOTEBOOK: &str = ".ipynb";

/// The check for documents that do not exist.
const MISSING: &str = "l1-missing-document";

/// Provisions on how long logs are kept.
const RETENTION: [&str; 2] = ["Art. 19", "Art. 26(6)"];

/// The framework of a statement of applicability.
const CONTROLS_OF: &str = "iso-42001";

/// The rows of a table for a system.
pub(super) fn rows(name: TableName, article: Option<&str>, facts: &Facts<'_>) -> Vec<Vec<Cell>> {
    let per_call = |cell: &dyn Fn(&Call) -> String| -> Vec<Vec<Cell>> {
        // What surrounds a declaration or a model file that is loaded is not known.
        let calls = facts.calls().filter(|call| call.kind == CallKind::Call);
        calls.map(|call| vec![place_of(call), Cell::Text(cell(call))]).collect()
    };
    match name {
        TableName::Calls => facts
            .calls()
            .filter(|call| call.kind != CallKind::Declare)
            .map(|call| {
                vec![
                    place_of(call),
                    Cell::maybe(call.provider.as_ref()),
                    Cell::maybe(call.model.as_ref()),
                    Cell::text(pinned(call.model_pinned)),
                ]
            })
            .collect(),
        TableName::Models => facts
            .inventory
            .models
            .iter()
            .filter_map(|model| {
                let places = own_places(facts, &model.occurrences)?;
                Some(vec![
                    Cell::text(&model.name),
                    Cell::maybe(model.provider.as_ref()),
                    Cell::text(pinned(model.pinned)),
                    Cell::Places(places),
                ])
            })
            .collect(),
        TableName::Providers => {
            let mut places: BTreeMap<&str, Vec<String>> = BTreeMap::new();
            for call in facts.calls() {
                // A model that runs in the program has no provider of a service.
                if let Some(provider) = call.provider.as_ref().filter(|name| *name != LOCAL) {
                    places
                        .entry(provider)
                        .or_default()
                        .push(format!("{}:{}", call.file, call.line));
                }
            }
            places
                .into_iter()
                .map(|(provider, places)| vec![Cell::text(provider), Cell::Places(places)])
                .collect()
        }
        TableName::Services => facts
            .inventory
            .services
            .iter()
            .filter_map(|service| {
                let places = own_places(facts, &service.occurrences)?;
                Some(vec![
                    Cell::text(&service.provider),
                    Cell::maybe(service.host.as_ref()),
                    Cell::Places(places),
                ])
            })
            .collect(),
        TableName::Packages => packages(facts),
        TableName::Datasets => facts
            .inventory
            .datasets
            .iter()
            .filter(|data| facts.owns(&data.file))
            .map(|data| vec![Cell::text(&data.name), Cell::Place(data.file.clone(), Some(data.line))])
            .collect(),
        TableName::ModelFiles => facts
            .inventory
            .model_files
            .iter()
            .filter(|file| file.is_model && facts.owns(&file.file))
            .map(|file| {
                vec![
                    Cell::Place(file.file.clone(), None),
                    Cell::text(&file.format),
                    Cell::maybe(file.architecture.as_ref()),
                    Cell::maybe(file.license.as_ref()),
                ]
            })
            .collect(),
        TableName::Prompts => facts
            .inventory
            .prompts
            .iter()
            .filter(|prompt| facts.owns(&prompt.file))
            .map(|prompt| {
                vec![
                    Cell::text(&prompt.name),
                    Cell::Place(prompt.file.clone(), Some(prompt.line)),
                ]
            })
            .collect(),
        TableName::McpServers => facts
            .inventory
            .mcp_servers
            .iter()
            .filter(|server| facts.owns(&server.file))
            .map(|server| {
                vec![
                    Cell::text(&server.name),
                    Cell::text(&server.transport),
                    Cell::maybe(server.target.as_ref()),
                    Cell::Place(server.file.clone(), Some(server.line)),
                ]
            })
            .collect(),
        TableName::DataSent => per_call(&|call| listed(call.sends.iter().map(|one| sends(*one)))),
        TableName::Effects => per_call(&|call| listed(call.effects.iter().map(|one| effect(*one)))),
        TableName::Tools => {
            let mut seen = BTreeSet::new();
            facts
                .calls()
                .flat_map(|call| {
                    call.tools
                        .iter()
                        .filter(|tool| !names_provider(tool, call.provider.as_deref()))
                        .map(move |tool| vec![Cell::text(tool), place_of(call)])
                })
                .filter(|row| seen.insert(row.clone()))
                .collect()
        }
        TableName::Approvals => per_call(&|call| approval(call.human_approval)),
        TableName::Disclosures => facts
            .calls()
            .filter(|call| call.kind == CallKind::Call && !call.file.ends_with(NOTEBOOK))
            .map(|call| {
                let found = match &call.disclosure_at {
                    Some(at) => Cell::Place(at.file.clone(), Some(at.line)),
                    None => Cell::Text(approval(call.disclosure)),
                };
                vec![place_of(call), found]
            })
            .collect(),
        TableName::Logging => per_call(&|call| log(call.logging).to_owned()),
        TableName::ErrorHandling => per_call(&|call| error_handling(call.error_handling).to_owned()),
        TableName::Capabilities => facts
            .calls()
            .flat_map(|call| {
                call.capabilities
                    .iter()
                    .map(move |one| vec![Cell::text(format!("it {}", one.words())), place_of(call)])
            })
            .collect(),
        TableName::Gaps => gaps(facts, article),
        TableName::Evidence => {
            let wanted = |record: &ObligationRecord| article.is_none_or(|article| concerns(&record.article, article));
            let records = facts.system.obligations.iter().filter(|record| wanted(record));
            evidence_rows(records)
        }
        TableName::Obligations => facts
            .system
            .obligations
            .iter()
            .filter(|record| record.is_expected())
            .map(|record| {
                vec![
                    Cell::text(&record.article),
                    Cell::text(&record.title),
                    Cell::text(record.applies_from.map_or_else(|| "unknown".to_owned(), in_words)),
                    Cell::text(status(record.status)),
                ]
            })
            .collect(),
        TableName::Practices => practices()
            .map(|(spec, _)| {
                let (answer, source) = match facts.stated(spec.id) {
                    Some(stated) => (
                        facts.answer(spec.id).map_or_else(String::new, |value| value.text),
                        Source::answer(stated).words(english()),
                    ),
                    None => ("not answered".to_owned(), "open question".to_owned()),
                };
                vec![
                    Cell::text(spec.title),
                    Cell::text(spec.provision),
                    Cell::text(answer),
                    Cell::text(source),
                ]
            })
            .collect(),
        TableName::Evaluations => facts
            .evaluation
            .into_iter()
            .flat_map(|run| &run.categories)
            .map(|category| {
                vec![
                    Cell::text(&category.name),
                    Cell::text(
                        category
                            .score
                            .map_or_else(|| "no score".to_owned(), |score| format!("{score:.1}")),
                    ),
                    Cell::text(
                        category
                            .interval
                            .map_or_else(|| "unknown".to_owned(), |(low, high)| format!("{low:.1} to {high:.1}")),
                    ),
                ]
            })
            .collect(),
        TableName::Retention => {
            let own = |record: &&ObligationRecord| RETENTION.iter().any(|article| concerns(&record.article, article));
            let rows = facts.system.obligations.iter().filter(own).flat_map(|record| {
                record
                    .evidence
                    .iter()
                    .filter(|one| matches!(one.kind, EvidenceKind::Code | EvidenceKind::Configuration))
                    .filter(|one| one.file.is_some() && !one.reference.starts_with("no "))
                    .map(|one| vec![Cell::text(&one.reference), evidence_place(one)])
            });
            distinct(rows.collect())
        }
        TableName::Documents => facts
            .documents
            .iter()
            .filter(|one| !is_own_draft(one))
            .map(document_row)
            .collect(),
        TableName::Controls => controls(facts),
    }
}

fn packages(facts: &Facts<'_>) -> Vec<Vec<Cell>> {
    let own =
        |package: &&Package| package.ai_kind.is_some() && package.zone == Zone::Product && facts.owns(&package.file);
    let pinned: BTreeSet<(&str, &str)> = facts
        .inventory
        .packages
        .iter()
        .filter(own)
        .filter(|package| package.version.is_some())
        .map(|package| (package.ecosystem.purl_type(), package.name.as_str()))
        .collect();
    let rows = facts
        .inventory
        .packages
        .iter()
        .filter(own)
        // A requirement says less than the version that it led to.
        .filter(|package| {
            package.version.is_some() || !pinned.contains(&(package.ecosystem.purl_type(), package.name.as_str()))
        })
        .map(|package| {
            let version = package.version.as_ref().or(package.requirement.as_ref());
            vec![
                Cell::text(&package.name),
                Cell::maybe(version),
                Cell::text(package.ecosystem.purl_type()),
                Cell::Place(package.file.clone(), package.line),
            ]
        });
    distinct(rows.collect())
}

fn gaps(facts: &Facts<'_>, article: Option<&str>) -> Vec<Vec<Cell>> {
    let provision = |finding: &Finding| -> String {
        let record = finding
            .obligation_id
            .as_deref()
            .and_then(|id| regulation().obligation(id));
        record.map_or_else(
            || {
                finding
                    .explanation
                    .as_ref()
                    .map_or_else(String::new, |one| one.article.clone())
            },
            engine_regulation::Obligation::citation,
        )
    };
    let mut open: Vec<&Finding> = facts
        .findings
        .iter()
        .filter(|finding| {
            finding.kind != FindingType::Pass
                && finding.suppressed.is_none()
                && match &finding.system {
                    Some(id) => *id == facts.system.id,
                    // With several systems, it is not known which of them it concerns.
                    None => facts.systems <= 1,
                }
                // What this engine's drafts lack is said in the drafts themselves.
                && finding.file.as_deref().is_none_or(|file| !file.starts_with(OWN_DOCUMENTS))
                && article.is_none_or(|article| concerns(&provision(finding), article))
        })
        .collect();
    open.sort_by(|a, b| {
        (std::cmp::Reverse(a.severity), &a.file, a.line, &a.id).cmp(&(
            std::cmp::Reverse(b.severity),
            &b.file,
            b.line,
            &b.id,
        ))
    });
    open.into_iter()
        .map(|finding| {
            let missing = missing_document(finding);
            // The place of a document that does not exist is the first call of the system, which says nothing.
            let file = finding.file.clone().filter(|_| missing.is_none());
            vec![
                match missing {
                    Some(title) => Cell::text(format!("{}: {title}", finding.title)),
                    None => Cell::text(&finding.title),
                },
                file.map_or_else(|| Cell::text("whole system"), |file| Cell::Place(file, finding.line)),
                Cell::text(finding.severity.name()),
                Cell::text(provision(finding)),
            ]
        })
        .collect()
}

/// Whether a name is that of the plugin for a provider, which a framework takes where others take tools.
fn names_provider(tool: &str, provider: Option<&str>) -> bool {
    let tool = tool.to_ascii_lowercase();
    provider.is_some_and(|provider| tool == provider || tool.strip_suffix("ai") == Some(provider))
}

/// The title of the document that a finding misses, which its fix names by the id.
fn missing_document(finding: &Finding) -> Option<&'static str> {
    let fix = finding.fix.as_deref().filter(|_| finding.check_id == MISSING)?;
    let id = fix.strip_prefix("Write the document `")?.split('`').next()?;
    regulation().document(id).map(|document| document.title.as_str())
}

fn controls(facts: &Facts<'_>) -> Vec<Vec<Cell>> {
    let Some(framework) = regulation().framework(CONTROLS_OF) else {
        return Vec::new();
    };
    framework
        .controls
        .iter()
        .map(|control| {
            let ids: BTreeSet<&str> = regulation()
                .obligations_for_control(CONTROLS_OF, &control.id)
                .map(|obligation| obligation.id.as_str())
                .collect();
            let mut places: Vec<String> = facts
                .system
                .obligations
                .iter()
                .filter(|record| ids.contains(record.obligation_id.as_str()))
                .filter(|record| record.status == ObligationStatus::Evidenced)
                .flat_map(|record| &record.evidence)
                .filter_map(place_text)
                .collect();
            places.sort();
            places.dedup();
            let evidence = if places.is_empty() {
                Cell::text("none found in the files that were read")
            } else {
                Cell::Places(places)
            };
            vec![Cell::text(&control.id), Cell::text(&control.title), evidence]
        })
        .collect()
}

fn document_row(document: &Document) -> Vec<Cell> {
    let title = regulation()
        .document(&document.kind)
        .map_or(document.kind.as_str(), |kind| kind.title.as_str());
    vec![
        Cell::text(title),
        Cell::Place(document.file.clone(), None),
        Cell::text(format!("{} %", document.completeness)),
        Cell::text(state_of_document(document)),
    ]
}

/// Whether a document is a draft of this engine, which says nothing about the others.
fn is_own_draft(document: &Document) -> bool {
    document.draft && document.file.starts_with(OWN_DOCUMENTS)
}

/// Each piece of evidence once, with every provision that it is for.
fn evidence_rows<'r>(records: impl Iterator<Item = &'r ObligationRecord>) -> Vec<Vec<Cell>> {
    let mut rows: Vec<(Vec<Cell>, Vec<&str>)> = Vec::new();
    let mut at: BTreeMap<Vec<Cell>, usize> = BTreeMap::new();
    for record in records {
        let kind_of = |evidence: &Evidence| match record.status {
            ObligationStatus::Evidenced => Some(kind(evidence.kind).to_owned()),
            ObligationStatus::Incomplete => Some(format!("{}, partial", kind(evidence.kind))),
            _ => None,
        };
        for evidence in &record.evidence {
            let Some(kind) = kind_of(evidence) else { continue };
            if is_said_again(evidence, &record.evidence) {
                continue;
            }
            let row = vec![
                Cell::text(evidence_words(evidence)),
                Cell::text(kind),
                evidence_place(evidence),
            ];
            let next = rows.len();
            let index = *at.entry(row.clone()).or_insert(next);
            if index == next {
                rows.push((row, Vec::new()));
            }
            let articles = &mut rows[index].1;
            if !articles.contains(&record.article.as_str()) {
                articles.push(&record.article);
            }
        }
    }
    let with_articles = |(mut row, articles): (Vec<Cell>, Vec<&str>)| {
        row.push(Cell::text(articles.join(", ")));
        row
    };
    rows.into_iter().map(with_articles).collect()
}

/// Evidence as people read it: documents by their titles, and a bare name of code as the call that it is.
fn evidence_words(evidence: &Evidence) -> String {
    let reference = evidence.reference.as_str();
    let (id, rest) = reference.split_once(' ').unwrap_or((reference, ""));
    match (evidence.kind, regulation().document(id)) {
        (EvidenceKind::Document, Some(document)) => format!("{} {rest}", document.title).trim_end().to_owned(),
        (EvidenceKind::Code, _) if rest.is_empty() => format!("call of {reference}"),
        _ => reference.to_owned(),
    }
}

/// Whether another piece of evidence says the same of the same document, and how much of it is filled.
fn is_said_again(evidence: &Evidence, all: &[Evidence]) -> bool {
    evidence.kind == EvidenceKind::Document
        && all.iter().any(|other| {
            other.file == evidence.file
                && other.reference.len() > evidence.reference.len()
                && other.reference.starts_with(&format!("{} (", evidence.reference))
        })
}

fn evidence_place(evidence: &Evidence) -> Cell {
    evidence.file.clone().map_or_else(
        || Cell::text("outside the project"),
        |file| Cell::Place(file, evidence.line),
    )
}

fn place_text(evidence: &Evidence) -> Option<String> {
    let file = evidence.file.as_ref()?;
    Some(
        evidence
            .line
            .map_or_else(|| file.clone(), |line| format!("{file}:{line}")),
    )
}

fn place_of(call: &Call) -> Cell {
    Cell::Place(call.file.clone(), Some(call.line))
}

/// The places in the product within the folder of the system; none where there is none.
fn own_places(facts: &Facts<'_>, places: &[String]) -> Option<Vec<String>> {
    let own: Vec<String> = places
        .iter()
        .filter(|place| {
            let file = place.rsplit_once(':').map_or(place.as_str(), |(file, _)| file);
            Zone::of_path(file, "") == Zone::Product && facts.owns(file)
        })
        .cloned()
        .collect();
    (!own.is_empty()).then_some(own)
}

fn distinct(rows: Vec<Vec<Cell>>) -> Vec<Vec<Cell>> {
    let mut seen = BTreeSet::new();
    rows.into_iter().filter(|row| seen.insert(row.clone())).collect()
}
