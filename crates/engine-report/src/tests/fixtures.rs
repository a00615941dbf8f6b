//! Results for the tests: built by hand, with the score, the gate and the actions that the engine computes.

use std::collections::BTreeMap;

use engine_model::{
    Applicability, Applies, CacheStats, Call, CallKind, ConfidenceLevel, Date, Document, DocumentState, Effect,
    EntryPoint, EntryPointKind, ErrorHandling, Evidence, EvidenceKind, Explanation, Finding, FindingType, GateResult,
    GateVerdict, Impact, Inventory, Layer, Logging, ObligationRecord, ObligationStatus, ProjectObligation, Question,
    QuestionOption, ScanResult, Sends, Severity, SkipReason, SkippedRecord, Suggestion, Summary, Suppression, System,
    UpcomingObligation, Zone,
};
use engine_regulation::regulation;
use engine_scoring::{CheckCounts, ScoreInput, score};
use serde_json::json;

use crate::{needs_assessment, not_assessed};

pub(super) fn date(text: &str) -> Date {
    text.parse().unwrap()
}

/// A result without any finding.
pub(super) fn nothing(path: &str, applicability: Applicability, reason: &str) -> ScanResult {
    ScanResult {
        id: "scan-1".to_owned(),
        project_path: path.to_owned(),
        scanned_at: "2026-09-01T10:00:00.000Z".to_owned(),
        as_of: date("2026-09-01"),
        score: score(&ScoreInput {
            applicability,
            systems: &[],
            findings: &[],
            checks: CheckCounts::default(),
        }),
        frameworks: BTreeMap::new(),
        applicability,
        applicability_reason: reason.to_owned(),
        systems: Vec::new(),
        obligations: Vec::new(),
        findings: Vec::new(),
        findings_total: 0,
        agents: Vec::new(),
        layers: BTreeMap::new(),
        layer_details: BTreeMap::new(),
        inventory: Inventory::default(),
        documents: Vec::new(),
        summary: Summary::default(),
        upcoming: Vec::new(),
        actions: Vec::new(),
        elapsed: 12.5,
        duration: 13,
        files_scanned: 1312,
        bytes_scanned: 400_000,
        files_skipped: Vec::new(),
        files_skipped_total: 0,
        languages: [
            ("python", 1200),
            ("typescript", 80),
            ("markdown", 20),
            ("go", 8),
            ("toml", 4),
        ]
        .map(|(name, number)| (name.to_owned(), number))
        .into(),
        regulation_version: "eu-ai-act@2026-07-27".to_owned(),
        engine_version: "0.1.0".to_owned(),
        disclaimer: "Self-assessed from source code: indicators and evidence, not a legal opinion. Compiled for \
                     software use; the Official Journal text prevails."
            .to_owned(),
        cache: CacheStats::default(),
        suppressions: Vec::new(),
        baseline: None,
        gate: None,
        profile: engine_model::ProfileRecord::default(),
        tools: Vec::new(),
        external_tool_results: Vec::new(),
        warnings: Vec::new(),
    }
}

pub(super) fn evidence(file: &str, line: u32, reference: &str) -> Evidence {
    Evidence {
        kind: EvidenceKind::Code,
        reference: reference.to_owned(),
        file: Some(file.to_owned()),
        line: Some(line),
        hash: None,
    }
}

pub(super) fn finding(
    check: &str,
    kind: FindingType,
    severity: Severity,
    place: Option<(&str, u32)>,
    message: &str,
) -> Finding {
    Finding {
        id: format!(
            "f-{check}-{}",
            place.map(|(file, line)| format!("{file}-{line}")).unwrap_or_default()
        ),
        check_id: check.to_owned(),
        obligation_id: Some("OBL-094".to_owned()),
        kind,
        layer: Layer::L4,
        severity,
        impact: Some(Impact::Prepares),
        confidence: 85,
        confidence_level: ConfidenceLevel::High,
        title: "Undisclosed AI interaction".to_owned(),
        message: message.to_owned(),
        explanation: Some(Explanation {
            article: "Art. 50(1)".to_owned(),
            applies_from: Some(date("2026-08-02")),
            certain_from: None,
            why: "Users interact with `chat` directly".to_owned(),
            penalty: Some("EUR 15 000 000 or 3 % of turnover (Art. 99(4))".to_owned()),
        }),
        file: place.map(|(file, _)| file.to_owned()),
        line: place.map(|(_, line)| line),
        column: place.map(|_| 9),
        end_line: None,
        end_column: None,
        cell: None,
        system: Some("chat".to_owned()),
        evidence: place
            .map(|(file, line)| evidence(file, line, check))
            .into_iter()
            .collect(),
        code_context: None,
        fix: Some("Disclose next to the answer that it comes from an AI.".to_owned()),
        fixable: false,
        suppressed: None,
        baseline: None,
    }
}

