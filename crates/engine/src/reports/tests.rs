//! Badge and reports of real folders.

use std::path::Path;

use engine_model::{ErrorCode, ScanResult};

use super::*;
use crate::tests::{CHAT, PAGE, engine, write};
use crate::{AuditRequest, ScanRequest};

fn project(dir: &Path) -> (Engine, ScanResult) {
    write(dir, "app.py", CHAT);
    write(dir, "templates/index.html", PAGE);
    let engine = engine(dir);
    let scan = engine.scan(&ScanRequest::of(".")).unwrap();
    (engine, scan)
}

fn recorded(engine: &Engine) -> usize {
    let request = AuditRequest {
        kind: Some(EntryType::Report),
        ..AuditRequest::default()
    };
    engine.audit(&request).unwrap().len()
}

#[expect(clippy::disallowed_methods, reason = "the test looks at what was written")]
fn text(dir: &Path, path: &str) -> String {
    std::fs::read_to_string(dir.join(path)).unwrap()
}

#[test]
fn given_no_scan_then_the_badge_says_so_and_a_report_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "app.py", CHAT);
    let engine = engine(dir.path());
    let request = BadgeRequest {
        path: Some(".".to_owned()),
        language: None,
    };
    let svg = String::from_utf8(engine.badge(&request).unwrap()).unwrap();
    assert!(svg.contains("not scanned yet"), "{svg}");
    let request = ReportRequest {
        path: Some(".".to_owned()),
        ..ReportRequest::default()
    };
    assert_eq!(engine.report_markdown(&request).unwrap_err().code, ErrorCode::NoScanYet);
}

#[test]
fn given_a_badge_twice_then_it_is_written_and_recorded_once_and_no_score_changes() {
    let dir = tempfile::tempdir().unwrap();
    let (engine, before) = project(dir.path());
    let reply = engine.generate_badge(&BadgeGenerateRequest::default()).unwrap();
    assert!(reply.changed && reply.evidence_id.is_some());
    assert_eq!(text(dir.path(), "COMPLIANCE.md"), reply.markdown);
    assert_eq!(text(dir.path(), ".compliance/badge.svg"), reply.svg);
    let again = engine.generate_badge(&BadgeGenerateRequest::default()).unwrap();
    assert!(!again.changed && again.evidence_id.is_none());
    assert_eq!(recorded(&engine), 1);
    engine.report_markdown(&ReportRequest::default()).unwrap();
    let after = engine.scan(&ScanRequest::of(".")).unwrap();
    assert_eq!(after.score, before.score);
    assert_eq!(after.findings, before.findings);
    assert_eq!(after.inventory, before.inventory);
    assert_eq!(after.documents, before.documents);
    assert!(engine.verify_evidence(&crate::VerifyRequest::default()).unwrap().valid);
}

#[test]
fn given_a_note_of_a_person_then_it_is_left_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "COMPLIANCE.md", "# Ours\n");
    let (engine, _) = project(dir.path());
    let failure = engine.generate_badge(&BadgeGenerateRequest::default()).unwrap_err();
    assert_eq!(failure.code, ErrorCode::StateConflict);
    assert_eq!(text(dir.path(), "COMPLIANCE.md"), "# Ours\n");
    assert_eq!(recorded(&engine), 0);
}

#[test]
fn given_a_report_then_its_file_and_its_entry_agree() {
    let dir = tempfile::tempdir().unwrap();
    let (engine, scan) = project(dir.path());
    let reply = engine
        .report_markdown(&ReportRequest {
            organization: Some("Acme".to_owned()),
            jurisdiction: Some("el".to_owned()),
            ..ReportRequest::default()
        })
        .unwrap();
    assert_eq!(reply.path.as_deref(), Some(".compliance/reports/status-report.md"));
    assert_eq!(text(dir.path(), ".compliance/reports/status-report.md"), reply.markdown);
    assert_eq!((reply.scan_id, reply.jurisdiction.as_deref()), (scan.id, Some("GR")));
    assert!(reply.markdown.contains("Acme") && reply.markdown.contains("app.py"));
    assert!(!reply.markdown.contains(&*dir.path().to_string_lossy()));
    assert!(engine.verify_evidence(&crate::VerifyRequest::default()).unwrap().valid);
    let short = engine
        .report_markdown(&ReportRequest {
            is_free: Some(true),
            language: Some(Language::Fr),
            ..ReportRequest::default()
        })
        .unwrap();
    assert_eq!(
        short.path.as_deref(),
        Some(".compliance/reports/status-report-short-fr.md")
    );
    assert!(short.markdown.len() < reply.markdown.len());
    assert_eq!(recorded(&engine), 2);
}

#[test]
fn given_a_pdf_then_its_bytes_are_recorded_and_the_same_result_gives_the_same_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let (engine, _) = project(dir.path());
    let state = engine.project(".").unwrap();
    let scan = scanned(&state).unwrap();
    let gathered = engine.gather(&state, &scan).unwrap();
    let once = engine_pdf::to_pdf(&gathered.report(Edition::Full)).unwrap();
    assert_eq!(once, engine_pdf::to_pdf(&gathered.report(Edition::Full)).unwrap());
    let file = engine.report_pdf(&ReportRequest::default()).unwrap();
    assert_eq!(file.bytes, once);
    assert!(file.bytes.starts_with(b"%PDF-"));
    assert_eq!(recorded(&engine), 1);
}

#[test]
fn given_wrong_fields_then_they_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let (engine, _) = project(dir.path());
    let refused = |request: ReportRequest| {
        let failure = engine.report_markdown(&request).unwrap_err();
        (failure.code, failure.field.unwrap_or_default())
    };
    assert_eq!(
        refused(ReportRequest {
            jurisdiction: Some("XX".to_owned()),
            ..ReportRequest::default()
        }),
        (ErrorCode::UnknownJurisdiction, "jurisdiction".to_owned())
    );
    assert_eq!(
        refused(ReportRequest {
            organization: Some("x".repeat(1_000)),
            ..ReportRequest::default()
        }),
        (ErrorCode::InvalidRequest, "organization".to_owned())
    );
    for path in ["../x.md", "/x.md", "passports/x.md", "reports/.x.md", "x.txt", ""] {
        assert_eq!(
            refused(ReportRequest {
                output_path: Some(path.to_owned()),
                ..ReportRequest::default()
            }),
            (ErrorCode::InvalidRequest, "outputPath".to_owned()),
            "{path}"
        );
    }
}
