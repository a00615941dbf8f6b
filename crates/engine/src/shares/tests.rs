//! Shares of real folders.

use engine_model::ErrorCode;

use super::*;
use crate::tests::{CHAT, PAGE, engine, write};
use crate::{AuditRequest, ScanRequest};

fn shared_project(dir: &std::path::Path) -> Engine {
    // A key that no service ever gave out.
    let secret = ["sk-proj-", &"Ab3dEf9hIj".repeat(5)].concat();
    write(dir, "app.py", CHAT);
    write(dir, "config.py", &format!("KEY = \"{secret}\"\n"));
    write(dir, "templates/index.html", PAGE);
    let engine = engine(dir);
    engine.scan(&ScanRequest::of(".")).unwrap();
    engine
}

fn read(engine: &Engine, id: &str, page: bool) -> Result<String, Failure> {
    engine.shared(id, None, page).map(|form| match form {
        SharedForm::Json(bytes) | SharedForm::Page(bytes) => String::from_utf8(bytes).unwrap(),
    })
}

#[test]
fn given_a_share_then_it_can_be_read_in_both_forms_without_secrets_and_machine_paths() {
    let dir = tempfile::tempdir().unwrap();
    let engine = shared_project(dir.path());
    let record = engine.share(&ShareRequest::default()).unwrap();
    assert_eq!(record.id.len(), 32);
    assert!(record.url.ends_with(&format!("/share/{}", record.id)));
    assert_eq!(record.status, ShareStatus::Active);
    let place = dir.path().to_string_lossy().into_owned();
    for page in [false, true] {
        let text = read(&engine, &record.id, page).unwrap();
        assert!(text.contains("app.py"));
        for bad in [place.as_str(), "Ab3dEf9hIj", "sk-proj-Ab3d"] {
            assert!(!text.contains(bad), "{bad}");
        }
    }
    let json: Value = serde_json::from_str(&read(&engine, &record.id, false).unwrap()).unwrap();
    assert_eq!(json["findingsCount"], record.findings_count);
    assert_eq!(json["scan"]["projectPath"], ".");
}

#[test]
fn given_a_share_then_its_entry_does_not_open_it() {
    let dir = tempfile::tempdir().unwrap();
    let engine = shared_project(dir.path());
    let record = engine.share(&ShareRequest::default()).unwrap();
    engine
        .revoke_share(&RevokeRequest {
            id: record.id.clone(),
            path: None,
        })
        .unwrap();
    let request = AuditRequest {
        kind: Some(EntryType::Share),
        ..AuditRequest::default()
    };
    let entries = serde_json::to_string(&engine.audit(&request).unwrap()).unwrap();
    assert!(entries.contains("created") && entries.contains("revoked"));
    assert!(!entries.contains(&record.id));
    assert!(engine.verify_evidence(&crate::VerifyRequest::default()).unwrap().valid);
}

#[test]
fn given_a_revoked_or_unknown_share_then_it_is_not_found_and_stays_in_the_list() {
    let dir = tempfile::tempdir().unwrap();
    let engine = shared_project(dir.path());
    let record = engine.share(&ShareRequest::default()).unwrap();
    let revoke = RevokeRequest {
        id: record.id.clone(),
        path: None,
    };
    assert_eq!(engine.revoke_share(&revoke).unwrap().status, ShareStatus::Revoked);
    assert_eq!(engine.revoke_share(&revoke).unwrap().status, ShareStatus::Revoked);
    for id in [record.id.as_str(), "x", "00000000000000000000000000000000", "../../etc"] {
        assert_eq!(
            read(&engine, id, true).unwrap_err().code,
            ErrorCode::UnknownShare,
            "{id}"
        );
    }
    let list = engine.shares(&ShareListRequest::default()).unwrap();
    assert_eq!((list.count, list.shares[0].status), (1, ShareStatus::Revoked));
}

#[test]
fn given_the_last_day_of_a_share_then_it_is_not_found_after_it() {
    let dir = tempfile::tempdir().unwrap();
    let engine = shared_project(dir.path());
    let record = engine
        .share(&ShareRequest {
            expiration_days: Some(1),
            ..ShareRequest::default()
        })
        .unwrap();
    let (_, mut row) = engine.share_row(&record.id, None).unwrap();
    assert_eq!(engine.status_of(&row), ShareStatus::Active);
    row.expires_at = crate::scan::timestamp((engine.options.clock.now)());
    assert_eq!(engine.status_of(&row), ShareStatus::Expired);
    row.expires_at = "not a time".to_owned();
    assert_eq!(engine.status_of(&row), ShareStatus::Expired);
    // The same project, opened two days later.
    drop(engine);
    let mut options = crate::tests::engine(dir.path()).options.clone();
    options.clock.now = || Timestamp::from_second(1_795_132_800 + 2 * 86_400).unwrap();
    let later = Engine::start(options).unwrap();
    let failure = later.shared(&record.id, Some("."), false).unwrap_err();
    assert_eq!(failure.code, ErrorCode::UnknownShare);
}

#[test]
fn given_nothing_to_share_or_a_wrong_field_then_it_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let engine = shared_project(dir.path());
    let refused = |request: ShareRequest| engine.share(&request).unwrap_err().code;
    let of = |scan_type| ShareRequest {
        scan_type: Some(scan_type),
        ..ShareRequest::default()
    };
    assert_eq!(refused(of(ScanType::Eval)), ErrorCode::NoRunYet);
    assert_eq!(refused(of(ScanType::Audit)), ErrorCode::NoRunYet);
    for days in [0, 366] {
        let request = ShareRequest {
            expiration_days: Some(days),
            ..ShareRequest::default()
        };
        assert_eq!(refused(request), ErrorCode::InvalidRequest);
    }
    let request = ShareRequest {
        jurisdiction: Some("US".to_owned()),
        ..ShareRequest::default()
    };
    assert_eq!(refused(request), ErrorCode::UnknownJurisdiction);
    assert_eq!(engine.shares(&ShareListRequest::default()).unwrap().count, 0);
}
