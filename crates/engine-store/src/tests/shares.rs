//! Shares: kept with their entries, removed when they end or are revoked.

use engine_evidence::{Draft, EntryType};
use engine_signing::SecretKey;
use serde_json::json;

use super::{project, store};
use crate::*;

fn key() -> SecretKey {
    SecretKey::from_seed(&[7; 32])
}

fn draft(at: &str) -> Draft {
    Draft {
        id: format!("entry at {at}"),
        timestamp: at.to_owned(),
        kind: EntryType::Share,
        actor: "test".to_owned(),
        agent: None,
        payload: json!({"action": "created"}),
        artifacts: Vec::new(),
    }
}

fn share(id: &str, created: &str, expires: &str) -> NewShare {
    NewShare {
        id: id.to_owned(),
        created_at: created.to_owned(),
        expires_at: expires.to_owned(),
        record: json!({"score": 71}),
        result: b"{}".to_vec(),
        page: "<!doctype html>".to_owned(),
    }
}

const FIRST: &str = "2026-11-20T10:00:00.000Z";
const SECOND: &str = "2026-11-22T10:00:00.000Z";

#[test]
fn given_a_share_then_it_is_kept_with_its_entry_and_read_again() {
    let folder = project();
    let store = store(&folder);
    store
        .save_share_recorded(share("a", FIRST, SECOND), draft(FIRST), "chain", &key())
        .unwrap();
    let row = store.share("a").unwrap().unwrap();
    assert_eq!((row.seq, row.expires_at.as_str(), row.revoked_at), (1, SECOND, None));
    assert_eq!(store.share_content("a").unwrap().unwrap().result, b"{}");
    assert_eq!(store.share_content("b").unwrap(), None);
    // The genesis and the share.
    assert_eq!(store.evidence_head().unwrap().unwrap().0.size, 2);
}

#[test]
fn given_the_same_id_twice_then_neither_share_nor_entry_is_added() {
    let folder = project();
    let store = store(&folder);
    let save = || store.save_share_recorded(share("a", FIRST, SECOND), draft(FIRST), "chain", &key());
    save().unwrap();
    assert!(save().is_err());
    assert_eq!(store.evidence_head().unwrap().unwrap().0.size, 2);
}

#[test]
fn given_a_revoked_share_then_its_copy_is_gone_and_the_row_stays() {
    let folder = project();
    let store = store(&folder);
    store
        .save_share_recorded(share("a", FIRST, SECOND), draft(FIRST), "chain", &key())
        .unwrap();
    store
        .revoke_share_recorded("a", draft(SECOND), "chain", &key())
        .unwrap();
    assert_eq!(store.share_content("a").unwrap(), None);
    assert_eq!(store.share("a").unwrap().unwrap().revoked_at.as_deref(), Some(SECOND));
}

#[test]
fn given_an_ended_share_then_the_next_share_removes_its_copy() {
    let folder = project();
    let store = store(&folder);
    store
        .save_share_recorded(
            share("a", FIRST, "2026-11-21T10:00:00.000Z"),
            draft(FIRST),
            "chain",
            &key(),
        )
        .unwrap();
    store
        .save_share_recorded(
            share("b", SECOND, "2026-12-21T10:00:00.000Z"),
            draft(SECOND),
            "chain",
            &key(),
        )
        .unwrap();
    assert_eq!(store.share_content("a").unwrap(), None);
    assert!(store.share_content("b").unwrap().is_some());
    let ids: Vec<String> = store.shares(None, 10).unwrap().into_iter().map(|row| row.id).collect();
    assert_eq!(ids, ["b", "a"]);
    assert_eq!(store.shares(Some(2), 10).unwrap().len(), 1);
}

#[test]
fn given_new_ids_then_each_has_128_bits_and_none_is_the_same() {
    let (one, other) = (new_share_id().unwrap(), new_share_id().unwrap());
    assert_eq!(one.len(), 32);
    assert!(one.chars().all(|c| c.is_ascii_hexdigit()));
    assert_ne!(one, other);
}
