//! Read-only tools over the last scan, the passports and the law data. Each gives a short JSON text; none changes anything.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use engine_llm::Tool;
use engine_model::{Applies, Finding, FindingType, ObligationStatus, ScanResult, Severity};
use engine_passport::Document;
use engine_regulation::regulation;
use serde_json::{Map, Value, json};

/// Characters of a result; what is longer is cut and says so.
const RESULT_CHARS: usize = 6_000;

/// Rows of a list.
const ROWS_MAX: usize = 20;

/// Findings in the extract.
const EXTRACT_FINDINGS: usize = 6;

/// Obligations in the extract.
const EXTRACT_OBLIGATIONS: usize = 5;

/// Characters of the extract: it must fit into a small model.
const EXTRACT_CHARS: usize = 3_000;

/// Shorter words say nothing about what is looked for.
const WORD_CHARS_MIN: usize = 4;

/// Every tool: its name, what it gives, and its parameters.
const TOOLS: [(&str, &str, &[&str]); 8] = [
    (
        "list_findings",
        "Findings of the last scan, most severe first. severity: critical, high, medium, low, info or all.",
        &["severity"],
    ),
    (
        "search_findings",
        "Findings whose title, message, file, check or article contains the words.",
        &["query"],
    ),
    ("get_finding", "One finding with its law, place and lines.", &["id"]),
    (
        "list_obligations",
        "Obligations of the project. status: gap, incomplete, evidenced, not_evaluated, upcoming or all.",
        &["status"],
    ),
    (
        "list_questions",
        "Open questions about the project that only a person can answer.",
        &[],
    ),
    ("list_passports", "The passports of the project's agents.", &[]),
    ("score_breakdown", "The score and how it comes about.", &[]),
    (
        "get_article",
        "What the law data says of an article or annex of the EU AI Act, such as 50 or annex III.",
        &["number"],
    ),
];

/// The tools as a model is offered them.
pub(super) fn offered() -> Vec<Tool> {
    TOOLS
        .iter()
        .map(|(name, description, parameters)| Tool {
            name: (*name).to_owned(),
            description: (*description).to_owned(),
            parameters: parameters.iter().map(|name| (*name).to_owned()).collect(),
        })
        .collect()
}

/// What the tools look at, as it was when the question came.
pub(super) struct Facts {
    scan: Arc<ScanResult>,
    passports: Vec<Value>,
    by_id: BTreeMap<String, usize>,
}

impl Facts {
    pub(super) fn new(scan: Arc<ScanResult>, passports: &[Document]) -> Self {
        let by_id = scan
            .findings
            .iter()
            .enumerate()
            .map(|(index, finding)| (finding.id.clone(), index))
            .collect();
        let passports = passports
            .iter()
            .take(ROWS_MAX)
            .map(|passport| {
                json!({
                    "name": passport.name(),
                    "riskClass": passport.text_at("compliance.eu_ai_act.risk_class"),
                    "purpose": passport.text_at("intended_purpose"),
                    "model": passport.text_at("model.model_id"),
                    "owner": passport.text_at("owner.team"),
                    "lifecycle": passport.text_at("lifecycle.status"),
                    "files": passport.texts_at("source_files").into_iter().take(5).collect::<Vec<_>>(),
                })
            })
            .collect();
        Self { scan, passports, by_id }
    }

    /// The title of a finding.
    pub(super) fn title_of(&self, id: &str) -> Option<String> {
        self.finding(id).map(|finding| finding.title.clone())
    }

    fn finding(&self, id: &str) -> Option<&Finding> {
        self.by_id.get(id).and_then(|index| self.scan.findings.get(*index))
    }

    /// What a tool gives.
    pub(super) fn call(&self, name: &str, arguments: &Map<String, Value>) -> String {
        let text = |name: &str| match arguments.get(name) {
            Some(Value::String(text)) => text.trim().to_owned(),
            Some(Value::Number(number)) => number.to_string(),
            _ => String::new(),
        };
        let value = match name {
            "list_findings" => self.list(&text("severity")),
            "search_findings" => self.search(&text("query")),
            "get_finding" => self.one(&text("id")),
            "list_obligations" => self.obligations(&text("status")),
            "list_questions" => self.questions(),
            "list_passports" => json!({ "passports": self.passports }),
            "score_breakdown" => self.score(),
            "get_article" => article(&text("number")),
            _ => json!({
                "error": "there is no such tool",
                "tools": TOOLS.iter().map(|(name, ..)| *name).collect::<Vec<_>>(),
            }),
        };
        cut(&value.to_string(), RESULT_CHARS)
    }

    fn list(&self, severity: &str) -> Value {
        let severity = severity.to_ascii_lowercase();
        let all = severity.is_empty() || severity == "all";
        let mut found: Vec<&Finding> = self
            .open()
            .filter(|finding| all || finding.severity.name() == severity)
            .collect();
        found.sort_by_key(|finding| (finding.kind != FindingType::Fail, Reverse(finding.severity)));
        json!({ "total": found.len(), "findings": found.into_iter().take(ROWS_MAX).map(row).collect::<Vec<_>>() })
    }

