//! SARIF 2.1.0: one run, relative addresses, and nothing that differs between two equal results.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use engine_model::{ActionKind, Date, Evidence, Finding, FindingType, ScanResult, Severity, SkipReason, SkippedRecord};
use serde_json::{Map, Value, json};

use crate::assessment::{needs_assessment, nothing_assessed};
use crate::foreign::{clean, clean_paragraph, clip, thousands};
use crate::view;

/// The schema that the log follows.
const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The base of all addresses; whoever reads the log knows where the project lies.
const ROOT: &str = "%SRCROOT%";

/// The text of the Act, for whoever wants to read on.
const LAW: &str = "https://eur-lex.europa.eu/eli/reg/2024/1689/oj";

/// The name under which a result carries the id of its finding.
const FINGERPRINT: &str = "complianceFindingId/v1";

/// The id of the result that says that nothing was assessed.
const UNASSESSED: &str = "not-assessed";

/// Results that code scanning on GitHub takes from one run.
const RESULTS_MAX: usize = 25_000;

/// Characters of a description that code scanning on GitHub takes.
const DESCRIPTION_MAX: usize = 1_000;

/// Other places listed with a result.
const RELATED_MAX: usize = 10;

/// The log of a result beside an earlier one: what is new, what is as it was, and what is gone.
pub(crate) fn render_against<'a>(before: &'a ScanResult, scan: &'a ScanResult) -> Value {
    let by_id = |scan: &'a ScanResult| -> BTreeMap<&'a str, &'a Finding> {
        scan.findings
            .iter()
            .map(|finding| (finding.id.as_str(), finding))
            .collect()
    };
    let (old, now) = (by_id(before), by_id(scan));
    let mut both = scan.clone();
    let gone = before
        .findings
        .iter()
        .filter(|finding| !now.contains_key(finding.id.as_str()));
    both.findings.extend(gone.cloned());
    // What is gone is no action any more.
    let mut log = log(&both, &ranks(scan));
    for value in log["runs"][0]["results"].as_array_mut().into_iter().flatten() {
        if value["ruleId"] == UNASSESSED {
            let known = nothing_assessed(before) == nothing_assessed(scan);
            value["baselineState"] = json!(if known { "unchanged" } else { "new" });
            continue;
        }
        let id = value["partialFingerprints"][FINGERPRINT].as_str().unwrap_or_default();
        let said = |finding: &&Finding| (finding.kind, finding.severity, finding.message.clone());
        let state = match (old.get(id), now.get(id)) {
            (None, _) => "new",
            (Some(_), None) => "absent",
            (Some(old), Some(now)) if said(old) == said(now) => "unchanged",
            _ => "updated",
        };
        value["baselineState"] = json!(state);
    }
    log
}

pub(crate) fn render(scan: &ScanResult) -> Value {
    log(scan, &ranks(scan))
}

/// Adds fixes to the results of a log.
pub(crate) fn add_fixes(log: &mut Value, of: impl Fn(&str) -> Option<Value>) {
    for value in log["runs"][0]["results"].as_array_mut().into_iter().flatten() {
        let id = value["partialFingerprints"][FINGERPRINT].as_str().unwrap_or_default();
        if let Some(fixes) = of(id) {
            value["fixes"] = fixes;
        }
    }
}