pub(super) fn call(file: &str, line: u32, provider: &str, model: Option<(&str, bool)>, system: &str) -> Call {
    Call {
        file: file.to_owned(),
        line,
        column: 5,
        cell: None,
        kind: CallKind::Call,
        provider: Some(provider.to_owned()),
        sdk: Some(provider.to_owned()),
        model: model.map(|(name, _)| name.to_owned()),
        model_pinned: model.map(|(_, pinned)| pinned),
        sends: vec![Sends::UserInput],
        error_handling: ErrorHandling::No,
        logging: Logging::Yes,
        human_approval: Some(false),
        disclosure: Some(false),
        disclosure_at: None,
        effects: vec![Effect::Page],
        capabilities: Vec::new(),
        traces: Vec::new(),
        system: Some(system.to_owned()),
        zone: Zone::Product,
        function: None,
        symbol: format!("{provider}.call"),
        host: None,
        tools: Vec::new(),
        confidence: 95,
    }
}

pub(super) fn record(
    id: &str,
    article: &str,
    title: &str,
    from: &str,
    applies: Applies,
    status: ObligationStatus,
) -> ObligationRecord {
    let evidence = if status == ObligationStatus::Gap {
        vec![evidence("api/chat.py", 46, "call")]
    } else {
        Vec::new()
    };
    ObligationRecord {
        obligation_id: id.to_owned(),
        article: article.to_owned(),
        title: title.to_owned(),
        applies_from: Some(date(from)),
        certain_from: None,
        possible_starts: Vec::new(),
        applies,
        because: "the system is in use".to_owned(),
        status,
        evidence,
        question: None,
        question_id: None,
        asks_for_document: false,
    }
}

pub(super) fn system(id: &str, scope: &str, obligations: Vec<ObligationRecord>) -> System {
    System {
        id: id.to_owned(),
        name: id.to_owned(),
        scope: scope.to_owned(),
        entry_points: vec![EntryPoint {
            kind: EntryPointKind::Http,
            name: "POST /chat".to_owned(),
            file: format!("{scope}/main.py"),
            line: 31,
        }],
        providers: vec!["openai".to_owned()],
        models: Vec::new(),
        role: "provider".to_owned(),
        role_basis: "this project builds the system (Art. 3(3))".to_owned(),
        risk_class: "limited".to_owned(),
        risk_basis: "users interact with an AI (Art. 50(1)); no use case of Annex III was found".to_owned(),
        questions: Vec::new(),
        obligations,
        files: vec![format!("{scope}/chat.py")],
        ..System::default()
    }
}

