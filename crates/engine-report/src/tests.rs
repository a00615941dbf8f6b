//! The reports over results that are built by hand.

use std::collections::BTreeMap;

use engine_model::{
    Applicability, Applies, CacheStats, Call, CallKind, ConfidenceLevel, Date, Document, DocumentState, Effect,
    EntryPoint, EntryPointKind, ErrorHandling, Evidence, EvidenceKind, Explanation, Finding, FindingType, Inventory,
    Layer, Logging, ObligationRecord, ObligationStatus, ProjectObligation, Question, ScanResult, Score, Sends,
    Severity, SkipReason, SkippedRecord, Summary, Suppression, System, UpcomingObligation, Zone,
};
use proptest::prelude::*;
use serde_json::Value;

use crate::{TextOptions, code_quality, junit, markdown, sarif, sarif_against, text};

fn date(text: &str) -> Date {
    text.parse().unwrap()
}

/// A result without any finding.
fn nothing(path: &str, applicability: Applicability, reason: &str) -> ScanResult {
    ScanResult {
        id: "scan-1".to_owned(),
        project_path: path.to_owned(),
        scanned_at: "2026-09-01T10:00:00.000Z".to_owned(),
        as_of: date("2026-09-01"),
        score: Score {
            compliance: 100.0,
            security: None,
            readiness: 100.0,
            grade: None,
            coverage: 0.0,
            formula: String::new(),
            breakdown: Vec::new(),
            caps: Vec::new(),
            total_score: 100.0,
            zone: "green".to_owned(),
            category_scores: Vec::new(),
            critical_cap_applied: false,
            total_checks: 60,
            passed_checks: 0,
            failed_checks: 0,
            skipped_checks: 60,
        },
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
        elapsed: 12.5,
        duration: 12.5,
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
        warnings: Vec::new(),
    }
}

fn evidence(file: &str, line: u32, reference: &str) -> Evidence {
    Evidence {
        kind: EvidenceKind::Code,
        reference: reference.to_owned(),
        file: Some(file.to_owned()),
        line: Some(line),
        hash: None,
    }
}

fn finding(check: &str, kind: FindingType, severity: Severity, place: Option<(&str, u32)>, message: &str) -> Finding {
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
        confidence: 85,
        confidence_level: ConfidenceLevel::High,
        title: "Answers of a model that reach people without a notice".to_owned(),
        message: message.to_owned(),
        explanation: Some(Explanation {
            article: "Art. 50(1)".to_owned(),
            applies_from: Some(date("2026-08-02")),
            why: "People exchange messages with `chat` directly".to_owned(),
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
        fix: Some("Say in the reply or on the page that an AI system answers, before the first message.".to_owned()),
        fixable: false,
        suppressed: None,
        baseline: None,
    }
}

fn call(file: &str, line: u32, provider: &str, model: Option<(&str, bool)>, system: &str) -> Call {
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

fn record(
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
        applies,
        because: "it is so".to_owned(),
        status,
        evidence,
        question: None,
        question_id: None,
        asks_for_document: false,
    }
}

fn system(id: &str, scope: &str, obligations: Vec<ObligationRecord>) -> System {
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
        role_basis:
            "the system is built here around a model; who develops a system and puts it into service under its \
                     own name is its provider (Art. 3(3))"
                .to_owned(),
        risk_class: "limited".to_owned(),
        risk_basis: "a case of Art. 50 was observed, and nothing that points to Annex III".to_owned(),
        questions: Vec::new(),
        obligations,
        files: vec![format!("{scope}/chat.py")],
        ..System::default()
    }
}