fn log(scan: &ScanResult, ranks: &Ranks) -> Value {
    let unassessed = nothing_assessed(scan);
    let mut ordered: Vec<&Finding> = scan.findings.iter().collect();
    // The order in which a person should act; what asks for nothing comes last.
    ordered.sort_by_key(|finding| ranks.get(finding.id.as_str()).map_or(u64::MAX, |(rank, _)| *rank));
    ordered.truncate(RESULTS_MAX - usize::from(unassessed.is_some()));
    let shown = ordered.len() as u64;
    let known = rules(&ordered);
    let order: BTreeMap<&str, usize> = known.keys().enumerate().map(|(index, id)| (*id, index)).collect();
    // Where one result says whether it was suppressed, all have to.
    let suppresses = ordered.iter().any(|finding| finding.suppressed.is_some());
    let mut results: Vec<Value> = ordered
        .into_iter()
        .map(|finding| result(scan, finding, &order, ranks, suppresses))
        .collect();
    let mut rules: Vec<Value> = known.values().map(Rule::value).collect();
    if let Some(why) = unassessed {
        results.push(unassessed_result(scan, &why, rules.len(), suppresses));
        rules.push(unassessed_rule());
    }
    let reasons: BTreeSet<&str> = scan.files_skipped.iter().map(|entry| reason_id(entry.reason)).collect();
    let mut notices: Vec<Value> = reasons
        .iter()
        .map(|id| json!({"id": format!("skipped/{id}"), "shortDescription": {"text": format!("Not read: {}", id.replace('-', " "))}}))
        .collect();
    notices.push(json!({"id": "left-out", "shortDescription": {"text": "Entries that are counted but not listed"}}));
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {
                "driver": {
                    "name": "Local Compliance Engine",
                    "version": clean(&scan.engine_version),
                    "notifications": notices,
                    "rules": rules,
                }
            },
            "originalUriBaseIds": {
                ROOT: {"description": {"text": "The root of the scanned project."}}
            },
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": true,
                "toolExecutionNotifications": notifications(scan, shown),
            }],
            "results": results,
            "properties": {
                "applicability": scan.applicability,
                "applicabilityReason": clean(&scan.applicability_reason),
                "asOf": scan.as_of,
                "assessed": scan.score.assessed,
                "gate": scan.gate.as_ref().map(|gate| gate.verdict),
                "disclaimer": clean(&scan.disclaimer),
                "regulationVersion": clean(&scan.regulation_version),
            }
        }]
    })
}

/// What the findings of one check say about it.
struct Rule<'a> {
    first: &'a Finding,
    severity: Severity,
    fixes: BTreeSet<&'a str>,
    articles: BTreeSet<&'a str>,
    obligations: BTreeSet<&'a str>,
    penalties: BTreeSet<&'a str>,
    applies_from: Option<Date>,
}

fn rules<'a>(findings: &[&'a Finding]) -> BTreeMap<&'a str, Rule<'a>> {
    let mut rules: BTreeMap<&str, Rule<'_>> = BTreeMap::new();
    for finding in findings.iter().copied() {
        let rule = rules.entry(&finding.check_id).or_insert_with(|| Rule {
            first: finding,
            severity: finding.severity,
            fixes: BTreeSet::new(),
            articles: BTreeSet::new(),
            obligations: BTreeSet::new(),
            penalties: BTreeSet::new(),
            applies_from: None,
        });
        rule.severity = rule.severity.max(finding.severity);
        rule.fixes.extend(finding.fix.as_deref().filter(|fix| !fix.is_empty()));
        rule.obligations.extend(finding.obligation_id.as_deref());
        if let Some(explanation) = &finding.explanation {
            rule.articles.insert(&explanation.article);
            rule.penalties.extend(explanation.penalty.as_deref());
            rule.applies_from = match (rule.applies_from, explanation.applies_from) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
        }
    }
    rules
}