/// A chat without an AI disclosure, and a job that scores applicants.
pub(super) fn helpdesk() -> ScanResult {
    use ObligationStatus::{Evidenced, Gap, Incomplete, NotEvaluated};
    let mut scan = nothing(
        "/home/ada/helpdesk",
        Applicability::SystemsFound,
        "product code calls a model at 4 places, first at api/chat.py:46",
    );
    let bans: Vec<ObligationRecord> = [
        ("OBL-002", "No manipulative or deceptive techniques"),
        ("OBL-003", "No exploitation of vulnerabilities"),
        ("OBL-004", "No social scoring"),
        ("OBL-005", "No crime prediction from profiling alone"),
    ]
    .map(|(id, title)| record(id, "Art. 5(1)", title, "2025-02-02", Applies::Applies, NotEvaluated))
    .into();
    let mut chat = vec![
        record(
            "OBL-001",
            "Art. 4(1)",
            "AI literacy measures",
            "2025-02-02",
            Applies::Applies,
            Incomplete,
        ),
        record(
            "OBL-094",
            "Art. 50(1)",
            "Disclose AI interaction",
            "2026-08-02",
            Applies::Applies,
            Gap,
        ),
        record(
            "OBL-099",
            "Art. 50(5)",
            "Inform clearly, early and accessibly",
            "2026-08-02",
            Applies::Applies,
            Evidenced,
        ),
        record(
            "OBL-095",
            "Art. 50(2)",
            "Mark synthetic content",
            "2026-12-02",
            Applies::Upcoming,
            NotEvaluated,
        ),
    ];
    chat.extend(bans.clone());
    let mut screening = vec![
        record(
            "OBL-001",
            "Art. 4(1)",
            "AI literacy measures",
            "2025-02-02",
            Applies::Applies,
            Incomplete,
        ),
        record(
            "OBL-019",
            "Art. 9(1)",
            "Run a risk management system",
            "2027-12-02",
            Applies::Undetermined,
            NotEvaluated,
        ),
        record(
            "OBL-038",
            "Art. 14(1)",
            "Design for human oversight",
            "2027-12-02",
            Applies::Undetermined,
            NotEvaluated,
        ),
    ];
    screening.extend(bans);
    scan.systems = vec![system("chat", "api", chat), system("screening", "screening", screening)];
    scan.systems[1].entry_points[0].kind = EntryPointKind::Job;
    scan.systems[1].entry_points[0].name = "screen".to_owned();
    scan.systems[1].providers = vec!["anthropic".to_owned()];
    scan.systems[1].risk_class = "unknown".to_owned();
    scan.systems[1].risk_basis =
        "the data of a call indicates Annex III point 4; the intended purpose decides".to_owned();
    scan.systems[1].questions = vec![
        Question {
            id: "role".to_owned(),
            key: "screening.role".to_owned(),
            command: "engine-server answer . --set screening.role=provider".to_owned(),
            kind: "one_of".to_owned(),
            options: options(&["provider", "deployer", "both"]),
            suggestion: Some(likely("provider", "this project builds the system")),
            text: "What is your role for this system?".to_owned(),
            why: "Duties differ between provider (Art. 3(3)) and deployer (Art. 3(4)).".to_owned(),
            effect: "`provider` removes the duties of deployers. `both` keeps all.".to_owned(),
            evidence: Vec::new(),
            ..Question::default()
        },
        Question {
            id: "annex-iii-employment".to_owned(),
            key: "screening.annex-iii-employment".to_owned(),
            command: "engine-server answer . --set screening.annex-iii-employment=4a".to_owned(),
            kind: "any_of".to_owned(),
            options: options(&["4(a)", "4(b)", "none"]),
            decides: 2,
            text: "Does the system select or evaluate applicants or workers?".to_owned(),
            why: "A model call receives `Applicant` and `cv_text` (Annex III point 4).".to_owned(),
            effect: "`4(a)` or `4(b)`: 2 more obligations from 2 Dec 2027. `none`: they do not apply.".to_owned(),
            evidence: vec![
                evidence("screening/job.py", 21, "Applicant"),
                evidence("screening/prompt.py", 4, "cv_text"),
            ],
            ..Question::default()
        },
    ];
    scan.upcoming = vec![
        upcoming(
            "OBL-095",
            "Art. 50(2)",
            "Mark synthetic content",
            "2026-12-02",
            "chat",
            true,
        ),
        upcoming(
            "OBL-019",
            "Art. 9(1)",
            "Run a risk management system",
            "2027-12-02",
            "screening",
            false,
        ),
        upcoming(
            "OBL-038",
            "Art. 14(1)",
            "Design for human oversight",
            "2027-12-02",
            "screening",
            false,
        ),
        upcoming(
            "OBL-070",
            "Art. 26(1)",
            "Use according to instructions",
            "2026-08-02",
            "screening",
            false,
        ),
    ];
    let mut notebook = finding(
        "l4-floating-model-version",
        FindingType::Fail,
        Severity::Medium,
        Some(("notebooks/evaluate.ipynb", 52)),
        "`gpt-4.1-mini` is not a fixed version: the provider can change the model behind it.",
    );
    notebook.cell = Some(3);
    notebook.confidence = 65;
    notebook.explanation = None;
    notebook.fix = Some("Name a dated version, such as `gpt-4.1-mini-2025-04-14`.".to_owned());
    notebook.title = "Floating model version".to_owned();
    notebook.evidence[0].file.clone_from(&notebook.file);
    let mut again = notebook.clone();
    again.evidence.clear();
    again.id = "f-again".to_owned();
    again.file = Some("api/settings.py".to_owned());
    again.line = Some(12);
    again.cell = None;
    let disclosure = "No AI disclosure was found on the way from the model to the user.";
    let missing = |line, what: &str, severity| {
        let message = format!("No {what} was found for `chat` (Art. 4(1)). It needs 4 sections.");
        let mut missing = finding(
            "l1-missing-document",
            FindingType::Fail,
            severity,
            Some(("api/chat.py", line)),
            &message,
        );
        missing.fix = Some(format!(
            "Write the document `{what}`: audience, content, owner, review date."
        ));
        missing.layer = Layer::L1;
        missing.title = "Missing required document".to_owned();
        missing.obligation_id = Some("OBL-001".to_owned());
        missing.id = format!("f-missing-{}", what.len());
        if let Some(explanation) = &mut missing.explanation {
            explanation.article = "Art. 4(1)".to_owned();
            explanation.applies_from = Some(date("2025-02-02"));
            explanation.why = "`chat` is in use".to_owned();
        }
        missing
    };
    let mut retries = finding(
        "l4-missing-error-handling",
        FindingType::Info,
        Severity::Low,
        Some(("screening/job.py", 21)),
        "A failing call ends the job. Not required on this date.",
    );
    retries.system = Some("screening".to_owned());
    retries.obligation_id = None;
    retries.explanation = None;
    retries.title = "Model calls without error handling".to_owned();
    let mut pass = finding(
        "l4-interaction-logged",
        FindingType::Pass,
        Severity::Info,
        Some(("api/chat.py", 50)),
        "Requests and responses are logged.",
    );
    pass.title = "Interaction log found".to_owned();
    pass.fix = None;
    let mut whole = finding(
        "l1-no-security-contact",
        FindingType::Fail,
        Severity::Low,
        None,
        "No contact for security reports was found.",
    );
    whole.explanation = None;
    whole.title = "Missing security contact".to_owned();
    whole.fix = Some("Add a SECURITY.md with an address.".to_owned());
    let mut wrong = finding(
        "l4-undisclosed",
        FindingType::Fail,
        Severity::High,
        Some(("api/admin.py", 3)),
        disclosure,
    );
    wrong.suppressed = Some(Suppression {
        kind: "false_positive".to_owned(),
        reason: "only staff see this page".to_owned(),
        owner: None,
        until: None,
    });
    let mut accepted = wrong.clone();
    accepted.id = "f-accepted".to_owned();
    accepted.suppressed = Some(Suppression {
        kind: "accepted_risk".to_owned(),
        reason: "replaced in October".to_owned(),
        owner: Some("Ada Example".to_owned()),
        until: Some(date("2026-10-31")),
    });
    scan.findings = vec![
        finding(
            "l4-undisclosed",
            FindingType::Fail,
            Severity::High,
            Some(("api/chat.py", 46)),
            disclosure,
        ),
        finding(
            "l4-undisclosed",
            FindingType::Fail,
            Severity::High,
            Some(("web/src/Chat.tsx", 88)),
            disclosure,
        ),
        wrong,
        accepted,
        missing(46, "AI usage policy", Severity::Medium),
        missing(46, "AI literacy record", Severity::Medium),
        again,
        notebook,
        whole,
        retries,
        pass,
        retired("gpt-3.5-turbo-0301", "api/chat.py", 12, "chat", FindingType::Fail),
        secret("secret-ai-key", "Committed AI key", "api/settings.py", 4),
        secret("secret-password", "Committed password", "deploy/values.yaml", 17),
    ];
    scan.inventory.calls = vec![
        call("api/chat.py", 46, "openai", Some(("gpt-4.1-mini", false)), "chat"),
        call(
            "api/retrieval.py",
            45,
            "openai",
            Some(("text-embedding-3-small", true)),
            "chat",
        ),
        call("screening/job.py", 21, "anthropic", None, "screening"),
    ];
    scan.documents = vec![Document {
        file: "docs/ai-literacy.md".to_owned(),
        kind: "ai-literacy-record".to_owned(),
        confidence: 90,
        sections: Vec::new(),
        completeness: 40,
        state: DocumentState::Partial,
        line: 1,
        draft: false,
        digest: String::new(),
        dates: Vec::new(),
    }];
    scan.files_skipped = vec![
        skipped("web/node_modules/", SkipReason::DependencyFolder, None),
        skipped(".env", SkipReason::Ignored, Some(120)),
        skipped("dump/all rows #1 100%.bin", SkipReason::TooLarge, Some(99_000_000)),
    ];
    scan.files_skipped_total = 3;
    finished(scan)
}

