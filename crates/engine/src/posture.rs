//! The last scan in short, and the status of a project in parts. Both are read from what is kept; nothing is evaluated again.

mod shapes;

use std::collections::BTreeMap;

use engine_eval::EvalResult;
use engine_model::{
    Action, ActionKind, Applies, Document, DocumentState, ErrorCode, Failure, FindingType, ObligationStatus,
    ScanResult, Severity,
};
use engine_passport::SignatureVerdict;
use engine_store::RunKind;

pub use shapes::{
    ActionPart, ArticleCount, Dimension, DocumentsPart, ObligationsPart, OpenObligation, PassportsPart, Posture,
    PostureAction, PostureCategory, PostureDisclaimer, PostureRequest, ReadinessPart, ReportedAction, ReportedDocument,
    ReportedPassport, StatusReport, SummaryPart,
};

use crate::documents::DueDocument;
use crate::reports::scanned;
use crate::{Engine, RegistryEntry, VerifyRequest, evals, gate};

/// Actions of a posture and of a report.
const ACTIONS_MAX: usize = 10;

/// The type of the fundamental rights impact assessment.
const FRIA: &str = "fria";

impl Engine {
    /// The last scan in short.
    pub fn posture(&self, request: &PostureRequest) -> Result<Posture, Failure> {
        let state = self.project_or_current(request.path.as_deref())?;
        let scan = scanned(&state)?;
        let path = state.path().to_string_lossy().into_owned();
        let passports = self.passports(Some(&path))?.len() as u64;
        let score = &scan.score;
        Ok(Posture {
            project_path: scan.project_path.clone(),
            scan_id: scan.id.clone(),
            scanned_at: scan.scanned_at.clone(),
            disclaimer: PostureDisclaimer {
                summary: format!(
                    "{} of {} obligations in force were evaluated. {}",
                    score.evaluated, score.applicable, scan.disclaimer
                ),
                covered_obligations: score.evaluated,
                total_applicable_obligations: score.applicable,
                coverage_percent: score.coverage,
                uncovered_count: score.applicable.saturating_sub(score.evaluated),
            },
            categories: categories(&scan),
            top_actions: actions(&scan, self.today()),
            passport_count: passports,
            document_count: scan.documents.len() as u64,
            score: scan.score.clone(),
        })
    }

    /// The status of a project in parts.
    pub fn status_report(&self, request: &PostureRequest) -> Result<StatusReport, Failure> {
        let state = self.project_or_current(request.path.as_deref())?;
        let scan = scanned(&state)?;
        let path = Some(state.path().to_string_lossy().into_owned());
        let now = self.timestamp();
        let chain = self.verify_evidence(&VerifyRequest {
            path: path.clone(),
            full: None,
        })?;
        let eval_score = match evals::last::<EvalResult>(&state, RunKind::Eval, None, None) {
            Ok(result) => result.score,
            Err(failure) if failure.code == ErrorCode::NoRunYet => None,
            Err(failure) => return Err(failure),
        };
        let documents = documents(&scan.documents, &crate::documents::due(&state, &scan)?);
        let passports = passports(&self.registry(path.as_deref())?, &scan.documents);
        let obligations = obligations(&scan);
        let actions = actions(&scan, self.today());
        let score = &scan.score;
        let scan_score = score.assessed.then_some(score.compliance);
        let mut dimensions = BTreeMap::new();
        let mut assessed = |name: &str, score: Option<f64>, meaning: &str| {
            if let Some(score) = score {
                let meaning = meaning.to_owned();
                let part = Dimension {
                    score,
                    available: true,
                    meaning,
                };
                dimensions.insert(name.to_owned(), part);
            }
        };
        assessed("scan", scan_score, "compliance score of the last scan");
        assessed("scanSecurity", score.security, "security score of the last scan");
        assessed(
            "documents",
            mean(documents.documents.iter().map(|one| f64::from(one.completeness))),
            "mean completeness of documents that exist or are due",
        );
        assessed(
            "passports",
            passports.average_completeness,
            "mean completeness of passports",
        );
        assessed("eval", eval_score, "score of the last evaluation of an endpoint");
        let evidence = if chain.valid { 100.0 } else { 0.0 };
        assessed("evidence", Some(evidence), "100 if the evidence chain is valid, else 0");
        let zone = zone(score.readiness, score.grade.is_some()).to_owned();
        Ok(StatusReport {
            generated_at: now.clone(),
            readiness: ReadinessPart {
                readiness_score: score.readiness,
                zone: zone.clone(),
                dimensions,
            },
            summary: SummaryPart {
                readiness_score: score.readiness,
                zone,
                scan_score,
                eval_score,
                total_obligations: obligations.total,
                covered_obligations: obligations.covered,
                total_findings: gate::open_gaps(&scan),
                critical_findings: open(&scan).filter(|one| one.severity == Severity::Critical).count() as u64,
                auto_fixable: open(&scan).filter(|one| one.fixable).count() as u64,
                evidence_chain_length: chain.entries,
                evidence_verified: chain.valid,
                scanned_at: scan.scanned_at.clone(),
                generated_at: now,
            },
            action_plan: ActionPart {
                shown: actions.len() as u64,
                total_actions: scan.actions.len() as u64,
                actions: actions.into_iter().map(ReportedAction::from).collect(),
            },
            documents,
            obligations,
            passports,
            disclaimer: scan.disclaimer.clone(),
        })
    }
}