impl Rule<'_> {
    fn value(&self) -> Value {
        let title = sentence(&self.first.title);
        let mut full = title.clone();
        let mut text = title.clone();
        let mut markdown = plain_markdown(&title);
        let mut add = |label: &str, words: &str| {
            let _ = write!(text, "\n\n{label}: {words}");
            let _ = write!(markdown, "\n\n**{label}:** {}", plain_markdown(words));
        };
        if !self.articles.is_empty() {
            let mut law = join(&self.articles);
            if let Some(date) = self.applies_from {
                let _ = write!(law, ", from {date}");
            }
            let _ = write!(full, " {law}.");
            add("Provision", &law);
        }
        if let Some(why) = self
            .first
            .explanation
            .as_ref()
            .map(|e| sentence(&e.why))
            .filter(|why| why.len() > 1)
        {
            let _ = write!(full, " {why}");
            add("Why", &why);
        }
        if let Some(fix) = self.fixes.first() {
            add("What to do", &clip(fix, DESCRIPTION_MAX));
        }
        if !self.penalties.is_empty() {
            add("Ceiling of the fine", &join(&self.penalties));
        }
        add(
            "Note",
            "Self-assessed from source code: an indicator, not a legal opinion.",
        );
        let tags: Vec<String> = ["eu-ai-act".to_owned(), format!("{:?}", self.first.layer)]
            .into_iter()
            .chain(self.articles.iter().take(10).map(|article| clean(article).into_owned()))
            .collect();
        let mut properties = Map::new();
        properties.insert("tags".to_owned(), json!(tags));
        if !self.articles.is_empty() {
            properties.insert("article".to_owned(), json!(join(&self.articles)));
        }
        if !self.obligations.is_empty() {
            properties.insert("obligation".to_owned(), json!(join(&self.obligations)));
        }
        if let Some(date) = self.applies_from {
            properties.insert("appliesFrom".to_owned(), json!(date));
        }
        let mut rule = json!({
            "id": self.first.check_id,
            "shortDescription": {"text": clip(&title, DESCRIPTION_MAX)},
            "fullDescription": {"text": clip(&full, DESCRIPTION_MAX)},
            "help": {"text": text, "markdown": markdown},
            "defaultConfiguration": {"level": level(self.severity)},
            "properties": properties,
        });
        if !self.articles.is_empty() {
            rule["helpUri"] = json!(LAW);
        }
        rule
    }
}

/// The rank and the part of the report of each finding that asks for something.
type Ranks = BTreeMap<String, (u64, ActionKind)>;

fn ranks(scan: &ScanResult) -> Ranks {
    crate::actions(scan)
        .into_iter()
        .flat_map(|action| {
            let of = (action.rank, action.kind);
            action.findings.into_iter().map(move |id| (id, of))
        })
        .collect()
}

/// A result that says that nothing was assessed: a log without results would read like a pass.
fn unassessed_result(scan: &ScanResult, why: &str, rule: usize, suppresses: bool) -> Value {
    let kind = if needs_assessment(scan) {
        "open"
    } else {
        "notApplicable"
    };
    let file = scan.systems.first().and_then(|system| system.files.first());
    let mut value = json!({
        "ruleId": UNASSESSED,
        "ruleIndex": rule,
        "kind": kind,
        "level": "none",
        "message": {"text": crate::sentences::sentence(why)},
        "locations": [place(file.map_or(".", String::as_str), None)],
        "partialFingerprints": {FINGERPRINT: UNASSESSED},
    });
    if suppresses {
        value["suppressions"] = json!([]);
    }
    value
}

fn unassessed_rule() -> Value {
    let text = "No obligation was assessed. A list without gaps is then not a pass.";
    json!({
        "id": UNASSESSED,
        "shortDescription": {"text": "Not assessed."},
        "fullDescription": {"text": text},
        "help": {"text": text, "markdown": text},
        "defaultConfiguration": {"level": "none"},
    })
}