pub(super) fn upcoming(
    id: &str,
    article: &str,
    title: &str,
    from: &str,
    system: &str,
    certain: bool,
) -> UpcomingObligation {
    UpcomingObligation {
        obligation_id: id.to_owned(),
        article: article.to_owned(),
        title: title.to_owned(),
        applies_from: date(from),
        systems: vec![system.to_owned()],
        certain,
    }
}

pub(super) fn skipped(path: &str, reason: SkipReason, bytes: Option<u64>) -> SkippedRecord {
    SkippedRecord {
        path: path.to_owned(),
        reason,
        bytes,
        lines: Vec::new(),
    }
}

pub(super) fn no_ai() -> ScanResult {
    finished(nothing(
        "/home/ada/backoffice/",
        Applicability::NoAiFound,
        "no model call was found in code, manifests or configuration",
    ))
}

pub(super) fn library() -> ScanResult {
    let mut scan = nothing(
        "/home/ada/parley",
        Applicability::Library,
        "the code that calls a model is published as a library (pyproject.toml), and no entry point runs it",
    );
    scan.inventory.calls = vec![
        call("src/parley/openai_backend.py", 25, "openai", None, ""),
        call("src/parley/anthropic_backend.py", 24, "anthropic", None, ""),
    ];
    finished(scan)
}