/// A chat that tells nobody what it is, and a job that scores applicants.
fn helpdesk() -> ScanResult {
    use ObligationStatus::{Evidenced, Gap, Incomplete, NotEvaluated};
    let mut scan = nothing(
        "/home/ada/helpdesk",
        Applicability::SystemsFound,
        "4 places where product code uses a model, first at api/chat.py:46",
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
        "the data flow of a call points to Annex III point 4; a person must say what the system is for".to_owned();
    scan.systems[1].questions = vec![
        Question {
            id: "role".to_owned(),
            key: "screening.role".to_owned(),
            command: "engine-server answer . --set screening.role=provider".to_owned(),
            text: "Who puts this system into service under its own name?".to_owned(),
            why: "Duties differ between provider (Art. 3(3)) and deployer (Art. 3(4)).".to_owned(),
            effect: "`provider` drops the duties of deployers, `both` keeps all.".to_owned(),
            evidence: Vec::new(),
            ..Question::default()
        },
        Question {
            id: "annex-iii-employment".to_owned(),
            key: "screening.annex-iii-employment".to_owned(),
            command: "engine-server answer . --set screening.annex-iii-employment=4a".to_owned(),
            decides: 2,
            text: "Is the answer used to select, evaluate, promote, task or dismiss applicants or workers?".to_owned(),
            why: "Annex III point 4: the data of a model call carries `Applicant`, `cv_text`.".to_owned(),
            effect: "`yes`: the system is high-risk unless Art. 6(3) excepts it, with duties from 2027-12-02. `no`: they fall away.".to_owned(),
            evidence: vec![evidence("screening/job.py", 21, "Applicant"), evidence("screening/prompt.py", 4, "cv_text")],
            ..Question::default()
        },
    ];
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
        "`gpt-4.1-mini` is a name that its provider moves from version to version",
    );
    notebook.cell = Some(3);
    notebook.confidence = 65;
    notebook.explanation = None;
    notebook.fix = Some("Name the dated version, such as `gpt-4.1-mini-2025-04-14`.".to_owned());
    notebook.title = "Models named without a version".to_owned();
    notebook.evidence[0].file.clone_from(&notebook.file);
    let mut again = notebook.clone();
    again.evidence.clear();
    again.id = "f-again".to_owned();
    again.file = Some("api/settings.py".to_owned());
    again.line = Some(12);
    again.cell = None;
    let disclosure = "the answer of a model goes to a person, and nothing on the way says that an AI wrote it";
    let missing = |line, what: &str, severity| {
        let message = format!("no {what} was found for `chat`; Art. 4(1) asks for it, with 4 required sections");
        let mut missing = finding(
            "l1-missing-document",
            FindingType::Fail,
            severity,
            Some(("api/chat.py", line)),
            &message,
        );
        missing.fix = Some(format!(
            "Write the document `{what}`: who is meant; what is taught; when and by whom; how it is kept up to date."
        ));
        missing.layer = Layer::L1;
        missing.title = "A document that the law asks for by name and that the project does not hold".to_owned();
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
        "a failing call ends the job (no duty for this system on this date; worth fixing all the same)",
    );
    retries.system = Some("screening".to_owned());
    retries.obligation_id = None;
    retries.explanation = None;
    retries.title = "Calls of a model whose failure is not handled".to_owned();
    let mut pass = finding(
        "l4-interaction-logged",
        FindingType::Pass,
        Severity::Info,
        Some(("api/chat.py", 50)),
        "the interaction is logged",
    );
    pass.title = "Interactions that are logged".to_owned();
    pass.fix = None;
    let mut whole = finding(
        "l1-no-security-contact",
        FindingType::Fail,
        Severity::Low,
        None,
        "nobody is named for reports of security problems",
    );
    whole.explanation = None;
    whole.title = "Projects without a contact for security reports".to_owned();
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
        missing(46, "policy on the use of AI", Severity::Medium),
        missing(46, "record of AI literacy", Severity::Medium),
        again,
        notebook,
        whole,
        retries,
        pass,
    ];
    scan.findings_total = scan.findings.len() as u64;
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
    scan.score.grade = Some("D".to_owned());
    scan.score.compliance = 48.25;
    scan.score.readiness = 31.0;
    scan.score.coverage = 33.3;
    scan.score.zone = "red".to_owned();
    scan
}

fn upcoming(id: &str, article: &str, title: &str, from: &str, system: &str, certain: bool) -> UpcomingObligation {
    UpcomingObligation {
        obligation_id: id.to_owned(),
        article: article.to_owned(),
        title: title.to_owned(),
        applies_from: date(from),
        systems: vec![system.to_owned()],
        certain,
    }
}