fn result(
    scan: &ScanResult,
    finding: &Finding,
    order: &BTreeMap<&str, usize>,
    ranks: &Ranks,
    suppresses: bool,
) -> Value {
    // The standard asks for the level `none` wherever the kind is not `fail`.
    let (kind, level) = match finding.kind {
        // What must be fixed now is an error whatever its severity.
        _ if finding.is_urgent() => ("fail", "error"),
        FindingType::Fail => ("fail", level(finding.severity)),
        FindingType::Pass => ("pass", "none"),
        FindingType::Info => ("informational", "none"),
    };
    let mut text = message(&finding.message);
    if let (FindingType::Fail, Some(provision)) = (finding.kind, view::provision(finding, scan.as_of)) {
        let _ = write!(text, " ({})", message(&provision));
    }
    let mut properties = Map::new();
    properties.insert("severity".to_owned(), json!(finding.severity));
    properties.insert("confidence".to_owned(), json!(finding.confidence));
    properties.insert("layer".to_owned(), json!(finding.layer));
    if let Some(impact) = finding.impact {
        properties.insert("impact".to_owned(), json!(impact));
    }
    if let Some((rank, kind)) = ranks.get(&finding.id) {
        properties.insert("actionRank".to_owned(), json!(rank));
        properties.insert("actionKind".to_owned(), json!(kind));
    }
    let mut add = |key: &str, value: Option<String>| {
        if let Some(value) = value {
            properties.insert(key.to_owned(), Value::String(value));
        }
    };
    add("system", finding.system.as_deref().map(|s| clean(s).into_owned()));
    add("obligation", finding.obligation_id.clone());
    add("article", finding.explanation.as_ref().map(|e| e.article.clone()));
    add(
        "appliesFrom",
        finding
            .explanation
            .as_ref()
            .and_then(|e| e.applies_from)
            .map(|date| date.to_string()),
    );
    add("fix", finding.fix.as_deref().map(|fix| clip(fix, DESCRIPTION_MAX)));
    if let Some(cell) = finding.cell {
        properties.insert("cell".to_owned(), json!(cell));
    }
    if finding.file.is_none() {
        properties.insert("projectLevel".to_owned(), json!(true));
    }
    let mut value = json!({
        "ruleId": finding.check_id,
        "kind": kind,
        "level": level,
        "message": {"text": text},
        "locations": [location(scan, finding)],
        "partialFingerprints": {FINGERPRINT: finding.id},
        "properties": properties,
    });
    if let Some(index) = order.get(finding.check_id.as_str()) {
        value["ruleIndex"] = json!(index);
    }
    let related = related(finding);
    if !related.is_empty() {
        value["relatedLocations"] = json!(related);
    }
    if suppresses {
        value["suppressions"] = suppressions(finding);
    }
    value
}

/// Only a comment beside the code carries neither an owner nor an end.
fn suppressions(finding: &Finding) -> Value {
    let Some(suppression) = &finding.suppressed else {
        return json!([]);
    };
    let in_source = suppression.owner.is_none() && suppression.until.is_none();
    let mut properties = Map::new();
    properties.insert("kind".to_owned(), json!(clean(&suppression.kind)));
    if let Some(owner) = &suppression.owner {
        properties.insert("owner".to_owned(), json!(clean(owner)));
    }
    if let Some(until) = suppression.until {
        properties.insert("until".to_owned(), json!(until));
    }
    json!([{
        "kind": if in_source { "inSource" } else { "external" },
        "status": "accepted",
        "justification": clean(&suppression.reason),
        "properties": properties,
    }])
}

/// Where a result is shown; readers of SARIF refuse a result without a place.
fn location(scan: &ScanResult, finding: &Finding) -> Value {
    if let Some(file) = &finding.file {
        let mut physical = json!({"artifactLocation": artifact(file)});
        if let Some(region) = region(finding) {
            physical["region"] = region;
        }
        return json!({"physicalLocation": physical});
    }
    let (file, line) = view::place_of(scan, finding);
    place(&file, line)
}

fn place(file: &str, line: Option<u32>) -> Value {
    let mut physical = json!({"artifactLocation": artifact(file)});
    if let Some(line) = line.filter(|line| *line > 0) {
        physical["region"] = json!({"startLine": line});
    }
    json!({"physicalLocation": physical})
}

fn region(finding: &Finding) -> Option<Value> {
    let start = finding.line.filter(|line| *line > 0)?;
    let mut region = json!({"startLine": start});
    let column = finding.column.filter(|column| *column > 0);
    if let Some(column) = column {
        region["startColumn"] = json!(column);
    }
    if let Some(end) = finding.end_line.filter(|end| *end >= start) {
        region["endLine"] = json!(end);
        // A column that lies before the start would turn the region around.
        if let Some(end_column) = finding
            .end_column
            .filter(|c| *c > 0 && (end > start || column.is_some_and(|s| *c >= s)))
        {
            region["endColumn"] = json!(end_column);
        }
    }
    Some(region)
}