pub(super) fn options(values: &[&str]) -> Vec<QuestionOption> {
    values
        .iter()
        .map(|value| QuestionOption {
            value: (*value).to_owned(),
            label: (*value).to_owned(),
            ..QuestionOption::default()
        })
        .collect()
}

pub(super) fn likely(value: &str, because: &str) -> Suggestion {
    Suggestion {
        value: value.to_owned(),
        because: because.to_owned(),
    }
}

/// A retired model, or one that its provider retires soon (a notice).
pub(super) fn retired(model: &str, file: &str, line: u32, system: &str, kind: FindingType) -> Finding {
    let message = format!("`{model}` ({file}:{line}) is retired or will be soon. Calls fail from that date.");
    let mut finding = finding("l3-retired-model", kind, Severity::Medium, Some((file, line)), &message);
    finding.id = format!("f-{model}-{system}");
    finding.title = "Retired model".to_owned();
    finding.impact = Some(Impact::Breaks);
    finding.layer = Layer::L3;
    finding.obligation_id = Some("OBL-043".to_owned());
    finding.system = Some(system.to_owned());
    finding.explanation = None;
    finding.fix = Some("Move to a model that the provider still serves. Test the system with it again.".to_owned());
    finding
}

pub(super) fn secret(check: &str, title: &str, file: &str, line: u32) -> Finding {
    let message = format!("A key is committed in {file}:{line}.");
    let mut finding = finding(check, FindingType::Fail, Severity::High, Some((file, line)), &message);
    finding.title = title.to_owned();
    finding.impact = Some(Impact::Exposes);
    finding.obligation_id = None;
    finding.explanation = None;
    finding.system = None;
    finding.fix = Some("Revoke the key, and read it from the environment.".to_owned());
    finding
}