fn skipped(path: &str, reason: SkipReason, bytes: Option<u64>) -> SkippedRecord {
    SkippedRecord {
        path: path.to_owned(),
        reason,
        bytes,
    }
}

fn no_ai() -> ScanResult {
    nothing(
        "/home/ada/backoffice/",
        Applicability::NoAiFound,
        "no use of a model was observed in code, manifests or configuration",
    )
}

fn library() -> ScanResult {
    let mut scan = nothing(
        "/home/ada/parley",
        Applicability::Library,
        "the code that uses a model is offered to others as a library (pyproject.toml) and nothing here runs it; who \
         builds a system on it has the duties for that system",
    );
    scan.inventory.calls = vec![
        call("src/parley/openai_backend.py", 25, "openai", None, ""),
        call("src/parley/anthropic_backend.py", 24, "anthropic", None, ""),
    ];
    scan
}

fn plain() -> TextOptions {
    TextOptions::default()
}

#[test]
fn the_text_of_a_project_with_two_systems() {
    insta::assert_snapshot!(text(&helpdesk(), &plain()));
}

#[test]
fn the_text_of_a_project_without_ai_is_calm() {
    insta::assert_snapshot!(text(&no_ai(), &plain()));
}

#[test]
fn the_text_of_a_library_says_what_would_change_it() {
    insta::assert_snapshot!(text(&library(), &plain()));
}

#[test]
fn the_markdown_of_a_project_with_two_systems() {
    insta::assert_snapshot!(markdown(&helpdesk()));
}

#[test]
fn the_markdown_of_a_project_without_ai() {
    insta::assert_snapshot!(markdown(&no_ai()));
}

#[test]
fn the_sarif_of_a_project_with_two_systems() {
    insta::assert_json_snapshot!(sarif(&helpdesk()));
}

#[test]
fn paths_take_the_prefix_and_stay_in_one_piece_on_a_narrow_terminal() {
    let options = TextOptions {
        width: 40,
        path_prefix: Some("tests/projects/helpdesk".to_owned()),
        ..plain()
    };
    let report = text(&helpdesk(), &options);
    assert!(
        report.contains("\n  tests/projects/helpdesk/api/chat.py:46\n"),
        "{report}"
    );
    for line in report.lines() {
        let longest = line.split(' ').map(str::len).max().unwrap_or(0);
        assert!(
            line.chars().count() <= 40 || longest > 20 || line.contains("since"),
            "{line:?}"
        );
    }
}

#[test]
fn colours_are_written_only_when_asked_for_and_change_no_word() {
    let scan = helpdesk();
    let coloured = text(
        &scan,
        &TextOptions {
            colour: true,
            ..plain()
        },
    );
    let mut stripped = String::new();
    let mut rest = coloured.as_str();
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        stripped.push_str(before);
        rest = after.split_once('m').unwrap().1;
    }
    stripped.push_str(rest);
    assert!(coloured.contains("\u{1b}[1;31mhigh\u{1b}[0m"));
    assert_eq!(stripped, text(&scan, &plain()));
}

#[test]
fn the_words_that_claim_too_much_never_occur() {
    for scan in [helpdesk(), no_ai(), library()] {
        for report in [text(&scan, &plain()), markdown(&scan), sarif(&scan).to_string()] {
            for word in ["compliant", "certified", "guarantee", "approved"] {
                assert!(!report.to_lowercase().contains(word), "{word}");
            }
        }
    }
}

#[test]
fn no_report_names_the_folder_in_which_the_project_lies() {
    let scan = helpdesk();
    for report in [text(&scan, &plain()), markdown(&scan), sarif(&scan).to_string()] {
        assert!(!report.contains("/home/ada"));
    }
}

#[test]
fn a_project_without_ai_has_neither_score_nor_questions_nor_headings() {
    let report = text(&no_ai(), &plain());
    assert!(report.lines().count() <= 6, "{report}");
    assert!(!report.contains("Score"));
    assert!(report.contains("No obligations"));
    assert!(report.contains("2026-09-01"));
}

