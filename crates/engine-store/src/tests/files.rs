//! Files that change together with an entry of the chain.

use engine_evidence::{Draft, EntryType};
use engine_signing::SecretKey;
use serde_json::json;

use crate::{FileChange, Mode, StateDir, Store};

fn place() -> (tempfile::TempDir, StateDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let dir = StateDir::open(folder.path(), Mode::ReadWrite).unwrap();
    let store = Store::open(&dir).unwrap();
    (folder, dir, store)
}

fn draft(id: &str) -> Draft {
    Draft {
        id: id.to_owned(),
        timestamp: "2026-11-20T10:00:00.000Z".to_owned(),
        kind: EntryType::Passport,
        actor: "test".to_owned(),
        agent: Some("a".to_owned()),
        payload: json!({}),
        artifacts: Vec::new(),
    }
}

fn change(path: &str, before: Option<&str>, after: Option<&str>) -> FileChange {
    FileChange {
        path: path.to_owned(),
        before: before.map(|text| text.as_bytes().to_vec()),
        after: after.map(ToOwned::to_owned),
    }
}

fn text(dir: &StateDir, path: &str) -> Option<String> {
    dir.read(path).unwrap().map(|bytes| String::from_utf8(bytes).unwrap())
}

#[test]
fn files_and_their_entry_change_together_or_not_at_all() {
    let (_folder, dir, store) = place();
    let key = SecretKey::from_seed(&[1; 32]);
    let changes = vec![change("passports/a.json", None, Some("one"))];
    store
        .save_files_recorded(&dir, changes, Vec::new(), draft("1"), "c", &key)
        .unwrap();
    assert_eq!(text(&dir, "passports/a.json").as_deref(), Some("one"));
    let renamed = vec![
        change("passports/a.json", Some("one"), None),
        change("passports/b.json", None, Some("two")),
    ];
    store
        .save_files_recorded(&dir, renamed, Vec::new(), draft("2"), "c", &key)
        .unwrap();
    assert_eq!(dir.list("passports").unwrap(), ["b.json"]);
    let mut too_large = draft("3");
    too_large.payload = json!("x".repeat(engine_evidence::ENTRY_BYTES_MAX));
    let refused = vec![change("passports/c.json", None, Some("three"))];
    store
        .save_files_recorded(&dir, refused, Vec::new(), too_large, "c", &key)
        .unwrap_err();
    assert_eq!(dir.list("passports").unwrap(), ["b.json"], "no entry, no file");
    assert_eq!(
        store.evidence_snapshot().unwrap().rows,
        3,
        "the beginning and two changes"
    );
    let bad = vec![change("../out.json", None, Some("x"))];
    store
        .save_files_recorded(&dir, bad, Vec::new(), draft("4"), "c", &key)
        .unwrap_err();
    assert_eq!(store.evidence_snapshot().unwrap().rows, 3, "no file, no entry");
}

#[test]
fn what_a_process_that_died_had_recorded_is_done_when_the_project_is_opened_next() {
    let (_folder, dir, store) = place();
    let note = |before: Option<&str>, after: Option<&str>| {
        json!({
            "before": before.map(|text| engine_signing::Digest::of(text.as_bytes())),
            "after": after,
        })
        .to_string()
    };
    dir.write_atomic("passports/gone.json", b"old").unwrap();
    dir.write_atomic("passports/edited.json", b"by a person").unwrap();
    store
        .meta_set("pending-file/passports/new.json", &note(None, Some("new")))
        .unwrap();
    store
        .meta_set("pending-file/passports/gone.json", &note(Some("old"), None))
        .unwrap();
    store
        .meta_set("pending-file/passports/edited.json", &note(Some("old"), Some("new")))
        .unwrap();
    store.finish_files(&dir).unwrap();
    assert_eq!(text(&dir, "passports/new.json").as_deref(), Some("new"));
    assert_eq!(text(&dir, "passports/gone.json"), None);
    assert_eq!(
        text(&dir, "passports/edited.json").as_deref(),
        Some("by a person"),
        "a person's edit stays"
    );
    assert_eq!(
        store.meta_get("pending-file/passports/new.json").unwrap(),
        None,
        "it is done once"
    );
    dir.write_atomic("passports/new.json", b"later").unwrap();
    store.finish_files(&dir).unwrap();
    assert_eq!(text(&dir, "passports/new.json").as_deref(), Some("later"));
}