/// Adds what the engine computes last: the obligations of the project, the score, the gate and the actions.
pub(super) fn finished(mut scan: ScanResult) -> ScanResult {
    scan.obligations = scan
        .systems
        .iter()
        .flat_map(|system| {
            system.obligations.iter().map(|record| ProjectObligation {
                system: system.id.clone(),
                record: record.clone(),
            })
        })
        .collect();
    scan.findings_total = scan.findings.len() as u64;
    scan.score = score(&ScoreInput {
        applicability: scan.applicability,
        systems: &scan.systems,
        findings: &scan.findings,
        checks: CheckCounts::default(),
    });
    scan.gate = Some(gate(&scan));
    scan.actions = crate::actions(&scan);
    scan
}

/// The verdict of the gate of the engine with its default threshold: no open finding of severity high or above.
fn gate(scan: &ScanResult) -> GateResult {
    let findings: Vec<String> = scan
        .findings
        .iter()
        .filter(|finding| finding.suppressed.is_none() && finding.severity >= Severity::High)
        .filter(|finding| finding.kind == FindingType::Fail || finding.is_urgent())
        .map(|finding| finding.id.clone())
        .collect();
    let (verdict, reasons) = if !findings.is_empty() {
        let reason = format!("{} new findings of severity high or above, 0 allowed", findings.len());
        (GateVerdict::Failed, vec![reason])
    } else if needs_assessment(scan) {
        (GateVerdict::NotAssessed, vec![not_assessed(scan)])
    } else {
        (GateVerdict::Passed, Vec::new())
    };
    GateResult {
        passed: verdict == GateVerdict::Passed,
        verdict,
        threshold: json!({"newFindings": {"severity": "high", "max": 0}}),
        new_findings: findings.len() as u64,
        known_findings: 0,
        findings,
        reasons,
    }
}

/// A system of which no obligation in force was evaluated, and without any finding.
pub(super) fn unevaluated() -> ScanResult {
    let mut scan = nothing(
        "/home/ada/assistant",
        Applicability::SystemsFound,
        "product code calls a model at 1 place, first at app/main.py:3",
    );
    let records = ["OBL-001", "OBL-002", "OBL-003", "OBL-094"].map(|id| in_force(id, ObligationStatus::NotEvaluated));
    scan.systems = vec![system("assistant", "app", records.into())];
    finished(scan)
}

pub(super) fn undetermined() -> ScanResult {
    finished(nothing(
        "/home/ada/odd",
        Applicability::Undetermined,
        "the dependency `openai` is declared, but no call was found",
    ))
}

/// A record of an obligation in force, with the title and the provision of the law data.
pub(super) fn in_force(id: &str, status: ObligationStatus) -> ObligationRecord {
    let obligation = regulation().obligation(id).unwrap();
    record(
        id,
        &obligation.citation(),
        &obligation.title,
        "2025-02-02",
        Applies::Applies,
        status,
    )
}

/// Sentences, of which each starts with a word of its own, with full stops that end none.
pub(super) fn prose(tag: &str, number: usize) -> String {
    let bodies = [
        "calls of `client.chat. Create()` in services/api/handlers.v2.py:31 have no error handling, e.g. for timeouts (Art. 50(1)).",
        "duties follow from Art. 13(3)(b), Annex III No. 4 and cf. Reg. 2024/1689 for a high-risk system.",
        "answers of `gpt-4.1-mini` reach users, i.e. Users see them without a human approval!",
        "rows, 3.5 million in docs/data.v1/table.csv, are read before any check of their origin.",
        "reviewers need the log of requests and responses, which was not found in the project.",
        "tests of the system do not cover this path, and could not be traced?",
    ];
    (0..number)
        .map(|n| format!("Mk{tag}x{n} {}", bodies[n % bodies.len()]))
        .collect::<Vec<_>>()
        .join(" ")
}