#[test]
fn findings_beyond_the_first_groups_are_counted_by_severity() {
    let mut scan = helpdesk();
    scan.findings = (0..40)
        .map(|n| {
            finding(
                &format!("l4-check-{n:02}"),
                FindingType::Fail,
                Severity::Low,
                Some(("a.py", n + 1)),
                "x",
            )
        })
        .collect();
    scan.findings_total = 40;
    assert!(text(&scan, &plain()).contains("Not shown: 28 open (28 low)."));
    assert!(markdown(&scan).contains("Not shown: 10 open (10 low)."));
}

#[test]
fn a_comment_on_a_pull_request_holds_the_markdown_of_a_large_result() {
    let mut scan = helpdesk();
    let long = "<script>".repeat(200);
    scan.findings = (0..3000)
        .map(|n| {
            finding(
                &format!("l4-check-{}", n % 300),
                FindingType::Fail,
                Severity::Low,
                Some(("a.py", n + 1)),
                &long,
            )
        })
        .collect();
    scan.findings_total = 3000;
    scan.systems = (0..200)
        .map(|n| system(&format!("system-{n}"), &long, Vec::new()))
        .collect();
    let open = |n: usize| {
        record(
            &format!("OBL-{n}"),
            "Art. 9",
            &long,
            "2025-02-02",
            Applies::Applies,
            ObligationStatus::Gap,
        )
    };
    scan.obligations = (0..500)
        .map(|n| ProjectObligation {
            system: "system-1".to_owned(),
            record: open(n),
        })
        .collect();
    let length = markdown(&scan).len();
    assert!(length < 65_536, "{length}");
}