    fn search(&self, query: &str) -> Value {
        let found = self.matching(query);
        json!({ "total": found.len(), "findings": found.into_iter().take(ROWS_MAX).map(row).collect::<Vec<_>>() })
    }

    fn one(&self, id: &str) -> Value {
        let Some(finding) = self.finding(id) else {
            return json!({"error": "there is no finding with this id; copy an id from a list"});
        };
        let mut out = row(finding);
        if let Some(fields) = out.as_object_mut() {
            fields.insert("message".to_owned(), json!(finding.message));
            fields.insert("confidence".to_owned(), json!(finding.confidence));
            fields.insert("fix".to_owned(), json!(finding.fix));
            fields.insert(
                "suppressed".to_owned(),
                json!(finding.suppressed.as_ref().map(|why| &why.reason)),
            );
            fields.insert(
                "law".to_owned(),
                json!(finding.explanation.as_ref().map(|law| json!({
                    "article": law.article, "appliesFrom": law.applies_from, "why": law.why,
                }))),
            );
            let lines = finding.code_context.as_ref().map(|context| {
                let lines = context
                    .lines
                    .iter()
                    .map(|line| format!("{} | {}", line.num, line.content));
                lines.collect::<Vec<_>>().join("\n")
            });
            fields.insert("lines".to_owned(), json!(lines));
        }
        out
    }

    fn obligations(&self, status: &str) -> Value {
        let status = status.to_ascii_lowercase();
        if status == "upcoming" {
            let rows = self.scan.upcoming.iter().take(ROWS_MAX).map(|next| {
                json!({"id": next.obligation_id, "article": next.article, "title": next.title,
                    "appliesFrom": next.applies_from, "certain": next.certain})
            });
            return json!({ "total": self.scan.upcoming.len(), "upcoming": rows.collect::<Vec<_>>() });
        }
        let found: Vec<Value> = self
            .scan
            .obligations
            .iter()
            .filter(|one| status.is_empty() || status == "all" || json!(one.record.status) == json!(status))
            .map(|one| {
                json!({"id": one.record.obligation_id, "system": one.system, "article": one.record.article,
                    "title": one.record.title, "applies": one.record.applies, "status": one.record.status,
                    "appliesFrom": one.record.applies_from})
            })
            .collect();
        json!({ "total": found.len(), "obligations": found.into_iter().take(ROWS_MAX).collect::<Vec<_>>() })
    }

    fn questions(&self) -> Value {
        let all = self.scan.systems.iter().flat_map(|system| {
            system.questions.iter().map(|question| {
                json!({"system": system.id, "id": question.id, "text": question.text, "why": question.why,
                    "provision": question.provision, "command": question.command})
            })
        });
        json!({ "questions": all.take(ROWS_MAX).collect::<Vec<_>>() })
    }

    fn score(&self) -> Value {
        let score = &self.scan.score;
        let terms = score.breakdown.iter().take(2 * ROWS_MAX).map(|term| {
            json!({"obligation": term.obligation_id, "article": term.article, "weight": term.weight, "value": term.value,
                "counts": term.in_compliance})
        });
        json!({
            "assessed": score.assessed, "score": score.compliance, "readiness": score.readiness, "security": score.security,
            "coverage": score.coverage, "grade": score.grade, "formula": score.formula,
            "caps": score.caps.iter().map(|cap| json!({"cap": cap.cap, "reason": cap.reason})).collect::<Vec<_>>(),
            "breakdown": terms.collect::<Vec<_>>(),
        })
    }

    /// Findings that nobody suppressed.
    fn open(&self) -> impl Iterator<Item = &Finding> {
        self.scan.findings.iter().filter(|finding| finding.suppressed.is_none())
    }