fn related(finding: &Finding) -> Vec<Value> {
    let elsewhere = |evidence: &&Evidence| {
        evidence.file.is_some() && (evidence.file != finding.file || evidence.line != finding.line)
    };
    finding
        .evidence
        .iter()
        .filter(elsewhere)
        .take(RELATED_MAX)
        .filter_map(|evidence| {
            let mut location = place(evidence.file.as_deref()?, evidence.line);
            if evidence.reference != finding.check_id && !evidence.reference.is_empty() {
                location["message"] = json!({"text": message(&evidence.reference)});
            }
            Some(location)
        })
        .collect()
}

fn notifications(scan: &ScanResult, shown: u64) -> Vec<Value> {
    let mut all: Vec<Value> = scan.files_skipped.iter().map(skipped).collect();
    let listed = scan.files_skipped.len() as u64;
    let left_out = |number: u64, what: &str| {
        json!({
            "descriptor": {"id": "left-out"},
            "level": "note",
            "message": {"text": format!("{what}: {} more than listed here", thousands(number))},
        })
    };
    if scan.files_skipped_total > listed {
        all.push(left_out(scan.files_skipped_total - listed, "files or folders not read"));
    }
    if scan.findings_total > shown {
        all.push(left_out(scan.findings_total - shown, "findings"));
    }
    all
}

fn skipped(entry: &SkippedRecord) -> Value {
    let bytes = entry.bytes.map(|bytes| format!(" ({} bytes)", thousands(bytes)));
    let mut place = json!({"artifactLocation": artifact(&entry.path)});
    if let Some(lines) = entry.lines.first() {
        place["region"] = json!({"startLine": lines.first, "endLine": lines.last});
    }
    json!({
        "descriptor": {"id": format!("skipped/{}", reason_id(entry.reason))},
        "level": "note",
        "message": {"text": format!("not read: {}{}{}", view::skip_words(entry.reason), view::lines_of(entry), bytes.unwrap_or_default())},
        "locations": [{"physicalLocation": place}],
    })
}

const fn reason_id(reason: SkipReason) -> &'static str {
    match reason {
        SkipReason::Ignored => "ignored",
        SkipReason::DependencyFolder => "dependency-folder",
        SkipReason::VirtualEnvironment => "virtual-environment",
        SkipReason::BuildOutput => "build-output",
        SkipReason::VersionControl => "version-control",
        SkipReason::EngineState => "engine-state",
        SkipReason::SymbolicLink => "symbolic-link",
        SkipReason::TooLarge => "too-large",
        SkipReason::TooDeep => "too-deep",
        SkipReason::TreeLimit => "tree-limit",
        SkipReason::NotRegular => "not-regular",
        SkipReason::Unreadable => "unreadable",
        SkipReason::Vanished => "vanished",
        SkipReason::NameEncoding => "name-encoding",
        SkipReason::NotEvaluated => "not-evaluated",
        SkipReason::NotParsed => "not-parsed",
    }
}

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical | Severity::High => "error",
        Severity::Medium => "warning",
        Severity::Low | Severity::Info => "note",
    }
}

pub(crate) fn artifact(path: &str) -> Value {
    json!({"uri": uri(path), "uriBaseId": ROOT})
}

/// A relative reference: every byte that is not plainly allowed in a segment is percent-encoded, and nothing can make
/// it absolute, neither a leading slash nor a colon.
fn uri(path: &str) -> String {
    let path = path.trim_start_matches('/');
    if path.is_empty() {
        return ".".to_owned();
    }
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// Foreign text as a message: clean, and with nothing that viewers take for a link.
fn message(text: &str) -> String {
    let text = clean_paragraph(text).replace("](", "] (");
    if text.is_empty() { "(no text)".to_owned() } else { text }
}

fn sentence(text: &str) -> String {
    let text = message(text);
    if text.ends_with(['.', '!', '?', '…']) {
        text
    } else {
        format!("{text}.")
    }
}

fn join(words: &BTreeSet<&str>) -> String {
    clip(&words.iter().copied().collect::<Vec<_>>().join("; "), DESCRIPTION_MAX)
}

fn plain_markdown(text: &str) -> String {
    crate::markdown::prose(text)
}