fn open(scan: &ScanResult) -> impl Iterator<Item = &engine_model::Finding> {
    scan.findings
        .iter()
        .filter(|finding| finding.kind == FindingType::Fail && finding.suppressed.is_none())
}

/// The colour of a score. Nothing is green while too little was evaluated for a grade.
fn zone(score: f64, graded: bool) -> &'static str {
    if score < 50.0 {
        "red"
    } else if score < 80.0 || !graded {
        "yellow"
    } else {
        "green"
    }
}

/// A number with one decimal place.
fn rounded(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

/// A count as a number; counts here are small.
fn count(number: u64) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

fn mean(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = numbers.fold((0.0, 0.0), |(sum, count), number| (sum + number, count + 1.0));
    (count > 0.0).then(|| rounded(sum / count))
}

fn categories(scan: &ScanResult) -> Vec<PostureCategory> {
    let scores = &scan.score.category_scores;
    let all: f64 = scores.iter().map(|one| one.weight).sum();
    let mut categories: Vec<PostureCategory> = scores
        .iter()
        .map(|one| {
            let share = if all > 0.0 { 100.0 * one.weight / all } else { 0.0 };
            let to_gain = share * (100.0 - one.score) / 100.0;
            let failed = one.obligation_count.saturating_sub(one.passed_count);
            PostureCategory {
                category: one.category.clone(),
                score: one.score,
                weight: rounded(share),
                passed: one.passed_count,
                failed,
                impact: match to_gain {
                    gain if gain >= 20.0 => "high",
                    gain if gain >= 5.0 => "medium",
                    _ => "low",
                }
                .to_owned(),
                explanation: format!(
                    "{} of {} evaluated obligations have full evidence; {failed} have a gap or incomplete evidence.",
                    one.passed_count, one.obligation_count
                ),
            }
        })
        .collect();
    categories.sort_by(|one, other| {
        one.score
            .total_cmp(&other.score)
            .then(one.category.cmp(&other.category))
    });
    categories
}

fn actions(scan: &ScanResult, today: engine_model::Date) -> Vec<PostureAction> {
    let number = scan.actions.len();
    let listed = scan.actions.iter().take(ACTIONS_MAX).enumerate();
    listed
        .map(|(place, action)| {
            let (source, id) = subject(action);
            PostureAction {
                rank: action.rank,
                source: source.to_owned(),
                id,
                title: match &action.place {
                    Some(place) => format!("{} ({place})", action.title),
                    None => action.title.clone(),
                },
                severity: action.severity.map_or("info", Severity::name).to_owned(),
                fix_available: scan
                    .findings
                    .iter()
                    .any(|finding| finding.fixable && action.findings.contains(&finding.id)),
                command: action.command.clone().unwrap_or_default(),
                priority_score: count((number - place) as u64),
                days_left: action
                    .until
                    .and_then(|until| today.until(until).ok())
                    .map(|span| span.get_days())
                    .filter(|days| *days >= 0),
            }
        })
        .collect()
}

/// What an action is about.
fn subject(action: &Action) -> (&'static str, String) {
    let first = |list: &[String]| list.first().cloned();
    match (action.kind, first(&action.findings), first(&action.obligations)) {
        (ActionKind::Decide, ..) => ("question", action.question.clone().unwrap_or_default()),
        (_, Some(finding), _) => ("scan", finding),
        (_, None, obligation) => ("obligation", obligation.unwrap_or_default()),
    }
}

fn documents(found: &[Document], due: &[DueDocument]) -> DocumentsPart {
    let systems = |kind: &str| -> Vec<String> {
        let due = due.iter().filter(|one| one.kind == kind);
        due.map(|one| one.system.clone()).collect()
    };
    let title = |kind: &str| {
        let known = engine_documents::kind(kind);
        known.map_or_else(|| kind.to_owned(), |kind| kind.title().to_owned())
    };
    let mut documents: Vec<ReportedDocument> = found
        .iter()
        .map(|document| ReportedDocument {
            doc_type: document.kind.clone(),
            title: title(&document.kind),
            status: match document.state {
                DocumentState::Scaffold => "scaffold",
                DocumentState::Filled if !document.draft => "filled",
                DocumentState::Filled | DocumentState::Partial => "draft",
            }
            .to_owned(),
            completeness: document.completeness,
            file: Some(document.file.clone()),
            systems: systems(&document.kind),
        })
        .collect();
    let mut missing: Vec<&str> = due.iter().map(|one| one.kind.as_str()).collect();
    missing.sort_unstable();
    missing.dedup();
    missing.retain(|kind| !found.iter().any(|document| document.kind == *kind));
    documents.extend(missing.into_iter().map(|kind| ReportedDocument {
        doc_type: kind.to_owned(),
        title: title(kind),
        status: "missing".to_owned(),
        completeness: 0,
        file: None,
        systems: systems(kind),
    }));
    let mut by_status: BTreeMap<String, u64> = BTreeMap::new();
    for document in &documents {
        *by_status.entry(document.status.clone()).or_default() += 1;
    }
    DocumentsPart {
        total: documents.len() as u64,
        by_status,
        documents,
    }
}

fn obligations(scan: &ScanResult) -> ObligationsPart {
    let mut part = ObligationsPart::default();
    let mut articles: BTreeMap<(u32, String), ArticleCount> = BTreeMap::new();
    let in_force = scan
        .obligations
        .iter()
        .filter(|one| one.record.applies == Applies::Applies);
    for one in in_force {
        let record = &one.record;
        let covered = u64::from(record.status == ObligationStatus::Evidenced);
        part.total += 1;
        part.covered += covered;
        *part.by_status.entry(status_name(record.status).to_owned()).or_default() += 1;
        let (number, article) = article_of(&record.article);
        let count = articles.entry((number, article.clone())).or_insert(ArticleCount {
            article,
            total: 0,
            covered: 0,
        });
        count.total += 1;
        count.covered += covered;
        if record.status == ObligationStatus::Gap {
            part.critical.push(OpenObligation {
                id: record.obligation_id.clone(),
                article: record.article.clone(),
                title: record.title.clone(),
                system: one.system.clone(),
            });
        }
    }
    part.by_article = articles.into_values().collect();
    if part.total > 0 {
        part.coverage_percent = rounded(100.0 * count(part.covered) / count(part.total));
    }
    part
}

const fn status_name(status: ObligationStatus) -> &'static str {
    match status {
        ObligationStatus::Evidenced => "evidenced",
        ObligationStatus::Gap => "gap",
        ObligationStatus::Incomplete => "incomplete",
        ObligationStatus::NotEvaluated => "not_evaluated",
    }
}