    /// Findings that contain words of a text, those with more of them first.
    fn matching(&self, text: &str) -> Vec<&Finding> {
        let words: Vec<String> = text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| word.chars().count() >= WORD_CHARS_MIN || word.chars().all(|c| c.is_ascii_digit()))
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect();
        let mut found: Vec<(usize, &Finding)> = self
            .open()
            .filter_map(|finding| {
                let article = finding.explanation.as_ref().map_or("", |law| law.article.as_str());
                let file = finding.file.as_deref().unwrap_or_default();
                let text = format!(
                    "{} {} {} {file} {article} {}",
                    finding.title, finding.message, finding.check_id, finding.id
                )
                .to_lowercase();
                let hits = words.iter().filter(|word| text.contains(word.as_str())).count();
                (hits > 0).then_some((hits, finding))
            })
            .collect();
        found.sort_by_key(|(hits, finding)| {
            (
                Reverse(*hits),
                finding.kind != FindingType::Fail,
                Reverse(finding.severity),
            )
        });
        found.into_iter().map(|(_, finding)| finding).collect()
    }

    /// A short extract of the results for a question, for models without tools.
    pub(super) fn extract(&self, question: &str) -> String {
        let scan = &self.scan;
        let mut out = String::new();
        let gaps = self.open().filter(|finding| finding.kind == FindingType::Fail).count();
        let _ = writeln!(
            out,
            "Scan of {} (law as of {}): applicability {}; {gaps} open gaps; {} findings in all.",
            scan.scanned_at,
            scan.as_of,
            json!(scan.applicability).as_str().unwrap_or_default(),
            scan.findings.len()
        );
        if scan.score.assessed {
            let _ = writeln!(
                out,
                "Score {:.0} of 100, coverage {:.0} %, readiness {:.0}.",
                scan.score.compliance, scan.score.coverage, scan.score.readiness
            );
        } else {
            out.push_str("Score: not assessed.\n");
        }
        for system in scan.systems.iter().take(3) {
            let _ = writeln!(
                out,
                "System {}: risk class {} ({}), role {}.",
                system.id, system.risk_class, system.risk_basis, system.role
            );
        }
        let mut shown: Vec<&Finding> = self.matching(question);
        let mut severe: Vec<&Finding> = self
            .open()
            .filter(|finding| finding.kind == FindingType::Fail)
            .collect();
        severe.sort_by_key(|finding| Reverse(finding.severity));
        for finding in severe {
            if !shown.iter().any(|other| other.id == finding.id) {
                shown.push(finding);
            }
        }
        for finding in shown.into_iter().take(EXTRACT_FINDINGS) {
            let article = finding.explanation.as_ref().map_or("", |law| law.article.as_str());
            let place = match (&finding.file, finding.line) {
                (Some(file), Some(line)) => format!("{file}:{line}"),
                (Some(file), None) => file.clone(),
                _ => "the project".to_owned(),
            };
            let _ = writeln!(
                out,
                "Finding [{}] {}: {} at {place} ({article}).",
                finding.id,
                finding.severity.name(),
                finding.title
            );
        }
        let gaps = scan
            .obligations
            .iter()
            .filter(|one| one.record.status == ObligationStatus::Gap && one.record.applies == Applies::Applies);
        for one in gaps.take(EXTRACT_OBLIGATIONS) {
            let _ = writeln!(
                out,
                "Gap [{}] {} ({}).",
                one.record.obligation_id, one.record.title, one.record.article
            );
        }
        for number in article_numbers(question).into_iter().take(2) {
            if let Some(article) = regulation().article(&number) {
                let _ = writeln!(
                    out,
                    "Art. {}: {}. {}",
                    article.number,
                    article.title,
                    cut(&article.summary, 400)
                );
            }
        }
        let mut out = cut(&out, EXTRACT_CHARS);
        if !out.ends_with('\n') {
            out.push('\n');
        }
        out
    }
}

/// A finding as a row of a list.
fn row(finding: &Finding) -> Value {
    json!({
        "id": finding.id,
        "check": finding.check_id,
        "type": finding.kind,
        "severity": finding.severity,
        "title": finding.title,
        "article": finding.explanation.as_ref().map(|law| &law.article),
        "obligation": finding.obligation_id,
        "file": finding.file,
        "line": finding.line,
        "system": finding.system,
        "urgent": finding.severity >= Severity::High,
    })
}

/// The entry of an article or an annex in the law data.
fn article(number: &str) -> Value {
    let lower = number.to_ascii_lowercase();
    if let Some(annex) = lower.strip_prefix("annex") {
        let annex = annex.trim().to_ascii_uppercase();
        return match regulation().annex(&annex) {
            Some(annex) => {
                json!({"annex": annex.number, "title": annex.title, "summary": annex.summary, "binds": annex.binds,
                "changedBy2026_1744": annex.changed_by_2026_1744})
            }
            None => json!({"error": "the law data has no such annex"}),
        };
    }
    let number = article_numbers(&format!("art. {lower}")).into_iter().next();
    let Some(article) = number.as_deref().and_then(|number| regulation().article(number)) else {
        return json!({"error": "the law data has no such article"});
    };
    let duties = regulation()
        .obligations()
        .iter()
        .filter(|duty| duty.article == article.number)
        .take(ROWS_MAX)
        .map(|duty| json!({"id": duty.id, "title": duty.title, "references": duty.references, "appliesFrom": duty.applies_from}));
    json!({
        "article": article.number, "title": article.title, "summary": article.summary, "binds": article.binds,
        "appliesFrom": article.applies_from, "dateNote": article.date_note,
        "changedBy2026_1744": article.changed_by_2026_1744, "obligations": duties.collect::<Vec<_>>(),
    })
}

/// Numbers of articles that a text names, such as `50` or `4a`.
fn article_numbers(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let mut out = Vec::new();
    for (at, name) in lower.match_indices("art") {
        let rest = lower[at + name.len()..].trim_start_matches(|c: char| c.is_alphabetic() || c == '.' || c == ' ');
        let digits: String = rest.chars().take_while(char::is_ascii_digit).take(3).collect();
        if digits.is_empty() {
            continue;
        }
        let letter = rest[digits.len()..].chars().next().filter(char::is_ascii_lowercase);
        let number = format!("{digits}{}", letter.map(String::from).unwrap_or_default());
        for number in [number, digits] {
            if regulation().article(&number).is_some() {
                out.push(number);
                break;
            }
        }
    }
    out
}

fn cut(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        None => text.to_owned(),
        Some((at, _)) => format!("{} … (cut)", &text[..at]),
    }
}