fn sarif_schema() -> jsonschema::Validator {
    let schema: Value = serde_json::from_str(include_str!("../tests/schemas/sarif-schema-2.1.0.json")).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

fn assert_valid(schema: &jsonschema::Validator, log: &Value) {
    let errors: Vec<String> = schema
        .iter_errors(log)
        .map(|error| format!("{} {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

#[test]
fn sarif_is_valid_against_its_schema() {
    let schema = sarif_schema();
    for scan in [helpdesk(), no_ai(), library()] {
        assert_valid(&schema, &sarif(&scan));
    }
    let broken = serde_json::json!({"version": "2.1.0", "runs": [{"results": []}]});
    assert!(!schema.is_valid(&broken), "the schema has to bite");
}

#[test]
fn odd_paths_become_relative_references_and_come_back_unchanged() {
    let schema = sarif_schema();
    let paths = [
        "mit leer zeichen/ä ö ü.py",
        "a#b?c%20d.py",
        "c:/d.py",
        "日本/語.ts",
        "x\u{1b}[31m\n.py",
        "back\\slash",
    ];
    let mut scan = helpdesk();
    scan.findings = paths
        .iter()
        .map(|path| {
            finding(
                "l4-x",
                FindingType::Fail,
                Severity::Critical,
                Some((path, 1)),
                "message",
            )
        })
        .collect();
    let log = sarif(&scan);
    assert_valid(&schema, &log);
    for (result, path) in log["runs"][0]["results"].as_array().unwrap().iter().zip(paths) {
        let artifact = &result["locations"][0]["physicalLocation"]["artifactLocation"];
        let uri = artifact["uri"].as_str().unwrap();
        assert_eq!(artifact["uriBaseId"], "%SRCROOT%");
        assert!(
            uri.is_ascii() && !uri.contains([':', '#', '?', ' ', '\\']) && !uri.starts_with('/'),
            "{uri}"
        );
        assert_eq!(decoded(uri), path);
    }
}

/// The elements of an XML text with their attributes; panics where the text is not well-formed.
fn elements(xml: &str) -> Vec<(String, BTreeMap<String, String>)> {
    let mut reader = quick_xml::Reader::from_str(xml);
    let mut out = Vec::new();
    let mut depth = 0;
    loop {
        match reader.read_event().unwrap() {
            event @ (quick_xml::events::Event::Start(_) | quick_xml::events::Event::Empty(_)) => {
                if matches!(event, quick_xml::events::Event::Start(_)) {
                    depth += 1;
                }
                let (quick_xml::events::Event::Start(tag) | quick_xml::events::Event::Empty(tag)) = event else {
                    unreachable!()
                };
                let attributes = tag
                    .attributes()
                    .map(|attribute| {
                        let attribute = attribute.unwrap();
                        let key = attribute.key.as_ref().to_owned();
                        let value = attribute.value.into_owned();
                        (key, quick_xml::escape::unescape(&value).unwrap().into_owned())
                    })
                    .collect();
                out.push((tag.name().as_ref().to_owned(), attributes));
            }
            quick_xml::events::Event::End(_) => depth -= 1,
            quick_xml::events::Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(depth, 0);
    out
}

#[test]
fn junit_fails_a_gap_passes_evidence_and_skips_what_was_not_looked_at() {
    let scan = helpdesk();
    let xml = junit(&scan);
    insta::assert_snapshot!("helpdesk_junit", xml);
    let elements = elements(&xml);
    let number = |name: &str| elements.iter().filter(|(tag, _)| tag == name).count().to_string();
    let all = &elements[0].1;
    assert_eq!(all["tests"], number("testcase"));
    assert_eq!(all["failures"], number("failure"));
    assert_eq!(all["skipped"], number("skipped"));
    let gaps = scan
        .obligations
        .iter()
        .filter(|row| row.record.applies == Applies::Applies && row.record.status == ObligationStatus::Gap)
        .count();
    assert!(gaps > 0 && all["failures"].parse::<usize>().unwrap() >= gaps);
}

#[test]
fn junit_of_a_project_without_ai_has_no_case_and_no_failure() {
    let xml = junit(&no_ai());
    let elements = elements(&xml);
    assert_eq!(elements[0].1["tests"], "0");
    assert!(elements.iter().all(|(tag, _)| tag != "testcase"));
}

#[test]
fn code_quality_lists_open_gaps_once_with_what_the_host_needs() {
    let scan = helpdesk();
    let report = code_quality(&scan);
    insta::assert_json_snapshot!("helpdesk_code_quality", report);
    let entries = report.as_array().unwrap();
    let open = scan
        .findings
        .iter()
        .filter(|finding| finding.kind == FindingType::Fail && finding.suppressed.is_none())
        .count();
    assert_eq!(entries.len(), open);
    let mut prints: Vec<&str> = entries
        .iter()
        .map(|entry| entry["fingerprint"].as_str().unwrap())
        .collect();
    prints.sort_unstable();
    prints.dedup();
    assert_eq!(prints.len(), open);
    for entry in entries {
        assert!(["info", "minor", "major", "critical", "blocker"].contains(&entry["severity"].as_str().unwrap()));
        assert!(entry["location"]["lines"]["begin"].as_u64().unwrap() >= 1);
        assert!(!entry["location"]["path"].as_str().unwrap().starts_with('/'));
    }
    assert_eq!(code_quality(&no_ai()).as_array().unwrap().len(), 0);
}

fn decoded(uri: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = uri.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let hex = [rest.next().unwrap(), rest.next().unwrap()];
            bytes.push(u8::from_str_radix(std::str::from_utf8(&hex).unwrap(), 16).unwrap());
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).unwrap()
}

#[test]
fn every_sarif_result_points_at_its_rule_and_at_a_place() {
    let log = sarif(&helpdesk());
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    for result in run["results"].as_array().unwrap() {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].is_string());
        assert!(result["suppressions"].is_array(), "one says it, so all say it");
        if result["kind"] != "fail" {
            assert_eq!(result["level"], "none");
        }
    }
    let suppressed: Vec<&Value> = run["results"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|r| r["suppressions"].as_array().unwrap())
        .collect();
    assert_eq!(suppressed[0]["kind"], "inSource");
    assert_eq!(suppressed[1]["kind"], "external");
    assert_eq!(suppressed[1]["justification"], "replaced in October");
}

#[test]
fn beside_an_earlier_result_each_one_says_whether_it_is_new() {
    let after = helpdesk();
    let mut before = after.clone();
    let gone = Finding {
        id: "gone".to_owned(),
        ..after.findings[0].clone()
    };
    let [new, updated] = [after.findings[0].id.clone(), after.findings[1].id.clone()];
    before.findings[1].message.push_str(" As it was.");
    before.findings[0] = gone;
    let log = sarif_against(&before, &after);
    assert_valid(&sarif_schema(), &log);
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), after.findings.len() + 1);
    for result in results {
        let id = result["partialFingerprints"]["complianceFindingId/v1"]
            .as_str()
            .unwrap();
        let expected = match id {
            "gone" => "absent",
            id if id == new => "new",
            id if id == updated => "updated",
            _ => "unchanged",
        };
        assert_eq!(result["baselineState"], expected, "{id}");
    }
    assert!(sarif(&after)["runs"][0]["results"][0].get("baselineState").is_none());
}

#[test]
fn sarif_and_both_texts_are_the_same_bytes_twice_and_know_no_time() {
    let first = helpdesk();
    let mut second = helpdesk();
    second.scanned_at = "2031-01-01T00:00:00.000Z".to_owned();
    second.id = "another".to_owned();
    second.elapsed = 99.0;
    assert_eq!(sarif(&first).to_string(), sarif(&second).to_string());
    assert_eq!(text(&first, &plain()), text(&second, &plain()));
    assert_eq!(markdown(&first), markdown(&second));
}

/// Puts a hostile text everywhere where a project can put one.
fn poisoned(poison: &str, other: &str) -> ScanResult {
    let mut scan = helpdesk();
    scan.project_path = format!("/home/ada/{poison}");
    scan.applicability_reason = poison.to_owned();
    scan.languages.insert(poison.to_owned(), 7);
    for system in &mut scan.systems {
        system.name = format!("{poison}{other}");
        system.scope = poison.to_owned();
        system.role_basis = other.to_owned();
        system.risk_basis = poison.to_owned();
        system.models.push(poison.to_owned());
        system.providers.push(other.to_owned());
        for entry in &mut system.entry_points {
            entry.name = poison.to_owned();
            entry.file = other.to_owned();
        }
        for question in &mut system.questions {
            question.text = poison.to_owned();
            question.why = other.to_owned();
            question.effect = poison.to_owned();
            question.evidence.push(evidence(poison, 3, other));
        }
    }
    for finding in &mut scan.findings {
        finding.message = format!("{poison} `{other}` {poison}");
        finding.fix = Some(other.to_owned());
        finding.title = poison.to_owned();
        finding.file = finding.file.as_ref().map(|_| poison.to_owned());
        if let Some(explanation) = &mut finding.explanation {
            explanation.article = other.to_owned();
            explanation.why = poison.to_owned();
        }
        if let Some(suppression) = &mut finding.suppressed {
            suppression.reason = poison.to_owned();
            suppression.owner = Some(other.to_owned());
        }
    }
    for obligation in &mut scan.obligations {
        obligation.record.title = poison.to_owned();
        obligation.record.evidence.push(evidence(poison, 1, other));
    }
    for document in &mut scan.documents {
        document.file = poison.to_owned();
    }
    for entry in &mut scan.files_skipped {
        entry.path = poison.to_owned();
    }
    for call in &mut scan.inventory.calls {
        call.model = Some(poison.to_owned());
        call.provider = Some(other.to_owned());
    }
    scan
}

/// Markdown without its code spans, line by line.
fn outside_code(page: &str) -> String {
    let mut out = String::new();
    for line in page.lines() {
        let mut rest = line;
        while let Some(start) = first_fence(rest) {
            let fence = rest[start..].bytes().take_while(|b| *b == b'`').count();
            out.push_str(&rest[..start]);
            let after = &rest[start + fence..];
            if let Some(end) = closing(after, fence) {
                rest = &after[end + fence..];
            } else {
                out.push_str(&rest[start..start + fence]);
                rest = after;
            }
        }
        out.push_str(rest);
        out.push('\n');
    }
    out
}

/// The first backtick that no backslash takes its meaning from.
fn first_fence(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            b'\\' => escaped = !escaped,
            b'`' if !escaped => return Some(index),
            _ => escaped = false,
        }
    }
    None
}