/// The first article of a list of provisions, with its number for the order.
fn article_of(provisions: &str) -> (u32, String) {
    let first = provisions.split(',').next().unwrap_or_default();
    let article = first.split('(').next().unwrap_or_default().trim();
    let digits: String = article.chars().filter(char::is_ascii_digit).collect();
    (digits.parse().unwrap_or(u32::MAX), article.to_owned())
}

fn passports(registry: &[RegistryEntry], documents: &[Document]) -> PassportsPart {
    let fria_completed = documents
        .iter()
        .any(|document| document.kind == FRIA && document.state == DocumentState::Filled && !document.draft);
    let passports: Vec<ReportedPassport> = registry
        .iter()
        .filter_map(|entry| {
            Some(ReportedPassport {
                name: entry.name.clone(),
                completeness: entry.completeness?,
                signed: entry.signature == Some(SignatureVerdict::Valid),
                fria_completed,
            })
        })
        .collect();
    PassportsPart {
        total_agents: registry.len() as u64,
        average_completeness: mean(passports.iter().map(|one| one.completeness)),
        passports,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_readiness_without_a_grade_is_never_green() {
        assert_eq!(
            [zone(49.9, true), zone(79.9, true), zone(80.0, true), zone(100.0, false)],
            ["red", "yellow", "green", "yellow"]
        );
    }

    #[test]
    fn provisions_are_grouped_by_their_first_article() {
        assert_eq!(article_of("Art. 50(1), Art. 50(5)"), (50, "Art. 50".to_owned()));
        assert_eq!(article_of("Art. 4a(1)"), (4, "Art. 4a".to_owned()));
        assert_eq!(article_of("Annex XI").0, u32::MAX);
    }

    #[test]
    fn a_mean_of_nothing_is_none() {
        assert_eq!(mean([].into_iter()), None);
        assert_eq!(mean([50.0, 25.0].into_iter()), Some(37.5));
    }
}