/// A large project: 12 systems, 40 urgent findings, 30 gaps, 30 notices and 20 questions.
pub(super) fn crowded() -> ScanResult {
    use ObligationStatus::{Evidenced, Gap, Incomplete, NotEvaluated};
    let mut scan = helpdesk();
    scan.applicability_reason = prose("why", 3);
    let severities = [Severity::Low, Severity::Critical, Severity::High, Severity::Medium];
    let place = |part: &str, n: u32| format!("services/{part}-backend/src/handlers/request_{n}.py");
    let numbered = |part: &str, kind, severity, n: u32| {
        let file = place(part, n);
        let message = prose(&format!("{part}{n}m"), 1 + n as usize % 6);
        let mut finding = finding(
            &format!("l4-{part}-{n}"),
            kind,
            severity,
            Some((&file, n + 1)),
            &message,
        );
        finding.title = format!("Title{part}{n} of an item that has to be read");
        finding.fix = Some(prose(&format!("{part}{n}f"), 1 + n as usize % 3));
        finding.system = Some(format!("service-{}", n % 12));
        finding.obligation_id = Some("OBL-094".to_owned());
        finding
    };
    for n in 0..40 {
        let mut urgent = numbered("urgent", FindingType::Fail, severities[1 + n as usize % 3], n);
        urgent.impact = Some(if urgent.severity == Severity::Medium {
            Impact::Breaks
        } else {
            Impact::Exposes
        });
        scan.findings.push(urgent);
    }
    for n in 0..30 {
        let severity = [Severity::Low, Severity::High, Severity::Medium][n as usize % 3];
        scan.findings.push(numbered("gap", FindingType::Fail, severity, n));
        let mut notice = numbered("notice", FindingType::Info, severity, n);
        notice.obligation_id = Some(if n % 2 == 0 { "OBL-070" } else { "OBL-095" }.to_owned());
        scan.findings.push(notice);
    }
    let questions = |n: u32| {
        ["annex-iii-employment", "role"]
            .iter()
            .enumerate()
            .map(move |(index, id)| Question {
                id: (*id).to_owned(),
                key: format!("service-{n}.{id}"),
                command: format!("engine-server answer . --set service-{n}.{id}=4a"),
                kind: "any_of".to_owned(),
                options: options(&["4(a)", "4(b)", "4(c)", "4(d)", "none"]),
                decides: u64::from(n),
                text: format!("Does service {n} select or evaluate applicants, workers or students ({id})?"),
                why: prose(&format!("{id}{n}w"), 3),
                effect: prose(&format!("{id}{n}e"), 2),
                suggestion: (index == 1)
                    .then(|| likely("4(b)", "the output leads to a decision about a person at api/a.py:3")),
                evidence: vec![evidence(&place("question", n), n + 1, id)],
                ..Question::default()
            })
    };
    scan.systems = (0..12)
        .map(|n| {
            let mut obligations: Vec<ObligationRecord> = (2..=30)
                .map(|id| format!("OBL-{id:03}"))
                .filter(|id| regulation().obligation(id).is_some())
                .enumerate()
                .map(|(index, id)| in_force(&id, [NotEvaluated, NotEvaluated, Evidenced, Incomplete][index % 4]))
                .collect();
            obligations.push(in_force("OBL-094", Gap));
            let open = |id: &str, from: &str| {
                let mut open = in_force(id, NotEvaluated);
                open.applies = Applies::Undetermined;
                open.applies_from = Some(date(from));
                open.question_id = Some("role".to_owned());
                open
            };
            obligations.extend([open("OBL-070", "2026-08-02"), open("OBL-095", "2026-12-02")]);
            let mut system = system(&format!("service-{n}"), &format!("services/service-{n}"), obligations);
            if n < 10 {
                system.questions = questions(n).collect();
            }
            system
        })
        .collect();
    scan.inventory.calls = (0..36)
        .map(|n| {
            let model = format!("gpt-4.1-mini-{n}");
            call(
                &place("call", n),
                n,
                "openai",
                Some((&model, true)),
                &format!("service-{}", n % 12),
            )
        })
        .collect();
    finished(scan)
}