fn closing(text: &str, fence: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let run = bytes[at..].iter().take_while(|b| **b == b'`').count();
        if run == fence {
            return Some(at);
        }
        at += run.max(1);
    }
    None
}

fn own_tags(page: &str) -> String {
    [
        "<details>",
        "</details>",
        "<summary>",
        "</summary>",
        "<code>",
        "</code>",
    ]
    .iter()
    .fold(page.to_owned(), |page, tag| page.replace(tag, ""))
}

/// What a hostile project would try.
fn hostile() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "\u{1b}[31m",
        "\u{1b}]0;title\u{7}",
        "\r",
        "\n",
        "\u{9b}2J",
        "\u{202e}",
        "\u{2066}",
        "\u{e0041}",
        "<script>",
        "<img src=x>",
        "</details>",
        "`",
        "``",
        "```",
        "|",
        "\\",
        "\\`",
        "[x](http://e)",
        "@ada",
        "#1",
        "&lt;",
        "a",
        " ",
        "ä",
        "日",
        "\t",
        "<!--",
        "-->",
        "* ",
        "1. ",
        "---",
    ]);
    prop_oneof![
        prop::collection::vec(pieces, 0..12).prop_map(|pieces| pieces.concat()),
        any::<String>(),
    ]
}

#[test]
fn a_text_of_one_space_that_keeps_together_ends_no_line_with_a_space() {
    for (poison, other) in [("\u{a0}", ""), ("", "\u{a0}"), ("a\u{a0}", "\u{a0}\u{a0}")] {
        for width in [0, 40, 120] {
            let options = TextOptions {
                colour: false,
                width,
                path_prefix: Some(other.to_owned()),
            };
            let report = text(&poisoned(poison, other), &options);
            assert!(report.lines().all(|line| !line.ends_with(' ')), "{report:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_command_to_a_terminal_gets_through(poison in hostile(), other in hostile(), width in 0_usize..200) {
        let options = TextOptions { colour: false, width, path_prefix: Some(other.clone()) };
        for applicability in
            [Applicability::SystemsFound, Applicability::NoAiFound, Applicability::Library, Applicability::Undetermined]
        {
            let mut scan = poisoned(&poison, &other);
            scan.applicability = applicability;
            let report = text(&scan, &options);
            prop_assert!(report.chars().all(|c| c == '\n' || !crate::foreign::is_hidden(c)), "{report:?}");
            prop_assert!(report.lines().all(|line| !line.ends_with(' ')), "{report:?}");
        }
    }

    #[test]
    fn no_tag_of_a_project_reaches_a_page(poison in hostile(), other in hostile()) {
        for applicability in [Applicability::SystemsFound, Applicability::NoAiFound] {
            let mut scan = poisoned(&poison, &other);
            scan.applicability = applicability;
            let page = markdown(&scan);
            let outside = own_tags(&outside_code(&page));
            prop_assert!(!outside.contains('<'), "{outside}");
            prop_assert_eq!(page.matches("<details>").count(), page.matches("<summary>").count());
        }
    }

    #[test]
    fn hostile_texts_leave_junit_well_formed(poison in hostile(), other in hostile()) {
        let xml = junit(&poisoned(&poison, &other));
        prop_assert!(elements(&xml).len() > 2);
        prop_assert!(xml.chars().all(|c| c == '\n' || !c.is_control()));
    }

    #[test]
    fn hostile_texts_leave_sarif_valid(poison in hostile(), other in hostile()) {
        let log = sarif(&poisoned(&poison, &other));
        let run = &log["runs"][0];
        prop_assert_eq!(run["results"].as_array().map(Vec::len), Some(11));
        for result in run["results"].as_array().unwrap() {
            let message = result["message"]["text"].as_str().unwrap();
            prop_assert!(!message.is_empty() && !message.chars().any(crate::foreign::is_hidden));
            prop_assert!(!message.contains("]("));
        }
    }
}
