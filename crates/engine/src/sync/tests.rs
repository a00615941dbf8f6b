//! Replies and entries of synchronisations, without a dashboard.

use engine_model::ErrorCode;
use engine_sync::{SyncError, Uploaded};
use serde_json::json;

use super::requests::{SyncAction, SyncItem, SyncKind, SyncReply};
use super::{failure, payload, ranges, with_sync};

fn item(action: SyncAction) -> SyncItem {
    SyncItem {
        id: "id".to_owned(),
        name: "name".to_owned(),
        action,
        error: None,
    }
}

#[test]
fn given_items_then_each_is_counted_once() {
    let mut reply = SyncReply::new(SyncKind::Passport, None);
    reply.add(vec![item(SyncAction::Created), item(SyncAction::Unchanged)]);
    assert!(reply.complete);
    reply.add(vec![
        item(SyncAction::Updated),
        item(SyncAction::Conflict),
        item(SyncAction::Rejected),
        item(SyncAction::Withheld),
        item(SyncAction::Failed),
    ]);
    assert_eq!(
        (reply.synced, reply.conflicts, reply.failed, reply.processed),
        (3, 1, 3, 5)
    );
    assert!(!reply.complete);
}

#[test]
fn given_an_upload_then_its_ranges_cover_every_entry() {
    let mut uploaded = Uploaded {
        before: Some(3),
        held: 8,
        total: 10,
        root: None,
        stopped: None,
        sent: true,
    };
    let shown = |uploaded: &Uploaded| -> Vec<(String, SyncAction)> {
        ranges(uploaded)
            .into_iter()
            .map(|item| (item.name, item.action))
            .collect()
    };
    assert_eq!(
        shown(&uploaded),
        [
            ("entries 0 to 2".to_owned(), SyncAction::Unchanged),
            ("entries 3 to 7".to_owned(), SyncAction::Created),
            ("entries 8 to 9".to_owned(), SyncAction::Failed),
        ]
    );
    uploaded.before = Some(0);
    uploaded.held = 10;
    assert_eq!(shown(&uploaded), [("entries 0 to 9".to_owned(), SyncAction::Created)]);
    uploaded.before = None;
    uploaded.held = 0;
    uploaded.total = 1;
    assert_eq!(shown(&uploaded), [("entry 0".to_owned(), SyncAction::Failed)]);
}

#[test]
fn given_an_error_then_its_code_says_what_to_do() {
    let dashboard = "h:1".to_owned();
    let status = |status| SyncError::Status {
        dashboard: dashboard.clone(),
        status,
        message: None,
        retry_after: Some(7),
    };
    assert_eq!(failure(&status(409)).code, ErrorCode::DashboardConflict);
    let busy = failure(&status(429));
    assert_eq!((busy.code, busy.retry_after), (ErrorCode::DashboardFailed, Some(7)));
    let refused = SyncError::TokenRefused {
        dashboard: dashboard.clone(),
        status: 401,
    };
    assert_eq!(failure(&refused).code.status().as_u16(), 502);
    let late = SyncError::TimedOut { dashboard, sent: true };
    assert_eq!(failure(&late).code.status().as_u16(), 504);
}

#[test]
fn given_a_scan_then_the_push_is_its_last_member_and_the_entry_has_no_fraction() {
    let reply = SyncReply::new(SyncKind::Scan, Some("h:1".to_owned()));
    let json = with_sync(br#"{"id":"x"}"#.to_vec(), &reply).unwrap();
    let value: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!((&value["id"], &value["sync"]["kind"]), (&json!("x"), &json!("scan")));
    assert!(with_sync(b"[]".to_vec(), &reply).is_err());
    let payload = payload(&reply, &json!({"items": 1}));
    assert_eq!(payload["items"], 1);
    assert!(engine_signing::canonical_value(&payload).is_ok());
}
